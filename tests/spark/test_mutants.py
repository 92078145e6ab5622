"""``tla2py mutate`` on Spark."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import RunCli
from tests.stores import table_rows

pytestmark = pytest.mark.spark

COUNTER = Path(__file__).resolve().parent.parent / "specs" / "counter.toml"


def test_statuses_are_those_of_the_local_executor(run_cli: RunCli, tmp_path: Path) -> None:
    found = {}
    for name, options in (("local", ()), ("spark", ("--master", "local[2,4]"))):
        arguments = ("--points", "1,4", "--json", "-o", tmp_path / name, "--executor", name, *options)
        ended = run_cli("mutate", COUNTER, *arguments, code=0)
        found[name] = ended.json
        assert {row["executor"] for row in table_rows(tmp_path / name, "runs")} == {name}
    assert found["spark"] == found["local"]
    assert {row["operator"]: row["status"] for row in found["local"]} == {
        "change-initial-value": "survived",
        "drop-guard": "killed",
        "negate-guard": "survived",
        "swap-comparison": "killed",
        "drop-update": "survived",
        "swap-arithmetic": "unknown",
    }
