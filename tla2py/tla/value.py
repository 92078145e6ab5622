"""TLA+ values as immutable Python objects that compare and hash as TLA+ values do.

Booleans, integers, strings, sets and sequences are Python's ``bool``, ``int``, ``str``, ``frozenset`` and ``tuple``;
the classes here have no Python counterpart. In TLA+ a sequence is a function on ``1..n`` and a record a function on
strings, so ``("a",) == Function({1: "a"})`` and ``Record({"f": 1}) == Function({"f": 1})``, with equal hashes. In
Python, but not in TLA+, ``True == 1``: ``tla2py.tla.canonical.same_value`` distinguishes the two.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass
from itertools import islice
from typing import Any, Generic, TypeAlias, TypeVar

Value: TypeAlias = "bool | int | str | ModelValue | frozenset[Value] | tuple[Value, ...] | Record | Function | Interval | Opaque"

K = TypeVar("K")

HASHED_INTERVAL = 1 << 20
"""The largest size at which an ``Interval`` equals, and hashes as, the ``frozenset`` of its elements."""

DEEPEST = 100
"""The nesting of values that readers build: they keep deeper parts as text, because Python and readers of JSON recurse."""

# The most keys that the error for a missing key lists.
_MOST_KEYS = 10


@dataclass(frozen=True, slots=True)
class ModelValue:
    """A constant that equals only itself, identified by its ``name``."""

    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class Opaque:
    """A value kept as TLA+ ``text``: infinite, lazy, or not enumerated by TLC (``SUBSET S``, ``Nat``).

    Two opaque values are equal when their texts are, whatever the texts denote.
    """

    text: str

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True, eq=False)
class Interval(Set[int]):
    """The set of integers from ``lo`` to ``hi``, both included; empty when ``lo > hi``.

    With up to ``HASHED_INTERVAL`` elements it equals the ``frozenset`` of its elements and has the same hash. A larger
    one equals only intervals, so that equal values always have equal hashes.
    """

    lo: int
    hi: int

    @classmethod
    def _from_iterable(cls, it: Iterable[int]) -> frozenset[int]:  # type: ignore[override]
        return frozenset(it)  # what the set operators of the base class return

    def __contains__(self, item: object) -> bool:
        return isinstance(item, int) and self.lo <= item <= self.hi

    def __iter__(self) -> Iterator[int]:
        return iter(range(self.lo, self.hi + 1))

    @property
    def size(self) -> int:
        """The number of elements; ``len`` fails beyond ``sys.maxsize``."""
        return max(0, self.hi - self.lo + 1)

    def __len__(self) -> int:
        return self.size

    def __bool__(self) -> bool:
        return self.lo <= self.hi

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Interval):
            return (self.lo, self.hi) == (other.lo, other.hi) or (not self and not other)
        if isinstance(other, frozenset):
            size = self.size
            return size == len(other) and size <= HASHED_INTERVAL and all(item in other for item in self)
        return NotImplemented

    def __hash__(self) -> int:
        return hash(frozenset(self) if self.size <= HASHED_INTERVAL else (self.lo, self.hi))

    def __str__(self) -> str:
        return _text(self)


class _NoKeyError(KeyError):
    """A missing key of a function or record; the message, built only when shown, lists the keys."""

    def __str__(self) -> str:
        key, mapping = self.args
        if isinstance(key, str) and ModelValue(key) in mapping:
            return f'no string "{key}" among the keys, but a model value: ModelValue("{key}")'
        keys = [_text(each) for each in islice(mapping, _MOST_KEYS + 1)]
        more = ", and more" if len(keys) > _MOST_KEYS else ""
        return f"no key {key!r}; the keys are: {', '.join(keys[:_MOST_KEYS]) or 'none'}{more}"


class _Map(Mapping[K, "Value"], Generic[K]):
    """The base of records and functions: a sorted mapping with the equality and hash of a TLA+ function."""

    __slots__ = ("_hash", "_items", "_sorted")

    _items: dict[K, Value]

    # Any: Mapping is invariant in its keys, so a dict with keys of one type would not match those of a function.
    def __init__(self, items: Mapping[Any, Value] | Iterable[tuple[Any, Value]] = ()) -> None:
        self._items = dict(items)
        self._sorted = False
        self._hash: int | None = None

    def _sort(self) -> dict[K, Value]:
        # Lazy: most functions in a trace are only compared.
        if not self._sorted:
            from tla2py.tla.canonical import in_order

            self._items = {key: self._items[key] for key in in_order(self._items)}
            self._sorted = True
        return self._items

    def __getitem__(self, key: K) -> Value:
        try:
            return self._items[key]
        except KeyError:
            raise _NoKeyError(key, self) from None

    def __contains__(self, key: object) -> bool:
        return key in self._items

    def __iter__(self) -> Iterator[K]:
        return iter(self._sort())

    def __len__(self) -> int:
        return len(self._items)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, (_Map, tuple)):
            return NotImplemented
        if self is other:
            return True
        if len(self) != len(other):
            return False
        mine: Mapping[object, Value] = self._items  # type: ignore[assignment]
        theirs = dict(enumerate(other, start=1)) if isinstance(other, tuple) else other._items
        return mine == theirs

    def __hash__(self) -> int:
        if self._hash is None:
            items: Mapping[object, Value] = self._items  # type: ignore[assignment]
            positions = range(1, len(items) + 1)
            if all(position in items for position in positions):
                self._hash = hash(tuple([items[position] for position in positions]))
            else:
                self._hash = hash(frozenset(items.items()))
        return self._hash

    def __reduce__(self) -> tuple[object, ...]:
        # String hashes differ between processes, so the cached hash must not be pickled.
        return (type(self), (self._items,))

    def __str__(self) -> str:
        return _text(self)  # type: ignore[arg-type]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._sort()!r})"


class Record(_Map[str]):
    """A TLA+ record: an immutable mapping from field names, in alphabetical order, to values."""

    __slots__ = ()


class Function(_Map["Value"]):
    """A TLA+ function with a finite domain: an immutable mapping with keys in canonical order.

    As in any Python mapping, ``True`` and ``1`` are the same key.
    """

    __slots__ = ()


def _text(value: Value) -> str:
    from tla2py.tla.value_text import format_value

    return format_value(value)
