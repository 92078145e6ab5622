"""Changed logs against a specification alone, and the gate that notices when more of them are accepted."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conftest import RunCli
from tests.stores import table_rows

pytestmark = pytest.mark.java

DOOR = """\
---- MODULE Door ----
VARIABLE open
Init == open = FALSE
Open == ~open /\\ open' = TRUE
Close == open /\\ open' = FALSE
Next == Open \\/ Close
Spec == Init /\\ [][Next]_open
====
"""
SWEEP = """\
module = "Door.tla"
[model]
specification = "Spec"
[logs]
files = ["*.ndjson"]
mutate = 20
[logs.map]
ignore = ["at"]
[tlc]
memory = "256MiB"
"""
OPEN = '{"action": "Open", "state": {"open": true}, "at": 1}\n'
CLOSE = '{"action": "Close", "state": {"open": false}, "at": 2}\n'


def test_what_goes_unnoticed_is_found_and_locked(run_cli: RunCli, tmp_path: Path) -> None:
    (tmp_path / "Door.tla").write_text(DOOR)
    (tmp_path / "day.ndjson").write_text(OPEN + CLOSE + OPEN)
    sweep, store = tmp_path / "sweep.toml", tmp_path / "store"
    sweep.write_text(SWEEP)
    validate = ("validate", sweep, "-o", store, "--mutate-logs")
    found = json.loads(run_cli(*validate, "--json").stdout)
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
    assert ["Open", "1", "of", "2", "0", "of", "2", "0", "of", "1", "0", "of", "4"] in [
        line.split() for line in shown.splitlines()
    ]

    gate = ("gate", sweep, "-o", store, "--executor", "local", "--no-vacuity", "--no-coverage")
    recorded = run_cli(*gate, "--record", code=0)
    # The changed logs of validate are those of the gate.
    assert "to execute" not in recorded.stderr
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
    files = 'files = [["inside.ndjson", "outside.ndjson"]]'
    sweep = SWEEP.replace('files = ["*.ndjson"]', files).replace('ignore = ["at"]', 'clock = "at"')
    (tmp_path / "sweep.toml").write_text(sweep)
    asked = ("validate", tmp_path / "sweep.toml", "--mutate-logs", "--json")
    rows = json.loads(run_cli(*asked).stdout)["mutants"]
    changes = {(row["file"], row["change"], row["field"]): row["status"] for row in rows}
    assert {file for file, _, _ in changes} == {"inside.ndjson", "outside.ndjson"}
    assert changes["inside.ndjson", "double", None] == "rejected"
    assert changes["outside.ndjson", "field", "state.open"] == "rejected"
