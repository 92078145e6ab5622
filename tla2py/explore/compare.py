"""Two stores compared: what changed from one version of a specification to the next."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tla2py.explore.action_counts import action_counts
from tla2py.explore.grid import GridPoint, grid_points, number_text
from tla2py.explore.view import StoreView
from tla2py.show.markup import Element, element, html_text, printable
from tla2py.text import parameter_text
from tla2py.trace.display import Printed

_NUMBERS = ("distinct", "depth")


@dataclass(frozen=True, slots=True, kw_only=True)
class PointPair:
    """A point of both stores, or of one; None where the other has no such point."""

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
        """What differs: verdict with what is violated, number of distinct states, depth; each before and after."""
        if self.before is None or self.after is None:
            there = (self.before or self.after) is self.before
            said = (self.before or self.after).said  # type: ignore[union-attr]
            return (("verdict", said if there else "no such point", "no such point" if there else said),)
        found = [("verdict", self.before.said, self.after.said)]
        for name in _NUMBERS:
            one, other = self.before.number(name), self.after.number(name)
            found.append((name, number_text(one), number_text(other)))
        return tuple(change for change in found if change[1] != change[2])


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreComparison(Printed):
    """The points of two stores paired by their parameters, and the actions that fire in only one of them.

    ``fired`` has the definitions of both coverage tables: how many states they generated before and after, None where
    a store has none of that name. It is empty unless both stores have coverage.
    """

    names: tuple[str, str]
    pairs: tuple[PointPair, ...]
    fired: tuple[tuple[str, int | None, int | None], ...]

    @property
    def changed(self) -> tuple[PointPair, ...]:
        """The pairs that differ in anything."""
        return tuple(pair for pair in self.pairs if pair.changes)

    def __str__(self) -> str:
        return "\n".join(_lines(self))

    def _repr_html_(self) -> str:
        return html_text(_points_table(self), _fired_table(self))


def compare_stores(before: StoreView, after: StoreView) -> StoreComparison:
    """What changed from one store to another; the points are those with the same values of the same parameters."""
    olds, news = (
        {frozenset(point.parameters.items()): point for point in grid_points(view)}
        for view in (before, after)
    )
    keys = dict.fromkeys([*news, *olds])
    return StoreComparison(
        names=(before.manifest.name, after.manifest.name),
        pairs=tuple(PointPair(before=olds.get(key), after=news.get(key)) for key in keys),
        fired=tuple(_fired(before, after)),
    )


def _fired(before: StoreView, after: StoreView) -> Iterator[tuple[str, int | None, int | None]]:
    olds, news = _generated(before), _generated(after)
    if olds and news:
        for name in dict.fromkeys([*news, *olds]):
            one, other = olds.get(name), news.get(name)
            if bool(one) != bool(other):
                yield name, one, other


def _generated(view: StoreView) -> dict[str, int]:
    """How many states each action generated, under a name that it keeps when its place changes."""
    found: dict[str, int] = {}
    for one in action_counts(view):
        name = f"{one.module}!{one.name}"
        found[name] = found.get(name, 0) + one.generated
    return found


def _lines(comparison: StoreComparison) -> Iterator[str]:
    changed = comparison.changed
    yield f"{len(changed)} of {len(comparison.pairs)} points differ from {' to '.join(comparison.names)}"
    for pair in changed:
        yield pair.parameters
        yield from (f"    {what}: {one} -> {other}" for what, one, other in pair.changes)
    for name, one, other in comparison.fired:
        yield f"{name} generated {number_text(one)} states, now {number_text(other)}"


def _points_table(comparison: StoreComparison) -> Element:
    titles = ("point", "", *comparison.names)
    body = element("tbody")
    for pair in comparison.changed:
        for what, one, other in pair.changes:
            cells = (element("td", pair.parameters), element("td", what))
            marks = (element("td", element("del", one)), element("td", element("ins", other)))
            body.append(element("tr", *cells, *marks))
    said = f"{len(comparison.changed)} of {len(comparison.pairs)} points differ"
    head = element("tr", *(element("th", title, scope="col") for title in titles))
    return element("table", element("caption", said), element("thead", head), body)


def _fired_table(comparison: StoreComparison) -> Element | None:
    if not comparison.fired:
        return None
    rows = [
        element("tr", *(element("td", text) for text in (name, number_text(one), number_text(other))))
        for name, one, other in comparison.fired
    ]
    titles = ("action", *comparison.names)
    head = element("tr", *(element("th", title, scope="col") for title in titles))
    caption = element("caption", "actions that fire in only one of them: states generated")
    return element("table", caption, element("thead", head), element("tbody", *rows))
