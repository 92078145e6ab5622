"""A sweep's summary for the terminal."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.text import Text

from tla2py.explore.action_counts import ActionCount, disabled_actions
from tla2py.explore.explanation import explain_store
from tla2py.explore.minimal import minimal_violating
from tla2py.explore.view import StoreView
from tla2py.model.outcome import Verdict
from tla2py.show.plain import runs_of, step_changes, trace_end
from tla2py.store.points import ManifestPoint
from tla2py.tables.runs import FIRST_COUNTS, RunRow
from tla2py.terminal.diagnostics import points_without_answer
from tla2py.terminal.figures import number, seconds
from tla2py.terminal.layout import VERDICT_STYLES, Indented, PointRow, PointTable
from tla2py.text import counted, cut, parameter_text, value_shown

# A longer table shows only the points that do not hold.
_MOST_ROWS = 60
_MOST_ACTIONS = 12
# 'tla2py explain' searches longer, and over more points: for 100,000 it needs a gigabyte.
_LAW_SECONDS = 2.0
_LAW_POINTS = 10_000


def sweep_summary(view: StoreView) -> RenderableType:
    """The table of points, the smallest violating points with their shortest traces, and the commands to type next."""
    runs = view.run_rows
    # Of very many points few are read again and again.
    notable = [run for run in runs if run.verdict is not Verdict.HOLDS]
    parts: list[RenderableType] = [_points_table(view, runs, notable), ""]
    parts += points_without_answer(view, notable)
    minimal = smallest(view, notable)
    if minimal:
        parts.append(Text("Where it starts to break (no smaller point violates the same)", "bold"))
        for point, names in minimal:
            parts += [_minimal_line(view, point, names), *_why(view, point, names)]
        parts.append("")
        if len(runs) > _LAW_POINTS:
            laws = [f"tla2py explain {shlex.quote(str(view.store.path))}"]
        else:
            laws = [*explain_store(view, seconds=_LAW_SECONDS).laws(telling=True)]
        if laws:
            parts += [Text("When it breaks", "bold"), *(Text(f"  {line}") for line in laws), ""]
    disabled = disabled_actions(view)
    if disabled:
        parts.append(Text("Actions that never fired", "bold"))
        parts += [_action_line(action) for action in disabled[:_MOST_ACTIONS]]
        if len(disabled) > _MOST_ACTIONS:
            parts.append(Text(f"  and {len(disabled) - _MOST_ACTIONS} more, see the table coverage"))
        parts.append("")
    for parameter in view.manifest.parameters:
        if parameter.column != parameter.name:
            parts.append(Text(f"The column of {parameter.name} in the tables is {parameter.column}"))
    store = shlex.quote(str(view.store.path))
    parts.append(Text.assemble(("Store  ", "bold"), str(view.store.path)))
    if minimal:
        following = f"tla2py trace {store} {minimal[0][0].point}"
    elif any(run.verdict is Verdict.BROKEN for run in notable):
        following = "fix what is broken and repeat the command: it reruns the affected points (all, if a module changed)"
    else:
        following = f"tla2py report {store}"
    parts.append(Text.assemble(("Next   ", "bold"), following))
    parts.append(Text(f'       tla2py query {store} "SELECT * FROM runs"'))  # noqa: S608 - shown, not run
    return Group(*parts)


def _action_line(action: ActionCount) -> Text:
    some = action.disabled[:8]
    where = f"point{'s' * (len(some) > 1)} {', '.join(map(str, some))}"
    where += f" and {len(action.disabled) - len(some)} more" if len(action.disabled) > len(some) else ""
    line = Text(f"  {action.name}  ", "bold red" if action.never_enabled else "")
    line.append(f"{action.module}:{action.line}  ", "dim")
    return line.append("at any point" if action.never_enabled else f"at {where}")


def smallest(view: StoreView, runs: Sequence[RunRow]) -> list[tuple[ManifestPoint, Sequence[str]]]:
    """The minimal violating points, each with the definitions that no smaller point violates."""
    violating = [run for run in runs if run.violated]
    points = view.points.some(run.point for run in violating)
    found = minimal_violating((run, points[run.point].parameters) for run in violating)
    return [(points[number], names) for number, names in sorted(found.items())]


def _points_table(view: StoreView, runs: Sequence[RunRow], notable: Sequence[RunRow]) -> RenderableType:
    # A parameter with one value would only take room.
    parameters = [
        parameter
        for parameter in view.manifest.parameters
        if len(view.points) == 1 or view.points.different(parameter) > 1
    ]
    shown = runs if len(runs) <= _MOST_ROWS else notable[:_MOST_ROWS]
    points = view.points.some(run.point for run in shown)
    rows = []
    for run in shown:
        answered = run.verdict not in (Verdict.INCONCLUSIVE, Verdict.BROKEN)
        verdict = Text(run.verdict.value if answered else run.unanswered, VERDICT_STYLES[run.verdict])
        if run.violated:
            lengths = ((name, view.shortest_traces.get((run.run_id, name))) for name in run.violated_names)
            names = (f"{name} in {trace.length}" if trace else name for name, trace in lengths)
            verdict.append(": " + ", ".join(names))
        rows.append(
            PointRow(
                point=run.point,
                values=[value_shown(points[run.point].parameters[p.name]) for p in parameters],
                verdict=verdict,
                figures={
                    **{name: _figure(run, getattr(run, name)) for name in ("generated", "distinct", "depth")},
                    "time": seconds(run.wall_seconds),
                },
            )
        )
    table = PointTable(parameters=[p.name for p in parameters], rows=rows)
    parts: list[RenderableType] = [table]
    if any(run.counts_first for run in shown):
        parts.append(Text(f"* {FIRST_COUNTS}", "dim"))
    if len(shown) == len(runs):
        return Group(*parts)
    found = Counter(run.verdict for run in notable)
    found[Verdict.HOLDS] = len(runs) - len(notable)
    counts = ", ".join(f"{found[each]} {each.value}" for each in VERDICT_STYLES if found[each])
    return Group(*parts, Text(f"{len(runs)} points: {counts}; points that hold are not shown", "dim"))


def _figure(run: RunRow, value: int | None) -> str:
    return number(value, least=run.unfinished) + "*" * (run.counts_first and value is not None)


def _minimal_line(view: StoreView, point: ManifestPoint, names: Sequence[str]) -> Indented:
    lengths = ((name, view.shortest_traces.get((point.run_id, name))) for name in names)
    violations = ", ".join(
        f"{name} in {counted(trace.length, 'state')}" if trace else name for name, trace in lengths
    )
    parameters = parameter_text(point.parameters)
    return Indented(Text.assemble(f"{parameters}  ", (violations, "red"), f"  (point {point.point})"), 2)


def _why(view: StoreView, point: ManifestPoint, names: Sequence[str]) -> list[RenderableType]:
    """The actions that lead to the shortest violation, and the changes of the last one; TLC's message without a trace."""
    known = [row for name in names if (row := view.shortest_traces.get((point.run_id, name)))]
    if not known:
        run = next(run for run in view.run_rows if run.point == point.point)
        said = (run.message or "").splitlines()
        return [Indented(Text(cut(line, 300), "dim"), 4) for line in said]
    trace = view.trace(point.point, min(known, key=lambda row: (row.length, row.trace)).trace)
    lines: list[RenderableType] = []
    if len(trace.states) > 1:
        steps = runs_of([state.action or "" for state in trace.states[1:]])
        last = "; ".join(step_changes(*trace.states[-2:]))
        lines.append(Indented(Text.assemble("steps: ", (steps, "dim")), 4))
        lines.append(Indented(Text.assemble("last step: ", (cut(last, 300), "dim")), 4))
    if end := trace_end(trace):
        lines.append(Indented(Text(end, "dim"), 4))
    return lines
