"""The decision of a gate for the terminal and the log of a CI job."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, islice

from rich.console import Group, RenderableType
from rich.text import Text

from tla2py.errors import ExitCode, InputError
from tla2py.gate.decision import PointDecision
from tla2py.gate.lock import lock_path
from tla2py.gate.reasons import Drift, Problem, Reason
from tla2py.gate.report_model import Evidence, Surprise
from tla2py.gate.run import GateResult
from tla2py.model.finding import alike_findings
from tla2py.model.outcome import Verdict
from tla2py.model.trace_text import trace_lines
from tla2py.sweep.grid import Point
from tla2py.sweep.judge import expectation_place, row_number
from tla2py.sweep.sections import ExpectSection, ExternalExpectation
from tla2py.text import counted, listed, points_text, printable
from tla2py.toml import toml_key, toml_string, toml_value
from tla2py.view.layout import IndentedText

# Of one counterexample at each end; the reports and 'tla2py trace' have all of it.
_MOST_LINES = 12
_WIDTH = 100
_SIGNS = {"-": "red", "+": "green"}
_FIGURES = ("distinct", "generated")
# Where else a finding holds.
_MOST_PLACES = 8
# Of suggested expectations; more are better written by hand.
_MOST_ROWS = 12


def gate_summary(gates: Sequence[Evidence]) -> RenderableType:
    """A line per sweep, its findings, and for each red point what is wrong, the counterexample and how to run it again."""
    parts: list[Text] = []
    for gate in gates:
        green = gate.decision.exit_code == ExitCode.OK
        line = Text.assemble(
            ("green " if green else "red   ", "bold green" if green else "bold red"),
            (printable(gate.decision.name), "bold"),
            f"  {gate.decision.headline}",
        )
        parts += [line, *_details(gate)]
    # In a narrow terminal the rest of a line begins where the line does.
    begins = [len(each.plain) - len(each.plain.lstrip(" ")) for each in parts]
    lines = zip(parts, begins, strict=True)
    return Group(*(each if each.no_wrap else IndentedText(text=each[by:], by=by) for each, by in lines))


def lock_lines(gated: GateResult) -> Text:
    """The lines on the lock that a gate wrote or did not write, and the drift that this accepted."""
    path = lock_path(gated.sweep.file.path)
    if gated.written is None:
        return Text(f"did not write {path}: {gated.decision.name} is not as expected", "bold red")
    accepted: dict[str, list[int]] = {}
    for problem in gated.accepted:
        accepted.setdefault(problem.text, []).extend([problem.point] if problem.point is not None else [])
    lines = [f"wrote {path}: {counted(gated.written, 'point')}"]
    for text, points in accepted.items():
        at = f" at point{'s' * (len(points) > 1)} {points_text(points)}" if points else ""
        lines.append(f"accepted{at}: {printable(text)}")
    return Text("\n".join(lines), "green")


def _details(gate: Evidence) -> list[Text]:
    lines = []
    for first, *same in alike_findings(gate.decision.findings):
        text = f"{first.place}: {first}"
        if same:
            places = listed([str(each.place) for each in same], _MOST_PLACES)
            text += f"; the same at {places}"
        lines.append(Text(f"      finding: {printable(text)}", "bold yellow"))
    for problem in gate.decision.problems:
        lines.append(_problem_line(problem))
        if isinstance(problem.cause, Drift):
            lines += [
                Text(f"        {printable(line)}", _SIGNS.get(line[:1], "dim"))
                for line in gate.changed_lines(problem.cause)
            ]
    lines += [
        Text.assemble(("      law: ", "bold"), printable(f"{law.title} is {law.law}  {law.support}"))
        for law in gate.laws.values()
    ]
    surprises, groups = gate.by_kind, _groups(gate, gate.by_kind)
    # In full only the shortest.
    leading = [each for point in gate.decision.points for each in surprises[point.point.index] if each.leads]
    shown = min(leading, key=lambda each: each.states, default=None)
    for points in groups:
        lines += _group_lines(gate, points, shown)
        # The command is long, and for other points only its folder differs.
        if points is groups[0] and (plain := gate.again(points[0]).plain) is not None:
            lines.append(_command("plain", plain))
    # What to write to expect what points violate; nothing where that is as expected.
    if gate.sweep.file.path.suffix == ".toml" and not gate.sweep.selection.settings:
        for where, expecting in _expecting(gate):
            lines.append(Text.assemble(("      known? ", "bold"), f"then {printable(where)}:"))
            lines += [Text(f"        {printable(line)}") for line in expecting]
    lines += [Text(f"      note: {notice}", "yellow") for notice in gate.notices]
    lines += [Text(f"      {printable(line)}", no_wrap=True, overflow="ignore") for line in gate.commands]
    return lines


def _command(label: str, command: str) -> Text:
    """A command to copy, in one line however narrow the terminal is."""
    parts = (f"      {label}: ", "bold"), printable(command)
    return Text.assemble(*parts, no_wrap=True, overflow="ignore")


def _group_lines(gate: Evidence, points: Sequence[PointDecision], shown: Surprise | None) -> Iterator[Text]:
    """The points of a group, their problems and counterexamples, and how to run the first again."""
    first, indices = points[0], [point.point.index for point in points]
    more = len(points) - 1
    numbers = f"    point{'s' * (more > 0)} {points_text(indices)}  "
    title = Text.assemble(numbers, (printable(first.parameters_text), "bold"))
    if more:
        title.append(f", and {counted(more, 'more point')} with the same problems")
    yield title
    for problem in _select_problems(first):
        yield _problem_line(problem, f" at point {indices[0]}" * (more > 0 and _counts(problem)))
    if first.row is not None and first.row.verdict is Verdict.EXCLUDED and (why := gate.why(first, "")):
        yield Text(f"        {printable(why)}", "bold")
    for same in zip(*(gate.by_kind[index] for index in indices), strict=True):
        yield from _counterexample(gate, same, shown)
    yield _command("again", gate.again(first).ours)


def _problem_line(problem: Problem, where: str = "") -> Text:
    return Text(f"      {problem.reason.value}: {printable(problem.text)}{where}", "red")


def _select_problems(point: PointDecision) -> list[Problem]:
    """Return a point's problems, without a changed verdict and new violations where an unexpected result says these."""
    if all(problem.reason is not Reason.UNEXPECTED for problem in point.problems):
        return [*point.problems]
    changes = ((problem, problem.cause) for problem in point.problems)
    return [
        problem
        for problem, cause in changes
        if not isinstance(cause, Drift)
        or not (cause.kind == "verdict" or (cause.kind == "violation" and cause.now is not None))
    ]


