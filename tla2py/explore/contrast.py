"""A violating point compared with the nearest holding point: what it takes to break the protocol."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tla2py.errors import InputError
from tla2py.explore.grid import GridPoint, grid_points, value_order
from tla2py.explore.view import StoreView
from tla2py.model.outcome import Verdict
from tla2py.show.markup import element, html_text, number_cell, printable, row, table
from tla2py.show.plain import action_text, runs_of
from tla2py.show.trace_html import trace_view
from tla2py.text import parameter_text
from tla2py.trace.display import Printed
from tla2py.trace.trace import Trace

_FACTS = ("distinct", "generated", "depth", "wall_seconds")


@dataclass(frozen=True, slots=True, kw_only=True)
class Contrast(Printed):
    """A violating point and the nearest holding point.

    ``differs`` lists the parameters in which they differ, each with its holding and its violating value. ``trace`` is
    the violating point's shortest counterexample, None if none was kept.
    """

    violating: GridPoint
    holding: GridPoint
    differs: tuple[tuple[str, str, str], ...]
    trace: Trace | None

    def __str__(self) -> str:
        lines = [
            printable(parameter_text(self.violating.parameters)),
            self._titles[1],
            self._titles[0],
            *(f"    {name}: {there} holds, {here} does not" for name, there, here in self.differs),
            *(
                f"    {fact}: {_shown(self.holding, fact)} there, {_shown(self.violating, fact)} here"
                for fact in _FACTS
            ),
        ]
        if self.trace is not None:
            lines.append(f"    steps: {runs_of([action_text(s) for s in self.trace.states[1:]])}")
        return "\n".join(lines)

    @property
    def _titles(self) -> tuple[str, str]:
        return (
            f"point {self.holding.point} holds",
            f"point {self.violating.point} violates {self.violating.summary}",
        )

    def _repr_html_(self) -> str:
        rows = [
            row(
                element("th", name, scope="row"),
                element("td", there, class_="t2-good"),
                element("td", here, class_="t2-bad"),
            )
            for name, there, here in self.differs
        ]
        rows += [
            row(
                element("th", fact.replace("_", " "), scope="row"),
                *(number_cell(_shown(point, fact)) for point in (self.holding, self.violating)),
            )
            for fact in _FACTS
        ]
        same = {
            n: text for n, text in self.violating.parameters.items() if self.holding.parameters[n] == text
        }
        return html_text(
            table(None, ("", *self._titles), rows),
            element("p", f"the same in both: {parameter_text(same)}", class_="t2-dim") if same else None,
            trace_view(self.trace) if self.trace is not None else None,
        )


def nearest_holding(view: StoreView, number: int) -> Contrast:
    """The contrast of a violating point with the nearest holding point.

    The nearest point differs in the fewest parameters, then by the fewest positions in the order of their values; ties
    go to the first in grid order. Raises InputError: ``no-point``, ``not-violated``, ``no-neighbour``.
    """
    points = grid_points(view)
    here = next((point for point in points if point.point == number), None)
    if here is None:
        raise InputError(
            "no-point", f"point {number} was not run", hint=f"choose a point from 1 to {len(points)}"
        )
    if here.verdict is not Verdict.VIOLATED:
        known = ", ".join(str(point.point) for point in points if point.verdict is Verdict.VIOLATED)
        raise InputError(
            "not-violated",
            f"point {number} violates nothing: its verdict is {here.verdict.value}",
            hint=f"violating points: {known or 'none'}",
        )
    there = nearest(points, here)
    if there is None:
        raise InputError(
            "no-neighbour",
            "no point of this store holds",
            hint="sweep smaller values until one holds",
        )
    return Contrast(
        violating=here,
        holding=there,
        differs=differing(there, here),
        trace=_shortest(view, number),
    )


def nearest(points: Sequence[GridPoint], here: GridPoint) -> GridPoint | None:
    """The holding point nearest to a point, as ``nearest_holding`` defines it; None if no point holds."""
    orders = {
        name: {text: position for position, text in enumerate(value_order(points, name))}
        for name in here.parameters
    }

    def distance(other: GridPoint) -> tuple[int, int]:
        apart = [
            abs(order[here.parameters[name]] - order[other.parameters[name]])
            for name, order in orders.items()
            if here.parameters[name] != other.parameters[name]
        ]
        return len(apart), sum(apart)

    return min((point for point in points if point.verdict is Verdict.HOLDS), key=distance, default=None)


def differing(there: GridPoint, here: GridPoint) -> tuple[tuple[str, str, str], ...]:
    """The parameters in which two points differ, each with its values there and here."""
    return tuple(
        (name, there.parameters[name], text)
        for name, text in here.parameters.items()
        if there.parameters[name] != text
    )


def _shortest(view: StoreView, number: int) -> Trace | None:
    shortest = min(view.trace_list(number), key=lambda row: row.length, default=None)
    return None if shortest is None else view.trace(number, shortest.trace)


def _shown(point: GridPoint, fact: str) -> str:
    number = point.number(fact)
    return "-" if number is None else f"{number:,.4g}" if fact == "wall_seconds" else f"{number:,.0f}"
