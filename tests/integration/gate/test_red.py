"""How a gate goes red, each way with its own words: what once was green elsewhere, with the real TLC."""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

from tests.integration.gate.lift import SWEEP, Folder, drifts, red, refused
from tla2py.gate.problem import Reason

# --- green, and what is locked


def test_what_is_expected_and_locked_is_green_and_runs_nothing(locked: Folder) -> None:
    done = locked.gate()
    assert done.code == 0, done.stdout
    assert done.executed == 0
    (gated,) = done.reported.gated
    assert (len(gated.decision.points), done.reasons, gated.decision.notices) == (2, set(), ())
    assert [point.row.verdict for point in gated.decision.points if point.row] == ["holds", "violated"]


def test_a_lock_says_what_was_checked_and_found(locked: Folder) -> None:
    comment, _, text = locked.lock.read_text().partition("\n")
    assert "tla2py gate --update" in comment
    (revision,) = re.findall(r'^tlc = "2\.\d+ \(rev: (\w{7})\)"$', text, re.MULTILINE)
    assert re.sub(r'= "\w{16}"|"2\.\d+ [^"]*"', "= ...", text).replace(revision, "...") == (
        "version = 2\ntlc = = ...\nvacuity = true\n\n"
        "[shared]\n"
        'checked = [\n  "invariant Inside",\n  "invariant Low",\n]\n'
        'searched = ["specification Spec"]\n'
        'fired = ["Up"]\n\n'
        "[shared.reaches]\n"
        '"invariant Inside" = ...\n"invariant Low" = ...\n"specification Spec" = ...\n\n'
        "[shared.assumptions]\nLift = ...\n\n"
        "[shared.definitions]\n"
        + "".join(f"{name} = ...\n" for name in ("Down", "Init", "Inside", "Low", "Next", "Spec", "Up"))
        + "\n[[point]]\n"
        'parameters = { Top = "1" }\n'
        "config = ...\n"
        "values = ...\n"
        'verdict = "holds"\n'
        "violates = []\n"
        "distinct = 2\n"
        "generated = 3\n"
        'fired = ["Down"]\n'
        "idle = []\n\n"
        "[[point]]\n"
        'parameters = { Top = "2" }\n'
        "config = ...\n"
        "values = ...\n"
        'verdict = "violated"\n'
        'violates = ["Low"]\n'
        "distinct = 3\n"
        "generated = 3\n"
        "fired = []\n"
        'idle = ["Down"]\n'
    )


def test_without_a_lock_it_says_that_drift_is_not_guarded(folder: Folder) -> None:
    done = folder.gate()
    assert done.code == 0
    (gated,) = done.reported.gated
    (notice,) = gated.decision.notices
    assert "--record" in notice
    assert f"note: {notice}" in done.stdout


def test_a_first_lock_has_what_fires_unless_it_is_not_wanted(folder: Folder) -> None:
    assert folder.gate().code == 0
    assert folder.gate("--record", "--no-coverage").code == 0
    assert "fired" not in folder.lock.read_text()
    done = folder.gate()
    assert done.executed == 0
    (gated,) = done.reported.gated
    (notice,) = gated.decision.notices
    assert "--update --coverage" in notice
    assert f"note: {notice}" in done.stdout
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


# --- the failure stories


def test_a_missing_jar_is_no_expected_counterexample(folder: Folder) -> None:
    folder.change(folder.sweep, "Top = [1, 2]", "Top = [2]")
    report = folder.path / "junit.xml"
    report.write_text('<testsuites tests="1" failures="0"/>')
    done = folder.gate("--tla2tools", "gone.jar", "--junit", report)
    refused(done, "jar-missing", None, "gone.jar")
    errors = ET.parse(report).findall(".//error")
    assert [done.error.message in str(error.get("message")) for error in errors] == [True]


def test_an_exit_status_alone_is_no_expected_counterexample(folder: Folder) -> None:
    folder.change(folder.sweep, "Top = [1, 2]", "Top = [2]")
    java = folder.path / "java" / "bin" / "java"
    java.parent.mkdir(parents=True)
    # It says that it is Java, runs nothing, and ends as TLC does after a violated invariant.
    java.write_text("#!/bin/sh\necho 'openjdk version \"17.0.1\"' >&2\nexit 12\n")
    java.chmod(0o755)
    red(folder.gate(env={"TLA2PY_JAVA_HOME": str(folder.path / "java")}), 2, (Reason.BROKEN, 1))


def test_a_deleted_invariant(locked: Folder) -> None:
    locked.change(locked.sweep, '["Inside", "Low"]', '["Low"]')
    done = locked.gate()
    # Of both points, and told once.
    red(done, 1, (Reason.DRIFT, 1), (Reason.DRIFT, 2))
    assert drifts(done) == {
        (1, "check", "the invariant Inside", None),
        (2, "check", "the invariant Inside", None),
    }
    assert done.stdout.count("drift: ") == 1
    assert locked.gate("--update").code == 0
    assert "Inside" not in locked.lock.read_text()


def test_an_invariant_weakened_to_nothing(locked: Folder) -> None:
    locked.change(locked.module, "Inside == floor \\in 0..8", "Inside == TRUE")
    locked.change(locked.module, "Init == floor = 0", "Init == floor = 0  \\* on the ground")
    done = locked.gate()
    red(done, 1, (Reason.DRIFT, None))
    assert [(point, drift.kind, drift.name) for point, drift in done.drifts] == [
        (None, "definition", "Inside")
    ]
    done = locked.gate("--update")
    assert done.code == 0, done
    assert "accepted: the definition of Inside has changed" in done.stderr
    assert locked.gate().code == 0


