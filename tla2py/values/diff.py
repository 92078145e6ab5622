"""The changes between two values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from operator import itemgetter
from typing import TypeAlias, TypeGuard

from tla2py.values.canonical import in_order, is_identifier, same_value
from tla2py.values.tla_text import format_value
from tla2py.values.value import HASHED_INTERVAL, Function, Interval, Record, Value

Keyed: TypeAlias = "tuple[Value, ...] | Record | Function"

_MISSING = object()


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A smallest part that changed from ``before`` to ``after``; None means that side has no such part.

    ``path`` leads from the whole value ("") to the part, step by step:

    * ``.name``: the value at the string ``name``, an identifier (a record field);
    * ``[key]``: the value at any other key, in canonical TLA+ text (``[3]`` is the third element of a sequence: of the
      old sequence for a removed element, otherwise of the new one);
    * ``{}``, always last: an element of that set; ``before`` was removed or ``after`` was added.
    """

    path: str
    before: Value | None
    after: Value | None


def changes(before: Value, after: Value) -> Iterator[Change]:
    """The smallest parts in which two values differ, in key order.

    Sequences, records and functions are compared key by key. If a sequence only lost or gained adjacent elements, as
    by ``Tail``, only these are changes: the elements after them moved and did not change. Sets are compared by element,
    removed ones first. Anything else that differs, including a huge interval, is one change of the whole part.
    """
    todo: list[tuple[str, Value | None, Value | None]] = [("", before, after)]
    while todo:
        path, old, new = todo.pop()
        if old is new:
            continue
        if isinstance(old, (tuple, Record, Function)) and isinstance(new, (tuple, Record, Function)):
            rows = by_key(old, new)
            todo.extend(
                (path + _step(key), one, other) for key, one, other in reversed(rows) if one is not other
            )
        elif _enumerable(old) and _enumerable(new):
            yield from _by_element(path + "{}", old, new)
        elif old is None or new is None or not same_value(old, new):
            yield Change(path=path, before=old, after=new)


def _enumerable(value: Value | None) -> TypeGuard[frozenset[Value] | Interval]:
    return isinstance(value, frozenset) or (isinstance(value, Interval) and value.size <= HASHED_INTERVAL)


def by_key(old: Keyed, new: Keyed) -> list[tuple[Value, Value | None, Value | None]]:
    """The keys of two values in order, each with its old and new value; None where one side has no such key.

    If a sequence only lost or gained adjacent elements, the elements after them stay paired.
    """
    if isinstance(old, tuple) and isinstance(new, tuple):
        olds, news = (old, _spread(new, old)) if len(old) >= len(new) else (_spread(old, new), new)
        return [(place, *pair) for place, pair in enumerate(zip(olds, news, strict=True), 1)]
    before, after = as_mapping(old), as_mapping(new)
    old_keys, new_keys = ({key: key for key in keys} for keys in (before, after))
    rows: list[tuple[Value, Value | None, Value | None]] = [
        (key, one, after[key] if _has(new_keys, key) else None) for key, one in before.items()
    ]
    added = [(key, None, other) for key, other in after.items() if not _has(old_keys, key)]
    return in_order([*rows, *added], key=itemgetter(0)) if added else rows


def _spread(short: tuple[Value, ...], long: tuple[Value, ...]) -> tuple[Value | None, ...]:
    """A sequence with a gap for the adjacent elements that only the longer one has; at the end if more differs."""
    extra = len(long) - len(short)
    pairs = zip(short, long, strict=False)
    start = next((place for place, pair in enumerate(pairs) if not same_value(*pair)), len(short))
    # An element added at a set's place would read as an element of that set.
    at_sets = any(_enumerable(each) for each in short[start : start + extra])
    if at_sets or not same_value(short[start:], long[start + extra :]):
        start = len(short)
    return (*short[:start], *[None] * extra, *short[start:])


def _has(keys: Mapping[Value, Value], key: Value) -> bool:
    """Whether ``keys``, which maps each key to itself, has ``key``; Python's ``True`` is not TLA+'s ``1``."""
    found = keys.get(key, _MISSING)
    return found is key or (found is not _MISSING and same_value(found, key))  # type: ignore[arg-type]


def as_mapping(value: Keyed) -> Mapping[Value, Value]:
    """A sequence, record or function as a mapping; a sequence's keys start at 1."""
    return dict(enumerate(value, start=1)) if isinstance(value, tuple) else value  # type: ignore[return-value]


def _step(key: Value) -> str:
    return f".{key}" if isinstance(key, str) and is_identifier(key) else f"[{format_value(key)}]"


def _by_element(
    path: str, old: frozenset[Value] | Interval, new: frozenset[Value] | Interval
) -> Iterator[Change]:
    olds, news = ({element: element for element in elements} for elements in (old, new))
    for element in in_order([element for element in olds if not _has(news, element)]):
        yield Change(path=path, before=element, after=None)
    for element in in_order([element for element in news if not _has(olds, element)]):
        yield Change(path=path, before=None, after=element)
