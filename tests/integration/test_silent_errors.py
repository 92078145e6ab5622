"""A TLC that stops with an error and without a message is helped out by another one (tlaplus#763)."""

from __future__ import annotations

from pathlib import Path

from tests.conftest import SPECS, RunCli
from tests.stores import table_rows

# A second of the kind: fairness of a step that changes a set into a record, of two variables.
PAIRS = """---- MODULE Pairs ----
VARIABLES x, y
Init == x = {1} /\\ y = 0
Change == x' = [size |-> 1] /\\ y' = 1
Spec == Init /\\ [][Change]_<<x, y>> /\\ SF_<<x, y>>(Change)
Changed == []<>(y = 1)
====
"""


def test_another_tlc_says_what_one_does_not(run_cli: RunCli, newer_tlc: Path) -> None:
    case = SPECS / "faults/SilentError.tla"
    done = run_cli("check", str(case), "--tla2tools", str(newer_tlc), code=2)
    assert "stopped without a message; TLC 2.15 says:" in done.stdout
    assert "Attempted to check equality of the set {} with the value:\n[size |-> 1]" in done.stdout


def test_its_verdict_and_version_stay_those_of_the_jar_in_use(
    run_cli: RunCli, newer_tlc: Path, tmp_path: Path
) -> None:
    (tmp_path / "Pairs.tla").write_text(PAIRS)
    (tmp_path / "Pairs.cfg").write_text("SPECIFICATION Spec\nPROPERTY Changed\n")
    answer = run_cli("check", "Pairs.tla", "--tla2tools", str(newer_tlc), "--json", cwd=tmp_path, code=2).json
    assert (answer["verdict"], answer["tlc_version"]) == ("broken", "2.20")
    [error] = [each for each in answer["diagnostics"] if each["severity"] == "error"]
    assert error["text"].startswith("TLC 2.20 stopped without a message; TLC 2.15 says:\nAttempted to")


def write_pairs(folder: Path) -> None:
    """Write the module with a sweep file in which the model breaks."""
    (folder / "Pairs.tla").write_text(PAIRS)
    sweep = """
    module = "Pairs.tla"
    [model]
    specification = "Spec"
    properties = ["Changed"]
    """
    (folder / "sweep.toml").write_text(sweep)


def test_a_sweep_has_the_message_in_its_record(run_cli: RunCli, newer_tlc: Path, tmp_path: Path) -> None:
    write_pairs(tmp_path)
    done = run_cli("sweep", "sweep.toml", "-o", "store", "--tla2tools", str(newer_tlc), cwd=tmp_path, code=2)
    assert "TLC 2.20 stopped without a message; TLC 2.15 says:" in done.stdout
    assert "Attempted to" in done.stdout
    [row] = table_rows(tmp_path / "store", "runs")
    # The further execution explains the run, and is no part of its answer.
    assert (row["verdict"], row["tlc_version"], row["executions"]) == ("broken", "2.20", 1)
    assert row["message"].startswith("TLC 2.20 stopped without a message; TLC 2.15 says:")


def test_a_gate_shows_the_message(run_cli: RunCli, newer_tlc: Path, tmp_path: Path) -> None:
    write_pairs(tmp_path)
    done = run_cli("gate", "sweep.toml", "-o", "store", "--tla2tools", str(newer_tlc), cwd=tmp_path, code=2)
    assert "TLC 2.20 stopped without a message; TLC 2.15 says:" in done.stdout


def test_where_no_step_fails_again_the_error_is_looked_for_elsewhere(
    run_cli: RunCli, newer_tlc: Path
) -> None:
    done = run_cli("check", str(SPECS / "faults/SilentError.tla"), "--tla2tools", str(newer_tlc), code=2)
    said = " ".join(done.stdout.split())
    assert "step from the last state" in said
    assert "it may be in a property, a fairness condition or a constraint" in said


def test_a_tlc_that_says_what_is_wrong_is_not_helped(run_cli: RunCli) -> None:
    done = run_cli("check", str(SPECS / "faults/SilentError.tla"), "--tla2tools", "bundled", code=2)
    assert "without a message" not in done.stdout
