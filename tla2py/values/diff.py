"""What changed from one value to the next."""

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
    """One smallest part that changed, from ``before`` to ``after``; None where there is no such part.

    ``path`` leads to it from the value as a whole (""), one step after the other:

    * ``.name``: the value at the string ``name``, an identifier (a field of a record);
    * ``[key]``: the value at any other key, in canonical TLA+ text (``[3]`` is the third element of a sequence, in the
      sequence before for one that was taken out, else in the one after);
    * ``{}``, always last: an element of the set there, which ``before`` was removed or ``after`` was added.
    """

    path: str
    before: Value | None
    after: Value | None


def changes(before: Value, after: Value) -> Iterator[Change]:
    """The smallest parts in which two values differ, in the order of their keys.

    Sequences, records and functions are compared key by key, as the functions they are. Where a sequence only lost or
    gained neighbouring elements, as by ``Tail``, it is these: what follows them moved and did not change. Sets are
    compared by their elements, first those removed. Anything else that differs, a huge interval too, is one change of
    the whole part.
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
    """The keys of two values in order, each with what was there and what is there; None where one has no such key.

    Where a sequence only lost or gained neighbouring elements, those that follow them keep their partners.
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
    """A sequence with a gap where a longer one has neighbours that it lacks; at its end where that is not all."""
    extra = len(long) - len(short)
    pairs = zip(short, long, strict=False)
    start = next((place for place, pair in enumerate(pairs) if not same_value(*pair)), len(short))
    # What comes to the place of a set would read as an element of this set.
    at_sets = any(_enumerable(each) for each in short[start : start + extra])
    if at_sets or not same_value(short[start:], long[start + extra :]):
        start = len(short)
    return (*short[:start], *[None] * extra, *short[start:])


def _has(keys: Mapping[Value, Value], key: Value) -> bool:
    """Whether a key is among others, each mapped to itself; Python's ``True`` is not TLA+'s ``1``."""
    found = keys.get(key, _MISSING)
    return found is key or (found is not _MISSING and same_value(found, key))  # type: ignore[arg-type]


def as_mapping(value: Keyed) -> Mapping[Value, Value]:
    """A sequence, record or function as the mapping it is; a sequence's keys begin with 1."""
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