def test_a_fairness_condition_or_assumption_that_is_gone(locked: Folder) -> None:
    locked.change(locked.module, "[][Next]_floor", "[][Next]_floor /\\ WF_floor(Up)")
    locked.change(locked.module, "ASSUME Top < 9\n", "")
    done = locked.gate()
    assert {(drift.kind, drift.name) for _, drift in done.drifts} == {
        ("definition", "Spec"),
        ("assumptions", "Lift"),
    }


def test_a_state_space_that_fell(locked: Folder) -> None:
    locked.change(locked.module, "floor < Top /\\ floor'", "floor < Top /\\ floor > 8 /\\ floor'")
    locked.change(locked.sweep, "Top = [1, 2]", "Top = [1]")
    locked.change(locked.sweep, SWEEP[SWEEP.index("[[expect.point]]") :], "")
    done = locked.gate()
    red(done, 1, (Reason.DRIFT, None), (Reason.DRIFT, 1))
    assert drifts(done) == {
        (None, "point", "Top = 2", None),
        (None, "definition", "Up", "Up"),
        (1, "distinct", 2, 1),
        (1, "action", "Up", None),
        (1, "action", "Down", None),
    }


def test_another_property_is_violated_than_the_one_meant(folder: Folder) -> None:
    folder.change(folder.sweep, '["Inside", "Low"]', '["NotThere", "Low"]')
    folder.change(folder.sweep, "Top = [1, 2]", "Top = [2]")
    folder.change(folder.sweep, "trace_length = 3", "")
    folder.change(folder.sweep, 'violates = ["Low"]', 'violates = ["NotThere"]')
    folder.change(folder.module, "floor /= Goal", "floor /= Goal + 1")
    done = folder.gate()
    red(done, 1, (Reason.UNEXPECTED, 1))
    missed, found = sorted(problem.text for problem in done.problems)
    assert ("NotThere" in missed, "Low" in found) == (True, True)
    assert "counterexample to Low" in done.stdout


def test_a_time_out_is_red_unless_a_row_allows_it(folder: Folder) -> None:
    folder.change(folder.module, "floor < Top /\\ floor'", "floor'")
    folder.change(folder.module, "Low == floor < 2", "Low == floor >= 0")
    folder.change(folder.sweep, "Top = [1, 2]", "Top = [1]")
    folder.change(folder.sweep, '["Inside", "Low"]', '["Low"]')
    folder.change(folder.sweep, 'timeout = "1m"', 'timeout = "4s"')
    rows = SWEEP[SWEEP.index("[[expect.point]]") :]
    folder.change(folder.sweep, rows, "")
    done = folder.gate()
    red(done, 3, (Reason.INCONCLUSIVE, 1))
    assert "--timeout" in done.problems[0].text
    # A default is not the name of a point.
    folder.change(folder.sweep, 'verdict = "holds"', 'verdict = "inconclusive"')
    done = folder.gate()
    red(done, 3, (Reason.INCONCLUSIVE, 1))
    assert 'verdict = "inconclusive"' in done.problems[0].text
    with folder.sweep.open("a") as file:
        file.write('[[expect.point]]\nmatch = { Top = 1 }\nverdict = "inconclusive"\n')
    assert folder.gate().code == 0


def test_a_name_that_is_no_definition_any_more_is_a_new_model_value(locked: Folder) -> None:
    locked.change(locked.module, "Roof == 2", "RoofFloor == 2")
    done = locked.gate()
    red(done, 1, (Reason.DRIFT, 1), (Reason.DRIFT, 2))
    assert {(point, "model-value", None, "Roof") for point in (1, 2)} <= drifts(done)


def test_nothing_is_checked(folder: Folder) -> None:
    folder.change(folder.sweep, '["Inside", "Low"]', "[]")
    folder.change(folder.sweep, SWEEP[SWEEP.index("[[expect.point]]") :], "")
    red(folder.gate(), 2, (Reason.NOTHING_CHECKED, 1), (Reason.NOTHING_CHECKED, 2))
    # TLC's option of this name is the one that turns the check off.
    folder.change(folder.sweep, "check_deadlock = false", "check_deadlock = true")
    folder.change(folder.sweep, "[tlc]", '[tlc]\noptions = ["-deadlock"]')
    done = folder.gate()
    both = (Reason.NOTHING_CHECKED, Reason.NOT_IN_CONFIG)
    red(done, 2, *((reason, point) for reason in both for point in (1, 2)))
    assert {each.subject for each in done.problems if each.reason is Reason.NOT_IN_CONFIG} == {"deadlock"}


def test_an_action_that_never_fires(folder: Folder) -> None:
    folder.change(folder.sweep, "Top = [1, 2]", "Top = [0]")
    folder.change(folder.sweep, SWEEP[SWEEP.index("[[expect.point]]") :], 'fires = ["Up"]\n')
    done = folder.gate()
    red(done, 1, (Reason.NEVER_FIRED, 1))
    assert [problem.subject for problem in done.problems] == ["Up"]
    folder.change(folder.sweep, "Top = [0]", "Top = [1]")
    assert folder.gate().code == 0
    folder.change(folder.sweep, 'fires = ["Up"]', 'fires = ["Upp"]')
    refused(folder.gate(), "expect-unknown-action", "sweep.toml:15:11", "Upp", "Up?")
