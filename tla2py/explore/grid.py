"""The grid of a store: its points with their runs, and the order of its parameters' values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tla2py.errors import InputError
from tla2py.explore.view import StoreView
from tla2py.model.outcome import counts_less
from tla2py.tables.read import list_of

Row = Mapping[str, object]
_COUNTS = ("generated", "distinct", "depth")
_STYLES = {"holds": "t2-good", "violated": "t2-bad", "excluded": "t2-none"}


@dataclass(frozen=True, slots=True, kw_only=True)
class GridPoint:
    """A point with the row of its run, and the length of the shortest trace to each name that it violates."""

    point: int
    parameters: Mapping[str, str]
    run: Row
    violated: tuple[str, ...]
    lengths: Mapping[str, int]

    @property
    def verdict(self) -> str:
        """holds, violated, inconclusive, broken or excluded."""
        return str(self.run["verdict"])

    @property
    def style(self) -> str:
        """The class of style of its verdict."""
        return _STYLES.get(self.verdict, "t2-odd")

    @property
    def said(self) -> str:
        """The verdict in a few words: what is violated, in how many states."""
        if self.verdict != "violated":
            return self.verdict
        return ", ".join(f"{n} {self.lengths[n]}" if n in self.lengths else n for n in self.violated)

    def number(self, column: str) -> float | None:
        """A number of the run, None where there is none. Raises InputError (``unknown-column``)."""
        value = self.run.get(column)
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            return float(value)
        if column not in self.run or value is not None:
            known = [name for name, value in self.run.items() if type(value) in (int, float)]
            raise InputError(
                "unknown-column",
                f"{column} is no column of numbers of the runs",
                hint=f"columns of numbers: {', '.join(known)}",
            )
        return None

    def least(self, column: str) -> str:
        """What stands before a count that is less than what there is, as TLC did not come to its end; else nothing."""
        counted = column in _COUNTS and self.run[column] is not None
        return "≥ " if counted and counts_less(self.run) else ""


def grid_points(view: StoreView) -> list[GridPoint]:
    """The points of a store that have been run, in grid order."""
    runs = {int(str(row["point"])): row for row in list_of(view.arrow("runs"))}
    lengths: dict[str, dict[str, int]] = {}
    for trace in view.trace_rows:
        found = lengths.setdefault(str(trace["run_id"]), {})
        name = str(trace["name"] or trace["kind"])
        found[name] = min(found.get(name, trace["length"]), trace["length"])
    return [
        GridPoint(
            point=point.point,
            parameters=point.parameters,
            run=runs[point.point],
            violated=tuple(str(v["name"] or v["kind"]) for v in _list(runs[point.point]["violated"])),
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


def _list(value: object) -> list[Row]:
    assert isinstance(value, list)
    return value
