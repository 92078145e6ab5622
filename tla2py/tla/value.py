"""TLA+ values as immutable Python objects that compare and hash as TLA+ values do.

Booleans, integers, strings, sets and sequences are Python's ``bool``, ``int``, ``str``, ``frozenset`` and ``tuple``;
the classes here have no Python counterpart. In TLA+ a sequence is a function on ``1..n`` and a record a function on
strings, so ``("a",) == Function({1: "a"})`` and ``Record({"f": 1}) == Function({"f": 1})``, with equal hashes. In
Python, but not in TLA+, ``True == 1``: ``same_value`` distinguishes the two.

``canonical`` turns a value into nested tuples, its *form*, each of which starts with a rank. Forms are equal exactly
when the TLA+ values are equal, and Python's comparison of forms is the canonical order: by rank, then numbers by size,
names and strings by code points, sets and functions by number of elements first, as in TLC.

| form | value |
|---|---|
| ``(BOOLEAN, b)`` ``(INTEGER, n)`` ``(STRING, s)`` ``(MODEL_VALUE, name)`` ``(OPAQUE, text)`` | the scalars |
| ``(SET, n, elements)`` | a set, its elements in order |
| ``(SET, n, ((INTEGER, lo), CONSECUTIVE))`` | a set of more than ``ENUMERATED`` consecutive integers |
| ``(SEQUENCE, n, elements)`` | a function on ``1..n``, including the empty one |
| ``(RECORD, n, names, values)`` | a function on strings that are all identifiers, sorted by name |
| ``(FUNCTION, n, keys, values)`` | any other function, sorted by key |
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from operator import itemgetter
from typing import Any, Generic, TypeAlias, TypeVar

Value: TypeAlias = "bool | int | str | ModelValue | frozenset[Value] | tuple[Value, ...] | Record | Function | Interval | Opaque"

Form: TypeAlias = tuple[Any, ...]
"""The canonical form of a value; the module's docstring lists the forms."""

K = TypeVar("K")
T = TypeVar("T")

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
        return format_value(self)


class _NoKeyError(KeyError):
    """A missing key of a function or record; the message, built only when shown, lists the keys."""

    def __str__(self) -> str:
        key, mapping = self.args
        if isinstance(key, str) and ModelValue(key) in mapping:
            return f'no string "{key}" among the keys, but a model value: ModelValue("{key}")'
        keys = [format_value(each) for each in islice(mapping, _MOST_KEYS + 1)]
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
        return format_value(self)  # type: ignore[arg-type]

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


BOOLEAN, INTEGER, STRING, MODEL_VALUE, OPAQUE, SET, SEQUENCE, RECORD, FUNCTION = range(9)

ENUMERATED = 32
"""The largest size at which a set of consecutive integers is written out; a larger set becomes ``lo..hi``."""

CONSECUTIVE: Form = (-1,)

# TLA+ 2's reserved words that look like identifiers: `[IF |-> 1]` is not TLA+.
_RESERVED = re.compile(
    "ACTION|ASSUME|ASSUMPTION|AXIOM|BY|CASE|CHOOSE|CONSTANTS?|COROLLARY|DEF|DEFINE|DEFS|DOMAIN|ELSE|ENABLED|EXCEPT|"
    "EXTENDS|HAVE|HIDE|IF|IN|INSTANCE|LAMBDA|LEMMA|LET|LOCAL|MODULE|NEW|OBVIOUS|OMITTED|ONLY|OTHER|PICK|PROOF|"
    "PROPOSITION|PROVE|QED|RECURSIVE|STATE|SUBSET|SUFFICES|TAKE|TEMPORAL|THEN|THEOREM|UNCHANGED|UNION|USE|"
    "VARIABLES?|WITH|WITNESS"
)
_IDENTIFIER = re.compile(r"(?!WF_|SF_)[0-9_]*[A-Za-z][A-Za-z0-9_]*")


@lru_cache(maxsize=4096)
def is_identifier(text: str) -> bool:
    """Whether ``text`` can be a field name in TLA+."""
    return _IDENTIFIER.fullmatch(text) is not None and _RESERVED.fullmatch(text) is None


