"""Traces, comparisons, conjuncts and checks for a terminal, and the same for a notebook."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Set
from io import StringIO
from itertools import pairwise
from pathlib import Path
from types import MappingProxyType

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from tla2py.analysis.view import StoreView
from tla2py.execution.check import Checked
from tla2py.model.cause import ViolationCauses
from tla2py.model.model import filled_text
from tla2py.model.outcome import OUTCOME_WORDS, REMEDIES, Verdict, simulation_words, unfinished
from tla2py.model.row import TraceRow
from tla2py.model.trace import EVALUATION, Comparison, Part, State, Trace, Variables, changed_parts
from tla2py.model.trace_text import (
    DERIVED,
    action_text,
    closing_step,
    comparison_lines,
    derived,
    headline,
    loop_mark,
    trace_end,
)
from tla2py.replay.conjuncts import Conjuncts
from tla2py.replay.successors import Enabledness
from tla2py.store.foreign import ForeignStore
from tla2py.store.rows import explaining_errors
from tla2py.sweep.checks import DEADLOCK, Check, checks_of
from tla2py.sweep.judge import NO_STATES
from tla2py.text import counted, cut, value_shown
from tla2py.tla.instrument import Binding, Conjunct
from tla2py.tla.value import format_value
from tla2py.tlc.output.collector import notes_of
from tla2py.view.layout import VERDICT_STYLES, IndentedText, number, plain_table, seconds
from tla2py.view.sequence import acting
from tla2py.view.tools import diagnostics_text

NO_FILES: Mapping[str, str] = MappingProxyType({})


def answer_change(before: Checked, after: Checked) -> str | None:
    """What changed in the answer, such as ``verdict holds -> violated``, or None."""
    old, new = _facts(before), _facts(after)
    changed = [f"{name} {old[name]} -> {new[name]}" for name in old if old[name] != new[name]]
    if changed:
        return ", ".join(changed)
    if before.traces != after.traces:
        return "another counterexample"
    different = explaining_errors(before.result) != explaining_errors(after.result)
    return "other messages" if different or before.prints != after.prints else None


def _facts(checked: Checked) -> dict[str, str]:
    result = checked.result
    plain = bool(result.violations) or result.verdict is Verdict.HOLDS
    reason = "" if plain else f" ({OUTCOME_WORDS[result.outcome]})"
    lengths = [str(len(trace.states)) for trace in result.traces]
    return {
        "verdict": f"{result.verdict.value}{reason}",
        "violated": ", ".join(violation.label for violation in result.violations) or "nothing",
        "trace length": ", ".join(lengths) or "none",
        "generated": number(result.stats.generated),
        "distinct": number(result.stats.distinct),
        "depth": number(result.stats.depth),
    }


def comparison_text(comparison: Comparison, titles: tuple[str, str] = ("left", "right")) -> RenderableType:
    """The steps of both traces in one list, as ``comparison_lines`` gives them."""
    return Group(*(Text(text, style) for text, style in comparison_lines(comparison, titles)))


_LONGEST = 72
_MARKS = {True: ("T", "green"), False: ("F", "bold red"), None: ("-", "dim")}


def conjuncts_text(found: Conjuncts, title: str) -> RenderableType:
    """A line for each conjunct with its value in each state, then the one that turns FALSE first."""
    table = plain_table("place", "conjunct", f"states 1 to {len(found.trace.states)}")
    turned = False
    for row in found.rows:
        if not row.conjunct.depth:
            turned = row.first_false is not None
        elif not turned:
            continue
        table.add_row(*_cells(row.conjunct), Text.assemble(*(_MARKS[value] for value in row.values)))
    key = "T: TRUE, F: FALSE, -: not evaluated, because of a condition or of an earlier conjunct or part"
    return Group(Text(title + headline(found.trace), "bold red"), table, Text(key, "dim"), *_turning(found))


def enabled_text(found: Enabledness, title: str) -> RenderableType:
    """A line for each conjunct of an action, then the binding that gets furthest and what stops it."""
    table = plain_table("place", "conjunct", "possible")
    for row in found.rows:
        table.add_row(*_cells(row.conjunct), Text(*_MARKS[row.enabled]))
    verdict = "is enabled" if found.enabled else "is not enabled"
    title = f"{title}{found.action} {verdict} in state {found.state.index}"
    binding = _bound(found.binding)
    end = [Text(f"enabled for {binding}", "bold")] if binding else []
    if (stopped := found.stopped) is not None:
        end = [
            Text(f"gets furthest{f' for {binding}' if binding else ''}, then is FALSE:", "bold"),
            Text(f"  {stopped.text}"),
            Text(f"  in {stopped.definition} at {stopped.place}"),
        ]
    key = "T: ENABLED up to this conjunct, F: not for any binding that gets to it, -: none gets to it"
    return Group(Text(title, "bold" if found.enabled else "bold red"), table, Text(key, "dim"), *end)


def _cells(conjunct: Conjunct) -> tuple[str, str]:
    """The place and the text of a conjunct."""
    text = "  " * conjunct.depth + cut(conjunct.text, _LONGEST, "…")
    return conjunct.place, f"{text} =>" if conjunct.role == "condition" else text


def _turning(found: Conjuncts) -> list[Text]:
    row, state = found.turning, found.turning_state
    if row is None or state is None:
        return [Text("no conjunct is FALSE in any state", "bold")]
    here, witness = found.trace.states.index(state), found.witness
    step = f", after {action_text(state)}" if state.action else ""
    lines = [
        Text(f"FALSE first in state {state.index}{step}:", "bold"),
        Text(f"  {row.conjunct.text}"),
        Text(f"  in {row.conjunct.definition} at {row.conjunct.place}{found.blame}"),
    ]
    for part in found.parts(row):
        # The witness of a quantifier inside the conjunct.
        if part.conjunct.role == "body" and part.values[here] is part.conjunct.decisive:
            value = "TRUE" if part.conjunct.decisive else "FALSE"
            inner = tuple(each for each in part.witnesses[here] if each not in witness)
            lines.append(Text(f"  {value} for {_bound(inner)}: {cut(part.conjunct.text, _LONGEST, '…')}"))
    return lines


def _bound(binding: Binding) -> str:
    return ", ".join(f"{name} = {value}" for name, value in binding)


def traces_text(
    view: StoreView, point: int, number: int | None, *, full: bool, hint: bool, variables: Variables
) -> RenderableType:
    """A point's traces, or one of them, step by step; ``hint`` mentions ``--arguments`` where it could help.

    Raises InputError (``unknown-variable``).
    """
    foreign, rows = isinstance(view.store, ForeignStore), view.trace_list(point)
    files = _module_files(view, rows[0].run_id) if rows else NO_FILES
    numbers = [number] if number is not None else list(range(1, len(rows) + 1)) or [1]
    parts: list[RenderableType] = []
    is_lacking = False
    for each in numbers:
        trace = view.trace(point, each)
        is_lacking = is_lacking or lacks_arguments(trace)
        title = f"trace {each}: " if foreign else f"point {point}, trace {each}: "
        parts += [trace_text(trace, full=full, title=title, chosen=variables.of(trace), files=files), ""]
    parts.pop()
    if hint and not foreign and is_lacking:
        parts.append(Text("to see the arguments of the actions, add --arguments", "dim"))
    return Group(*parts)


def lacks_arguments(trace: Trace) -> bool:
    """Return whether a step of which a process is known was printed without arguments.

    Parsing the module, to see whether its action has any, would cost more than a hint is worth.
    """
    steps = zip(acting(trace) or (), trace.states, strict=False)
    return any(actor.derived and not state.action_args for actor, state in steps)


def _module_files(view: StoreView, run_id: str) -> Mapping[str, str]:
    """The paths of modules by name. Where a folder has several files of one name, a run's are those that it read."""
    paths = view.manifest.files
    files = {Path(path).stem: path for path in paths.values()}
    if len(files) < len(paths):
        with view.store.archive(run_id) as archive:
            read = (*archive.record.modules, *archive.record.originals)
        files |= {Path(name).stem: paths[sha256] for name, sha256 in read if sha256 in paths}
    return files


