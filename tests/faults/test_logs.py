"""Logs whose validation meets a limit."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conftest import RunCli

pytestmark = [pytest.mark.java, pytest.mark.faults]

# The third line never comes about, and before it the specification counts on and on.
ENDLESS = r"""---- MODULE Endless ----
EXTENDS Naturals
VARIABLES x, y
Init == x = 0 /\ y = 0
Step == x' = x + 1 /\ y' = 0
Count == y' = y + 1 /\ x' = x
Next == Step \/ Count
Spec == Init /\ [][Next]_<<x, y>>
====
"""
SWEEP = """\
module = "Endless.tla"
[logs]
files = ["log.ndjson"]
unobserved = { steps = 1000000000, actions = ["Count"] }
[tlc]
timeout = "40s"
"""


def test_a_log_that_explodes_tells_how_far_it_came(run_cli: RunCli, tmp_path: Path) -> None:
    (tmp_path / "Endless.tla").write_text(ENDLESS)
    lines = [{"action": "Step", "state": {"x": x}} for x in (1, 2, 4)]
    (tmp_path / "log.ndjson").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    (tmp_path / "sweep.toml").write_text(SWEEP)
    ended = run_cli("validate", tmp_path / "sweep.toml", "--json")
    (row,) = json.loads(ended.stdout)
    assert ended.code == 3
    assert (row["verdict"], row["matched"], row["first_unmatched"]) == ("inconclusive", 2, None)
