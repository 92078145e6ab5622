"""The runs of all sweeps of a command share the slots; points with the same model share a run."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from tests.conftest import COUNTER, COUNTER_SWEEP, RunCli
from tests.integration.test_inside import SPECS
from tla2py.analysis.view import open_view
from tla2py.tlc.process.system import this_machine

pytestmark = pytest.mark.java

# A search without end, which takes as long as it may.
ENDLESS = f"""\
module = "{SPECS}/Endless.tla"
[model]
specification = "Count"
[tlc]
timeout = "6s"
memory = "256MiB"
[expect]
verdict = "inconclusive"
"""


def test_two_sweeps_share_the_slots(tmp_path: Path, run_cli: RunCli) -> None:
    assert this_machine().cores >= 2
    for name in ("a", "b"):
        (tmp_path / f"{name}.toml").write_text(ENDLESS)
    done = run_cli("sweep", "a.toml", "b.toml", "--executor", "local", "-o", "stores", code=0)
    spans = []
    for name in ("a", "b"):
        # The same run, in the store of each.
        [row] = open_view(tmp_path / "stores" / name).arrow("runs").to_pylist()
        assert row["outcome"] == "timeout"
        spans.append((row["started_at"], row["started_at"] + timedelta(seconds=row["wall_seconds"])))
    (first, first_end), (second, second_end) = spans
    assert max(first, second) < min(first_end, second_end)
    for name in ("a", "b"):
        assert f"{name}: 1 run to execute" in done.stderr
        assert f"{name}: the one point is as expected" in done.stderr


def test_an_error_in_one_sweep_keeps_what_the_others_have(tmp_path: Path, run_cli: RunCli) -> None:
    (tmp_path / "Counter.tla").write_text(COUNTER)
    for name in ("a", "b"):
        (tmp_path / f"{name}.toml").write_text(COUNTER_SWEEP.replace("[1, 2, 3]", "[1, 2]"))
    done = run_cli("sweep", "a.toml", "b.toml", "--executor", "local", code=0)
    # One sweep has all of its runs, the other some.
    (tmp_path / "b.toml").write_text(COUNTER_SWEEP)
    (tmp_path / "c.toml").write_text(COUNTER_SWEEP.replace("[1, 2, 3]", "[3]"))
    done = run_cli("sweep", "a.toml", "b.toml", "c.toml", "--executor", "local", code=1)
    assert "nothing to run: all 2 runs are in runs/a already" in done.stderr
    assert "b: 1 run to execute, 2 are there already" in done.stderr
    assert "c: 1 run to execute" in done.stderr
    for name, points in (("a", 2), ("b", 3), ("c", 1)):
        view = open_view(tmp_path / "runs" / name)
        assert len(view.run_rows) == len(view.points) == points


def test_points_with_the_same_model_share_a_run(tmp_path: Path, run_cli: RunCli) -> None:
    (tmp_path / "Counter.tla").write_text((SPECS / "Counter.tla").read_text())
    # A set of one element has no symmetry.
    (tmp_path / "sweep.toml").write_text(
        'module = "Counter.tla"\n[model]\ninvariants = ["Small"]\ncheck_deadlock = false\n'
        '[constants]\nBound = 2\n[parameters]\nProcs = ["{p1}"]\nMax = [1, 2]\nsymmetry = [false, "Procs"]\n'
        '[tlc]\ntimeout = "1m"\nmemory = "256MiB"\n'
    )
    done = run_cli("sweep", "sweep.toml", "--executor", "local", code=1)
    assert "sweep: 2 runs to execute" in done.stderr
    assert "sweep: 4 points with 2 different models; each is run once for all of its points" in done.stderr
    rows = open_view(tmp_path / "runs/sweep").run_rows
    assert [row.verdict.value for row in rows] == ["holds", "holds", "violated", "violated"]
    assert len({row.run_id for row in rows}) == 2
    # Of all points, and of those that a limited sweep runs.
    some = run_cli("sweep", "sweep.toml", "--executor", "local", "--points", "2-3", code=1)
    assert "different model" not in some.stderr
    assert [row.point for row in open_view(tmp_path / "runs/sweep/limited").run_rows] == [1, 2, 3, 4]