def trace_text(
    trace: Trace,
    *,
    full: bool = False,
    title: str = "",
    chosen: Set[str] | None = None,
    files: Mapping[str, str] = NO_FILES,
) -> RenderableType:
    """A trace's steps: each action with its arguments and changes, or with the whole state if ``full``.

    Of the variables, only the ``chosen`` ones are shown. ``files`` are the paths of modules, by name.
    """

    def shown(name: str) -> bool:
        return chosen is None or name in chosen

    parts: list[RenderableType] = [Text(title + headline(trace), "bold red")]
    for before, state in pairwise((None, *trace.states)):
        assert state is not None
        parts.append(_step_header(state, trace, files))
        if before is None or full:
            for variable in filter(shown, state.values):
                text = Text.assemble((variable, "cyan"), f" = {format_value(state.values[variable])}")
                parts.append(IndentedText(text, 4))
        else:
            changed = list(changed_parts(before.values, state.values))
            lines = [IndentedText(_part_line(part), 4) for part in changed if shown(part.variable)]
            none = "only hidden variables change" if changed else "nothing changes"
            parts += lines or [Text(f"    {none}", "dim")]
        for expression, value in state.evaluated:
            text = Text.assemble((" ".join(expression.split()), "magenta"), f" = {value}")
            parts.append(IndentedText(text, 4))
    if end := trace_end(trace):
        parts.append(Text(end, "bold yellow"))
    if closing := closing_step(trace):
        parts += [IndentedText(_part_line(part), 4) for part in closing.parts if shown(part.variable)]
    if derived(trace):
        parts.append(Text(DERIVED, "dim"))
    return Group(*parts)