def _counts(problem: Problem) -> bool:
    """Whether a problem is a changed number of states, which differs from point to point."""
    return isinstance(problem.cause, Drift) and problem.cause.kind in _FIGURES


def _groups(gate: Evidence, surprises: Mapping[int, Sequence[Surprise]]) -> list[list[PointDecision]]:
    """The red points; those with the same problems, and counterexamples of the same kinds, in one group."""
    groups: dict[object, list[PointDecision]] = {}
    for point in gate.decision.points:
        if point.problems:
            problems = tuple(
                (problem.reason, "" if _counts(problem) else problem.text)
                for problem in _select_problems(point)
            )
            kinds = tuple((each.name, each.lead.point.index) for each in surprises[point.point.index])
            groups.setdefault((problems, kinds), []).append(point)
    return list(groups.values())


def _counterexample(gate: Evidence, group: Sequence[Surprise], shown: Surprise | None) -> Iterator[Text]:
    """The counterexamples of a group to one name: in full the one ``shown``, of others the length."""
    first = group[0]
    if first is not shown:
        where = f"as at point {first.lead.point.index} ({_lengths(group)})"
        text = f"{_lengths(group)}, see {gate.look(first.point)}" if first.leads else where
        yield Text.assemble((_title(first), "bold"), f" {printable(text)}")
        return
    trace = gate.trace(first.point, first.name)
    assert trace is not None
    yield Text(_title(first, f" at point {first.point.point.index}" * (len(group) > 1)), "bold")
    lines = _short(trace_lines(trace))
    left = len(lines) - 2 * _MOST_LINES
    if left > 0:
        lines[_MOST_LINES:-_MOST_LINES] = [f"({left} more lines, see {gate.look(first.point)})"]
    yield from (Text(f"        {printable(line)}") for line in lines)
    if why := gate.why(first.point, first.name):
        yield Text(f"        {printable(why)}", "bold")
    if len(group) > 1:
        yield Text(f"      similar at the other points ({_lengths(group[1:])})")


