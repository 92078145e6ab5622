"""Two stores compared: what changed between two versions of a specification."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from tla2py.explore.action_counts import action_counts
from tla2py.explore.grid import GridPoint, grid_points, number_text
from tla2py.explore.view import StoreView
from tla2py.show.markup import Element, element, html_text, printable, row, table
from tla2py.text import parameter_text
from tla2py.trace.display import Printed

_NUMBERS = ("distinct", "depth")
_ABSENT = "no such point"


@dataclass(frozen=True, slots=True, kw_only=True)
class PointPair:
    """A point in two stores; None for the store that lacks it."""

    before: GridPoint | None
    after: GridPoint | None

    @property
    def parameters(self) -> str:
        """The parameters in one line."""
        point = self.after or self.before
        assert point is not None
        return printable(parameter_text(point.parameters))

    @property
    def changes(self) -> tuple[tuple[str, str, str], ...]:
        """What differs, before and after: the verdict with its violations, the number of distinct states, the depth."""
        before, after = (_ABSENT if point is None else point.summary for point in (self.before, self.after))
        found = [("verdict", before, after)]
        if self.before is not None and self.after is not None:
            for name in _NUMBERS:
                old, new = self.before.number(name), self.after.number(name)
                found.append((name, number_text(old), number_text(new)))
        return tuple(change for change in found if change[1] != change[2])


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreComparison(Printed):
    """The points of two stores paired by their parameters, and the actions that fire in only one of them.

    ``fired`` lists these actions with the number of states they generated before and after, None if a store's coverage
    lacks the action. It is empty unless both stores have coverage.
    """

    names: tuple[str, str]
    pairs: tuple[PointPair, ...]
    fired: tuple[tuple[str, int | None, int | None], ...]

    @property
    def changed(self) -> tuple[PointPair, ...]:
        """The pairs that differ."""
        return tuple(pair for pair in self.pairs if pair.changes)

    def __str__(self) -> str:
        return "\n".join(_lines(self))

    def _repr_html_(self) -> str:
        return html_text(_points_table(self), _actions_table(self))


def compare_stores(before: StoreView, after: StoreView) -> StoreComparison:
    """What changed from one store to another; points with equal parameters are paired."""
    olds, news = _by_parameters(grid_points(before)), _by_parameters(grid_points(after))
    keys = dict.fromkeys([*news, *olds])
    return StoreComparison(
        names=(before.manifest.name, after.manifest.name),
        pairs=tuple(PointPair(before=olds.get(key), after=news.get(key)) for key in keys),
        fired=tuple(_fired(before, after)),
    )


def same_points(ours: Iterable[GridPoint], theirs: Iterable[GridPoint]) -> list[tuple[GridPoint, GridPoint]]:
    """The points of two stores that have equal parameters, in pairs."""
    known = _by_parameters(theirs)
    return [(point, known[key]) for key, point in _by_parameters(ours).items() if key in known]


def _by_parameters(points: Iterable[GridPoint]) -> dict[frozenset[tuple[str, str]], GridPoint]:
    return {frozenset(point.parameters.items()): point for point in points}


def _fired(before: StoreView, after: StoreView) -> Iterator[tuple[str, int | None, int | None]]:
    olds, news = _generated(before), _generated(after)
    if olds and news:
        for name in dict.fromkeys([*news, *olds]):
            old, new = olds.get(name), news.get(name)
            if bool(old) != bool(new):
                yield name, old, new


def _generated(view: StoreView) -> dict[str, int]:
    """The number of states each action generated, by a name that does not change when the action moves."""
    found: dict[str, int] = {}
    for count in action_counts(view):
        name = f"{count.module}!{count.name}"
        found[name] = found.get(name, 0) + count.generated
    return found


def _lines(comparison: StoreComparison) -> Iterator[str]:
    changed = comparison.changed
    yield f"{len(changed)} of {len(comparison.pairs)} points differ from {' to '.join(comparison.names)}"
    for pair in changed:
        yield pair.parameters
        yield from (f"    {what}: {old} -> {new}" for what, old, new in pair.changes)
    for name, before, after in comparison.fired:
        yield f"{name} generated {number_text(before)} states, now {number_text(after)}"


def _points_table(comparison: StoreComparison) -> Element:
    rows = [
        row(pair.parameters, what, element("del", old), element("ins", new))
        for pair in comparison.changed
        for what, old, new in pair.changes
    ]
    caption = f"{len(comparison.changed)} of {len(comparison.pairs)} points differ"
    return table(caption, ("point", "", *comparison.names), rows)


def _actions_table(comparison: StoreComparison) -> Element | None:
    if not comparison.fired:
        return None
    rows = [row(name, number_text(old), number_text(new)) for name, old, new in comparison.fired]
    caption = "actions that fire in only one of them: states generated"
    return table(caption, ("action", *comparison.names), rows)
