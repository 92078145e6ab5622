"""How a gate goes red, each way with its own words: what once was green elsewhere, with the real TLC."""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

import pytest

from tests.integration.gate.lift import SWEEP, Folder, red

pytestmark = pytest.mark.java

# --- green, and what is locked


def test_what_is_expected_and_locked_is_green_and_runs_nothing(locked: Folder) -> None:
    done = locked.gate()
    assert done.code == 0, done.stdout
    assert "green sweep  2 points, as expected (1 violated, as known)" in done.stdout
    assert "nothing to run" in done.stderr
    assert "note" not in done.stdout


def test_a_lock_says_what_was_checked_and_found(locked: Folder) -> None:
    text = locked.lock.read_text()
    assert re.sub(r'(config|values) = "\w{16}"', r"\1 = ...", text) == (
        "# What was checked and found when this was last accepted; 'tla2py gate --update' accepts it anew.\n"
        "version = 1\n\n"
        "[[point]]\n"
        'parameters = { Top = "1" }\n'
        "config = ...\n"
        "values = ...\n"
        'checked = [\n  "invariant Inside",\n  "invariant Low",\n]\n'
        'searched = ["specification Spec"]\n'
        "model_values = []\n"
        'verdict = "holds"\n'
        "violates = []\n"
        "distinct = 2\n"
        'fired = [\n  "Down",\n  "Up",\n]\n'
        "idle = []\n\n"
        "[[point]]\n"
        'parameters = { Top = "2" }\n'
        "config = ...\n"
        "values = ...\n"
        'checked = [\n  "invariant Inside",\n  "invariant Low",\n]\n'
        'searched = ["specification Spec"]\n'
        "model_values = []\n"
        'verdict = "violated"\n'
        'violates = ["Low"]\n'
        "distinct = 3\n"
        'fired = ["Up"]\n'
        'idle = ["Down"]\n'
    )


def test_without_a_lock_it_says_that_drift_is_not_guarded(folder: Folder) -> None:
    done = folder.gate()
    assert done.code == 0
    assert "drift is not detected" in done.stdout


def test_a_first_lock_has_what_fires_unless_it_is_not_wanted(folder: Folder) -> None:
    assert folder.gate().code == 0
    assert folder.gate("--record", "--no-coverage").code == 0
    assert "fired" not in folder.lock.read_text()
    done = folder.gate()
    assert "nothing to run" in done.stderr
    assert "note: the lock does not cover which actions fire" in done.stdout
    folder.lock.unlink()
    assert folder.gate("--record").code == 0
    assert folder.lock.read_text().count("fired = ") == 2


def test_a_lock_is_not_written_over_nor_for_what_is_red(locked: Folder) -> None:
    before = locked.lock.read_text()
    red(locked.gate("--record"), 2, "already exists", "--update")
    locked.change(locked.sweep, "trace_length = 3", "trace_length = 4")
    red(locked.gate("--update"), 1, "trace length is 3, expected 4", "is not written")
    assert locked.lock.read_text() == before


# --- the failure stories


def test_a_missing_jar_is_no_expected_counterexample(folder: Folder) -> None:
    folder.change(folder.sweep, "Top = [1, 2]", "Top = [2]")
    report = folder.path / "junit.xml"
    report.write_text('<testsuites tests="1" failures="0"/>')
    done = folder.gate("--tla2tools", "gone.jar", "--junit", report)
    red(done, 2, "no such file: gone.jar")
    errors = ET.parse(report).findall(".//error")
    assert ["no such file: gone.jar" in str(error.get("message")) for error in errors] == [True]


def test_an_exit_status_alone_is_no_expected_counterexample(folder: Folder) -> None:
    folder.change(folder.sweep, "Top = [1, 2]", "Top = [2]")
    java = folder.path / "java" / "bin" / "java"
    java.parent.mkdir(parents=True)
    # It says that it is Java, runs nothing, and ends as TLC does after a violated invariant.
    java.write_text("#!/bin/sh\necho 'openjdk version \"17.0.1\"' >&2\nexit 12\n")
    java.chmod(0o755)
    red(folder.gate(env={"TLA2PY_JAVA_HOME": str(folder.path / "java")}), 2, "broken", "expected violated")


