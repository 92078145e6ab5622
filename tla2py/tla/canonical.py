"""The canonical form of values: it defines their order and equality, and text and JSON are written from it.

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
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from operator import itemgetter
from typing import Any, TypeAlias, TypeVar

from tla2py.tla.value import Function, Interval, ModelValue, Opaque, Record, Value

Form: TypeAlias = tuple[Any, ...]
T = TypeVar("T")

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
