"""The reports of a gate, a class each: annotations, JUnit, Markdown; SARIF is in a file of its own."""

from __future__ import annotations

import html
import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from xml.etree import ElementTree as ET

from junitparser import Error, Failure, JUnitXml, Skipped, TestCase, TestSuite

from tla2py.errors import ExitCode, InputError, Place, Tla2pyError, failure_text, writing
from tla2py.files import check_report, store_files, write_file
from tla2py.gate.decision import Decision, PointDecision
from tla2py.gate.reasons import Problem, Reason
from tla2py.gate.report_model import Evidence
from tla2py.model.trace_text import trace_lines
from tla2py.store.address import folder_of, is_remote
from tla2py.store.read import FIRST_COUNTS
from tla2py.sweep.judge import CheckAnswer
from tla2py.sweep.repository import named_files
from tla2py.text import counted, parameter_text, printable
from tla2py.view.layout import number, seconds


class Report:
    """What a gate leaves behind. A format overrides what it does; by default it does nothing."""

    def clear(self) -> None:
        """Remove what an earlier gate left, so that it is not mistaken for this one's."""

    def decided(self, gates: Sequence[Evidence]) -> None:
        """Report decisions."""

    def failed(self, name: str, error: Tla2pyError) -> None:
        """Report a gate of the targets ``name`` that could not run."""


class ReportFile(Report):
    """A report that is a file. Its methods raise InputError (``output-unwritable``)."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def text(self, gates: Sequence[Evidence]) -> str:
        """The text of the file for decisions."""
        raise NotImplementedError

    def error_text(self, name: str, error: Tla2pyError) -> str:
        """The text of the file for a gate that could not run."""
        raise NotImplementedError

    def clear(self) -> None:
        """Delete the file of an earlier gate."""
        with writing(self.path):
            self.path.unlink(missing_ok=True)

    def decided(self, gates: Sequence[Evidence]) -> None:
        """Write the file."""
        self._write(self.text(gates))

    def failed(self, name: str, error: Tla2pyError) -> None:
        """Write the file."""
        self._write(self.error_text(name, error))

    def _write(self, text: str) -> None:
        with writing(self.path):
            self.path.parent.mkdir(parents=True, exist_ok=True)
            write_file(self.path, text)


@contextmanager
def describing_failure(hint: str) -> Iterator[None]:
    """Raise an unexpected error of the block, which is none of tla2py's or the system's, as ``gate-failed``."""
    try:
        yield
    except (Tla2pyError, OSError):
        raise
    except Exception as error:
        hint = f"this is a bug in tla2py or a problem of this machine: {hint}"
        raise Tla2pyError("gate-failed", failure_text(error), hint=hint) from error


@contextmanager
def reporting_failure(reports: Sequence[Report], name: str) -> Iterator[None]:
    """Report that a gate of the targets ``name`` could not run if the block fails, and raise the error.

    An unexpected error is raised as ``gate-failed``.
    """
    try:
        with describing_failure("nothing was decided"):
            yield
    except Tla2pyError as error:
        _report_failure(reports, name, error)
        raise
    except OSError as error:
        hint = "this is a bug in tla2py or a problem of this machine: nothing was decided"
        _report_failure(reports, name, Tla2pyError("gate-failed", failure_text(error), hint=hint))
        raise


def _report_failure(reports: Sequence[Report], name: str, error: Tla2pyError) -> None:
    for report in reports:
        report.failed(name, error)


def write_decisions(reports: Sequence[Report], gates: Sequence[Evidence]) -> None:
    """Report decisions to each of the reports; one that fails keeps no other from it, and the first error is raised.

    A report that fails unexpectedly says that the gate failed.
    """
    names = ", ".join(gate.decision.name for gate in gates)
    errors: list[Exception] = []
    for report in reports:
        try:
            with reporting_failure([report], names):
                report.decided(gates)
        except Exception as error:
            errors.append(error)
    if errors:
        raise errors[0]


def check_reports(files: Sequence[ReportFile], targets: Sequence[str], inputs: Sequence[Path] = ()) -> None:
    """Check where reports go; ``targets`` are what is gated, ``inputs`` what else is read.

    Raises InputError: ``gate-reports``, and as ``check_report`` does for what a report would replace.
    """
    paths = [each.path for each in files]
    for path in paths:
        read = [*inputs]
        for target in targets:
            file = folder_of(target)
            if not is_remote(target):
                read += store_files(path, file) if file.is_dir() else [file, *named_files(file)]
        check_report(path, read)
    for path in paths:
        if [each.resolve() for each in paths].count(path.resolve()) > 1:
            hint = "give each report its own file"
            raise InputError("gate-reports", f"{path} is named for two reports", hint=hint)


def report_root() -> Path:
    """The folder that paths in reports are relative to: the repository's, else the current one."""
    workspace = os.environ.get("GITHUB_WORKSPACE") or os.environ.get("CI_PROJECT_DIR")
    if workspace:
        return Path(workspace)
    here = Path.cwd()
    return next((folder for folder in (here, *here.parents) if (folder / ".git").exists()), here)


