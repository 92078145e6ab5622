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
    stack: list[_Part] = [_part(value)]
    while True:
        children, forms, finish = stack[-1]
        for child in children:  # resumes where an inner part interrupted it
            leaf = _LEAVES.get(type(child))
            if leaf is None:
                stack.append(_part(child))
                break
            forms.append(leaf(child))
        else:
            stack.pop()
            form = finish(forms)
            if not stack:
                return form
            stack[-1][1].append(form)


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


_Part: TypeAlias = tuple[Iterator[Value], list[Form], Callable[[list[Form]], Form]]


def _part(value: Value) -> _Part:
    """The parts of a value still to be visited, their forms so far, and the function that combines all forms."""
    if isinstance(value, frozenset):
        return iter(value), [], _finish_set
    if isinstance(value, tuple):
        return iter(value), [], _finish_sequence
    if not isinstance(value, (Record, Function)):
        raise TypeError(f"not a TLA+ value: {value!r}")
    items: dict[Any, Value] = value._items  # the order does not matter here
    keys = list(items)
    if all(type(key) is int for key in keys) and all(key in items for key in range(1, len(keys) + 1)):
        return iter([items[key] for key in range(1, len(keys) + 1)]), [], _finish_sequence
    if all(type(key) is str and is_identifier(key) for key in keys):
        names = tuple(sorted(keys))
        return (
            iter([items[name] for name in names]),
            [],
            lambda forms: (RECORD, len(names), names, tuple(forms)),
        )
    return iter([*keys, *items.values()]), [], _finish_function


def _finish_sequence(forms: list[Form]) -> Form:
    return (SEQUENCE, len(forms), tuple(forms))


def _finish_set(forms: list[Form]) -> Form:
    forms = sorted(forms)
    size = len(forms)
    if (
        size > ENUMERATED
        and forms[0][0] == forms[-1][0] == INTEGER
        and forms[-1][1] - forms[0][1] == size - 1
    ):
        return (SET, size, (forms[0], CONSECUTIVE))
    return (SET, size, tuple(forms))


def _finish_function(forms: list[Form]) -> Form:
    size = len(forms) // 2
    pairs = sorted(zip(forms[:size], forms[size:], strict=True), key=itemgetter(0))
    return (FUNCTION, size, tuple(key for key, _ in pairs), tuple(value for _, value in pairs))


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
