"""Laws of what TLC does: ``sweep --refine`` runs the points that would refute one; a law of the points out of time."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conftest import COUNTER, COUNTER_SWEEP, RunCli

pytestmark = pytest.mark.java


@pytest.mark.parametrize(
    ("small", "answer"),
    [
        pytest.param("x < 3", "Small: Max >= 3 survives 5", marks=pytest.mark.long),
        ("x < 3 \\/ Max = 5", "Small: Max >= 3 is refuted at 5; now violated iff Max >= 3 /\\ Max <= 4"),
    ],
)
def test_a_law_survives_or_is_refuted(small: str, answer: str, tmp_path: Path, run_cli: RunCli) -> None:
    (tmp_path / "Counter.tla").write_text(COUNTER.replace("x < 3", small))
    sweep = tmp_path / "sweep.toml"
    sweep.write_text(COUNTER_SWEEP.replace("[1, 2, 3]", "[1, 2, 3, 4]"))
    ended = run_cli("sweep", sweep, "--executor", "local", "--refine", "1", "-o", tmp_path / "store", code=1)
    lines = ended.stdout.splitlines()
    assert "  { Max = 5 }" in lines
    assert any(line.startswith(answer) for line in lines), ended.stdout
    # The points of the file are those of the store again.
    assert "nothing to run" in run_cli("sweep", sweep, "--executor", "local", "-o", tmp_path / "store").stderr


@pytest.mark.long
def test_four_points_out_of_time_have_a_law(tmp_path: Path, run_cli: RunCli) -> None:
    (tmp_path / "Counter.tla").write_text(COUNTER.replace("x < Max /", "(x < Max \\/ Max > 4) /"))
    text = COUNTER_SWEEP.replace("[1, 2, 3]", "[1, 2, 3, 4, 5, 6, 7, 8]").replace('"Small"', "")
    sweep = tmp_path / "sweep.toml"
    sweep.write_text(text.replace("1m", "20s"))
    assert run_cli("sweep", sweep, "--executor", "local", "-o", tmp_path / "store").code == 3
    (row,) = json.loads(run_cli("explain", tmp_path / "store", "--json").stdout)[-1:]
    assert (row["property"], row["law"], row["violated"]) == ("timeout", "Max >= 5", 4)