def _step_header(state: State, trace: Trace, files: Mapping[str, str]) -> Text:
    header = Text.assemble((f"{state.index:>3} ", "bold"), (action_text(state), "bold blue"))
    if mark := loop_mark(trace, state):
        header.append(f"  ({mark})", "yellow")
    if state.location:
        # As terminals and editors open it.
        module, line = state.location.module, state.location.begin_line
        header.append(f"  {files.get(module, f'{module}.tla')}:{line}", "dim")
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
        verdicts = Counter(
            run.unanswered if run.verdict is Verdict.INCONCLUSIVE else run.verdict.value
            for run in view.run_rows
        )
        counts = (f"{count} {verdict}" for verdict, count in verdicts.items())
        summary = ", ".join(counts) or "nothing was run yet"
        if len(view.points) == 1:
            summary = summary.removeprefix("1 ")
        return Text(f"no counterexample in {view.store.path}: {summary}")
    ends = {(row.run_id, row.trace): _end(row) for row in rows}
    columns = [*(parameter.name for parameter in view.manifest.parameters), "length"]
    columns += ["ends"] * any(ends.values())
    points = {point.point: point for point in view.points}
    parts: list[RenderableType] = []
    for place, kind in enumerate(view.kinds().of(name).kinds, 1):
        name = "(cannot be evaluated)" if kind.name == EVALUATION else kind.name
        parts.append(Text.assemble((f"{place}. {name}", "bold red"), f": {kind.size}"))
        parts += [
            IndentedText(Text(text, "dim"), 3) for text in (kind.steps, kind.remarks, kind.because) if text
        ]
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
    return "stuttering" if row.stuttering else "cut off" if row.cut_off else "suspect" if row.suspect else ""


# More checked definitions than this are counted, not named.
_MOST = 6
_NOTHING_ELSE = ", and nothing else was checked"


