"""How a gate goes red, each way with its own words: what once was green elsewhere, with the real TLC."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree as ET

from tests.conftest import COUNTER, RunCli, spec
from tests.integration.gate.lift import Folder, drifts, red, refused
from tla2py.gate.reasons import Reason
from tla2py.toml import loads


def test_what_is_expected_and_locked_is_green_and_a_lock_says_what_was_checked(locked: Folder) -> None:
    done = locked.gate(code=0)
    assert done.executed == 0
    (gated,) = done.reported.gated
    assert (len(gated.decision.points), done.reasons, gated.decision.notices) == (2, set(), ())
    assert [point.row.verdict for point in gated.decision.points if point.row] == ["holds", "violated"]
    text = locked.lock.read_text()
    assert "tla2py gate --update" in text.partition("\n")[0]
    lock = loads(text)
    assert re.fullmatch(r"2\.\d+ \(rev: \w{7}\)", lock["tlc"])
    shared = lock["shared"]
    assert (lock["vacuity"], shared["checked"]) == (True, ["invariant Inside", "invariant Low"])
    assert (shared["searched"], shared["fired"]) == (["specification Spec"], ["Up"])
    assert [*shared["reaches"]] == ["invariant Inside", "invariant Low", "specification Spec"]
    assert [*shared["definitions"]] == ["Down", "Init", "Inside", "Low", "Next", "Spec", "Up"]
    assert [*shared["assumptions"]] == ["Lift"]
    names = ("parameters", "verdict", "violates", "distinct", "generated", "fired", "idle")
    assert [tuple(point[name] for name in names) for point in lock["point"]] == [
        ({"Top": "1"}, "holds", [], 2, 3, ["Down"], []),
        ({"Top": "2"}, "violated", ["Low"], 3, 3, [], ["Down"]),
    ]


def test_a_limited_gate_is_about_the_configs_that_run(run_cli: RunCli, tmp_path: Path) -> None:
    (tmp_path / "Counter.tla").write_text(COUNTER)
    # Its translation is not that of its algorithm.
    (tmp_path / "Loop.tla").write_text(spec("mutants/Loop").replace("x := x + 1", "x := x + 2"))
    config = "SPECIFICATION Spec\nCONSTANT Max = 1\n"
    (tmp_path / "Loop.cfg").write_text(config)
    (tmp_path / "Counter.cfg").write_text(config + "INVARIANT Small\n")
    asked = ("gate", tmp_path, "--executor", "local", "--strict")
    others = {(Reason.TRANSLATION, None), (Reason.FINDING, None)}
    assert run_cli(*asked, code=2).reasons >= others
    assert run_cli(*asked, "--points", "2").reasons >= others
    report = tmp_path / "junit.xml"
    assert "Loop" not in run_cli(*asked, "--points", "1", "--junit", report, code=0).stdout
    cases = [[each.tag for each in case] for case in ET.parse(report).iter("testcase")]
    assert cases == [[], ["skipped"]]


def test_a_first_lock_has_what_fires_unless_it_is_not_wanted(folder: Folder) -> None:
    assert folder.gate().code == 0
    assert folder.gate("--record", "--no-coverage").code == 0
    assert "fired" not in folder.lock.read_text()
    assert folder.gate().executed == 0
    folder.lock.unlink()
    assert folder.gate("--record").code == 0
    assert folder.lock.read_text().count("\nidle = ") == 2


def test_a_lock_is_not_written_over_nor_for_what_is_red(locked: Folder) -> None:
    before = locked.lock.read_text()
    refused(locked.gate("--record"), "lock-exists", None, "--update")
    locked.change(locked.sweep, "trace_length = 3", "trace_length = 4")
    done = locked.gate("--update")
    red(done, 1, (Reason.FIGURES, 2))
    assert [gated.written for gated in done.reported.gated] == [None]
    assert locked.lock.read_text() == before


def test_neither_a_missing_jar_nor_an_exit_status_is_a_counterexample(folder: Folder) -> None:
    folder.change(folder.sweep, "Top = [1, 2]", "Top = [2]")
    report = folder.path / "junit.xml"
    report.write_text('<testsuites tests="1" failures="0"/>')
    done = folder.gate("--tla2tools", "gone.jar", "--junit", report)
    refused(done, "jar-missing", None, "gone.jar")
    errors = ET.parse(report).findall(".//error")
    assert [done.error.message in str(error.get("message")) for error in errors] == [True]
    java = folder.path / "java" / "bin" / "java"
    java.parent.mkdir(parents=True)
    # It says that it is Java, runs nothing, and ends as TLC does after a violated invariant.
    java.write_text("#!/bin/sh\necho 'openjdk version \"17.0.1\"' >&2\nexit 12\n")
    java.chmod(0o755)
    red(folder.gate(env={"TLA2PY_JAVA_HOME": str(folder.path / "java")}), 2, (Reason.BROKEN, 1))


def test_an_invariant_weakened_to_nothing(locked: Folder) -> None:
    locked.change(locked.module, "Inside == floor \\in 0..8", "Inside == TRUE")
    locked.change(locked.module, "Init == floor = 0", "Init == floor = 0  \\* on the ground")
    done = locked.gate()
    red(done, 1, (Reason.DRIFT, None))
    assert [(at, drift.kind, drift.name) for at, drift in done.drifts] == [(None, "definition", "Inside")]
    assert "accepted: the definition of Inside has changed" in locked.gate("--update", code=0).stderr
    assert locked.gate().code == 0


def test_a_state_space_that_fell(locked: Folder) -> None:
    locked.change(locked.module, "floor < Top /\\ floor'", "floor < Top /\\ floor > 8 /\\ floor'")
    locked.sweep_over("[1]")
    done = locked.gate()
    red(done, 1, (Reason.DRIFT, None), (Reason.DRIFT, 1))
    of_all = {(None, "point", "Top = 2", None), (None, "definition", "Up", "Up")}
    of_one = {(1, "distinct", 2, 1), (1, "action", "Up", None), (1, "action", "Down", None)}
    assert drifts(done) == of_all | of_one


def test_a_name_that_is_no_definition_any_more_is_a_new_model_value(locked: Folder) -> None:
    locked.change(locked.module, "Roof == 2", "RoofFloor == 2")
    done = locked.gate()
    red(done, 1, (Reason.DRIFT, 1), (Reason.DRIFT, 2))
    assert {(point, "model-value", None, "Roof") for point in (1, 2)} <= drifts(done)


def test_nothing_is_checked(folder: Folder) -> None:
    folder.change(folder.sweep, '["Inside", "Low"]', "[]")
    folder.sweep_over("[1, 2]")
    red(folder.gate(), 2, (Reason.NOTHING_CHECKED, 1), (Reason.NOTHING_CHECKED, 2))
    # TLC's option of this name is the one that turns the check off.
    folder.change(folder.sweep, "check_deadlock = false", "check_deadlock = true")
    folder.change(folder.sweep, "[tlc]", '[tlc]\noptions = ["-deadlock"]')
    done = folder.gate()
    both = (Reason.NOTHING_CHECKED, Reason.NOT_IN_CONFIG)
    red(done, 2, *((reason, point) for reason in both for point in (1, 2)))
    assert {each.subject for each in done.problems if each.reason is Reason.NOT_IN_CONFIG} == {"deadlock"}


def test_an_action_that_never_fires(folder: Folder) -> None:
    folder.sweep_over("[0]", 'fires = ["Up"]\n')
    done = folder.gate()
    red(done, 1, (Reason.NEVER_FIRED, 1))
    assert [problem.subject for problem in done.problems] == ["Up"]
    folder.change(folder.sweep, "Top = [0]", "Top = [1]")
    assert folder.gate().code == 0
