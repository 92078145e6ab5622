"""A store's grid: its points with their runs, and the order of its parameters' values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tla2py.errors import InputError
from tla2py.explore.view import StoreView
from tla2py.model.outcome import Verdict
from tla2py.tables.files import table_files
from tla2py.tables.runs import RunRow, run_numbers
from tla2py.text import counted

_COUNTS = ("generated", "distinct", "depth")
_STYLES = {Verdict.HOLDS: "t2-good", Verdict.VIOLATED: "t2-bad", Verdict.EXCLUDED: "t2-none"}


@dataclass(frozen=True, slots=True, kw_only=True)
class GridPoint:
    """A point with its run.

    ``numbers`` are the numeric columns of its row of ``runs``, ``lengths`` those of its shortest traces, by label.
    """

    parameters: Mapping[str, str]
    run: RunRow
    numbers: Mapping[str, float | None]
    lengths: Mapping[str, int]

    @property
    def point(self) -> int:
        """The point's number, from 1."""
        return self.run.point

    @property
    def verdict(self) -> Verdict:
        """The verdict of the run."""
        return self.run.verdict

    @property
    def style(self) -> str:
        """The CSS class of the verdict."""
        return _STYLES.get(self.verdict, "t2-odd")

    @property
    def summary(self) -> str:
        """The violations with the lengths of their shortest traces, or the verdict if nothing is violated."""
        texts = (name if length is None else f"{name} {length}" for name, length in self.violations.items())
        return ", ".join(texts) or self.verdict.value

    @property
    def violations(self) -> Mapping[str, int | None]:
        """What the point violates, each with the length of its shortest trace, None if it has none."""
        names = self.run.violated_names if self.verdict is Verdict.VIOLATED else ()
        return {name: self.lengths.get(name) for name in names}

    @property
    def verdict_text(self) -> str:
        """The verdict with its violations."""
        if self.run.simulated:
            return self.run.unanswered
        return f"violated: {self.summary}" if self.verdict is Verdict.VIOLATED else self.summary

    def number(self, column: str) -> float | None:
        """A numeric column of the run, None if it is null. Raises InputError (``unknown-column``)."""
        if column not in self.numbers:
            known = [name for name, value in self.numbers.items() if value is not None]
            raise InputError(
                "unknown-column",
                f"not a numeric column of runs: {column}",
                hint=f"numeric columns: {', '.join(known)}",
            )
        return self.numbers[column]

    def least(self, column: str) -> str:
        """``≥`` for a count that is a lower bound because TLC did not finish, otherwise empty."""
        known = column in _COUNTS and self.numbers[column] is not None
        return "≥ " if known and self.run.unfinished else ""

    def first(self, column: str) -> str:
        """``*`` for a count of the first of several executions, otherwise empty."""
        return "*" if column in _COUNTS and self.numbers[column] is not None and self.run.counts_first else ""


def grid_points(view: StoreView) -> list[GridPoint]:
    """The points of a store that have been run, in grid order."""
    numbers = run_numbers(table_files(view.store, "runs"))
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
        for point in view.points
        if point.point in runs
    ]


def varying(points: Sequence[GridPoint]) -> list[str]:
    """The parameters with more than one value, in the order of the sweep."""
    names = points[0].parameters if points else {}
    return [name for name in names if len({point.parameters[name] for point in points}) > 1]


def summary_line(view: StoreView, points: Sequence[GridPoint]) -> str:
    """The number of points, in all, of each verdict, and not run yet."""
    counts = Counter(point.verdict for point in points)
    parts = [
        f"{n} hold" if verdict is Verdict.HOLDS and n > 1 else f"{n} {verdict.value}"
        for verdict, n in counts.items()
    ]
    total = len(view.points)
    if total > len(points):
        parts.append(f"{total - len(points)} not run yet")
    return f"{counted(total, 'point')}: {', '.join(parts)}"


def value_order(points: Sequence[GridPoint], parameter: str) -> list[str]:
    """A parameter's values in grid order. Raises InputError (``unknown-parameter``)."""
    known = list(points[0].parameters) if points else []
    if parameter not in known:
        raise InputError(
            "unknown-parameter",
            f"not a parameter of this store: {parameter}",
            hint=f"parameters: {', '.join(known) or 'none'}",
        )
    return list(dict.fromkeys(point.parameters[parameter] for point in points))


def number_text(value: float | None) -> str:
    """A number with thousands separators, ``-`` for None."""
    if value is None:
        return "-"
    return f"{value:,.0f}" if value == int(value) else f"{value:,.2f}"