def _short(lines: Sequence[str]) -> list[str]:
    """The lines of a trace, the changes of a step beside its action as far as they fit."""
    found: list[str] = []
    beside = "  "
    for line in lines:
        part = line.strip()
        if line[0] == " " and len(found[-1]) + len(beside) + len(part) <= _WIDTH:
            found[-1] += beside + part
            beside = ", "
        else:
            found.append(line)
            beside = "  " if line[0] != " " else ", "
    return found


def _title(surprise: Surprise, where: str = "") -> str:
    return f"      the counterexample to {printable(surprise.name)}{where}:"


def _lengths(group: Sequence[Surprise]) -> str:
    least, most = min(each.states for each in group), max(each.states for each in group)
    return counted(least, "state") if least == most else f"{least} to {counted(most, 'state')}"


def _expecting(gate: Evidence) -> Iterator[tuple[str, list[str]]]:
    """What to do, and the lines to do it with: for the points without a row of their own, then for those of each row."""
    every = (*gate.decision.points, *gate.decision.skipped)
    judged: dict[int | None, list[PointDecision]] = {}
    for each in every:
        if each.row is not None and each.row.verdict is Verdict.VIOLATED and each.surprises:
            judged.setdefault(_own_row(gate, each), []).append(each)
    for number, red in sorted(judged.items(), key=lambda item: -1 if item[0] is None else item[0]):
        place = printable(expectation_place(gate.sweep, red[0].expected))
        where = f"write, in {gate.sweep.file.path.name}"
        if number is not None:
            # The first row that matches counts, and one without a point is an error.
            whole = len(red) == sum(_own_row(gate, each) == number for each in every)
            where = f"change the row at {place} to" if whole else f"write, before the row at {place}"
        elif _by_section(red[0]) and gate.sweep.file.source.position("expect")[0]:
            where = f"change the section at {place} to"
        yield where, _rows(gate, red)


def _own_row(gate: Evidence, point: PointDecision) -> int | None:
    """The number of the row of the sweep file that a point is judged by, None without one."""
    return None if isinstance(point.expected, ExternalExpectation) else row_number(gate.sweep, point.expected)


def _by_section(point: PointDecision) -> bool:
    """Whether the section says all that is expected, as there is one point alone."""
    return not point.point.parameters and isinstance(point.expected, ExpectSection)


def _rows(gate: Evidence, red: Sequence[PointDecision]) -> list[str]:
    """The rows that expect what these points violate; without parameters the section itself."""
    every = [each.point for each in gate.decision.points]
    violating: dict[tuple[str, ...], list[Point]] = {}
    for each in red:
        assert each.row is not None
        violating.setdefault(each.row.violated_names, []).append(each.point)
    lines = []
    for names, points in violating.items():
        found = ['verdict = "violated"', f"violates = [{', '.join(map(toml_string, names))}]"]
        if _by_section(red[0]):
            return ["[expect]", *found]
        if (predicate := _predicate(gate, names, points, every)) is not None:
            lines += ["[[expect.point]]", f"match = {toml_string(predicate)}", *found]
            continue
        matches = _matches(points, every)
        for match in islice(matches, _MOST_ROWS):
            inside = ", ".join(f"{toml_key(name)} = {toml_value(text)}" for name, text in match.items())
            lines += ["[[expect.point]]", f"match = {{ {inside} }}" if inside else "match = {}", *found]
        if next(matches, None) is not None:
            lines.append(f"# and so on: {len(points)} points violate {', '.join(names)}")
    return lines


def _predicate(
    gate: Evidence, names: Sequence[str], points: Sequence[Point], every: Sequence[Point]
) -> str | None:
    """The law of one of the names, if it is true at these points and no others."""
    for law in (str(gate.laws[name].found.law) for name in names if name in gate.laws):
        with contextlib.suppress(InputError):
            holds = gate.sweep.expected_rows.holds
            if [each for each in every if holds(0, law, each.parameters)] == [*points]:
                return law
    return None


def _matches(points: Sequence[Point], every: Sequence[Point]) -> Iterator[Mapping[str, str]]:
    """Few rows, of few parameters, that together match these points and no others."""
    others = [point.parameters for point in every if point not in points]
    left = [point.parameters for point in points]
    while left:
        sizes = sorted({1, min(2, len(left[0])), len(left[0])})
        fitting = [
            dict(row)
            for size in sizes
            for row in combinations(left[0].items(), size)
            if not any(dict(row).items() <= each.items() for each in others)
        ]
        best = max(fitting, key=lambda row: sum(row.items() <= each.items() for each in left))
        yield best
        left = [each for each in left if not best.items() <= each.items()]
