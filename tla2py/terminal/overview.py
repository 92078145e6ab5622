"""Several sweeps in one table: a row per checked definition, with the smallest points that violate it."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from tla2py.explore.view import StoreView
from tla2py.model.outcome import Verdict, ended_early
from tla2py.model.run import Run
from tla2py.sweep.checks import requested_checks
from tla2py.sweep.plan import Plan
from tla2py.tables.runs import RunRow
from tla2py.terminal.figures import number, seconds
from tla2py.terminal.layout import plain_table
from tla2py.terminal.summary import smallest
from tla2py.text import parameter_text


def overview(sweeps: Sequence[tuple[Plan, StoreView]]) -> RenderableType:
    """A table of sweeps: what each checked, how often it was violated, and the smallest violating points.

    ``distinct`` sums the distinct states over a sweep's points, ``time`` the runs' wall-clock times.
    """
    table = plain_table("sweep", "points", "checked", "verdict", "smallest violating point")
    for name in ("trace length", "distinct", "time"):
        table.add_column(name, justify="right", no_wrap=True)
    for plan, view in sweeps:
        _add_sweep(table, plan, view)
    return table


def _add_sweep(table: Table, plan: Plan, view: StoreView) -> None:
    runs = view.run_rows
    minimal = smallest(view, runs)
    distinct = number(sum(run.distinct or 0 for run in runs), least=any(run.unfinished for run in runs))
    time = seconds(sum(run.wall_seconds or 0.0 for run in runs))
    for row, name in enumerate(_checked(plan, runs)):
        points = [point for point, names in minimal if name in names]
        if len(points) == 1:
            place = f"{points[0].point}: {parameter_text(points[0].parameters)}"
        else:
            place = f"points {', '.join(str(point.point) for point in points)}" if points else ""
        traces = [view.shortest_traces.get((point.run_id, name)) for point in points]
        shortest = min((trace.length for trace in traces if trace is not None), default=None)
        table.add_row(
            view.manifest.name if row == 0 else "",
            _points(runs) if row == 0 else "",
            name,
            _verdict(name, plan, runs),
            Text(place),
            number(shortest) if shortest else "",
            distinct if row == 0 else "",
            time if row == 0 else "",
        )


def _checked(plan: Plan, runs: Sequence[RunRow]) -> list[str]:
    """The definitions that any point checks or violates, in the order of the sweep file."""
    names: dict[str, None] = {}
    for run in plan.runs:
        names |= dict.fromkeys((*run.config.invariants, *run.config.properties))
        names |= {"deadlock": None} if run.options.check_deadlock else {}
    for row in runs:
        if row.verdict is not Verdict.EXCLUDED:
            names |= dict.fromkeys(row.violated_names)
    return list(names)


def _points(runs: Sequence[RunRow]) -> str:
    excluded = sum(run.verdict is Verdict.EXCLUDED for run in runs)
    return f"{len(runs)}" + (f", {excluded} excluded" if excluded else "")


def _verdict(name: str, plan: Plan, runs: Sequence[RunRow]) -> Text:
    planned = {run.run_id: run for run in plan.runs if name in _labels(run)}
    mine = [run for run in runs if run.run_id in planned and run.verdict is not Verdict.EXCLUDED]
    violated = sum(name in run.violated_names for run in mine)
    undecided = sum(
        run.verdict in (Verdict.INCONCLUSIVE, Verdict.BROKEN) or name in _undecided(run, planned[run.run_id])
        for run in mine
        if name not in run.violated_names
    )
    if violated:
        text = Text(f"violated at {violated} of {len(mine)}", "bold red")
    elif undecided == len(mine):
        return Text("undecided", "yellow")
    else:
        text = Text("holds", "green")
    if undecided:
        text.append(f", undecided at {undecided}", "yellow")
    return text


def _labels(run: Run) -> set[str]:
    return {check.label for check in requested_checks(run)}


def _undecided(row: RunRow, run: Run) -> Collection[str]:
    checked = _labels(run)
    stopped = ended_early(row.violated_names, checked, run.options.find)
    return checked.difference(row.violated_names) if stopped else row.undecided
