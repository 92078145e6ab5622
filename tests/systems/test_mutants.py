"""A few mutants of each system, with the statuses that the systems' pages report."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import RunCli
from tests.systems.rows import SPECS

pytestmark = pytest.mark.systems

# By changed definition: sweep file, point, operator; the status of each mutant and what notices it.
LEADER = "killed OneLeaderPerEpoch, killed OneLeaderPerEpoch, survived, killed LeaderKnowsItsLog, unknown"
CURSOR = "killed TypeSafe, killed SavedBeforeDeletion"
MUTANTS = {
    "CutAt": ("kip320/sweep.toml", "1", "drop-branch", "killed evaluation, survived"),
    "IsValidEnsemble": ("bookkeeper/sweep.toml", "1", "drop-difference", "survived"),
    "Abdicate": ("ledger_chaining/sweep.toml", "1", "drop-guard", "survived, equivalent"),
    "CompactorPhaseTwoPersistCusror": ("compaction/stronger.toml", "1", "drop-update", CURSOR),
    "BecomeLeader": ("kafka_transactions/stronger.toml", "3", "drop-update", LEADER),
}


@pytest.mark.parametrize("definition", MUTANTS)
def test_mutants(run_cli: RunCli, tmp_path: Path, definition: str) -> None:
    file, point, operator, found = MUTANTS[definition]
    which = ("--points", point, "--actions", definition, "--operators", operator)
    store = ("-o", tmp_path / "store", "--executor", "local")
    rows = run_cli("mutate", SPECS / file, *which, *store, "--json").json
    told = [[row["status"], *(each["name"] or each["kind"] for each in row["killed_by"])] for row in rows]
    assert ", ".join(" ".join(words) for words in told) == found
