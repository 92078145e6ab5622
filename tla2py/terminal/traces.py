"""Traces as text for the terminal: one trace, a point's traces, and the list of a store's traces."""

from __future__ import annotations

from collections import Counter
from collections.abc import Set
from itertools import pairwise

from rich.console import Group, RenderableType
from rich.padding import Padding
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
from tla2py.trace.variables import Variables
from tla2py.values import format_value


def traces_text(
    view: StoreView,
    point: int,
    number: int | None,
    *,
    full: bool = False,
    hint: bool = True,
    variables: Variables | None = None,
) -> RenderableType:
    """A point's traces, or one of them, step by step; ``hint`` mentions ``--arguments`` where it could help.

    Raises InputError (``unknown-variable``).
    """
    foreign = isinstance(view.store, ForeignStore)
    numbers = [number] if number is not None else list(range(1, len(view.trace_list(point)) + 1)) or [1]
    parts: list[RenderableType] = []
    for each in numbers:
        trace = view.trace(point, each)
        title = f"trace {each}: " if foreign else f"point {point}, trace {each}: "
        chosen = None if variables is None else variables.of(trace)
        parts += [trace_text(trace, full=full, title=title, chosen=chosen), ""]
    parts.pop()
    # Parsing the module, to see whether the actions have arguments, would cost more than the hint is worth.
    if hint and not foreign and any(actor.derived for actor in acting(trace) or ()):
        parts.append(Text("to see the arguments of the actions, add --arguments", "dim"))
    return Group(*parts)


def trace_text(
    trace: Trace, *, full: bool = False, title: str = "", chosen: Set[str] | None = None
) -> RenderableType:
    """A trace's steps: each action with its arguments and changes, or with the whole state if ``full``.

    Of the variables, only the ``chosen`` ones are shown.
    """

    def shown(name: str) -> bool:
        return chosen is None or name in chosen

    parts: list[RenderableType] = [Text(title + headline(trace), "bold red")]
    for before, state in pairwise((None, *trace.states)):
        assert state is not None
        parts.append(_step_header(state, trace))
        if before is None or full:
            for variable in filter(shown, state.values):
                text = Text.assemble((variable, "cyan"), f" = {format_value(state.values[variable])}")
                parts.append(Indented(text, 4))
        else:
            changed = list(changed_parts(before.values, state.values))
            lines = [Indented(_part_line(part), 4) for part in changed if shown(part.variable)]
            none = "only hidden variables change" if changed else "nothing changes"
            parts += lines or [Text(f"    {none}", "dim")]
        for expression, value in state.evaluated:
            text = Text.assemble((" ".join(expression.split()), "magenta"), f" = {value}")
            parts.append(Indented(text, 4))
    if end := trace_end(trace):
        parts.append(Text(end, "bold yellow"))
    if closing := closing_step(trace):
        parts += [Indented(_part_line(part), 4) for part in closing.parts if shown(part.variable)]
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


def trace_list(view: StoreView, name: str | None = None) -> RenderableType:
    """A store's counterexamples by kind, the most frequent first, or those of one property; of each a line, the shortest first.

    Raises InputError (``unknown-property``).
    """
    rows = view.trace_rows
    if not rows:
        verdicts = Counter(_verdict(run) for run in view.run_rows)
        summary = (
            ", ".join(f"{count} {verdict}" for verdict, count in verdicts.items()) or "nothing was run yet"
        )
        if len(view.points) == 1:
            summary = summary.removeprefix("1 ")
        return Text(f"no counterexample in {view.store.path}: {summary}")
    ends = {(row.run_id, row.trace): _end(row) for row in rows}
    columns = [*(parameter.name for parameter in view.manifest.parameters), "length"]
    columns += ["ends"] * any(ends.values())
    points = {point.point: point for point in view.points}
    parts: list[RenderableType] = []
    for number, kind in enumerate(view.kinds().of(name).kinds, 1):
        name = "(cannot be evaluated)" if kind.name == EVALUATION else kind.name
        parts.append(Text.assemble((f"{number}. {name}", "bold red"), f": {kind.size}"))
        parts += [Indented(Text(text, "dim"), 3) for text in (kind.steps, kind.remarks) if text]
        table = plain_table()
        for name in ("point", "trace"):
            table.add_column(name, justify="right")
        for name in columns:
            table.add_column(name, overflow="fold")
        for found in kind.members:
            for point in map(points.__getitem__, found.points):
                values = map(value_shown, point.parameters.values())
                cells = [str(point.point), str(found.trace), *values, str(found.length)]
                table.add_row(*cells, *([ends[point.run_id, found.trace]] if "ends" in columns else []))
        parts += [Padding(table, (0, 0, 0, 3), expand=False), ""]
    parts.pop()
    return Group(*parts)


def _end(row: TraceRow) -> str:
    if row.loop_start is not None:
        return f"back to {row.loop_start}"
    return "stuttering" if row.stuttering else "cut off" if row.cut_off else ""


def _verdict(run: RunRow) -> str:
    return run.unanswered if run.verdict is Verdict.INCONCLUSIVE else run.verdict.value
