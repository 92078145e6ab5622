"""The decision of a gate as SARIF 2.1.0, so that a code host shows a counterexample step by step beside the module."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from urllib.parse import quote

from tla2py.errors import Place, Tla2pyError
from tla2py.gate.decision import PointDecision
from tla2py.gate.outputs import ReportFile, error_place
from tla2py.gate.reasons import Problem, Reason
from tla2py.gate.report_model import Evidence
from tla2py.model.finding import Finding
from tla2py.model.trace import State, Trace
from tla2py.model.trace_text import action_text, step_changes, trace_end
from tla2py.sweep.judge import CheckAnswer
from tla2py.text import counted, cut, printable
from tla2py.version import __version__

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
# GitHub accepts at most this many steps; a message is too small for a whole state.
_MOST_STEPS = 10_000
_MOST_TEXT = 1000

Json = dict[str, object]


class SarifReport(ReportFile):
    """SARIF 2.1.0."""

    def text(self, gates: Sequence[Evidence]) -> str:
        """One run with a rule per violated definition and per reason; a gate that is green has only findings as results.

        A violation is located at the definition, its trace is a code flow through the locations of the actions. The
        same decision gives the same text.
        """
        keyed = [each for gate in gates for each in _results(gate)]
        results = [result for _, result in keyed]
        rules = sorted({str(result["ruleId"]) for result in results})
        seen: Counter[str] = Counter()
        for key, result in keyed:
            result["ruleIndex"] = rules.index(str(result["ruleId"]))
            # Results with the same key are numbered: a code host shows one alert per fingerprint.
            seen[key] += 1
            result["partialFingerprints"] = {"primaryLocationLineHash": f"{key}:{seen[key]}"}
        jars = sorted({gate.jar for gate in gates if gate.jar})
        notes = [f"{gate.decision.name}: {notice}" for gate in gates for notice in gate.decision.notices]
        return _document([_rule(rule) for rule in rules], results, jars, notes)

    def error_text(self, name: str, error: Tla2pyError) -> str:  # noqa: ARG002 - the error names what is wrong
        """One result."""
        where = error_place(error) or Place(file=".")
        result = {"ruleId": "gate/error", "ruleIndex": 0, **_result("error", error.line, where)}
        return _document([_rule("gate/error")], [result])


def _document(
    rules: list[Json], results: list[Json], jars: Sequence[str] = (), notes: Sequence[str] = ()
) -> str:
    """One run of tla2py with its rules and results, the jars that projects chose for it, and its notes."""
    version = __version__
    driver = {"name": "tla2py", "version": version, "semanticVersion": version, "rules": rules}
    run: Json = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
    if jars:
        run["properties"] = {"tla2tools": [printable(jar) for jar in jars]}
    if notes:
        notifications = [{"level": "note", "message": {"text": printable(note)}} for note in notes]
        run["invocations"] = [{"executionSuccessful": True, "toolExecutionNotifications": notifications}]
    document = {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def _rule(rule: str) -> Json:
    group, _, name = rule.partition("/")
    title, text = name, f"TLC found a behaviour that violates {name}, where none was expected."
    if group in ("gate", "finding"):
        title = name.replace("-", " ")
        text = (Reason(name) if group == "gate" else Reason.FINDING).meaning
    return {
        "id": rule,
        "name": title,
        "shortDescription": {"text": text},
        "fullDescription": {"text": text},
        "defaultConfiguration": {"level": "error"},
        "properties": {"tags": ["tla+", "model checking"], "precision": "very-high"},
    }


def _results(gate: Evidence) -> Iterator[tuple[str, Json]]:
    """Each result with its key, see ``_key``."""
    for finding in gate.decision.findings:
        yield _finding(gate, finding, "warning")
    for problem in gate.decision.problems:
        yield _problem(gate, problem, None)
    for point in gate.decision.points:
        for one in point.surprises:
            yield _violation(gate, point, one)
        # An unexpected violation has its own result, unless an expected one is missing too.
        covered = point.surprises == tuple(one for one in point.checks if not one.as_expected) != ()
        yield from (
            _problem(gate, problem, point)
            for problem in point.problems
            if not (covered and problem.reason is Reason.UNEXPECTED)
        )


def _problem(gate: Evidence, problem: Problem, point: PointDecision | None) -> tuple[str, Json]:
    if isinstance(problem.cause, Finding):
        return _finding(gate, problem.cause, "error")
    place = gate.of_problem(problem, point)
    shown = f"{gate.decision.name}, {point.parameters_text}" if point is not None else gate.decision.name
    rule = f"gate/{problem.reason.value}"
    result = {"ruleId": rule, **_result("error", f"{shown}: {problem.text}", place)}
    return _key(gate, rule, point, problem.subject or ""), result


def _finding(gate: Evidence, finding: Finding, level: str) -> tuple[str, Json]:
    rule = f"finding/{finding.code}"
    hint = f"; {finding.hint}" if finding.hint else ""
    text = f"{gate.decision.name}: {finding.message}{hint}"
    result = {"ruleId": rule, **_result(level, text, gate.place(str(finding.place)))}
    return _key(gate, rule, None, finding.subject or ""), result


def _violation(gate: Evidence, point: PointDecision, one: CheckAnswer) -> tuple[str, Json]:
    name = one.check.label
    rule = f"{one.check.kind.replace('_', '-')}/{name}"
    place = gate.unexpected(point, name) or gate.expectation(point)
    length = f" in {counted(one.length, 'state')}" if one.length else ""
    line = f": {point.line}" if point.line is not None else ""
    why = f"; {said}" if (said := gate.why(point, name)) else ""
    text = f"{name} is violated{length} with {point.parameters_text}{line}{why}"
    result = {"ruleId": rule, **_result("error", text, place, **_logical(name))}
    trace = gate.trace(point, name)
    if trace is not None and trace.states:
        flow = {"locations": list(_flow(gate, point, trace, place, name))}
        message = {"text": f"the shortest counterexample to {name}"}
        result["codeFlows"] = [{"message": message, "threadFlows": [flow]}]
    return _key(gate, rule, point, name), result


def _flow(gate: Evidence, point: PointDecision, trace: Trace, end: Place, name: str) -> Iterator[Json]:
    before: State | None = None
    shown = trace.states[: _MOST_STEPS - 1]
    for state in shown:
        place = gate.step(point, state.location)
        if place is None and before is None:
            # The definition of the initial states.
            config = point.run.config
            place = gate.definition(point, config.init or config.specification or "")
        changed = "; ".join(step_changes(before, state)) or "nothing changes"
        step = f"state {state.index}, {action_text(state)}: {changed}"
        text = cut(printable(" ".join(step.split())), _MOST_TEXT)
        weight = "important" if before is None or state is trace.states[-1] else "essential"
        yield _flow_step(place or end, state.action or "Init", text, state.index, weight)
        before = state
    last = trace_end(trace) or f"{name} is violated in state {trace.states[-1].index}"
    yield _flow_step(end, name, last, len(shown) + 1, "essential")


def _flow_step(place: Place, name: str, text: str, order: int, importance: str) -> Json:
    location: Json = {"physicalLocation": _physical(place), **_logical(name), "message": {"text": text}}
    return {"location": location, "executionOrder": order, "importance": importance}


def _result(level: str, text: str, place: Place, **location: object) -> Json:
    return {
        "level": level,
        "message": {"text": printable(text)},
        "locations": [{"physicalLocation": _physical(place), **location}],
    }


def _logical(name: str) -> Json:
    return {"logicalLocations": [{"name": name, "kind": "function"}]}


def _physical(place: Place) -> Json:
    region: Json = {"startLine": place.line or 1, "startColumn": place.column or 1}
    if place.end_line is not None and place.end_column is not None:
        # SARIF's end is the column after the last.
        region |= {"endLine": place.end_line, "endColumn": place.end_column + 1}
    return {"artifactLocation": {"uri": quote(place.file)}, "region": region}


def _key(gate: Evidence, rule: str, point: PointDecision | None, subject: str) -> str:
    """The key of an alert, which changes with neither lines nor figures."""
    parameters = sorted(point.point.parameters.items()) if point is not None else []
    text = json.dumps([gate.decision.name, rule, subject, parameters])
    return hashlib.sha256(text.encode()).hexdigest()[:16]
