"""Findings at the head of every report; ``gate --strict`` makes them red, ``[accept]`` accepts them."""

from __future__ import annotations

import json

import pytest
from junitparser import Failure, JUnitXml, Skipped

from tests.command import CommandResult
from tests.integration.gate.lift import Folder, red
from tla2py.gate.reasons import Reason
from tla2py.model.finding import Findings
from tla2py.store.store import Store

REPORTS = ("--junit", "junit.xml", "--sarif", "tlc.sarif", "--summary", "summary.md")


@pytest.fixture
def constant(folder: Folder) -> Folder:
    """The invariant Low is a constant expression."""
    folder.change(folder.module, "Low == floor < 2", "Low == 1 < 2")
    folder.sweep_over("[1]")
    return folder


def findings(ended: CommandResult) -> Findings:
    [gated] = ended.reported.gated
    return gated.found.findings


def test_a_finding_heads_every_report_and_strict_makes_it_red(constant: Folder) -> None:
    done = constant.gate(*REPORTS, env={"GITHUB_ACTIONS": "true"}, code=0)
    [found] = findings(done).open
    assert (found.code, found.subject, str(found.place)) == ("constant-check", "Low", "sweep.toml:3:26")
    lines = [line for line in done.stdout.splitlines() if not line.startswith("::")]
    assert lines[0].startswith("green sweep")
    assert lines[1].strip() == f"finding: sweep.toml:3:26: {found}"
    assert "::warning file=sweep.toml,line=3,title=sweep%3A constant-check::" in done.stdout
    summary = (constant.path / "summary.md").read_text().replace("\\", "")
    assert summary.splitlines()[4] == f"- :warning: sweep.toml:3:26: {found}"
    cases = [case for suite in JUnitXml.fromfile(str(constant.path / "junit.xml")) for case in suite]
    [case] = [case for case in cases if case.name == "finding constant-check Low"]
    assert isinstance(case.result[0], Skipped)
    [result] = json.loads((constant.path / "tlc.sarif").read_text())["runs"][0]["results"]
    assert (result["ruleId"], result["level"]) == ("finding/constant-check", "warning")
    assert Store.open(constant.store).findings() == findings(done)
    assert constant.cli("report", "store", "-o", "page.html").code == 0
    page = (constant.path / "page.html").read_text()
    assert page.index('id="findings"') < page.index(found.message) < page.index('id="explorer"')
    assert findings(constant.cli("gate", "store")) == findings(done)
    red(constant.gate("--strict", *REPORTS), 1, (Reason.FINDING, None))
    [suite] = JUnitXml.fromfile(str(constant.path / "junit.xml"))
    [case] = [case for case in suite if case.name == "the sweep is as expected"]
    assert isinstance(case.result[0], Failure)
    [result] = json.loads((constant.path / "tlc.sarif").read_text())["runs"][0]["results"]
    assert (result["ruleId"], result["level"]) == ("finding/constant-check", "error")
    assert not constant.lock.exists()
    red(constant.gate("--strict", "--record", "--no-coverage"), 1, (Reason.FINDING, None))
    assert not constant.lock.exists()


@pytest.mark.parametrize("entry", ['constant-check = "by design"', 'constant-check.Low = "by design"'])
def test_an_accepted_finding_is_listed_with_its_reason(constant: Folder, entry: str) -> None:
    constant.change(constant.sweep, "[expect]", f"[accept]\n{entry}\n[expect]")
    done = constant.gate("--strict", code=0)
    assert "note: accepted: constant-check Low (by design)" in done.stdout
    assert findings(done).open == ()
    assert [(each.finding.subject, each.reason) for each in findings(done).accepted] == [("Low", "by design")]
    assert done.findings == []


@pytest.mark.parametrize(
    "entry", ['constant-check.High = "no such"', 'nonsense = "no such"', 'constant-check = ""']
)
def test_an_entry_that_accepts_nothing_is_a_finding(constant: Folder, entry: str) -> None:
    constant.change(constant.sweep, "[expect]", f"[accept]\n{entry}\n[expect]")
    found = [(each.code, str(each.place)) for each in findings(constant.gate(code=0)).open]
    line = constant.sweep.read_text().splitlines().index(entry) + 1
    assert found == [("accept-unused", f"sweep.toml:{line}:1"), ("constant-check", "sweep.toml:3:26")]


def codes(ended: CommandResult) -> list[tuple[str, str | None]]:
    return [(each.code, each.subject) for each in findings(ended).open]


def test_a_single_distinct_state_is_a_finding(folder: Folder) -> None:
    folder.sweep_over("[0]")
    done = folder.gate("--coverage", code=0)
    # It explains which actions are never enabled.
    assert codes(done) == [("single-state", "Lift")]
    assert done.stderr.count("single-state") == 0
    strict = folder.gate("--strict", "--coverage").stdout
    assert "finding: Lift.tla: single-state" in strict.replace(f"{folder.path}/", "")
    assert "single-state" in folder.cli("sweep", "sweep.toml", "-o", "store", "--executor", "local").stderr
    # With another point it is the trivial end of a grid.
    folder.change(folder.sweep, "Top = [0]", "Top = [0, 1]")
    assert codes(folder.gate()) == []


def test_an_action_that_is_never_enabled_is_a_finding_where_actions_are_counted(folder: Folder) -> None:
    folder.change(folder.module, "Next == Up", "Jump == floor = 3 /\\ floor' = 0\nNext == Jump \\/ Up")
    folder.sweep_over("[0, 1]", '[accept]\nnever-enabled.Jump = "an alarm that nobody rings"\n')
    # Without counts Jump may be enabled or not, so the gate does not report its entry.
    assert codes(folder.gate()) == []
    accepted = [str(each) for each in findings(folder.gate("--strict", "--record", code=0)).accepted]
    assert accepted == ["never-enabled Jump (an alarm that nobody rings)"]
    folder.change(folder.sweep, "never-enabled.Jump", "single-state")
    done = folder.gate("--strict")
    assert codes(done) == [("accept-unused", "single-state"), ("never-enabled", "Jump")]
    [_, never] = findings(done).open
    assert str(never.place) == f"{folder.module.name}:13:1"
    # An action may be enabled after the state at which TLC stopped.
    folder.change(folder.sweep, "Top = [0, 1]", "Top = [0, 2]")
    folder.change(folder.sweep, "Low", "Ground")
    folder.change(folder.module, "Low == floor < 2", "Ground == floor < 1")
    assert codes(folder.gate("--coverage")) == []
