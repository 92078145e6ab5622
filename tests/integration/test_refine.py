"""``sweep --refine`` runs the points that would refute a law, and says which laws survive."""

from __future__ import annotations

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
    ended = run_cli("sweep", sweep, "--executor", "local", "--refine", "1", "-o", tmp_path / "store")
    assert ended.code == 1, ended.stderr
    lines = ended.stdout.splitlines()
    assert "  { Max = 5 }" in lines
    assert any(line.startswith(answer) for line in lines), ended.stdout
    # The points of the file are those of the store again.
    again = run_cli("sweep", sweep, "--executor", "local", "-o", tmp_path / "store")
    assert "nothing to run" in again.stderr
