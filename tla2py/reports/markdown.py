"""The decision of a gate in Markdown, for the summary of a CI job; text from modules is escaped."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence

from tla2py.errors import ExitCode
from tla2py.gate.decision import Decision, PointDecision, Reason
from tla2py.reports.evidence import Evidence
from tla2py.show.markup import printable
from tla2py.show.plain import trace_lines
from tla2py.terminal.figures import number, seconds
from tla2py.text import counted

# A summary on GitHub is limited to 1 MiB.
_MOST_TRACES = 10
_MOST_LINES = 400
_MOST_POINTS = 100
_SPECIAL = re.compile(r"([\\`*_{}\[\]()#+\-.!|~:@$^])")


def markdown_text(gates: Sequence[Evidence]) -> str:
    """A section per sweep: findings and what is wrong, the points in a table, the unexpected counterexamples folded."""
    return "\n".join(part for gate in gates for part in (*_section(gate), ""))


def markdown_error(name: str, message: str) -> str:
    """The summary of a gate that could not run."""
    return f"### :x: {escape(name)}\n\n{escape(message)}\n"


def escape(text: str) -> str:
    """A text escaped for one line of Markdown: no markup, HTML, mention or command."""
    return _SPECIAL.sub(r"\\\1", html.escape(" ".join(printable(text).split()), quote=False))


def headline(decision: Decision) -> str:
    """The number of points, and of those that are not as expected."""
    red = sum(bool(point.problems) for point in decision.points)
    count = len(decision.points)
    of = counted(count, "point")
    if decision.exit_code == ExitCode.OK:
        known = sum(any(one.status == "violated" for one in point.checks) for point in decision.points)
        return f"{of}, as expected" + (f" ({known} violated, as known)" if known else "")
    text = f"{of}, {red} not as expected" if red else f"{of}, not as expected as a whole"
    unread = sum(problem.reason is Reason.UNREAD for problem in decision.problems)
    return f"{text}, {counted(unread, 'model')} not read" if unread else text


def _section(gate: Evidence) -> list[str]:
    decision = gate.decision
    mark = ":white_check_mark:" if decision.exit_code == ExitCode.OK else ":x:"
    parts = [f"### {mark} {escape(decision.name)}", "", escape(headline(decision)), ""]
    parts += [
        f"- :warning: {escape(str(gate.place(str(each.place))))}: {escape(str(each))}"
        for each in decision.findings
    ]
    parts += [f"- {escape(problem.text)}" for problem in decision.problems]
    for point in decision.points:
        parts += [f"- **{escape(point.shown)}**: {escape(problem.text)}" for problem in point.problems]
    parts += [f"- {escape(notice)}" for notice in gate.notices]
    if parts[-1]:
        parts.append("")
    return [*parts, *_table(decision), *_traces(gate)]


def _table(decision: Decision) -> list[str]:
    points = sorted(decision.points, key=lambda point: not point.problems)[:_MOST_POINTS]
    shown = sorted(points, key=lambda point: point.point.index)
    if not shown:
        return []
    rows = ["| | point | verdict | distinct states | time |", "|---|---|---|---:|---:|"]
    for point in shown:
        mark = ":x:" if point.problems else ":white_check_mark:"
        row = point.row
        if row is None:
            rows.append(f"| {mark} | {escape(point.shown)} | no result | | |")
            continue
        took = seconds(row.wall_seconds)
        rows.append(
            f"| {mark} | {escape(point.shown)} | {escape(_verdict(point))} | {number(row.distinct)} | {took} |"
        )
    if len(shown) < len(decision.points):
        rows.append(f"\n{len(decision.points) - len(shown)} more points are not shown.")
    return [*rows, ""]


def _verdict(point: PointDecision) -> str:
    assert point.row is not None
    names = [
        f"{one.check.label} in {one.length}" if one.length else one.check.label
        for one in point.checks
        if one.status == "violated"
    ]
    return f"{point.row.verdict.value}{': ' if names else ''}{', '.join(names)}"


def _traces(gate: Evidence) -> list[str]:
    parts: list[str] = []
    red = [one for point in gate.by_kind.values() for one in point]
    leads = [one for one in red if one.leads]
    for one in leads[:_MOST_TRACES]:
        trace = gate.trace(one.point, one.name)
        assert trace is not None
        lines = trace_lines(trace)
        if len(lines) > _MOST_LINES:
            lines = [*lines[:_MOST_LINES], f"({len(lines) - _MOST_LINES} more lines)"]
        title = f"{one.name} with {one.point.shown}: {counted(one.states, 'state')}"
        parts += [f"<details><summary>{_html(title)}</summary>", "", "<pre>"]
        # An empty line would end the HTML; a trace has none.
        parts += [_html(line) for line in lines]
        parts += ["</pre>", ""]
        kin = [each for each in red if each.name == one.name and each.lead is one.point and not each.leads]
        for each in kin[:_MOST_POINTS]:
            states = counted(each.states, "state")
            parts.append(f"- similar at {escape(f'{each.point.shown}: {states}')}")
        if len(kin) > _MOST_POINTS:
            parts.append(f"- and at {len(kin) - _MOST_POINTS} more points")
        parts += ["", "</details>", ""]
    if len(leads) > _MOST_TRACES:
        parts += [f"{len(leads) - _MOST_TRACES} more kinds of counterexamples are in the other reports.", ""]
    for point in [point for point in gate.decision.points if point.problems][:_MOST_TRACES]:
        again = gate.again(point)
        parts += [f"<details><summary>Run again: {_html(point.shown)}</summary>", "", "<pre>"]
        parts += [_html(again.ours), _html(again.plain), "</pre>", "", "</details>", ""]
    return parts


def _html(text: str) -> str:
    return html.escape(printable(text).replace("\n", " "))
