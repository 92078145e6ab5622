"""Logs that Spark validates."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conftest import RunCli
from tests.stores import table_rows

pytestmark = pytest.mark.spark

TWO_PHASE = Path(__file__).resolve().parents[2] / "specs" / "two_phase"
TIMES = {"wall_seconds", "cpu_seconds", "peak_memory_bytes", "started_at", "executor"}


def test_the_rows_are_those_of_threads(run_cli: RunCli, tmp_path: Path) -> None:
    for number, missing in enumerate((None, "RMPrepare", "TMRcvPrepared")):
        steps = [
            *(("RMPrepare", {"r": name}) for name in ("rm1", "rm2", "rm3")),
            *(("TMRcvPrepared", {"r": name}) for name in ("rm1", "rm2", "rm3")),
            ("TMCommit", {}),
        ]
        kept = [step for step in steps if step[0] != missing]
        text = "".join(json.dumps({"action": action, "args": args}) + "\n" for action, args in kept)
        (tmp_path / f"{number}.ndjson").write_text(text)
    logs = [tmp_path / f"{number}.ndjson" for number in range(3)]
    found = {}
    for name, options in (("threads", ["local"]), ("spark", ["spark", "--master", "local[2]"])):
        store = tmp_path / name
        run_cli(
            "validate",
            TWO_PHASE / "TwoPhase.tla",
            *logs,
            "-o",
            store,
            "--json",
            "--executor",
            *options,
            code=1,
        )
        found[name] = [
            [
                {key: value for key, value in row.items() if key not in TIMES}
                for row in table_rows(store, table)
            ]
            for table in ("runs", "logs", "log_lines", "coverage")
        ]
    assert found["spark"] == found["threads"]
    assert [row["matched"] for row in found["spark"][1]] == [7, 0, 3]
