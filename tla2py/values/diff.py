"""What changed from one value to the next."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from tla2py.values.canonical import in_order, is_identifier, same_value
from tla2py.values.tla_text import format_value
from tla2py.values.value import Function, Interval, Record, Value

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
    those removed. Anything else that differs is one change of the whole part.
    """
    todo: list[tuple[str, Value | None, Value | None]] = [("", before, after)]
    while todo:
        path, old, new = todo.pop()
        if old is new:
            continue
        if isinstance(old, (tuple, Record, Function)) and isinstance(new, (tuple, Record, Function)):
            todo.extend(reversed(list(_by_key(path, old, new))))
        elif isinstance(old, (frozenset, Interval)) and isinstance(new, (frozenset, Interval)):
            yield from _by_element(path + "{}", old, new)
        elif old is None or new is None or not same_value(old, new):
            yield Change(path=path, before=old, after=new)


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
    keys = olds if olds.keys() == news.keys() else in_order(olds.keys() | news.keys())
    for key in keys:
        one, other = olds.get(key), news.get(key)
        if one is not other:
            yield path + _step(key), one, other


def _mapping(value: tuple[Value, ...] | Record | Function) -> Mapping[Value, Value]:
    return dict(enumerate(value, start=1)) if isinstance(value, tuple) else value  # type: ignore[return-value]


def _step(key: Value) -> str:
    return f".{key}" if isinstance(key, str) and is_identifier(key) else f"[{format_value(key)}]"


def _by_element(
    path: str, old: frozenset[Value] | Interval, new: frozenset[Value] | Interval
) -> Iterator[Change]:
    kept = {element: element for element in new}
    removed: list[Value] = []
    for element in old:
        counterpart = kept.get(element, _MISSING)
        if counterpart is _MISSING or not same_value(element, counterpart):  # type: ignore[arg-type]
            removed.append(element)
        else:
            del kept[element]
    for element in in_order(removed):
        yield Change(path=path, before=element, after=None)
    for element in in_order(kept.values()):
        yield Change(path=path, before=None, after=element)
