"""A few mutants of each system, with the statuses that the systems' pages report."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import RunCli

pytestmark = pytest.mark.systems

SPECS = Path(__file__).resolve().parents[2] / "specs"

# Sweep file, point, changed definition, operator; the status of each mutant and what notices it.
MUTANTS = [
    ("kip320/sweep.toml", 1, "CutAt", "drop-branch", [("killed", ["evaluation"]), ("survived", [])]),
    ("bookkeeper/sweep.toml", 1, "IsValidEnsemble", "drop-difference", [("survived", [])]),
    ("ledger_chaining/sweep.toml", 1, "Abdicate", "drop-guard", [("survived", []), ("equivalent", [])]),
    (
        "compaction/stronger.toml",
        1,
        "CompactorPhaseTwoPersistCusror",
        "drop-update",
        [("killed", ["TypeSafe"]), ("killed", ["SavedBeforeDeletion"])],
    ),
    (
        "kafka_transactions/stronger.toml",
        3,
        "BecomeLeader",
        "drop-update",
        [
            ("killed", ["OneLeaderPerEpoch"]),
            ("killed", ["OneLeaderPerEpoch"]),
            ("survived", []),
            ("killed", ["LeaderKnowsItsLog"]),
            ("unknown", []),
        ],
    ),
]


@pytest.mark.parametrize(
    ("file", "point", "definition", "operator", "found"), MUTANTS, ids=[each[2] for each in MUTANTS]
)
def test_mutants(
    run_cli: RunCli,
    tmp_path: Path,
    file: str,
    point: int,
    definition: str,
    operator: str,
    found: list[tuple[str, list[str]]],
) -> None:
    done = run_cli(
        "mutate",
        SPECS / file,
        *("--points", point, "--actions", definition, "--operators", operator),
        *("-o", tmp_path / "store", "--executor", "local", "--json"),
    )
    rows = done.json
    assert [
        (row["status"], [killer["name"] or killer["kind"] for killer in row["killed_by"]]) for row in rows
    ] == found