def test_a_deleted_invariant(locked: Folder) -> None:
    locked.change(locked.sweep, '["Inside", "Low"]', '["Low"]')
    done = locked.gate()
    # Of both points, and told once.
    red(done, 1, "points 1, 2 Top = 1, and 1 more", "drift: no longer checks the invariant Inside")
    assert done.stdout.count("no longer checks") == 1
    assert locked.gate("--update").code == 0
    assert "Inside" not in locked.lock.read_text()


def test_a_state_space_that_fell(locked: Folder) -> None:
    locked.change(locked.module, "floor < Top /\\ floor'", "floor < Top /\\ floor > 8 /\\ floor'")
    locked.change(locked.sweep, "Top = [1, 2]", "Top = [1]")
    locked.change(locked.sweep, SWEEP[SWEEP.index("[[expect.point]]") :], "")
    red(
        locked.gate(),
        1,
        "distinct states fell from 2 to 1",
        "action Up no longer fires",
        "the locked point Top = 2 is no longer in the sweep",
    )


def test_another_property_is_violated_than_the_one_meant(folder: Folder) -> None:
    folder.change(folder.sweep, '["Inside", "Low"]', '["NotThere", "Low"]')
    folder.change(folder.sweep, "Top = [1, 2]", "Top = [2]")
    folder.change(folder.sweep, "trace_length = 3", "")
    folder.change(folder.sweep, 'violates = ["Low"]', 'violates = ["NotThere"]')
    folder.change(folder.module, "floor /= Goal", "floor /= Goal + 1")
    red(
        folder.gate(),
        1,
        "does not violate NotThere, expected to",
        "violates Low, not expected to",
        "the counterexample to Low",
    )


def test_a_violation_that_is_expected_of_nothing_in_particular(folder: Folder) -> None:
    folder.change(folder.sweep, 'violates = ["Low"]\ntrace_length = 3\n', 'verdict = "violated"\n')
    red(folder.gate(), 2, "unnamed: a violation is expected, but not of which of the 2 checks")


def test_a_time_out_is_red_unless_a_row_allows_it(folder: Folder) -> None:
    folder.change(folder.module, "floor < Top /\\ floor'", "floor'")
    folder.change(folder.module, "Low == floor < 2", "Low == floor >= 0")
    folder.change(folder.sweep, "Top = [1, 2]", "Top = [1]")
    folder.change(folder.sweep, '["Inside", "Low"]', '["Low"]')
    folder.change(folder.sweep, 'timeout = "1m"', 'timeout = "4s"')
    rows = SWEEP[SWEEP.index("[[expect.point]]") :]
    folder.change(folder.sweep, rows, "")
    red(
        folder.gate(),
        3,
        "inconclusive: timeout, expected holds; give it more time: --timeout, or timeout in the sweep file",
    )
    # A default is not the name of a point.
    folder.change(folder.sweep, 'verdict = "holds"', 'verdict = "inconclusive"')
    red(folder.gate(), 3, "inconclusive: timeout; to allow it, write a row")
    with folder.sweep.open("a") as file:
        file.write('[[expect.point]]\nmatch = { Top = 1 }\nverdict = "inconclusive"\n')
    assert folder.gate().code == 0


def test_a_definition_turned_model_value_by_the_config(folder: Folder) -> None:
    (folder.path / "own.cfg.j2").write_text(
        "SPECIFICATION Spec\nCONSTANTS\n  Top = 1\n  Goal = Roof\nINVARIANTS Inside NotThere\n"
    )
    folder.sweep.write_text(
        'module = "Lift.tla"\ntemplate = "own.cfg.j2"\n'
        '[model]\ninvariants = ["Inside", "NotThere"]\ncheck_deadlock = false\n'
        '[constants]\nTop = 1\nGoal = "Roof"\n[tlc]\nmemory = "256MiB"\n'
    )
    folder.change(folder.module, "floor /= Goal", "ToGoal => Goal = Roof")
    folder.change(folder.module, "VARIABLE floor", "VARIABLE floor\nToGoal == FALSE")
    red(folder.gate(), 2, "model-value: the config gives Goal the model value Roof")


def test_a_name_that_is_no_definition_any_more_is_a_new_model_value(locked: Folder) -> None:
    locked.change(locked.module, "Roof == 2", "RoofFloor == 2")
    red(locked.gate(), 1, "drift: Roof is now a model value")


