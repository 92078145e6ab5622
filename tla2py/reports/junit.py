"""The decision of a gate as JUnit XML, in the form that Jenkins and GitLab read."""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree import ElementTree as ET

from junitparser import Error, Failure, JUnitXml, Skipped, TestCase, TestSuite

from tla2py.errors import ExitCode
from tla2py.gate.decision import PointDecision, Problem
from tla2py.reports.evidence import Evidence
from tla2py.show.markup import printable
from tla2py.show.plain import trace_lines
from tla2py.sweep.judge import CheckAnswer
from tla2py.text import counted, parameter_text


def junit_text(gates: Sequence[Evidence]) -> str:
    """A test suite per sweep, a test case per point; times are in seconds.

    An unexpected violation is a failure with the counterexample as its text, a missing answer is an error. A finding is
    skipped. The same decision gives the same text except times.
    """
    return _text(*map(_suite, gates))


def junit_error(name: str, message: str) -> str:
    """The report of a gate that could not run: one suite, one error."""
    suite = TestSuite(printable(name))
    case = TestCase("the gate runs", classname=printable(name), time=0)
    case.result = [Error(printable(message), "error")]
    suite.add_testcase(case)
    return _text(suite)


def _text(*suites: TestSuite) -> str:
    document = JUnitXml("tla2py gate")
    for suite in suites:
        document.add_testsuite(suite)
    document.update_statistics()  # type: ignore[no-untyped-call]
    root = ET.fromstring(document.tostring())  # type: ignore[no-untyped-call]  # noqa: S314 - our own
    # One line per element; the text of a failure is unchanged.
    ET.indent(root)
    text = ET.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="utf-8"?>\n{text.rstrip()}\n'


def _suite(gate: Evidence) -> TestSuite:
    name = printable(gate.decision.name)
    suite = TestSuite(name)
    if gate.jar:
        suite.add_property("tla2tools", printable(gate.jar))
    for notice in gate.decision.notices:
        suite.add_property("note", printable(notice))
    for each in gate.decision.findings:
        case = TestCase(printable(f"finding {each.name}"), classname=name, time=0)
        # Readers show skipped cases, but not the output of those that pass.
        case.result = [Skipped(printable(f"{gate.place(str(each.place))}: {each.message}"))]
        suite.add_testcase(case)
    if gate.decision.problems:
        case = TestCase("the sweep is as expected", classname=name, time=0)
        case.result = [_result(gate.decision.problems)]
        suite.add_testcase(case)
    for point in gate.decision.points:
        suite.add_testcase(_case(gate, name, point))
    return suite


def _case(gate: Evidence, suite: str, point: PointDecision) -> TestCase:
    log = point.point.parameters.get("log") if point.run.inputs.log is not None else None
    if log is not None:
        others = {name: text for name, text in point.point.parameters.items() if name != "log"}
        classname = f"{suite}.{printable(parameter_text(others))}" if others else suite
        name, file = log, gate.relative(gate.sweep.path.parent / log)
    else:
        classname, name, file = suite, point.shown, gate.relative(gate.sweep.path)
    case = TestCase(printable(name), classname=classname, time=_seconds(point))
    # What is checked for a log says no more than whether it is explained.
    answers = [*filter(None, (_answer(one) for one in point.checks))] if log is None else []
    if point.problems:
        found = [gate.trace(point, one.check.label) for one in point.surprises]
        traces = [line for trace in found if trace is not None for line in trace_lines(trace)]
        case.result = [_result(point.problems, [*answers, *traces, *_again(gate, point)])]
    elif point.row is None:
        case.result = [Skipped("the sweep as a whole has a problem")]
    elif answers:
        case.system_out = "\n".join(answers)
    case._elem.set("file", file)
    return case


def _answer(one: CheckAnswer) -> str | None:
    """The answer on a check in words, None if it held as expected."""
    label = printable(str(one.check))
    expected = "as expected" if one.as_expected else "not expected to"
    match one.status:
        case "undecided":
            return f"no answer on {label}: TLC ended before it had one"
        case "violated":
            length = f" in {counted(one.length, 'state')}" if one.length else ""
            return f"{label} is violated{length}, {expected}"
        case "held":
            return None if one.as_expected else f"{label} is not violated, expected to"


def _result(problems: Sequence[Problem], again: Sequence[str] = ()) -> Error | Failure:
    """All problems as one result, since readers show one per case; an error if anything has no answer."""
    kind = Failure if all(problem.exit_code == ExitCode.UNEXPECTED for problem in problems) else Error
    result = kind(printable("; ".join(p.text for p in problems)), printable(problems[0].reason.value))
    result.text = "\n".join([*(printable(f"{p.reason.value}: {p.text}") for p in problems), *again])
    return result


def _again(gate: Evidence, point: PointDecision) -> list[str]:
    again = gate.again(point)
    return [printable(f"again: {again.ours}"), printable(f"plain: {again.plain}")]


def _seconds(point: PointDecision) -> float:
    return round(point.row.wall_seconds or 0.0, 3) if point.row is not None else 0.0
