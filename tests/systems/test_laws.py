"""What the systems' stores say of when their properties break."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.conftest import RunCli
from tests.systems.rows import SPECS

pytestmark = [pytest.mark.java, pytest.mark.systems]

LEASE = """\
module = "Lease.tla"
[model]
specification = "Spec"
invariants = ["Exclusive"]
check_deadlock = false
[parameters]
Term = [1, 2, 3, 4, 5]
Late = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]
Grace = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]
"""


def laws(sweep: Path, tmp_path: Path, run_cli: RunCli) -> dict[tuple[str, str | None], dict[str, object]]:
    swept = run_cli("sweep", sweep, "--executor", "local", "-o", tmp_path / "store")
    assert swept.code in (0, 1), swept.stderr
    rows = json.loads(run_cli("explain", tmp_path / "store", "--json").stdout)
    return {(row["property"], row["scope"]): row for row in rows}


def test_a_lease_breaks_where_a_client_is_later_than_the_grace(tmp_path: Path, run_cli: RunCli) -> None:
    shutil.copy(Path(__file__).parents[1] / "specs" / "Lease.tla", tmp_path)
    (tmp_path / "lease.toml").write_text(LEASE)
    row = laws(tmp_path / "lease.toml", tmp_path, run_cli)["Exclusive", None]
    assert (row["law"], row["asked"], row["violated"]) == ("Late > Grace", 500, 225)
    assert row["exceptions"] == row["rivals"] == []


def test_compaction(tmp_path: Path, run_cli: RunCli) -> None:
    rows = laws(SPECS / "compaction" / "sweep.toml", tmp_path, run_cli)
    leak, duplicate = rows["CompactedLedgerLeak", None], rows["DuplicateNullKeyMessage", None]
    assert (leak["law"], leak["violated"], leak["asked"]) == (
        "CompactionTimesLimit >= 3 /\\ MaxCrashTimes >= 1",
        7,
        17,
    )
    assert leak["rivals"] == ["CompactionTimesLimit + MaxCrashTimes >= 4"]
    assert (duplicate["law"], duplicate["violated"], duplicate["asked"]) == ("RetainNullKey", 9, 15)


def test_kip320_and_its_designs(tmp_path: Path, run_cli: RunCli) -> None:
    row = laws(SPECS / "kip320" / "sweep.toml", tmp_path / "first-try", run_cli)["StrongIsr", None]
    assert row["law"] == "Cardinality(Replicas) >= 3 /\\ MaxLeaderEpoch >= 2"
    designs = laws(SPECS / "kip320" / "variants.toml", tmp_path / "variants", run_cli)
    assert {(name, scope): row["law"] for (name, scope), row in designs.items() if name == "StrongIsr"} == {
        ("StrongIsr", "KafkaTruncateToHighWatermark.tla"): "TRUE",
        (
            "StrongIsr",
            "Kip101.tla",
        ): "Cardinality(Replicas) >= 3 \\/ (MaxLeaderEpoch >= 2 /\\ MaxRecords >= 2)",
        ("StrongIsr", "Kip279.tla"): "Cardinality(Replicas) >= 3",
        ("StrongIsr", "Kip320FirstTry.tla"): "Cardinality(Replicas) >= 3 /\\ MaxLeaderEpoch >= 2",
        ("StrongIsr", "Kip320.tla"): "FALSE",
    }