def error_place(error: Tla2pyError) -> Place | None:
    """The place of an error, None if it is not in a file below the root of reports."""
    place = Place.parse(error.where or "")
    try:
        path = Path(place.file).resolve().relative_to(report_root().resolve())
    except ValueError:
        return None
    return Place(file=path.as_posix(), line=place.line or 1) if place.file else None


def gate_object(decision: Decision) -> dict[str, object]:
    """A decision as ``--json`` prints it."""
    return {
        "name": decision.name,
        "exit_code": int(decision.exit_code),
        "headline": decision.headline,
        "problems": [_problem_object(each) for each in decision.problems],
        "points": [
            {
                "point": each.point.index,
                "parameters": dict(each.point.parameters),
                "verdict": each.row.verdict.value if each.row else None,
                "violated": list(each.row.violated_names) if each.row else [],
                "suspect": each.row.suspect if each.row else False,
                "problems": [_problem_object(problem) for problem in each.problems],
                "second": each.second.as_json() if each.second else None,
            }
            for each in decision.points
        ],
        "notices": list(decision.notices),
        "self_test": decision.self_test and [each.as_json() for each in decision.self_test],
    }


def _problem_object(problem: Problem) -> dict[str, object]:
    return {
        "reason": problem.reason.value,
        "text": problem.text,
        "exit_code": int(problem.exit_code),
        "subject": problem.subject,
    }


class Annotations(Report):
    """Workflow commands for GitHub Actions, which annotate files; ``write`` prints them."""

    def __init__(self, write: Callable[[Iterable[str]], None]) -> None:
        self._write = write

    def decided(self, gates: Sequence[Evidence]) -> None:
        """Annotate what is wrong."""
        self._write(github_annotations(gates))

    def failed(self, name: str, error: Tla2pyError) -> None:  # noqa: ARG002 - the error names what is wrong
        """Annotate the place of the error."""
        self._write([github_command("error", "tla2py gate", error.line, error_place(error))])


def github_annotations(gates: Sequence[Evidence]) -> list[str]:
    """Workflow commands that annotate the definition or the expectation that a problem concerns, and a notice for each note."""
    found = []
    for gate in gates:
        for each in gate.decision.findings:
            title = f"{gate.decision.name}: {each.code}"
            found.append(github_command("warning", title, str(each), gate.place(str(each.place))))
    for gate in gates:
        for point in (None, *gate.decision.points):
            names = [one.check.label for one in point.surprises] if point else []
            for problem in point.problems if point else gate.decision.problems:
                unexpected = point and names and problem.reason is Reason.UNEXPECTED
                at = gate.unexpected(point, names[0]) if point and unexpected else None
                title = f"{gate.decision.name}: {problem.reason.value}"
                text = f"{point.parameters_text}: {problem.text}" if point else problem.text
                found.append(github_command("error", title, text, at or gate.of_problem(problem, point)))
    found += [github_command("notice", gate.decision.name, text) for gate in gates for text in gate.notices]
    return found


