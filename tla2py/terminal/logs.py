"""The result of a validation as text: the logs that no behaviour explains first, each with its line and the reason."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path

from rich.text import Text

from tla2py.errors import Place
from tla2py.execution.validate import LogRow, coverage_of, log_lines, log_why
from tla2py.logs.observe import OBSERVED
from tla2py.logs.why.answer import Blame, LogState, LogWhy
from tla2py.logs.why.nearest import LogStep
from tla2py.model.outcome import Verdict
from tla2py.store.store import Store
from tla2py.tables.runs import RunRow
from tla2py.terminal.figures import number
from tla2py.terminal.layout import VERDICT_STYLES
from tla2py.text import counted
from tla2py.trace.trace import StateDiff, Trace
from tla2py.values import format_value

_LONGEST = 200
_MOST_ACTIONS = 8
# Of more logs only the line is shown.
_MOST_REASONS = 5
_MOST_STATES = 3
_MOST_LINES = 5
_ORDER = (Verdict.VIOLATED, Verdict.BROKEN, Verdict.EXCLUDED, Verdict.INCONCLUSIVE)


def validation_text(
    store: Store,
    folder: Path,
    rows: Sequence[LogRow],
    runs: Sequence[RunRow],
    texts: Sequence[str | None],
    *,
    full: bool,
) -> Iterator[Text]:
    """The lines of a summary. ``folder`` is the one that the logs are relative to, ``texts`` are those of ``line_texts``.

    ``runs`` are the runs of the logs. With ``full`` it has the states before the line and a behaviour that gets there,
    otherwise the reasons of the first few logs, and how many logs have each reason.
    """
    found = [each for each in zip(rows, runs, texts, strict=True) if each[0].verdict is not Verdict.HOLDS]
    found.sort(key=lambda each: _ORDER.index(each[0].verdict))
    reasons = Counter[str]()
    for index, (row, run, text) in enumerate(found):
        answer = row.verdict in (Verdict.VIOLATED, Verdict.INCONCLUSIVE)
        place = os.path.normpath(folder / (row.place or row.file))
        shown = f", {', '.join(row.violates)}" if row.violates else ""
        if row.matched is not None:
            shown += f", {number(row.matched)} of {counted(row.lines, 'line')} explained"
        yield Text.assemble((row.verdict.value, VERDICT_STYLES[row.verdict]), f" {place}{shown}")
        if not answer and run.message:
            at = f"{run.message_place}: " if run.message_place not in (None, row.file) else ""
            yield from (Text(f"  {line}") for line in f"{at}{run.message}".splitlines()[:_MOST_LINES])
        if text:
            yield Text(f"  {_cut(text)}", "dim")
        why = log_why(store, run.run_id) if text else None
        blamed = why.blamed(text or "") if why is not None else []
        reasons.update(_false(each) for each in blamed[:1])
        if why is not None and (full or index < _MOST_REASONS):
            yield from reason_text(why, text or "")
        if why is not None and full:
            yield from states_text(why)
            if why.trace is not None and row.first_unmatched is not None:
                lines = log_lines(store, run.run_id)
                yield from behaviour_text(why, why.trace, lines, row.first_unmatched)
    if len(found) > _MOST_REASONS and not full:
        yield from (Text(f"{counted(count, 'log')}: {reason}") for reason, count in reasons.most_common())
    good = len(rows) - len(found)
    explained = sum(row.lines for row in rows if row.verdict is Verdict.HOLDS)
    states = sum(row.distinct or 0 for row in rows)
    yield Text(
        f"{good} of {counted(len(rows), 'log')} explained, with {counted(explained, 'line')}; "
        f"{counted(states, 'distinct state')}"
    )
    yield from coverage_text(coverage_of(store, runs))


def reason_text(why: LogWhy, line: str) -> Iterator[Text]:
    """Why no behaviour explains a line, and what the specification could do instead."""
    blames = why.blamed(line)
    if len(blames) > 1 and len({each.attempt.action for each in blames}) > 1:
        yield Text("  one of these is FALSE:")
    for blame in blames:
        yield _blame_text(blame, len(why.states))
    total = why.counts[max(why.counts)] if why.counts else 0
    actions = why.enabled
    more = f" and {len(actions) - _MOST_ACTIONS} more" if len(actions) > _MOST_ACTIONS else ""
    listed = f"; enabled: {', '.join(actions[:_MOST_ACTIONS])}{more}" if actions else ""
    yield Text(f"  {counted(total, 'state')} possible before it{listed}")
    nearest = why.nearest(line)
    if nearest is not None:
        yield Text(f"  nearest: {_step_text(nearest)}")


def _blame_text(blame: Blame, states: int) -> Text:
    part = blame.attempt.false
    within = "" if blame.count == states else f", in {blame.count} of {states} states"
    bound = {
        name: value
        for name, value in blame.attempt.binding
        if re.search(rf"\b{re.escape(name)}\b", part.text)
    }
    given = "".join(f", {name} = {value}" for name, value in bound.items())
    used = (
        f", {name} = {_cut(format_value(value))}"
        for name, value in blame.state.values.items()
        if re.search(rf"(?<![.\w]){re.escape(name)}\b(?!')", part.text)
    )
    return Text.assemble(f"  {_false(blame)}{within}", (f"{given}{''.join(used)}", "dim"))


def _false(blame: Blame) -> str:
    part = blame.attempt.false
    action = blame.attempt.action if blame.attempt.rank[0] else "no action takes this line"
    place = "" if part.module.startswith(OBSERVED) else f" ({part.place})"
    return f"{action}: {' '.join(part.text.split())} is FALSE{place}"


def _step_text(step: LogStep) -> str:
    differing = (f"{each.field} {each.step} instead of {each.line}" for each in step.differences)
    return f"{_call(step)}, {', '.join(differing) or 'but not as the line shows it'}"


def _call(step: LogStep) -> str:
    arguments = ", ".join(f"{name} = {value}" for name, value in step.binding)
    return f"{step.action}({arguments})" if arguments else step.action


def states_text(why: LogWhy) -> Iterator[Text]:
    """The states before the line, at most three."""
    distinct: dict[str, LogState] = {}
    for state in why.states:
        distinct.setdefault("\n".join(_values(state)), state)
    for index, text in enumerate(list(distinct)[:_MOST_STATES], 1):
        yield Text(f"  state {index} of {len(distinct)} before the line")
        for value in text.split("\n"):
            yield Text(f"    {value}")


def _values(state: LogState) -> Iterator[str]:
    return (f"{name} = {_cut(format_value(value))}" for name, value in state.values.items())


def behaviour_text(why: LogWhy, trace: Trace, lines: Mapping[int, str], line: int) -> Iterator[Text]:
    """A behaviour that gets furthest, with the line that each step takes."""
    yield Text("  a behaviour that gets there")
    last, own = max(why.counts), set(why.states[0].values) if why.states else set()
    for before, after in pairwise(trace.states):
        position = before.values.get(why.position)
        position = position if isinstance(position, int) else -1
        taken = position != after.values.get(why.position)
        place = line - last + position if taken else 0
        text = lines.get(place, "")
        yield Text.assemble(
            f"    {place or '':>4} {' or '.join(why.actions.get(position, ()))}", (f"  {_cut(text)}", "dim")
        )
        for part in StateDiff(before=before, after=after).parts:
            if not own or part.variable in own:
                yield Text(f"           {_cut(str(part))}")


def coverage_text(taken: Mapping[str, int]) -> Iterator[Text]:
    """How many lines each action of the specification explained, those without any first."""
    never = sorted(name for name, lines in taken.items() if not lines)
    if never:
        yield Text(f"never taken: {', '.join(never)}")
    often = sorted((lines, name) for name, lines in taken.items() if lines)
    if often:
        yield Text(f"taken: {', '.join(f'{name} {number(lines)}' for lines, name in often)}", "dim")


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."


def remark_text(folder: Path, place: Place, text: str) -> Text:
    """A remark on a line of a log as text."""
    return Text(f"{os.path.normpath(folder / str(place))}: {text}", "yellow")