def canonical(value: Value) -> Form:
    """The canonical form of ``value``; the module's docstring lists the forms."""
    leaf = _LEAVES.get(type(value))
    if leaf is not None:
        return leaf(value)
    if isinstance(value, frozenset):
        forms = sorted(map(canonical, value))
        count = len(forms)
        ranged = count > ENUMERATED and forms[0][0] == forms[-1][0] == INTEGER
        if ranged and forms[-1][1] - forms[0][1] == count - 1:
            return (SET, count, (forms[0], CONSECUTIVE))
        return (SET, count, tuple(forms))
    if isinstance(value, tuple):
        return (SEQUENCE, len(value), tuple(map(canonical, value)))
    if not isinstance(value, (Record, Function)):
        raise TypeError(f"not a TLA+ value: {value!r}")
    items: dict[Any, Value] = value._items  # the order does not matter here
    size = len(items)
    if all(type(key) is int for key in items) and all(key in items for key in range(1, size + 1)):
        return (SEQUENCE, size, tuple([canonical(items[key]) for key in range(1, size + 1)]))
    if all(type(key) is str and is_identifier(key) for key in items):
        names = tuple(sorted(items))
        return (RECORD, size, names, tuple([canonical(items[name]) for name in names]))
    pairs = sorted(((canonical(key), canonical(each)) for key, each in items.items()), key=itemgetter(0))
    return (FUNCTION, size, tuple(key for key, _ in pairs), tuple(each for _, each in pairs))


def scalar_forms(forms: Iterable[Form]) -> Iterator[Form]:
    """The forms of all scalars inside ``forms``, unordered; the integers of intervals are left out."""
    todo = list(forms)
    while todo:
        form = todo.pop()
        if form[0] < SET:
            yield form
        elif form[0] > SET or (form[1] and form[2][-1] is not CONSECUTIVE):
            for parts in form[2:]:
                # The field names of a record are strings, not forms.
                todo.extend(part for part in parts if isinstance(part, tuple))


def same_value(one: Value, other: Value) -> bool:
    """Whether two values are equal as TLA+ values; ``TRUE`` differs from ``1`` at every depth."""
    if one is other:
        return True
    if type(one) is type(other) and type(one) in _LEAVES:
        return one == other
    return bool(canonical(one) == canonical(other))


def in_order(values: Iterable[T], key: Callable[[T], Any] | None = None) -> list[T]:
    """Values of any kind in canonical order, or any items in the order of their ``key``."""
    items: list[Any] = list(values)
    keys = items if key is None else [key(item) for item in items]
    kinds = set(map(type, keys))
    if kinds == {int} or kinds == {str}:
        return sorted(items, key=key)
    forms = [(canonical(by), item) for by, item in zip(keys, items, strict=True)]
    return [item for _, item in sorted(forms, key=itemgetter(0))]


def _interval(value: Interval) -> Form:
    size = value.size
    if size > ENUMERATED:
        return (SET, size, ((INTEGER, value.lo), CONSECUTIVE))
    return (SET, size, tuple([(INTEGER, item) for item in value]))


_LEAVES: dict[type, Callable[[Any], Form]] = {
    bool: lambda value: (BOOLEAN, value),
    int: lambda value: (INTEGER, value),
    str: lambda value: (STRING, value),
    ModelValue: lambda value: (MODEL_VALUE, value.name),
    Opaque: lambda value: (OPAQUE, value.text),
    Interval: _interval,
}


UNESCAPED = {'"': '"', "\\": "\\", "t": "\t", "n": "\n", "f": "\f", "r": "\r"}
"""What TLA+ writes after a backslash in a string, and the character that it stands for."""
_ESCAPED = str.maketrans({char: "\\" + letter for letter, char in UNESCAPED.items()})


def format_value(value: Value) -> str:
    """The value as one line of TLA+, the same for all equal values; ``canonical`` defines the order.

    Functions on ``1..n`` are written as sequences, functions on identifiers as records, sets of more than 32
    consecutive integers as ``lo..hi``. ``parse_value`` reads it back as an equal value.
    """
    return format_form(canonical(value))


def format_form(form: Form) -> str:
    """``format_value`` for a canonical form."""
    rank, content, *parts = form
    if rank == STRING:
        return f'"{content.translate(_ESCAPED)}"'
    if rank == BOOLEAN:
        return "TRUE" if content else "FALSE"
    if rank < SET:
        return str(content)
    if rank == SET and content and parts[0][-1] is CONSECUTIVE:
        low = parts[0][0][1]
        return f"{low}..{low + content - 1}"
    texts = list(map(format_form, parts[-1]))
    if rank == RECORD:
        return f"[{', '.join(f'{name} |-> {text}' for name, text in zip(parts[0], texts, strict=True))}]"
    if rank == FUNCTION:
        pairs = zip(map(format_form, parts[0]), texts, strict=True)
        return f"({' @@ '.join(f'{key} :> {text}' for key, text in pairs)})"
    if rank == SEQUENCE:
        return f"<<{', '.join(texts)}>>"
    return f"{{{', '.join(texts)}}}"
