"""Traces as text for the terminal: one trace, a point's traces, and the list of a store's traces."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

from rich.console import Group, RenderableType
from rich.text import Text

from tla2py.explore.view import StoreView
from tla2py.interop import ForeignStore
from tla2py.model.outcome import Verdict
from tla2py.show.plain import (
    DERIVED,
    action_text,
    closing_step,
    derived,
    headline,
    loop_mark,
    trace_end,
)
from tla2py.show.processes import acting
from tla2py.tables.runs import RunRow
from tla2py.tables.traces import TraceRow
from tla2py.terminal.layout import Indented, plain_table
from tla2py.text import value_shown
from tla2py.trace.diff import Part, changed_parts
from tla2py.trace.trace import EVALUATION, State, Trace
from tla2py.values import format_value


def traces_text(
    view: StoreView, point: int, number: int | None, *, full: bool = False, hint: bool = True
) -> RenderableType:
    """A point's traces, or one of them, step by step; ``hint`` mentions ``--arguments`` where it could help."""
    foreign = isinstance(view.store, ForeignStore)
    numbers = [number] if number is not None else list(range(1, len(view.trace_list(point)) + 1)) or [1]
    parts: list[RenderableType] = []
    for each in numbers:
        trace = view.trace(point, each)
        title = f"trace {each}: " if foreign else f"point {point}, trace {each}: "
        parts += [trace_text(trace, full=full, title=title), ""]
    parts.pop()
    # Parsing the module, to see whether the actions have arguments, would cost more than the hint is worth.
    if hint and not foreign and any(actor.derived for actor in acting(trace) or ()):
        parts.append(Text("to see the arguments of the actions, add --arguments", "dim"))
    return Group(*parts)


def trace_text(trace: Trace, *, full: bool = False, title: str = "") -> RenderableType:
    """A trace's steps: each action with its arguments and changes, or with the whole state if ``full``."""
    parts: list[RenderableType] = [Text(title + headline(trace), "bold red")]
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
        for expression, value in state.evaluated:
            text = Text.assemble((" ".join(expression.split()), "magenta"), f" = {value}")
            parts.append(Indented(text, 4))
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
    """A changed part as ``str`` writes it, with the old and new values in colour."""
    old, new = part.texts
    line = Text(part.place, "cyan")
    if not part.before:
        return line.append(" + ", "default").append(new, "green")
    if not part.after:
        return line.append(" - ", "default").append(old, "red")
    return line.append(": ", "default").append(old, "red").append(" -> ", "default").append(new, "green")


def trace_list(view: StoreView) -> RenderableType:
    """A store's counterexamples, a line each."""
    rows = view.trace_rows
    if not rows:
        verdicts = Counter(_verdict(run) for run in view.run_rows)
        summary = (
            ", ".join(f"{count} {verdict}" for verdict, count in verdicts.items()) or "nothing was run yet"
        )
        if len(view.manifest.points) == 1:
            summary = summary.removeprefix("1 ")
        return Text(f"no counterexample in {view.store.path}: {summary}")
    table = plain_table()
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


def _verdict(run: RunRow) -> str:
    return run.unanswered if run.verdict is Verdict.INCONCLUSIVE else run.verdict.value