def _checks(checked: Checked) -> tuple[Check, ...]:
    record = checked.record
    return checks_of(record.executions[0].config_text, record.options, record.expressions)


def _checked(checked: Checked) -> str:
    """What was checked, in short, with the config that requests it."""
    checks = _checks(checked)
    names = [check.name for check in checks if check != DEADLOCK]
    shown = names[:_MOST] + [f"{len(names) - _MOST} more"] * (len(names) > _MOST)
    shown += ["no deadlock"] * (DEADLOCK in checks)
    nothing = "nothing was checked but ASSUME"
    if checked.record.assumptions:
        nothing = counted(len(checked.record.assumptions), "assumption")
    text = ", ".join(shown) or nothing
    text += _NOTHING_ELSE * (checks == (DEADLOCK,))
    return f"{text} ({checked.config})" if checked.config is not None else text


def check_text(
    checked: Checked,
    *,
    full: bool = False,
    because: Mapping[int | None, ViolationCauses] = MappingProxyType({}),
    files: Mapping[str, str] = NO_FILES,
) -> RenderableType:
    """The counterexamples, each with its nearest cause, TLC's other errors, and a last line with verdict and statistics.

    ``files`` are as in ``trace_text``.
    """
    result, record = checked.result, checked.record
    parts: list[RenderableType] = []
    for place, trace in enumerate(result.traces, 1):
        parts.append(trace_text(trace, full=full, files=files))
        if place in because:
            parts.append(Text(because[place].first, "bold"))
        parts.append("")
    errors = explaining_errors(result)
    parts += diagnostics_text(errors)
    parts += [Text(because[None].first, "bold")] if None in because else []
    parts += [Text(f"{text}\n", "yellow") for text in notes_of(result)]
    if result.verdict is Verdict.INCONCLUSIVE and not result.simulated:
        parts.append(Text(REMEDIES[result.outcome]))
    if checked.filled:
        parts.append(Text(filled_text(checked.filled), "dim"))
    verdict = Text(result.verdict.value, VERDICT_STYLES[result.verdict])
    names = ", ".join(v.label for v in result.violations)
    if result.simulated:
        words = simulation_words(result.stats.behaviours, result.stats.generated)
        verdict = Text(words, VERDICT_STYLES[result.verdict])
    elif result.verdict is Verdict.HOLDS:
        of_nothing = f"; {NO_STATES}" * (result.stats.distinct == 0 and not record.assumptions)
        verdict.append(f": {_checked(checked)}{of_nothing}", "")
    else:
        verdict.append(f": {names}" if names else f" ({OUTCOME_WORDS[result.outcome]})", "")
        verdict.append(_NOTHING_ELSE * (bool(names) and _checks(checked) == (DEADLOCK,)), "")
    stats = result.stats
    if stats.generated is not None and not record.assumptions:
        least = "at least " * unfinished(result.outcome, record.counted.termination_reason)
        first = " by the first execution" * (record.answers > 1)
        verdict.append(
            f"; {least}{counted(stats.generated, 'state')} generated, {number(stats.distinct)} distinct, "
            f"depth {number(stats.depth)}{first}",
            "",
        )
    verdict.append(f", {seconds(sum(e.wall_seconds for e in record.executions))}", "")
    parts.append(verdict)
    return Group(*parts)


# The colours are those of the notebook where rich has none.
_NOTEBOOK = '<pre style="white-space:pre-wrap;line-height:1.4">{code}</pre>'


def notebook_html(shown: object) -> str:
    """A trace, state, difference or comparison as a terminal shows it, in HTML for a notebook."""
    console = Console(record=True, file=StringIO(), width=120, force_jupyter=False)
    match shown:
        case Trace():
            console.print(trace_text(shown))
        case Comparison():
            console.print(comparison_text(shown))
        case _:
            console.print(Text(str(shown)))
    return console.export_html(inline_styles=True, code_format=_NOTEBOOK)