def github_command(level: str, title: str, text: str, place: Place | None = None) -> str:
    """One workflow command on one line, with its parts escaped."""
    properties = {"file": place.file, "line": str(place.line or 1)} if place else {}
    properties["title"] = title
    escaped = {key: _data(value).replace(":", "%3A").replace(",", "%2C") for key, value in properties.items()}
    shown = ",".join(map("=".join, escaped.items()))
    return f"::{level} {shown}::{_data(text)}"


def _data(text: str) -> str:
    return printable(text).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


class JunitReport(ReportFile):
    """JUnit XML."""

    def text(self, gates: Sequence[Evidence]) -> str:
        """A test suite per sweep, a test case per point; times are in seconds.

        An unexpected violation is a failure with the counterexample as its text, a missing answer is an error. A finding is
        skipped. The same decision gives the same text except times.
        """
        return _junit_text(*map(_suite, gates))

    def error_text(self, name: str, error: Tla2pyError) -> str:
        """One suite with one error."""
        suite = TestSuite(printable(name))
        case = TestCase("the gate runs", classname=printable(name), time=0)
        case.result = [Error(printable(error.line), "error")]
        suite.add_testcase(case)
        return _junit_text(suite)


def _junit_text(*suites: TestSuite) -> str:
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
    timed = set[str]()
    for point in gate.decision.points:
        # The time of a run that several points share counts once in the suite.
        first = point.run.run_id not in timed
        timed.add(point.run.run_id)
        suite.add_testcase(_case(gate, name, point, _wall_seconds(point) if first else 0.0))
        for answer in point.checks:
            if answer.check.kind == "assumption":
                suite.add_testcase(_assumption_case(gate, name, point, answer))
    for point in gate.decision.skipped:
        case = _case(gate, name, point, 0.0)
        case.result = [Skipped(printable(gate.decision.limited or ""))]
        suite.add_testcase(case)
    return suite


def _assumption_case(gate: Evidence, suite: str, point: PointDecision, answer: CheckAnswer) -> TestCase:
    """Return the case of one assumption of a model that checks nothing else."""
    case = TestCase(
        printable(answer.check.label), classname=f"{suite}.{printable(point.parameters_text)}", time=0
    )
    message = printable(f"{answer.check.label} is FALSE")
    if answer.status == "violated" and not answer.as_expected:
        case.result = [Failure(message, "assumption")]
    elif answer.status == "violated":
        case.system_out = message
    elif answer.status == "undecided":
        case.result = [Skipped("TLC stopped before it evaluated this assumption")]
    case._elem.set("file", gate.relative(gate.sweep.file.path))
    return case


def _wall_seconds(point: PointDecision) -> float:
    """Return how long the run of a point took, 0 without a result."""
    return round(point.row.wall_seconds or 0.0, 3) if point.row is not None else 0.0


def _case(gate: Evidence, suite: str, point: PointDecision, took: float) -> TestCase:
    log = point.point.parameters.get("log") if point.run.inputs.log is not None else None
    if log is not None:
        others = {name: text for name, text in point.point.parameters.items() if name != "log"}
        classname = f"{suite}.{printable(parameter_text(others))}" if others else suite
        name, file = log, gate.relative(gate.sweep.file.folder / log)
    else:
        classname, name, file = suite, point.parameters_text, gate.relative(gate.sweep.file.path)
    case = TestCase(printable(name), classname=classname, time=took)
    # What is checked for a log says no more than whether it is explained.
    answers = [*filter(None, (_answer(one) for one in point.checks))] if log is None else []
    if point.problems:
        found = [gate.trace(point, one.check.label) for one in point.surprises]
        traces = [line for trace in found if trace is not None for line in trace_lines(trace)]
        why = [printable(line) for one in point.surprises if (line := gate.why(point, one.check.label))]
        again = gate.again(point)
        commands = [printable(f"again: {again.ours}")]
        if again.plain is not None:
            commands.append(printable(f"plain: {again.plain}"))
        case.result = [_result(point.problems, [*answers, *traces, *why, *commands])]
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


# A summary on GitHub is limited to 1 MiB.
_MOST_TRACES = 10
_MOST_LINES = 400
_MOST_POINTS = 100
_SPECIAL = re.compile(r"([\\`*_{}\[\]()#+\-.!|~:@$^])")


