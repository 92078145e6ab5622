"""Comparisons: a violating point with the nearest points that hold, and one store with another."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain
from operator import attrgetter

from tla2py.analysis.points import (
    GridPoint,
    action_counts,
    grid_points,
    law_parameters,
    number_text,
    scope_parameters,
    value_order,
)
from tla2py.analysis.tables import StoreTables
from tla2py.errors import InputError
from tla2py.model.display import PrintMixin
from tla2py.model.outcome import Verdict
from tla2py.model.trace import Trace
from tla2py.model.trace_text import action_text, runs_of
from tla2py.text import parameter_text, printable

_FACTS = ("distinct", "generated", "depth", "wall_seconds")


@dataclass(frozen=True, slots=True, kw_only=True)
class Neighbour:
    """A point that holds, and the parameters in which it differs, each with its holding and its violating value."""

    point: GridPoint
    differs: tuple[tuple[str, str, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Contrast(PrintMixin):
    """A point that violates a property, and the nearest points where the property was checked and holds.

    ``nearest`` are all that are equally near, none if it holds nowhere. ``trace`` is the point's shortest counterexample to the property, None if
    none was kept.
    """

    name: str
    violating: GridPoint
    nearest: tuple[Neighbour, ...]
    trace: Trace | None

    def __str__(self) -> str:
        length = self.violating.lengths.get(self.name)
        lines = [f"point {self.violating.point} violates {self.name}" + (f" {length}" if length else "")]
        lines += [] if self.nearest else [f"no point of this store satisfies {self.name}"]
        for each in self.nearest:
            lines.append(f"point {each.point.point} holds")
            lines += [f"    {name}: {there} holds, {here} does not" for name, there, here in each.differs]
            lines += [
                f"    {fact}: {_format_fact(each.point, fact)} there, {_format_fact(self.violating, fact)} here"
                for fact in _FACTS
            ]
        if self.trace is not None:
            lines.append(f"steps: {runs_of([action_text(s) for s in self.trace.states[1:]])}")
        return "\n".join(map(printable, lines))


@dataclass(frozen=True, slots=True, kw_only=True)
class Contrasts(PrintMixin):
    """The contrasts of a point, one for each property that it violates."""

    contrasts: tuple[Contrast, ...]

    def __len__(self) -> int:
        return len(self.contrasts)

    def __iter__(self) -> Iterator[Contrast]:
        return iter(self.contrasts)

    def __getitem__(self, name: str) -> Contrast:
        """The contrast of a property. Raises InputError (``not-violated``)."""
        found = {each.name: each for each in self.contrasts}
        if name not in found:
            hint = f"it violates {', '.join(found)}"
            raise InputError("not-violated", f"the point does not violate {name}", hint=hint)
        return found[name]

    def __str__(self) -> str:
        return "\n\n".join(map(str, self.contrasts))


def point_contrasts(view: StoreTables, point: int) -> Contrasts:
    """A violating point compared, for each property that it violates, with the nearest points where that one holds.

    Raises InputError (``no-point``, ``not-violated``, and ``no-neighbour`` if nothing that it violates holds anywhere).
    """
    points = grid_points(view)
    here = next((each for each in points if each.point == point), None)
    if here is None:
        raise InputError(
            "no-point", f"point {point} was not run", hint=f"choose a point from 1 to {len(points)}"
        )
    if here.verdict is not Verdict.VIOLATED:
        known = ", ".join(str(each.point) for each in points if each.verdict is Verdict.VIOLATED)
        message = f"point {point} violates nothing: its verdict is {here.verdict.value}"
        raise InputError("not-violated", message, hint=f"violating points: {known or 'none'}")
    nearest = find_nearest(points, law_parameters(view), scope_parameters(view))
    found = {name: nearest(here, name) for name in here.run.violated_names}
    if not any(found.values()):
        hint = "sweep smaller values until one holds"
        raise InputError("no-neighbour", f"no point of this store satisfies {' or '.join(found)}", hint=hint)
    contrasts = (
        Contrast(name=name, violating=here, nearest=there, trace=_shortest(view, point, name))
        for name, there in found.items()
    )
    return Contrasts(contrasts=tuple(contrasts))


Measured = dict[tuple[int, int], list[GridPoint]]
"""Points by their distance from another one."""
FindNearest = Callable[[GridPoint, str], tuple[Neighbour, ...]]
"""The points nearest to a violating point where a property was checked and holds; all that are equally near."""


def find_nearest(points: Sequence[GridPoint], names: Sequence[str], scopes: Sequence[str]) -> FindNearest:
    """The search for nearest points by the parameters ``names``.

    The nearest points differ in the fewest parameters, then by the fewest positions in the order of their values. Those
    of the same ``scopes``, module and specification, come first. Others count only if they are as near: their scopes are
    no distance.
    """
    orders = {
        name: {text: position for position, text in enumerate(value_order(points, name))} for name in names
    }
    # Postconditions are not among what a run lists as checked.
    listed = {name for point in points for name in point.run.checked}

    def distance(here: GridPoint, other: GridPoint) -> tuple[int, int]:
        apart = [
            abs(order[here.parameters[name]] - order[other.parameters[name]])
            for name, order in orders.items()
            if here.parameters[name] != other.parameters[name]
        ]
        return len(apart), sum(apart)

    @cache
    def holding(name: str) -> Mapping[tuple[str, ...], Sequence[GridPoint]]:
        """The points where a property holds, by their values."""
        found: dict[tuple[str, ...], list[GridPoint]] = {}
        for point in points:
            if name in point.run.held if name in listed else point.verdict is Verdict.HOLDS:
                found.setdefault(tuple(point.parameters[each] for each in names), []).append(point)
        return found

    def beside(here: GridPoint) -> Iterator[tuple[str, ...]]:
        """The values of a point, and all that differ from them in one parameter."""
        values = tuple(here.parameters[each] for each in names)
        yield values
        for place, order in enumerate(orders.values()):
            for text in order:
                if text != values[place]:
                    yield (*values[:place], text, *values[place + 1 :])

    def measured(here: GridPoint, candidates: Iterable[GridPoint]) -> dict[bool, Measured]:
        """The candidates by whether they are of the same module and specification, and by their distance."""
        found: dict[bool, Measured] = {True: {}, False: {}}
        for point in candidates:
            other = {each for each in scopes if point.parameters[each] != here.parameters[each]}
            # The models of a folder have nothing in common with those of another module.
            if other >= {"module", "config"}:
                continue
            found[not other].setdefault(distance(here, point), []).append(point)
        return found

    def nearest(here: GridPoint, name: str) -> tuple[Neighbour, ...]:
        known = holding(name)
        near = measured(here, (point for key in beside(here) for point in known.get(key, ())))
        # All others differ in more parameters.
        if not near[True]:
            near = measured(here, chain.from_iterable(known.values()))
        least, other = min(near[True], default=None), min(near[False], default=None)
        found = sorted(near[True][least], key=attrgetter("point")) if least else []
        if other is not None and (least is None or other <= least):
            found += sorted(near[False][other], key=attrgetter("point"))
        values = [(name, text) for name, text in here.parameters.items() if name in (*names, *scopes)]
        return tuple(
            Neighbour(
                point=point,
                differs=tuple(
                    (name, there, text) for name, text in values if (there := point.parameters[name]) != text
                ),
            )
            for point in found
        )

    return nearest


def _shortest(view: StoreTables, number: int, name: str) -> Trace | None:
    rows = [row for row in view.trace_list(number) if row.label == name]
    shortest = min(rows, key=lambda row: row.length, default=None)
    return None if shortest is None else view.trace(number, shortest.trace)


def _format_fact(point: GridPoint, fact: str) -> str:
    """Return a fact of a point as text, "-" where it is not known."""
    number = point.number(fact)
    return "-" if number is None else f"{number:,.4g}" if fact == "wall_seconds" else f"{number:,.0f}"


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
        both = (self.before, self.after)
        before, after = ("no such point" if point is None else point.summary for point in both)
        found = [("verdict", before, after)]
        if self.before is not None and self.after is not None:
            for name in ("distinct", "depth"):
                old, new = self.before.number(name), self.after.number(name)
                found.append((name, number_text(old), number_text(new)))
        return tuple(change for change in found if change[1] != change[2])


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreComparison(PrintMixin):
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
        changed = self.changed
        lines = [f"{len(changed)} of {len(self.pairs)} points differ from {' to '.join(self.names)}"]
        for pair in changed:
            lines += [pair.parameters, *(f"    {what}: {old} -> {new}" for what, old, new in pair.changes)]
        for name, before, after in self.fired:
            lines.append(f"{name} generated {number_text(before)} states, now {number_text(after)}")
        return "\n".join(lines)


def compare_stores(before: StoreTables, after: StoreTables) -> StoreComparison:
    """The changes from this store to another: verdicts, numbers of states, and which actions fire."""
    olds, news = _by_parameters(grid_points(before)), _by_parameters(grid_points(after))
    keys = dict.fromkeys([*news, *olds])
    was, now = _generated(before), _generated(after)
    names = dict.fromkeys([*now, *was]) if was and now else ()
    counts = ((name, was.get(name), now.get(name)) for name in names)
    return StoreComparison(
        names=(before.manifest.name, after.manifest.name),
        pairs=tuple(PointPair(before=olds.get(key), after=news.get(key)) for key in keys),
        fired=tuple((name, old, new) for name, old, new in counts if bool(old) != bool(new)),
    )


def same_points(ours: Iterable[GridPoint], theirs: Iterable[GridPoint]) -> list[tuple[GridPoint, GridPoint]]:
    """The points of two stores that have equal parameters, in pairs."""
    known = _by_parameters(theirs)
    return [(point, known[key]) for key, point in _by_parameters(ours).items() if key in known]


def _by_parameters(points: Iterable[GridPoint]) -> dict[frozenset[tuple[str, str]], GridPoint]:
    return {frozenset(point.parameters.items()): point for point in points}


def _generated(view: StoreTables) -> dict[str, int]:
    """The number of states each action generated, by a name that does not change when the action moves."""
    found: dict[str, int] = {}
    for count in action_counts(view):
        name = f"{count.module}!{count.name}"
        found[name] = found.get(name, 0) + count.generated
    return found
