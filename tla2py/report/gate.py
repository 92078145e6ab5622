"""The decision of a gate for the terminal and the log of a CI job."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.text import Text

from tla2py.decision import PointDecision
from tla2py.exitcodes import EXIT_OK
from tla2py.report.evidence import Evidence
from tla2py.report.markdown import headline
from tla2py.report.text import violated_names
from tla2py.scaffold import toml_key, toml_string, toml_value
from tla2py.show.markup import printable
from tla2py.show.plain import trace_lines

# Of one counterexample; all of it is in the reports and in 'tla2py trace'.
_MOST_LINES = 60


def gate_summary(gates: Sequence[Evidence]) -> RenderableType:
    """A line per sweep, and for each red point what is wrong, the counterexample and how to run it again."""
    parts: list[RenderableType] = []
    for gate in gates:
        green = gate.decision.exit_code == EXIT_OK
        line = Text.assemble(
            ("green " if green else "red   ", "bold green" if green else "bold red"),
            (printable(gate.decision.name), "bold"),
            f"  {headline(gate.decision)}",
        )
        parts += [line, *_details(gate)]
    return Group(*parts)


def _details(gate: Evidence) -> list[RenderableType]:
    lines: list[RenderableType] = []
    for problem in gate.decision.problems:
        lines.append(Text(f"      {problem.reason}: {printable(problem.text)}", "red"))
    commands: dict[str, int] = {}
    for points in _alike(gate):
        first = points[0]
        indices = [point.point.index for point in points]
        more = len(points) - 1
        title = Text.assemble(
            f"    point{'s' * (more > 0)} {_listed(indices)}  ", (printable(first.shown), "bold")
        )
        if more:
            title.append(f", and {more} more of which the same is to be said")
        lines += [title, *_point_lines(gate, first)]
        again = gate.again(first)
        lines.append(Text.assemble(("      again: ", "bold"), printable(again.ours)))
        # It is long, and the same for most points.
        same = commands.setdefault(again.java, indices[0])
        plain = again.plain if same == indices[0] else f"as for point {same}, in {again.folder}"
        lines.append(Text.assemble(("      plain: ", "bold"), printable(plain)))
        lines += _known(gate, first)
    lines += [Text(f"      note: {notice}", "yellow") for notice in gate.decision.notices]
    return lines


def _alike(gate: Evidence) -> list[list[PointDecision]]:
    """The red points; those with the same problems, and no counterexample that tells them apart, in one group."""
    groups: dict[object, list[PointDecision]] = {}
    for point in gate.decision.points:
        if point.problems:
            said = tuple((problem.reason, problem.text) for problem in point.problems)
            key = (point.point.index, said) if gate.surprises(point) else said
            groups.setdefault(key, []).append(point)
    return list(groups.values())


def _listed(numbers: Sequence[int]) -> str:
    """Rising numbers in short: ``1 to 4, 7``."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and runs[-1][-1] == number - 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return ", ".join(f"{run[0]} to {run[-1]}" if len(run) > 2 else ", ".join(map(str, run)) for run in runs)


def _point_lines(gate: Evidence, point: PointDecision) -> list[Text]:
    lines = [Text(f"      {problem.reason}: {printable(problem.text)}", "red") for problem in point.problems]
    for one in gate.surprises(point):
        trace = gate.trace(point, one.check.label)
        if trace is not None:
            shown = trace_lines(trace)
            lines.append(Text(f"      the counterexample to {printable(one.check.label)}:", "bold"))
            lines += [Text(f"        {line}") for line in shown[:_MOST_LINES]]
            if len(shown) > _MOST_LINES:
                lines.append(Text(f"        ({len(shown) - _MOST_LINES} more lines)", "dim"))
    return lines


def _known(gate: Evidence, point: PointDecision) -> list[Text]:
    """What to write to expect what a point violates; nothing where that is as expected."""
    expecting = _expecting(gate, point)
    if not expecting:
        return []
    title = Text.assemble(("      known? ", "bold"), f"then write, in {printable(gate.sweep.path.name)}:")
    return [title, *(Text(f"        {printable(line)}") for line in expecting)]


def _expecting(gate: Evidence, point: PointDecision) -> list[str]:
    row = point.row
    if gate.sweep.path.suffix != ".toml" or not gate.surprises(point):
        return []
    if row is None or row["verdict"] != "violated":
        return []
    found = [f"violates = [{', '.join(toml_string(name) for name in violated_names(row))}]"]
    found.insert(0, 'verdict = "violated"')
    parameters = point.point.parameters
    if not parameters:
        return ["[expect]", *found]
    match = ", ".join(f"{toml_key(name)} = {toml_value(text)}" for name, text in parameters.items())
    return ["[[expect.point]]", f"match = {{ {match} }}", *found]
