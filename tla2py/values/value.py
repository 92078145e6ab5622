"""TLA+ values as immutable Python objects that compare and hash as TLA+ values do.

Booleans, integers, strings, sets and sequences are Python's own ``bool``, ``int``, ``str``, ``frozenset`` and
``tuple``; the classes here are what Python has no counterpart for. In TLA+ a sequence is a function on ``1..n`` and a
record a function on strings, so ``("a",) == Function({1: "a"})`` and ``Record({"f": 1}) == Function({"f": 1})``, with
equal hashes. Python adds ``True == 1``, which TLA+ does not: ``tla2py.values.same_value`` tells them apart.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass
from itertools import islice
from typing import Any, Generic, TypeAlias, TypeVar

Value: TypeAlias = "bool | int | str | ModelValue | frozenset[Value] | tuple[Value, ...] | Record | Function | Interval | Opaque"

K = TypeVar("K")

HASHED_INTERVAL = 1 << 20
"""The size up to which an ``Interval`` equals, and hashes as, the ``frozenset`` of its elements."""

# Of those that there are, as many are named where another one is asked for.
_MOST_KEYS = 10


@dataclass(frozen=True, slots=True)
class ModelValue:
    """A constant that equals nothing but itself, known by its ``name``."""

    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class Opaque:
    """A value that is kept as its TLA+ ``text``: infinite, lazy, or not enumerated by TLC (``SUBSET S``, ``Nat``).

    Two of them are equal when their texts are; what the texts denote is not looked at.
    """

    text: str

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True, eq=False)
class Interval(Set[int]):
    """The set of integers from ``lo`` to ``hi``, both included; empty when ``lo > hi``.

    It equals the ``frozenset`` of its elements and has its hash, as long as it has no more than
    ``HASHED_INTERVAL`` elements; a larger one equals only intervals, so that equal values always hash alike.
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
        """The number of elements, which ``len`` cannot tell beyond ``sys.maxsize``."""
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
    """What a function or record has no value for; says which keys there are, and only when it is shown."""

    def __init__(self, key: object, there: Mapping[Any, Value]) -> None:
        super().__init__(key, there)

    def __str__(self) -> str:
        key, there = self.args
        if isinstance(key, str) and ModelValue(key) in there:
            return f'no string "{key}" among the keys, but a model value: ModelValue("{key}")'
        keys = [_text(each) for each in islice(there, _MOST_KEYS + 1)]
        more = ", and more" if len(keys) > _MOST_KEYS else ""
        return f"no key {key!r}; there are: {', '.join(keys[:_MOST_KEYS]) or 'none'}{more}"


class _Map(Mapping[K, "Value"], Generic[K]):
    """What records and functions share: a sorted mapping with the equality and hash of a TLA+ function."""

    __slots__ = ("_hash", "_items", "_sorted")

    _items: dict[K, Value]

    def __init__(self, items: Mapping[K, Value] | Iterable[tuple[K, Value]] = ()) -> None:
        self._items = dict(items)
        self._sorted = False
        self._hash: int | None = None

    def _sort(self) -> dict[K, Value]:
        # Put off until someone looks: most functions of a trace are only compared.
        if not self._sorted:
            from tla2py.values.canonical import in_order

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
        try:
            return mine == theirs
        except RecursionError:
            from tla2py.values.canonical import same_value

            return same_value(self, other)  # type: ignore[arg-type]

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
        # Hashes of strings differ between processes, so the cached one must not travel.
        return (type(self), (self._items,))

    def __str__(self) -> str:
        return _text(self)  # type: ignore[arg-type]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._sort()!r})"


class Record(_Map[str]):
    """A TLA+ record: an immutable mapping from field names, in alphabetical order, to values."""

    __slots__ = ()


class Function(_Map["Value"]):
    """A TLA+ function with a finite domain: an immutable mapping, its keys in canonical order.

    Python takes the keys ``True`` and ``1`` for one.
    """

    __slots__ = ()

    # Any, because a dict with keys of one type would be no Mapping with keys of all.
    def __init__(self, items: Mapping[Any, Value] | Iterable[tuple[Any, Value]] = ()) -> None:
        super().__init__(items)


DEEP = 50
"""The nesting from which readers ``shield`` the values they build."""


def shield(value: Value) -> Value:
    """An equal value that hashes and compares without recursion, provided that its parts do.

    Python recurses on the C stack to hash nested tuples, without any check: some tens of thousands of levels would
    end the process. A reader that shields what lies deep inside a value keeps the recursion short.
    """
    if isinstance(value, tuple):
        deep = _DeepTuple(value)
        deep._hash = tuple.__hash__(value)
        return deep
    if isinstance(value, frozenset):
        return _DeepSet(value)
    hash(value)  # records and functions keep it
    return value


class _DeepTuple(tuple["Value", ...]):
    _hash: int

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return _same(self, other) if isinstance(other, tuple) else NotImplemented

    def __ne__(self, other: object) -> bool:
        return not _same(self, other) if isinstance(other, tuple) else NotImplemented

    def __reduce__(self) -> tuple[object, ...]:
        return (shield, (tuple(self),))


class _DeepSet(frozenset["Value"]):
    __slots__ = ()

    __hash__ = frozenset.__hash__  # kept by every frozenset

    def __eq__(self, other: object) -> bool:
        return _same(self, other) if isinstance(other, frozenset) else NotImplemented

    def __ne__(self, other: object) -> bool:
        return not _same(self, other) if isinstance(other, frozenset) else NotImplemented


def value_kind(value: Value) -> str:
    """The kind of a value: boolean, integer, string, model value, set, sequence, record, function, interval, opaque.

    It tells how the value is held, so the equal ``("a",)`` and ``Function({1: "a"})`` are of different kinds.
    """
    for kind, name in _KINDS:
        if isinstance(value, kind):
            return name
    raise TypeError(f"not a TLA+ value: {value!r}")


# bool goes before int, of which it is a subclass.
_KINDS: tuple[tuple[type, str], ...] = (
    (bool, "boolean"),
    (int, "integer"),
    (str, "string"),
    (ModelValue, "model value"),
    (frozenset, "set"),
    (tuple, "sequence"),
    (Record, "record"),
    (Function, "function"),
    (Interval, "interval"),
    (Opaque, "opaque"),
)


def _text(value: Value) -> str:
    from tla2py.values.tla_text import format_value

    return format_value(value)


def _same(one: Value, other: Value) -> bool:
    from tla2py.values.canonical import same_value

    return hash(one) == hash(other) and same_value(one, other)