class MarkdownReport(ReportFile):
    """Markdown for a summary."""

    def text(self, gates: Sequence[Evidence]) -> str:
        """A section per sweep: findings and what is wrong, the points in a table, the unexpected counterexamples folded."""
        return "\n".join(part for gate in gates for part in (*_section(gate), ""))

    def error_text(self, name: str, error: Tla2pyError) -> str:
        """A heading and the error."""
        return f"### :x: {escape(name)}\n\n{escape(error.line)}\n"


class JobSummary(MarkdownReport):
    """The summary of a job on GitHub Actions, to which each step appends."""

    def clear(self) -> None:
        """Leave what other steps wrote."""

    def _write(self, text: str) -> None:
        with writing(self.path), self.path.open("a", encoding="utf-8") as sink:
            sink.write(text)


def escape(text: str) -> str:
    """A text escaped for one line of Markdown: no markup, HTML, mention or command."""
    return _SPECIAL.sub(r"\\\1", html.escape(" ".join(printable(text).split()), quote=False))


def _section(gate: Evidence) -> list[str]:
    decision = gate.decision
    mark = ":white_check_mark:" if decision.exit_code == ExitCode.OK else ":x:"
    parts = [f"### {mark} {escape(decision.name)}", "", escape(decision.headline), ""]
    parts += [
        f"- :warning: {escape(str(gate.place(str(each.place))))}: {escape(str(each))}"
        for each in decision.findings
    ]
    parts += [f"- {escape(problem.text)}" for problem in decision.problems]
    for point in decision.points:
        parts += [
            f"- **{escape(point.parameters_text)}**: {escape(problem.text)}" for problem in point.problems
        ]
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
            rows.append(f"| {mark} | {escape(point.parameters_text)} | no result | | |")
            continue
        names = ", ".join(
            f"{one.check.label} in {one.length}" if one.length else one.check.label
            for one in point.checks
            if one.status == "violated"
        )
        verdict = escape(f"{row.verdict.value}: {names}" if names else row.verdict.value)
        took = seconds(row.wall_seconds)
        # The counts of a run that was ended are those of its last progress line.
        states = escape(number(row.distinct, least=row.unfinished))
        if row.executions > 1 and row.distinct is not None:
            states += escape("*")
        rows.append(f"| {mark} | {escape(point.parameters_text)} | {verdict} | {states} | {took} |")
    if len(shown) < len(decision.points):
        rows.append(f"\n{len(decision.points) - len(shown)} more points are not shown.")
    if any(point.row is not None and point.row.executions > 1 for point in shown):
        rows.append(f"\n{escape(f'* {FIRST_COUNTS}')}")
    return [*rows, ""]


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
        title = f"{one.name} with {one.point.parameters_text}: {counted(one.states, 'state')}"
        parts += [f"<details><summary>{_html(title)}</summary>", "", "<pre>"]
        # An empty line would end the HTML; a trace has none.
        parts += [_html(line) for line in lines]
        parts += ["</pre>", "", escape(gate.why(one.point, one.name)), ""]
        kin = [each for each in red if each.name == one.name and each.lead is one.point and not each.leads]
        for each in kin[:_MOST_POINTS]:
            states = counted(each.states, "state")
            parts.append(f"- similar at {escape(f'{each.point.parameters_text}: {states}')}")
        if len(kin) > _MOST_POINTS:
            parts.append(f"- and at {len(kin) - _MOST_POINTS} more points")
        parts += ["", "</details>", ""]
    if len(leads) > _MOST_TRACES:
        parts += [f"{len(leads) - _MOST_TRACES} more kinds of counterexamples are in the other reports.", ""]
    for point in [point for point in gate.decision.points if point.problems][:_MOST_TRACES]:
        again = gate.again(point)
        parts += [f"<details><summary>Run again: {_html(point.parameters_text)}</summary>", "", "<pre>"]
        parts += [_html(command) for command in (again.ours, again.plain) if command is not None]
        parts += ["</pre>", "", "</details>", ""]
    return parts


def _html(text: str) -> str:
    return html.escape(printable(text).replace("\n", " "))
