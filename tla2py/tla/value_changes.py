"""The smallest parts in which two values differ."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import TypeAlias, TypeGuard

from tla2py.tla.value import (
    HASHED_INTERVAL,
    Function,
    Interval,
    Record,
    Value,
    format_value,
    in_order,
    is_identifier,
    same_value,
)

Keyed: TypeAlias = "tuple[Value, ...] | Record | Function"
KeyRow: TypeAlias = "tuple[Value, Value | None, Value | None]"

_MISSING = object()


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A smallest part that changed from ``before`` to ``after``; None means that side has no such part.

    ``path`` leads from the whole value ("") to the part, step by step:

    * ``.name``: the value at the string ``name``, an identifier (a record field);
    * ``[key]``: the value at any other key, in canonical TLA+ text (``[3]`` is the third element of a sequence: of the
      old sequence for a removed element, otherwise of the new one);
    * ``{}``, always last: an element of that set, or of that bag with count 1; ``before`` was removed or ``after`` was
      added;
    * ``[]``, always last: an element of that sequence, which moved on; ``before`` left its front or ``after`` was appended.
    """

    path: str
    before: Value | None
    after: Value | None


def changes(before: Value, after: Value) -> Iterator[Change]:
    """The smallest parts in which two values differ, in key order.

    Sequences, records and functions are compared key by key. If a sequence only lost or gained adjacent elements, as
    by ``Tail``, only these are changes: the elements after them moved and did not change. The same goes for a sequence
    that moved on, as by ``Append(Tail(q), x)``. Sets are compared by element, removed ones first. A bag, a function to
    positive integers, gains and loses elements like a set where their count is 1, unless they are scalars. Anything
    else that differs, including a huge interval, is one change of the whole part.
    """
    todo: list[tuple[str, Value | None, Value | None]] = [("", before, after)]
    while todo:
        path, old, new = todo.pop()
        if old is new:
            continue
        if isinstance(old, (tuple, Record, Function)) and isinstance(new, (tuple, Record, Function)):
            rows = [row for row in by_key(old, new) if row[1] is not row[2]]
            sequences = isinstance(old, tuple) and isinstance(new, tuple)
            if sequences and rows and rows[0][2] is None and rows[-1][1] is None:
                yield from (Change(path=path + "[]", before=one, after=other) for _, one, other in rows)
                continue
            if _is_bag(old) and _is_bag(new):
                lost, gained = ([row[0] for row in rows if _is_once(*row, side)] for side in (1, 2))
                yield from (Change(path=path + "{}", before=key, after=None) for key in lost)
                yield from (Change(path=path + "{}", before=None, after=key) for key in gained)
                rows = [row for row in rows if not (_is_once(*row, 1) or _is_once(*row, 2))]
            for key, one, other in reversed(rows):
                named = isinstance(key, str) and is_identifier(key)
                todo.append((f"{path}.{key}" if named else f"{path}[{format_value(key)}]", one, other))
        elif _enumerable(old) and _enumerable(new):
            olds, news = ({element: element for element in elements} for elements in (old, new))
            for element in in_order([element for element in olds if not _has(news, element)]):
                yield Change(path=path + "{}", before=element, after=None)
            for element in in_order([element for element in news if not _has(olds, element)]):
                yield Change(path=path + "{}", before=None, after=element)
        elif old is None or new is None or not same_value(old, new):
            yield Change(path=path, before=old, after=new)


def _dropped(old: tuple[Value, ...], new: tuple[Value, ...], rows: Sequence[KeyRow]) -> int:
    """How many elements left the front of a sequence that moved on while others were appended, otherwise 0.

    ``rows`` pair its elements place by place: if fewer places changed than elements left and came, it did not move.
    """
    different = sum(one is None or other is None or not same_value(one, other) for _, one, other in rows)
    for count in range(1, len(old)):
        kept = len(old) - count
        if count + len(new) - kept > different:
            return 0
        if kept < len(new) and all(map(same_value, old[count:], new)):
            return count
    return 0


def _is_bag(value: Value) -> bool:
    """Whether a value is a function to positive integers, or empty."""
    return value == () or (
        isinstance(value, Function) and all(type(count) is int and count > 0 for count in value.values())
    )


def _is_once(key: Value, one: Value | None, other: Value | None, side: int) -> bool:
    """Whether an element of a bag is on one side only, the first or the second, and there once.

    A scalar is more likely the key of a partial function, whose number counts nothing.
    """
    here, there = (one, other) if side == 1 else (other, one)
    return there is None and here == 1 and isinstance(key, (tuple, frozenset, Record, Function))


def _enumerable(value: Value | None) -> TypeGuard[frozenset[Value] | Interval]:
    return isinstance(value, frozenset) or (isinstance(value, Interval) and value.size <= HASHED_INTERVAL)


def by_key(old: Keyed, new: Keyed) -> list[KeyRow]:
    """The keys of two values in order, each with its old and new value; None where one side has no such key.

    If a sequence only lost or gained adjacent elements, the elements after them stay paired; so do those that stayed in
    a sequence that moved on.
    """
    if isinstance(old, tuple) and isinstance(new, tuple):
        olds, news = (old, _spread(new, old)) if len(old) >= len(new) else (_spread(old, new), new)
        rows: list[KeyRow] = [(place, *pair) for place, pair in enumerate(zip(olds, news, strict=True), 1)]
        if dropped := _dropped(old, new, rows):
            gone: list[KeyRow] = [(place, one, None) for place, one in enumerate(old[:dropped], 1)]
            stayed = len(old) - dropped
            return gone + [(at, each if at <= stayed else None, each) for at, each in enumerate(new, 1)]
        return rows
    before, after = as_mapping(old), as_mapping(new)
    old_keys, new_keys = ({key: key for key in keys} for keys in (before, after))
    rows = [(key, one, after[key] if _has(new_keys, key) else None) for key, one in before.items()]
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