def test_an_invariant_that_a_template_leaves_out(folder: Folder) -> None:
    (folder.path / "own.cfg.j2").write_text(
        "SPECIFICATION Spec\nCONSTANTS\n  Top = {{ dict(config.assignments)['Top'] }}\n  Goal = 2\nINVARIANT Inside\n"
    )
    folder.change(folder.sweep, "[model]", 'template = "own.cfg.j2"\n[model]')
    folder.change(folder.sweep, SWEEP[SWEEP.index("[[expect.point]]") :], "")
    red(
        folder.gate(),
        2,
        "not-in-config: the config does not check the invariant Low, which the sweep file lists",
    )


def test_nothing_is_checked(folder: Folder) -> None:
    folder.change(folder.sweep, '["Inside", "Low"]', "[]")
    folder.change(folder.sweep, SWEEP[SWEEP.index("[[expect.point]]") :], "")
    red(folder.gate(), 2, "nothing-checked: nothing is checked")
    # TLC's option of this name is the one that turns the check off.
    folder.change(folder.sweep, "check_deadlock = false", "check_deadlock = true")
    folder.change(folder.sweep, "[tlc]", '[tlc]\noptions = ["-deadlock"]')
    red(
        folder.gate(),
        2,
        "nothing-checked: nothing is checked",
        "not-in-config: the config does not check deadlock",
    )


def test_no_initial_state(folder: Folder) -> None:
    folder.change(folder.module, "Init == floor = 0", "Init == floor = 0 /\\ Top > 5")
    folder.change(folder.sweep, SWEEP[SWEEP.index("[[expect.point]]") :], "")
    done = folder.gate()
    red(done, 2, "no-states: no state was found")


def test_no_point_is_left(folder: Folder) -> None:
    with folder.sweep.open("a") as file:
        file.write("[grid]\nexclude = [{ Top = 1 }, { Top = 2 }]\n")
    red(folder.gate(), 2, "exclude leaves no point")


def test_every_point_contradicts_an_assumption(folder: Folder) -> None:
    folder.change(folder.module, "ASSUME Top < 9", "ASSUME Top > 9")
    folder.change(folder.sweep, SWEEP[SWEEP.index("[expect]") :], "")
    red(folder.gate(), 2, "all-excluded: nothing was checked: every point contradicts an ASSUME")


def test_a_model_that_cannot_be_evaluated(folder: Folder) -> None:
    folder.change(folder.module, "Low == floor < 2", 'Low == floor < "two"')
    done = folder.gate()
    red(
        done,
        2,
        "broken: a definition cannot be evaluated, expected holds: ",
        "broken: a definition cannot be evaluated, expected violated: ",
    )


def test_an_action_that_never_fires(folder: Folder) -> None:
    folder.change(folder.sweep, "Top = [1, 2]", "Top = [0]")
    folder.change(folder.sweep, SWEEP[SWEEP.index("[[expect.point]]") :], 'fires = ["Up"]\n')
    red(folder.gate(), 1, "never-fired: action Up never fired, expected to")
    folder.change(folder.sweep, "Top = [0]", "Top = [1]")
    assert folder.gate().code == 0
    folder.change(folder.sweep, 'fires = ["Up"]', 'fires = ["Upp"]')
    red(folder.gate(), 2, "sweep.toml:", "Upp is expected to fire", "did you mean Up?")


def test_a_new_action_that_never_fires(locked: Folder) -> None:
    locked.change(locked.module, "Next == Up", "Jump == floor > 8 /\\ floor' = 0\nNext == Jump \\/ Up")
    done = locked.gate()
    red(done, 1, "points 1, 2 Top = 1, and 1 more", "drift: action Jump is new and never fires")
    assert done.stdout.count("drift:") == 1


def test_a_verdict_that_drifts_though_it_is_expected(locked: Folder) -> None:
    locked.change(locked.module, "Low == floor < 2", "Low == floor < 3")
    locked.change(locked.sweep, 'violates = ["Low"]\ntrace_length = 3\n', 'verdict = "holds"\n')
    red(
        locked.gate(), 1, "drift: the verdict changed from violated to holds", "drift: no longer violates Low"
    )


def test_points_that_come_and_go(locked: Folder) -> None:
    locked.change(locked.sweep, "Top = [1, 2]", "Top = [0, 2]")
    red(
        locked.gate(),
        1,
        "drift: the locked point Top = 1 is no longer in the sweep",
        "point 1 Top = 0 drift: the point is not in the lock",
    )
