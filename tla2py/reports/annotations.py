"""The decision of a gate as annotations on GitHub Actions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tla2py.errors import Place, Tla2pyError
from tla2py.gate.decision import PointDecision, Problem, Reason
from tla2py.reports.evidence import Evidence
from tla2py.show.markup import printable


def github_annotations(gates: Sequence[Evidence]) -> list[str]:
    """Workflow commands that annotate the definition or the expectation that a problem concerns, and a notice for each note."""
    return (
        [
            github_command(
                "warning", f"{gate.decision.name}: {each.code}", str(each), gate.place(str(each.place))
            )
            for gate in gates
            for each in gate.decision.findings
        ]
        + [
            github_command(
                "error", f"{gate.decision.name}: {problem.reason.value}", _text(problem, point), place
            )
            for gate, problem, point, place in _placed(gates)
        ]
        + [github_command("notice", gate.decision.name, notice) for gate in gates for notice in gate.notices]
    )


def github_error(error: Tla2pyError, place: Place | None) -> str:
    """The workflow command of a gate that could not run."""
    return github_command("error", "tla2py gate", error.line, place)


def github_command(level: str, title: str, text: str, place: Place | None = None) -> str:
    """One workflow command on one line, with its parts escaped."""
    properties = {"file": place.file, "line": str(place.line or 1)} if place else {}
    properties["title"] = title
    shown = ",".join(f"{key}={_property(value)}" for key, value in properties.items())
    return f"::{level} {shown}::{_data(text)}"


def _placed(gates: Sequence[Evidence]) -> Iterator[tuple[Evidence, Problem, PointDecision | None, Place]]:
    for gate in gates:
        for problem in gate.decision.problems:
            yield gate, problem, None, gate.of_problem(problem, None)
        for point in gate.decision.points:
            names = [one.check.label for one in point.surprises]
            for problem in point.problems:
                at = (
                    gate.unexpected(point, names[0])
                    if names and problem.reason is Reason.UNEXPECTED
                    else None
                )
                yield gate, problem, point, at or gate.of_problem(problem, point)


def _text(problem: Problem, point: PointDecision | None) -> str:
    return problem.text if point is None else f"{point.shown}: {problem.text}"


def _data(text: str) -> str:
    return printable(text).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
