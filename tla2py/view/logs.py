"""What a terminal shows of logs and of their changes."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from rich.console import RenderableType
from rich.text import Text

from tla2py.execution import validate
from tla2py.execution.result import SweepResult
from tla2py.logs.observation import OBSERVED
from tla2py.logs.why import Blame, LogTrace, LogWhy
from tla2py.model.logs import LogRow, SaidLines
from tla2py.model.outcome import Verdict
from tla2py.model.trace import StateDiff
from tla2py.text import counted, cut, listed, printable
from tla2py.tla.value import format_value
from tla2py.view.layout import VERDICT_STYLES, number, plain_table

_MOST_ROWS = 20
# Of a value in an example.
_LONGEST_VALUE = 40
_CHANGES = ("drop", "double", "swap", "field")


def log_mutants_view(mutants: validate.LogMutants) -> Iterator[RenderableType]:
    """A summary: how many changed logs were accepted, and what was changed in them."""
    rows, accepted = mutants.rows, [row for row in mutants.rows if row.status == "accepted"]
    yield Text(mutants.text)
    if not accepted:
        return
    found = validate.shares(rows, lambda row: (row.action or "", row.change))
    actions = validate.shares(rows, lambda row: row.action or "")
    by_action = plain_table("action", *_CHANGES)
    for action in [*actions][:_MOST_ROWS]:
        cells = (str(found.get((action, change), "")) for change in _CHANGES)
        by_action.add_row(Text(printable(action) or "-"), *cells)
    changes = validate.shares(rows, lambda row: row.change)
    by_action.add_row("all", *(str(changes.get(change, "")) for change in _CHANGES))
    yield by_action
    if len(actions) > _MOST_ROWS:
        yield Text(f"and {counted(len(actions) - _MOST_ROWS, 'more action')}", "dim")
    every = validate.shares(rows, validate.general_field)
    fields = {name: share for name, share in every.items() if share.accepted}
    if fields:
        by_field = plain_table("field", "accepted", "for example")
        for name in [*fields][:_MOST_ROWS]:
            first = next(row for row in accepted if validate.general_field(row) == name)
            before, after = (cut(text or "", _LONGEST_VALUE) for text in (first.before, first.after))
            example = printable(f"{first.file}:{first.line} {before} -> {after}")
            by_field.add_row(Text(printable(name)), str(fields[name]), Text(example))
        yield by_field
        if len(fields) > _MOST_ROWS:
            yield Text(f"and {counted(len(fields) - _MOST_ROWS, 'more field')}", "dim")
    if mutants.constant:
        named = listed(map(printable, mutants.constant), _MOST_ROWS)
        yield Text(f"not changed, with one value in all logs: {named}", "dim")


_LONGEST = 200
_MOST_ACTIONS = 8
# Of more logs only the line is shown.
_MOST_REASONS = 5
_MOST_STATES = 3
_MOST_LINES = 5
_ORDER = (Verdict.VIOLATED, Verdict.BROKEN, Verdict.EXCLUDED, Verdict.INCONCLUSIVE)


def validation_text(result: SweepResult, rows: Sequence[LogRow], *, why: bool) -> Iterator[Text]:
    """The lines of a summary of logs, whose ``rows`` are those of a sweep's points.

    With ``why``, or for one log, it has the states before the line and a behaviour that gets there, otherwise the reasons of
    the first few logs, and how many logs have each reason.
    """
    store, runs, folder = result.store, result.runs, result.sweep.file.folder
    full = why or len(rows) == 1
    every = zip(rows, runs, validate.line_texts(store, runs), strict=True)
    found = [each for each in every if each[0].verdict is not Verdict.HOLDS]
    found.sort(key=lambda each: _ORDER.index(each[0].verdict))
    reasons = Counter[str]()
    for index, (row, run, text) in enumerate(found):
        place = os.path.normpath(folder / (row.place or row.file))
        shown = f", {', '.join(row.violates)}" if row.violates else ""
        if row.matched is not None:
            shown += f", {number(row.matched)} of {counted(row.lines, 'line')} explained"
        yield Text.assemble((row.verdict.value, VERDICT_STYLES[row.verdict]), f" {place}{shown}")
        if run.message and (row.verdict is not Verdict.VIOLATED or row.first_unmatched is None):
            at = f"{run.message_place}: " if run.message_place not in (None, row.file) else ""
            yield from (Text(f"  {line}") for line in f"{at}{run.message}".splitlines()[:_MOST_LINES])
        if text:
            yield Text(f"  {cut(text, _LONGEST)}", "dim")
        reason, behaviour = validate.log_why(store, run.run_id) if text else (None, None)
        if reason is None:
            continue
        reasons.update(_false(each) for each in reason.blamed(text or "")[:1])
        if full or index < _MOST_REASONS:
            yield from reason_text(reason, text or "")
        if full:
            yield from states_text(reason)
            if behaviour is not None and row.first_unmatched is not None:
                yield from behaviour_text(behaviour, validate.log_lines(store, run.run_id))
    if len(found) > _MOST_REASONS and not full:
        yield from (Text(f"{counted(count, 'log')}: {each}") for each, count in reasons.most_common())
    good = len(rows) - len(found)
    explained = sum(row.matched or 0 for row in rows)
    states = sum(row.distinct or 0 for row in rows)
    yield Text(
        f"{good} of {counted(len(rows), 'log')} explained, with {counted(explained, 'line')}; "
        f"{counted(states, 'distinct state')}"
    )
    counts = [SaidLines(row.said, row.lines) for row in rows]
    yield from map(Text, validate.content_lines(counts, result.sweep.specification.logs))
    yield from coverage_text(validate.coverage_of(store, runs))
    for where, remark in validate.log_remarks(store):
        yield Text(f"{os.path.normpath(folder / str(where))}: {remark}", "yellow")


def reason_text(why: LogWhy, line: str) -> Iterator[Text]:
    """Why no behaviour explains a line, and what the specification could do instead."""
    blames = why.blamed(line)
    if len(blames) > 1 and len({each.attempt.action for each in blames}) > 1:
        yield Text("  one of these is FALSE:")
    for blame in blames:
        part = blame.attempt.false
        within = "" if blame.count == len(why.states) else f", in {blame.count} of {len(why.states)} states"
        given = "".join(
            f", {name} = {value}"
            for name, value in dict(blame.attempt.bound).items()
            if re.search(rf"\b{re.escape(name)}\b", part.text)
        )
        used = "".join(
            f", {name} = {cut(format_value(value), _LONGEST)}"
            for name, value in blame.state.values.items()
            if re.search(rf"(?<![.\w]){re.escape(name)}\b(?!')", part.text)
        )
        yield Text.assemble(f"  {_false(blame)}{within}", (given + used, "dim"))
    total = why.counts[max(why.counts)] if why.counts else 0
    actions = why.enabled
    enabled = f"; enabled: {listed(actions, _MOST_ACTIONS)}" if actions else ""
    yield Text(f"  {counted(total, 'state')} possible before it{enabled}")
    nearest = why.nearest(line)
    if nearest is not None:
        differing = (f"{each.field} {each.step} instead of {each.line}" for each in nearest.differences)
        arguments = ", ".join(f"{name} = {value}" for name, value in nearest.binding)
        call = f"{nearest.action}({arguments})" if arguments else nearest.action
        yield Text(f"  nearest: {call}, {', '.join(differing) or 'but not as the line shows it'}")


def _false(blame: Blame) -> str:
    part = blame.attempt.false
    action = blame.attempt.action if blame.attempt.rank[0] else "no action takes this line"
    place = "" if part.module.startswith(OBSERVED) else f" ({part.place})"
    return f"{action}: {' '.join(part.text.split())} is FALSE{place}"


def states_text(why: LogWhy) -> Iterator[Text]:
    """The states before the line, at most three."""
    distinct = dict.fromkeys(
        "\n".join(f"{name} = {cut(format_value(value), _LONGEST)}" for name, value in state.values.items())
        for state in why.states
    )
    for index, text in enumerate([*distinct][:_MOST_STATES], 1):
        yield Text(f"  state {index} of {len(distinct)} before the line")
        for value in text.split("\n"):
            yield Text(f"    {value}")


def behaviour_text(found: LogTrace, texts: Mapping[int, str]) -> Iterator[Text]:
    """A behaviour that gets furthest, with the line that each step takes."""
    yield Text("  a behaviour that gets there")
    lines = {index: line for line, index in found.lines.items()}
    for before, after in pairwise(found.trace.states):
        line = lines.get(after.index)
        text = "" if line is None else texts.get(line, "")
        yield Text.assemble(f"    {line or '':>4} {after.action or ''}", (f"  {cut(text, _LONGEST)}", "dim"))
        for part in StateDiff(before=before, after=after).parts:
            yield Text(f"           {cut(str(part), _LONGEST)}")


def coverage_text(taken: Mapping[str, int]) -> Iterator[Text]:
    """How many lines each action of the specification explained, those without any first."""
    never = sorted(name for name, lines in taken.items() if not lines)
    if never:
        yield Text(f"never taken: {', '.join(never)}")
    often = sorted((lines, name) for name, lines in taken.items() if lines)
    if often:
        yield Text(f"taken: {', '.join(f'{name} {number(lines)}' for lines, name in often)}", "dim")
