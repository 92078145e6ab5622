"""Text for the terminal, made with Rich: the summary of a sweep and the steps of a trace."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Sequence
from itertools import groupby, pairwise

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from tla2py.explore.action_counts import ActionCount, never_fired
from tla2py.explore.minimal import minimal_points
from tla2py.explore.view import StoreView
from tla2py.model.outcome import OUTCOME_WORDS, Verdict
from tla2py.show.plain import (
    DERIVED,
    action_text,
    closing_step,
    derived,
    headline,
    loop_mark,
    states_text,
    step_changes,
    trace_end,
)
from tla2py.store.store import ManifestPoint
from tla2py.tables.runs import RunRow
from tla2py.tables.traces import TraceRow
from tla2py.terminal.diagnostics import points_without_answer
from tla2py.terminal.figures import number, seconds
from tla2py.terminal.layout import Indented, PointRow, PointTable
from tla2py.text import parameter_text, value_shown
from tla2py.tlc.output.traces import EVALUATION
from tla2py.trace.diff import Part, changed_parts
from tla2py.trace.trace import State, Trace
from tla2py.values import format_value

VERDICT_STYLES = {
    Verdict.HOLDS: "green",
    Verdict.VIOLATED: "bold red",
    Verdict.INCONCLUSIVE: "yellow",
    Verdict.BROKEN: "bold magenta",
    Verdict.EXCLUDED: "dim",
}
# A longer table is cut to the points that do not hold.
_MOST_ROWS = 60
_MOST_IDLE = 12


def sweep_summary(view: StoreView) -> RenderableType:
    """The table of points, the smallest that break with the way to the shortest break, and what to type next."""
    runs = view.run_rows
    parts: list[RenderableType] = [_points_table(view, runs), ""]
    parts += points_without_answer(view, runs)
    minimal = smallest(view, runs)
    if minimal:
        parts.append(Text("Where it starts to break (no smaller point violates the same)", "bold"))
        for point, names in minimal:
            parts += [_minimal_line(view, point, names), *_why(view, point, names)]
        parts.append("")
    idle = never_fired(view)
    if idle:
        parts.append(Text("Actions that never fired", "bold"))
        parts += [_idle_line(action) for action in idle[:_MOST_IDLE]]
        if len(idle) > _MOST_IDLE:
            parts.append(Text(f"  and {len(idle) - _MOST_IDLE} more, see the table coverage"))
        parts.append("")
    store = shlex.quote(str(view.store.path))
    parts.append(Text.assemble(("Store  ", "bold"), str(view.store.path)))
    if minimal:
        following = f"tla2py trace {store} {minimal[0][0].point}"
    elif any(run.verdict is Verdict.BROKEN for run in runs):
        following = "mend what is broken; the same command then runs what that changes: all points, if it is the module"
    else:
        following = f"tla2py report {store}"
    parts.append(Text.assemble(("Next   ", "bold"), following))
    parts.append(Text(f'       tla2py query {store} "SELECT * FROM runs"'))  # noqa: S608 - shown, not run
    return Group(*parts)


def _idle_line(action: ActionCount) -> Text:
    some = action.idle[:8]
    where = f"point{'s' * (len(some) > 1)} {', '.join(map(str, some))}"
    where += f" and {len(action.idle) - len(some)} more" if len(action.idle) > len(some) else ""
    line = Text(f"  {action.name}  ", "bold red" if action.everywhere else "")
    line.append(f"{action.module}:{action.line}  ", "dim")
    return line.append("at any point" if action.everywhere else f"at {where}")


def smallest(view: StoreView, runs: Sequence[RunRow]) -> list[tuple[ManifestPoint, list[str]]]:
    """The minimal violating points of each violated definition, each point once with all it violates there.

    A point that an ASSUME excludes violates nothing that was to be checked.
    """
    points = {p.point: p for p in view.manifest.points}
    violating: dict[str, list[ManifestPoint]] = {}
    for run in runs:
        if run.verdict is Verdict.EXCLUDED:
            continue
        for name in run.violated_names:
            violating.setdefault(name, []).append(points[run.point])
    found: dict[int, list[str]] = {}
    for name, candidates in violating.items():
        for position in minimal_points([c.parameters for c in candidates]):
            found.setdefault(candidates[position].point, []).append(name)
    return [(points[number], names) for number, names in sorted(found.items())]


def _points_table(view: StoreView, runs: Sequence[RunRow]) -> RenderableType:
    points = {p.point: p for p in view.manifest.points}
    # What is the same at every point would only take room.
    parameters = [
        parameter
        for parameter in view.manifest.parameters
        if len(points) == 1 or len({point.parameters[parameter.name] for point in points.values()}) > 1
    ]
    shown = (
        runs
        if len(runs) <= _MOST_ROWS
        else [run for run in runs if run.verdict is not Verdict.HOLDS][:_MOST_ROWS]
    )
    rows = []
    for run in shown:
        verdict = Text(run.verdict.value, VERDICT_STYLES[run.verdict])
        if run.violated:
            names = (
                f"{name} in {trace.length}"
                if (trace := view.shortest_traces.get((run.run_id, name)))
                else name
                for name in run.violated_names
            )
            verdict.append(": " + ", ".join(names))
        elif run.verdict in (Verdict.INCONCLUSIVE, Verdict.BROKEN):
            verdict.append(f": {OUTCOME_WORDS[run.outcome]}")
        rows.append(
            PointRow(
                point=run.point,
                values=[value_shown(points[run.point].parameters[p.name]) for p in parameters],
                verdict=verdict,
                figures={
                    "generated": number(run.generated, least=run.unfinished),
                    "distinct": number(run.distinct, least=run.unfinished),
                    "depth": number(run.depth, least=run.unfinished),
                    "time": seconds(run.wall_seconds),
                },
            )
        )
    table = PointTable(parameters=[p.name for p in parameters], rows=rows)
    if len(shown) == len(runs):
        return table
    counts = ", ".join(
        f"{count} {verdict.value}"
        for verdict in VERDICT_STYLES
        if (count := sum(run.verdict is verdict for run in runs))
    )
    return Group(table, Text(f"{len(runs)} points: {counts}; those that hold are not shown", "dim"))


def _minimal_line(view: StoreView, point: ManifestPoint, names: Sequence[str]) -> Indented:
    said = ", ".join(
        f"{name} in {states_text(trace.length)}"
        if (trace := view.shortest_traces.get((point.run_id, name)))
        else name
        for name in names
    )
    return Indented(
        Text.assemble(f"{parameter_text(point.parameters)}  ", (said, "red"), f"  (point {point.point})"), 2
    )


def _why(view: StoreView, point: ManifestPoint, names: Sequence[str]) -> list[RenderableType]:
    """The actions that lead to the shortest violation and what the last of them changed."""
    known = [row for name in names if (row := view.shortest_traces.get((point.run_id, name)))]
    if not known:
        return []
    trace = view.trace(point.point, min(known, key=lambda row: (row.length, row.trace)).trace)
    actions = [state.action or "" for state in trace.states[1:]]
    steps = [
        f"{name} x{count}" if (count := len(list(group))) > 1 else name for name, group in groupby(actions)
    ]
    lines: list[RenderableType] = []
    if steps:
        lines.append(Indented(Text.assemble("steps: ", (" > ".join(steps), "dim")), 4))
    if len(trace.states) > 1:
        last = "; ".join(step_changes(*trace.states[-2:]))
        lines.append(Indented(Text.assemble("last step: ", (_cut(last, 300), "dim")), 4))
    if end := trace_end(trace):
        lines.append(Indented(Text(end, "dim"), 4))
    return lines


def trace_text(trace: Trace, *, full: bool = False, title: str = "") -> RenderableType:
    """The steps of a counterexample: action with arguments and what it changed, or whole states with ``full``."""
    parts: list[RenderableType] = []
    parts.append(Text(title + headline(trace), "bold red"))
    for before, state in pairwise((None, *trace.states)):
        assert state is not None
        parts.append(_step_header(state, trace))
        if before is None or full:
            for variable, value in state.values.items():
                text = Text.assemble((variable, "cyan"), f" = {format_value(value)}")
                parts.append(Indented(text, 4))
        else:
            changed = list(changed_parts(before.values, state.values))
            parts += [Indented(_part_line(part), 4) for part in changed]
            if not changed:
                parts.append(Text("    nothing changes", "dim"))
    if end := trace_end(trace):
        parts.append(Text(end, "bold yellow"))
    if closing := closing_step(trace):
        parts += [Indented(_part_line(part), 4) for part in closing.parts]
    if derived(trace):
        parts.append(Text(DERIVED, "dim"))
    return Group(*parts)


def _step_header(state: State, trace: Trace) -> Text:
    header = Text.assemble((f"{state.index:>3} ", "bold"), (action_text(state), "bold blue"))
    if mark := loop_mark(trace, state):
        header.append(f"  ({mark})", "yellow")
    if state.location:
        header.append(f"  {state.location.module}:{state.location.begin_line}", "dim")
    return header


def _part_line(part: Part) -> Text:
    """A changed part as ``str`` writes it, what was and what is now in colours."""
    old, new = part.texts
    line = Text(part.place, "cyan")
    if not part.before:
        return line.append(" + ", "default").append(new, "green")
    if not part.after:
        return line.append(" - ", "default").append(old, "red")
    return line.append(": ", "default").append(old, "red").append(" -> ", "default").append(new, "green")


def trace_list(view: StoreView) -> RenderableType:
    """All counterexamples of a store, a line each."""
    rows = view.trace_rows
    if not rows:
        verdicts = Counter(_verdict_told(run) for run in view.run_rows)
        told = ", ".join(f"{count} {verdict}" for verdict, count in verdicts.items()) or "nothing yet"
        if len(view.manifest.points) == 1:
            told = told.removeprefix("1 ")
        return Text(f"no counterexample in {view.store.path}: {told}")
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    for name in ("point", "trace"):
        table.add_column(name, justify="right")
    for parameter in view.manifest.parameters:
        table.add_column(parameter.name, overflow="fold")
    for name in ("violates", "kind", "length", "ends"):
        table.add_column(name, overflow="fold")
    for point in view.manifest.points:
        for row in rows:
            if row.run_id == point.run_id:
                table.add_row(
                    str(point.point),
                    str(row.trace),
                    *map(value_shown, point.parameters.values()),
                    "(cannot be evaluated)" if row.kind == EVALUATION else row.name,
                    row.kind,
                    str(row.length),
                    _end(row),
                )
    return table


def _end(row: TraceRow) -> str:
    if row.loop_start is not None:
        return f"back to {row.loop_start}"
    return "stuttering" if row.stuttering else "cut off" if row.cut_off else ""


def _verdict_told(run: RunRow) -> str:
    unanswered = run.verdict is Verdict.INCONCLUSIVE
    return f"inconclusive ({OUTCOME_WORDS[run.outcome]})" if unanswered else run.verdict.value


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 3] + "..."
