"""The sweeps of the systems in full: as expected, each counterexample confirmed by TLC itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import RunCli
from tests.systems.rows import SPECS

pytestmark = [pytest.mark.java, pytest.mark.reference]

# The one point of large.toml alone takes up to half an hour.
SWEEPS = sorted(path for path in SPECS.glob("*/*.toml") if path.stem != "large")


@pytest.mark.parametrize("sweep", SWEEPS, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_tlc_confirms_what_a_sweep_found(sweep: Path, tmp_path: Path, run_cli: RunCli) -> None:
    swept = run_cli("sweep", sweep, "--executor", "local", "-o", tmp_path / "store")
    assert swept.code == 0, swept.stderr
    confirmed = run_cli("trace", tmp_path / "store", "--verify")
    assert confirmed.code == 0, confirmed.stdout
