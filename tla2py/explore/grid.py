"""The grid of a store: its points with their runs, and the order of its parameters' values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tla2py.errors import InputError
from tla2py.explore.view import StoreView
from tla2py.model.outcome import Verdict
from tla2py.tables.runs import RunRow, run_numbers

_COUNTS = ("generated", "distinct", "depth")
_STYLES = {Verdict.HOLDS: "t2-good", Verdict.VIOLATED: "t2-bad", Verdict.EXCLUDED: "t2-none"}


@dataclass(frozen=True, slots=True, kw_only=True)
class GridPoint:
    """A point with its run: ``numbers`` are the run's columns of numbers, ``lengths`` those of its shortest traces by label."""

    parameters: Mapping[str, str]
    run: RunRow
    numbers: Mapping[str, float | None]
    lengths: Mapping[str, int]

    @property
    def point(self) -> int:
        """The index of the point, from 1."""
        return self.run.point

    @property
    def verdict(self) -> Verdict:
        """The verdict of the run."""
        return self.run.verdict

    @property
    def style(self) -> str:
        """The class of style of its verdict."""
        return _STYLES.get(self.verdict, "t2-odd")

    @property
    def said(self) -> str:
        """The verdict in a few words: what is violated, in how many states."""
        names = self.run.violated_names if self.verdict is Verdict.VIOLATED else ()
        said = ", ".join(f"{n} {self.lengths[n]}" if n in self.lengths else n for n in names)
        return said or self.verdict.value

    def number(self, column: str) -> float | None:
        """A number of the run, None where there is none. Raises InputError (``unknown-column``)."""
        if column not in self.numbers:
            known = [name for name, value in self.numbers.items() if value is not None]
            raise InputError(
                "unknown-column",
                f"{column} is no column of numbers of the runs",
                hint=f"columns of numbers: {', '.join(known)}",
            )
        return self.numbers[column]

    def least(self, column: str) -> str:
        """What stands before a count that is less than what there is, as TLC did not come to its end; else nothing."""
        counted = column in _COUNTS and self.numbers[column] is not None
        return "≥ " if counted and self.run.unfinished else ""


def grid_points(view: StoreView) -> list[GridPoint]:
    """The points of a store that have been run, in grid order."""
    numbers = run_numbers(view.store.table("runs"))
    runs = {run.point: (run, row) for run, row in zip(view.run_rows, numbers, strict=True)}
    lengths: dict[str, dict[str, int]] = {}
    for (run_id, label), trace in view.shortest_traces.items():
        lengths.setdefault(run_id, {})[label] = trace.length
    return [
        GridPoint(
            parameters=point.parameters,
            run=runs[point.point][0],
            numbers=runs[point.point][1],
            lengths=lengths.get(point.run_id, {}),
        )
        for point in view.manifest.points
        if point.point in runs
    ]


def value_order(points: Sequence[GridPoint], parameter: str) -> list[str]:
    """The values of a parameter in the order of the grid. Raises InputError (``unknown-parameter``)."""
    known = list(points[0].parameters) if points else []
    if parameter not in known:
        raise InputError(
            "unknown-parameter",
            f"{parameter} is no parameter of this store",
            hint=f"its parameters: {', '.join(known) or 'none'}",
        )
    return list(dict.fromkeys(point.parameters[parameter] for point in points))


def number_text(value: float | None) -> str:
    """A number as a person reads it, ``-`` for none."""
    if value is None:
        return "-"
    return f"{value:,.0f}" if value == int(value) else f"{value:,.2f}"
