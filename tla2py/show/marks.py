"""Values as HTML with marked changes: removed parts in ``del``, added parts in ``ins``."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeAlias, TypeGuard

from tla2py.show.markup import Element, Piece, element
from tla2py.values import Function, Interval, Record, Value, changes, format_value, same_value
from tla2py.values.canonical import ENUMERATED, in_order, is_identifier
from tla2py.values.diff import Keyed, as_mapping, by_key

Labels: TypeAlias = Callable[[Value], str]

# Deeper parts have no marks inside; longer unchanged texts are folded.
_DEEPEST = 30
_LONGEST = 60
# Limit of removed times added elements for pairing them.
_MOST_PAIRED = 30


def marked(before: Value, after: Value, *, fold: bool = True) -> Element:
    """The new value with marked changes; ``fold`` shortens long unchanged parts to ``…``."""
    return element("code", *_marked(before, after, fold, 0))


def value_marks(old: Value, new: Value) -> tuple[Piece, ...]:
    """A value that was replaced as a whole."""
    return _deleted(old), " → ", _inserted(new)


def element_marks(before: Sequence[Value], after: Sequence[Value], *, pair: bool = True) -> Iterator[Piece]:
    """The elements that a set or sequence lost and gained; with ``pair``, similar ones are marked inside."""
    olds, news = list(before), list(after)
    pairs, removed, added = _pairs(olds, news) if pair else ([], olds, news)
    for number, (old, new) in enumerate(pairs):
        yield ", " if number else ""
        yield element("code", *_marked(old, new, False, 0))
    for sign, values, mark in (("− ", removed, _deleted), ("+ ", added, _inserted)):
        for value in values:
            yield from (" ", sign, mark(value))


def _marked(old: Value, new: Value, fold: bool, depth: int) -> list[Piece]:
    if same_value(old, new):
        return [_folded(new, fold)]
    if depth < _DEEPEST:
        if isinstance(old, (tuple, Record, Function)) and isinstance(new, (tuple, Record, Function)):
            return _marked_keys(old, new, fold, depth)
        if _enumerated(old) and _enumerated(new):
            return _marked_elements(old, new, fold, depth)
    return [*value_marks(old, new)]


def _marked_keys(old: Keyed, new: Keyed, fold: bool, depth: int) -> list[Piece]:
    rows = by_key(old, new)
    opening, closing, joint, label = _layout(as_mapping(old), as_mapping(new))
    pieces: list[Piece] = [opening]
    skipped = False
    for key, one, other in rows:
        inner: list[Piece]
        if one is None or other is None:
            inner = [
                mark(value) for mark, value in ((_deleted, one), (_inserted, other)) if value is not None
            ]
        elif fold and same_value(one, other) and len(rows) > 1:
            # A run of unchanged parts becomes one mark.
            if not skipped:
                pieces += [joint if len(pieces) > 1 else "", "…"]
            skipped = True
            continue
        else:
            inner = _marked(one, other, fold, depth + 1)
        skipped = False
        pieces += [joint if len(pieces) > 1 else "", label(key), *inner]
    return [*pieces, closing]


def _enumerated(value: Value) -> TypeGuard[frozenset[Value] | Interval]:
    """Whether a value is a set that is written element by element."""
    return isinstance(value, frozenset) or (isinstance(value, Interval) and value.size <= ENUMERATED)


def _marked_elements(
    old: frozenset[Value] | Interval, new: frozenset[Value] | Interval, fold: bool, depth: int
) -> list[Piece]:
    found = list(changes(old, new))
    lost = [change.before for change in found if change.before is not None]
    gained = [change.after for change in found if change.after is not None]
    kept = in_order(frozenset(new).difference(gained))
    pairs, removed, added = _pairs(lost, gained)
    shown: list[list[Piece]] = []
    if kept:
        text = ", ".join(map(format_value, kept))
        shown.append(["…" if fold and len(text) > _LONGEST else text])
    shown += [_marked(one, other, fold, depth + 1) for one, other in pairs]
    shown += [[_deleted(value)] for value in removed]
    shown += [[_inserted(value)] for value in added]
    pieces: list[Piece] = ["{"]
    for number, inner in enumerate(shown):
        pieces += [", " if number else "", *inner]
    return [*pieces, "}"]


def _pairs(
    removed: list[Value], added: list[Value]
) -> tuple[list[tuple[Value, Value]], list[Value], list[Value]]:
    """Pairs of records with equal fields and more than half of the values unchanged; and the unpaired elements."""
    if not 0 < len(removed) * len(added) <= _MOST_PAIRED:
        return [], removed, added
    pairs = []
    left = list(added)
    alone = []
    for old in removed:
        likeness = [(_likeness(old, new), -place) for place, new in enumerate(left)]
        best, place = max(likeness, default=(0.0, 0))
        if best > 0.5:
            pairs.append((old, left.pop(-place)))
        else:
            alone.append(old)
    return pairs, alone, left


def _likeness(old: Value, new: Value) -> float:
    if not (isinstance(old, Record) and isinstance(new, Record) and list(old) == list(new) and old):
        return 0.0
    return sum(same_value(old[name], new[name]) for name in old) / len(old)


def _layout(olds: Mapping[Value, Value], news: Mapping[Value, Value]) -> tuple[str, str, str, Labels]:
    keys = [*olds, *news]
    if all(isinstance(key, str) and is_identifier(key) for key in keys):
        return "[", "]", ", ", lambda key: f"{key} |-> "
    if all(type(key) is int and key > 0 for key in keys) and _from_one(olds) and _from_one(news):
        return "<<", ">>", ", ", lambda _: ""
    return "(", ")", " @@ ", lambda key: f"{format_value(key)} :> "


def _from_one(mapping: Mapping[Value, Value]) -> bool:
    return all(place in mapping for place in range(1, len(mapping) + 1))


def _folded(value: Value, fold: bool) -> str:
    text = format_value(value)
    return "…" if fold and len(text) > _LONGEST else text


def _deleted(value: Value) -> Element:
    return element("del", format_value(value))


def _inserted(value: Value) -> Element:
    return element("ins", format_value(value))


def plain_value(value: Value) -> Element:
    """A value without marks."""
    return element("code", format_value(value))
