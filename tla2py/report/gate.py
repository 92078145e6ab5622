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
    for point in gate.decision.points:
        if not point.problems:
            continue
        lines.append(Text.assemble(f"    point {point.point.index}  ", (printable(point.shown), "bold")))
        for problem in point.problems:
            lines.append(Text(f"      {problem.reason}: {printable(problem.text)}", "red"))
        for one in gate.surprises(point):
            trace = gate.trace(point, one.check.label)
            if trace is not None:
                shown = trace_lines(trace)
                lines.append(Text(f"      the counterexample to {printable(one.check.label)}:", "bold"))
                lines += [Text(f"        {line}") for line in shown[:_MOST_LINES]]
                if len(shown) > _MOST_LINES:
                    lines.append(Text(f"        ({len(shown) - _MOST_LINES} more lines)", "dim"))
        ours, plain = gate.again(point)
        lines.append(Text.assemble(("      again: ", "bold"), printable(ours)))
        lines.append(Text.assemble(("      plain: ", "bold"), printable(plain)))
        known = _known(gate, point)
        if known:
            title = Text.assemble(
                ("      known? ", "bold"), f"then write, in {printable(gate.sweep.path.name)}:"
            )
            lines += [title, *(Text(f"        {printable(line)}") for line in known)]
    lines += [Text(f"      note: {notice}", "yellow") for notice in gate.decision.notices]
    return lines


def _known(gate: Evidence, point: PointDecision) -> list[str]:
    """The lines of a sweep file that expect what a point violates; none where that is as expected."""
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
