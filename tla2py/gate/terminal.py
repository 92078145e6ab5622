"""The decision of a gate for the terminal and the log of a CI job."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, islice

from rich.console import Group, RenderableType
from rich.text import Text

from tla2py.errors import ExitCode
from tla2py.gate.decision import PointDecision
from tla2py.gate.evidence import Evidence, Surprise
from tla2py.gate.lock import lock_path
from tla2py.gate.run import Gated
from tla2py.model.outcome import Verdict
from tla2py.model.trace_text import trace_lines
from tla2py.sweep.grid import Point
from tla2py.sweep.judge import expectation_place, row_number
from tla2py.sweep.sections import ExpectSection, ExternalExpectation
from tla2py.text import counted, printable, spans
from tla2py.toml import toml_key, toml_string, toml_value

# Of one counterexample; the reports and 'tla2py trace' have all of it.
_MOST_LINES = 60
# Of suggested expectations; more are better written by hand.
_MOST_ROWS = 12


def gate_summary(gates: Sequence[Evidence]) -> RenderableType:
    """A line per sweep, its findings, and for each red point what is wrong, the counterexample and how to run it again."""
    parts: list[RenderableType] = []
    for gate in gates:
        green = gate.decision.exit_code == ExitCode.OK
        line = Text.assemble(
            ("green " if green else "red   ", "bold green" if green else "bold red"),
            (printable(gate.decision.name), "bold"),
            f"  {gate.decision.headline}",
        )
        parts += [line, *_details(gate)]
    return Group(*parts)


def lock_lines(gated: Gated) -> Text:
    """The lines on the lock that a gate wrote or did not write, and the drift that this accepted."""
    path = lock_path(gated.sweep.path)
    if gated.written is None:
        return Text(f"did not write {path}: {gated.decision.name} is not as expected", "bold red")
    accepted: dict[str, list[int]] = {}
    for problem in gated.accepted:
        accepted.setdefault(problem.text, []).extend([problem.point] if problem.point is not None else [])
    lines = [f"wrote {path}: {counted(gated.written, 'point')}"]
    for text, points in accepted.items():
        at = f" at point{'s' * (len(points) > 1)} {_listed(points)}" if points else ""
        lines.append(f"accepted{at}: {printable(text)}")
    return Text("\n".join(lines), "green")


def _details(gate: Evidence) -> list[RenderableType]:
    lines: list[RenderableType] = [
        Text(f"      finding: {printable(f'{each.place}: {each}')}", "bold yellow")
        for each in gate.decision.findings
    ]
    for problem in gate.decision.problems:
        lines.append(Text(f"      {problem.reason.value}: {printable(problem.text)}", "red"))
    commands: dict[str, int] = {}
    surprises = gate.by_kind
    for points in _groups(gate, surprises):
        first = points[0]
        indices = [point.point.index for point in points]
        more = len(points) - 1
        title = Text.assemble(
            f"    point{'s' * (more > 0)} {_listed(indices)}  ", (printable(first.shown), "bold")
        )
        if more:
            title.append(f", and {counted(more, 'more point')} with the same problems")
        lines += [
            title,
            *(
                Text(f"      {problem.reason.value}: {printable(problem.text)}", "red")
                for problem in first.problems
            ),
        ]
        lines += _counterexamples(gate, list(zip(*(surprises[index] for index in indices), strict=True)))
        again = gate.again(first)
        lines.append(Text.assemble(("      again: ", "bold"), printable(again.ours)))
        # The command is long and the same for most points.
        same = commands.setdefault(again.java, indices[0])
        plain = again.plain if same == indices[0] else f"as for point {same}, in {again.folder}"
        lines.append(Text.assemble(("      plain: ", "bold"), printable(plain)))
    lines += _known(gate)
    lines += [Text(f"      note: {notice}", "yellow") for notice in gate.notices]
    return lines


def _groups(gate: Evidence, surprises: Mapping[int, Sequence[Surprise]]) -> list[list[PointDecision]]:
    """The red points; those with the same problems, and counterexamples of the same kinds, in one group."""
    groups: dict[object, list[PointDecision]] = {}
    for point in gate.decision.points:
        if point.problems:
            problems = tuple((problem.reason, problem.text) for problem in point.problems)
            kinds = tuple((each.name, each.lead.point.index) for each in surprises[point.point.index])
            groups.setdefault((problems, kinds), []).append(point)
    return list(groups.values())


def _listed(numbers: Sequence[int]) -> str:
    """Rising numbers in short: ``1 to 4, 7``."""
    return ", ".join(
        f"{first} to {last}" if last > first + 1 else ", ".join(map(str, range(first, last + 1)))
        for first, last in spans(numbers)
    )


def _counterexamples(gate: Evidence, kinds: Sequence[Sequence[Surprise]]) -> list[Text]:
    """The counterexamples of a group: in full the shortest of the kinds that it is the first to have, of others the length."""
    leading = [group for group in kinds if group[0].leads]
    shown = min(leading, key=lambda group: group[0].states, default=None)
    lines = _steps(gate, shown) if shown is not None else []
    for group in kinds:
        first = group[0]
        if group is shown:
            continue
        where = f"as at point {first.lead.point.index} ({_lengths(group)})"
        text = f"{_lengths(group)}, see {gate.look(first.point)}" if first.leads else where
        lines.append(Text.assemble((_title(first), "bold"), f" {printable(text)}"))
    return lines


def _steps(gate: Evidence, group: Sequence[Surprise]) -> list[Text]:
    """The counterexample of the first point of a group in full, and how long those of the others are."""
    first = group[0]
    trace = gate.trace(first.point, first.name)
    assert trace is not None
    shown = trace_lines(trace)
    where = f" at point {first.point.point.index}" if len(group) > 1 else ""
    lines = [Text(_title(first, where), "bold")]
    lines += [Text(f"        {line}") for line in shown[:_MOST_LINES]]
    if len(shown) > _MOST_LINES:
        more = f"{len(shown) - _MOST_LINES} more lines, see {gate.look(first.point)}"
        lines.append(Text(f"        ({printable(more)})", "dim"))
    if len(group) > 1:
        lines.append(Text(f"      similar at the other points ({_lengths(group[1:])})"))
    return lines


def _title(surprise: Surprise, where: str = "") -> str:
    return f"      the counterexample to {printable(surprise.name)}{where}:"


def _lengths(group: Sequence[Surprise]) -> str:
    least, most = min(each.states for each in group), max(each.states for each in group)
    return counted(least, "state") if least == most else f"{least} to {counted(most, 'state')}"


def _known(gate: Evidence) -> list[Text]:
    """What to write to expect what points violate; nothing where that is as expected."""
    lines: list[Text] = []
    if gate.sweep.path.suffix != ".toml" or gate.sweep.settings:
        return lines
    for where, expecting in _expecting(gate):
        lines.append(Text.assemble(("      known? ", "bold"), f"then {printable(where)}:"))
        lines += [Text(f"        {printable(line)}") for line in expecting]
    return lines


def _expecting(gate: Evidence) -> Iterator[tuple[str, list[str]]]:
    """What to do, and the lines to do it with: for the points without a row of their own, then for those of each row."""
    every = (*gate.decision.points, *gate.decision.skipped)
    judged: dict[int | None, list[PointDecision]] = {}
    for each in every:
        if each.row is not None and each.row.verdict is Verdict.VIOLATED and each.surprises:
            judged.setdefault(_own_row(gate, each), []).append(each)
    for number, red in sorted(judged.items(), key=lambda item: -1 if item[0] is None else item[0]):
        place = printable(expectation_place(gate.sweep, red[0].expected))
        where = f"write, in {gate.sweep.path.name}"
        if number is not None:
            # The first row that matches counts, and one without a point is an error.
            whole = len(red) == sum(_own_row(gate, each) == number for each in every)
            where = f"change the row at {place} to" if whole else f"write, before the row at {place}"
        elif _by_section(red[0]) and gate.sweep.source.position("expect")[0]:
            where = f"change the section at {place} to"
        yield where, _rows(red, [each.point for each in every])


def _own_row(gate: Evidence, point: PointDecision) -> int | None:
    """The number of the row of the sweep file that a point is judged by, None without one."""
    return None if isinstance(point.expected, ExternalExpectation) else row_number(gate.sweep, point.expected)


def _by_section(point: PointDecision) -> bool:
    """Whether the section says all that is expected, as there is one point alone."""
    return not point.point.parameters and isinstance(point.expected, ExpectSection)


def _rows(red: Sequence[PointDecision], every: Sequence[Point]) -> list[str]:
    """The rows that expect what these points violate; without parameters the section itself."""
    violating: dict[tuple[str, ...], list[Point]] = {}
    for each in red:
        assert each.row is not None
        violating.setdefault(each.row.violated_names, []).append(each.point)
    lines = []
    for names, points in violating.items():
        found = ['verdict = "violated"', f"violates = [{', '.join(map(toml_string, names))}]"]
        if _by_section(red[0]):
            return ["[expect]", *found]
        matches = _matches(points, every)
        for match in islice(matches, _MOST_ROWS):
            inside = ", ".join(f"{toml_key(name)} = {toml_value(text)}" for name, text in match.items())
            lines += ["[[expect.point]]", f"match = {{ {inside} }}" if inside else "match = {}", *found]
        if next(matches, None) is not None:
            lines.append(f"# and so on: {len(points)} points violate {', '.join(names)}")
    return lines


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
