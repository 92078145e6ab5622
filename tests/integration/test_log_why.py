"""Why a line of a log does not fit, and which changed logs do."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.conftest import SPECS, RunCli, spec
from tests.stores import table_rows


@pytest.mark.core
def test_the_first_conjunct_that_is_false(run_cli: RunCli, tmp_path: Path) -> None:
    # Trace reads no file: it stands for the CommunityModules, which the bundled TLC is too old for.
    shutil.copytree(SPECS / "logs/why", tmp_path, dirs_exist_ok=True)
    store = tmp_path / "store"
    asked = ("validate", tmp_path / "sweep.toml", "-o", store)
    text = " ".join(run_cli(*asked, code=1).stdout.split())
    # All three pairs of workers are possible before the line.
    assert "Stop: work = {} is FALSE (System:11:12), work = " in text
    assert "3 states possible before it; enabled: " in text
    assert 'Finish: w \\in work is FALSE (System:7:6), w = "a", work = {}' in text
    assert "no action takes this line: Log[l].event = e is FALSE (Trace:12:" in text
    assert "nearest: " in text
    assert "never taken: Nap" in text
    runs = {row["point"]: row["run_id"] for row in table_rows(store, "logs")}
    lines = table_rows(store, "log_lines")
    found = {
        point: [(row["actions"], row["states"], row["state"]) for row in lines if row["run_id"] == run]
        for point, run in runs.items()
    }
    # A behaviour leads to the line that nothing explains; TLC's own counterexample stays alone.
    assert found[1] == [(["Start"], 1, None), (["Finish"], 3, None), (["Stop"], 1, None)]
    assert found[2] == [(["Start"], 1, 2), (["Start"], 3, 3), ([], 3, None)]
    assert found[3] == [(["Start"], 1, 2), (["Finish"], 3, 3), ([], 1, None)]
    traces = {row["run_id"]: row for row in table_rows(store, "traces")}
    states = [row for row in table_rows(store, "states") if row["run_id"] == runs[2]]
    assert (traces[runs[2]]["kind"], traces[runs[2]]["name"]) == ("postcondition", "log")
    assert [row["action"] for row in states] == [None, "Start", "Start"]
    assert "explains the beginning of a log" in run_cli("trace", store, "2", "--arguments", code=2).stderr
    # Each run's counts are those of its first execution.
    assert [row["distinct"] for row in table_rows(store, "logs")] == [6, 7, 5, 4]
    shown = run_cli(*asked, "--why").stdout
    assert "state 1 of 3 before the line" in shown
    # The same without a store that stays.
    assert run_cli(*asked[:2], "--why").stdout == shown
    assert "a behaviour that gets there" in shown
    assert shown.index("1 Start") < shown.index("work + ")


DOOR = spec("logs/why/Door")
LOG_MUTANTS_SWEEP = (SPECS / "logs/why/door.toml").read_text()
OPEN = '{"action": "Open", "state": {"open": true}, "at": 1}\n'
CLOSE = '{"action": "Close", "state": {"open": false}, "at": 2}\n'


def test_what_goes_unnoticed_is_found_and_locked(run_cli: RunCli, tmp_path: Path) -> None:
    (tmp_path / "Door.tla").write_text(DOOR)
    (tmp_path / "day.ndjson").write_text(OPEN + CLOSE + OPEN)
    sweep, store = tmp_path / "sweep.toml", tmp_path / "store"
    sweep.write_text(LOG_MUTANTS_SWEEP)
    validate = ("validate", sweep, "-o", store, "--mutate-logs")
    found = run_cli(*validate, "--json").json
    assert [row["verdict"] for row in found["logs"]] == ["holds"]
    # A log may end anywhere, so nothing tells that its last line is missing. Everything else is noticed.
    accepted = [row for row in found["mutants"] if row["status"] == "accepted"]
    assert [(row["line"], row["change"], row["action"]) for row in accepted] == [(3, "drop", "Open")]
    statuses = [row["status"] for row in found["mutants"]]
    assert (len(statuses), statuses.count("rejected")) == (14, 13)
    assert {row["field"] for row in found["mutants"]} == {None, "action", "state.open"}
    assert table_rows(store / "mutants", "log_mutants") == found["mutants"]
    shown = run_cli(*validate).stdout
    assert "1 of 14 changed logs accepted" in shown
    rows = [" ".join(line.split()) for line in shown.splitlines()]
    assert "Open 1 of 2 0 of 2 0 of 1 0 of 4" in rows
    gate = ("gate", sweep, "-o", store, "--executor", "local", "--no-vacuity", "--no-coverage")
    # The changed logs of validate are those of the gate.
    assert "to execute" not in run_cli(*gate, "--record", code=0).stderr
    assert '"drop Open" = "1 of 2"' in (tmp_path / "sweep.lock").read_text()
    (tmp_path / "Door.tla").write_text(DOOR.replace("~open /\\", "/\\"))
    drifted = run_cli(*gate, code=1)
    for text in ("double Open: 2 of 2; before: 0 of 2", "drop Close: 1 of 1; before: 0 of 1"):
        assert f"accepted changes to logs, {text}" in drifted.stdout
    assert run_cli(*gate, "--update").code == 0
    assert run_cli(*gate).code == 0


@pytest.mark.long
def test_logs_of_several_files_are_changed_in_each(run_cli: RunCli, tmp_path: Path) -> None:
    (tmp_path / "Door.tla").write_text(DOOR)
    (tmp_path / "inside.ndjson").write_text(OPEN)
    (tmp_path / "outside.ndjson").write_text(CLOSE)
    sweep = LOG_MUTANTS_SWEEP.replace('["*.ndjson"]', '[["inside.ndjson", "outside.ndjson"]]')
    (tmp_path / "sweep.toml").write_text(sweep.replace('ignore = ["at"]', 'clock = "at"'))
    asked = ("validate", tmp_path / "sweep.toml", "--mutate-logs", "--json")
    rows = run_cli(*asked).json["mutants"]
    changes = {(row["file"], row["change"], row["field"]): row["status"] for row in rows}
    assert {file for file, _, _ in changes} == {"inside.ndjson", "outside.ndjson"}
    assert changes["inside.ndjson", "double", None] == "rejected"
    assert changes["outside.ndjson", "field", "state.open"] == "rejected"
