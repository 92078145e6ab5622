"""What changed from one value to the next."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from operator import itemgetter
from typing import TypeGuard

from tla2py.values.canonical import in_order, is_identifier, same_value
from tla2py.values.tla_text import format_value
from tla2py.values.value import HASHED_INTERVAL, Function, Interval, Record, Value

_MISSING = object()


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One smallest part that changed, from ``before`` to ``after``; None where there is no such part.

    ``path`` leads to it from the value as a whole (""), one step after the other:

    * ``.name``: the value at the string ``name``, an identifier (a field of a record);
    * ``[key]``: the value at any other key, in canonical TLA+ text (``[3]`` is the third element of a sequence);
    * ``{}``, always last: an element of the set there, which ``before`` was removed or ``after`` was added.
    """

    path: str
    before: Value | None
    after: Value | None


def changes(before: Value, after: Value) -> Iterator[Change]:
    """The smallest parts in which two values differ, in the order of their keys.

    Sequences, records and functions are compared key by key, as the functions they are; sets by their elements, first
    those removed. Anything else that differs, a huge interval too, is one change of the whole part.
    """
    todo: list[tuple[str, Value | None, Value | None]] = [("", before, after)]
    while todo:
        path, old, new = todo.pop()
        if old is new:
            continue
        if isinstance(old, (tuple, Record, Function)) and isinstance(new, (tuple, Record, Function)):
            todo.extend(reversed(list(_by_key(path, old, new))))
        elif _enumerable(old) and _enumerable(new):
            yield from _by_element(path + "{}", old, new)
        elif old is None or new is None or not same_value(old, new):
            yield Change(path=path, before=old, after=new)


def _enumerable(value: Value | None) -> TypeGuard[frozenset[Value] | Interval]:
    return isinstance(value, frozenset) or (isinstance(value, Interval) and value.size <= HASHED_INTERVAL)


def _by_key(
    path: str, old: tuple[Value, ...] | Record | Function, new: tuple[Value, ...] | Record | Function
) -> Iterator[tuple[str, Value | None, Value | None]]:
    if isinstance(old, tuple) and isinstance(new, tuple):
        for index in range(max(len(old), len(new))):
            one = old[index] if index < len(old) else None
            other = new[index] if index < len(new) else None
            if one is not other:
                yield f"{path}[{index + 1}]", one, other
        return
    olds, news = _mapping(old), _mapping(new)
    old_keys, new_keys = ({key: key for key in keys} for keys in (olds, news))
    rows: list[tuple[Value, Value | None, Value | None]] = [
        (key, one, news[key] if _has(new_keys, key) else None) for key, one in olds.items()
    ]
    added = [(key, None, other) for key, other in news.items() if not _has(old_keys, key)]
    for key, one, other in in_order([*rows, *added], key=itemgetter(0)) if added else rows:
        if one is not other:
            yield path + _step(key), one, other


def _has(keys: Mapping[Value, Value], key: Value) -> bool:
    """Whether a key is among others, each mapped to itself; Python's ``True`` is not TLA+'s ``1``."""
    found = keys.get(key, _MISSING)
    return found is key or (found is not _MISSING and same_value(found, key))  # type: ignore[arg-type]


def _mapping(value: tuple[Value, ...] | Record | Function) -> Mapping[Value, Value]:
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
