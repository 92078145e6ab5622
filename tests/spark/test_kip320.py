"""The main job as the README has it: the KIP-320 sweep on Spark, its figures, its SQL, and running it again."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import tla2py
from tests import command
from tests.conftest import RunCli
from tests.integration.test_sweep import rows

pytestmark = [pytest.mark.spark, pytest.mark.filterwarnings("ignore::ResourceWarning")]

ROOT = Path(__file__).resolve().parent.parent.parent
SWEEP = ROOT / "specs" / "kip320" / "sweep.toml"
# Generated, distinct and depth of the published modules under TLC 2.15.
FIGURES = {
    ("{b1, b2}", 1): (2399, 1165, 15),
    ("{b1, b2}", 2): (19387, 8429, 18),
    ("{b1, b2}", 3): (118881, 46465, 21),
    ("{b1, b2, b3}", 1): (179830, 59092, 22),
}


@pytest.fixture(scope="module")
def swept(session: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    store = tmp_path_factory.mktemp("kip320") / "store"
    return store, command.run("sweep", SWEEP, "-o", store, cwd=store.parent, code=0).stdout


def test_figures_and_the_summary_are_those_of_the_published_modules(swept: tuple[Path, str]) -> None:
    runs = tla2py.open_store(swept[0]).runs
    for (replicas, epoch), figures in FIGURES.items():
        row = runs[(runs.Replicas == replicas) & (runs.MaxLeaderEpoch == epoch)].iloc[0]
        assert ((row.generated, row.distinct, row.depth), row.verdict) == (figures, "holds")
    broken = runs[runs.verdict == "violated"]
    assert list(zip(broken.Replicas, broken.MaxLeaderEpoch, strict=True)) == [("{b1, b2, b3}", 2)]
    traces = tla2py.open_store(swept[0]).traces
    assert dict(zip(traces.name, traces.length, strict=True)) == {"WeakIsr": 12, "StrongIsr": 13}
    assert "violated: WeakIsr in 12, StrongIsr in 13" in swept[1]
    first = "Replicas = {b1, b2, b3}, MaxLeaderEpoch = 2  WeakIsr in 12 states, StrongIsr in 13 states"
    assert first in swept[1]


def test_the_statement_of_the_readme(swept: tuple[Path, str], run_cli: RunCli) -> None:
    page = (ROOT / "README.md").read_text()
    shown = re.search(r'tla2py query runs/kip320-first-try "(\s+SELECT.*?)"', page, re.DOTALL)
    assert shown
    found = run_cli("query", swept[0], "--json", shown[1], code=0).json
    assert {row["violates"] for row in found} == {"WeakIsr", "StrongIsr"}
    changes = tla2py.open_store(swept[0]).changes
    moves = changes[changes.path.str.endswith(".hw")].sort_values("index").groupby("trace").first()
    assert sorted((r["step"], r["action"], r["moved"]) for r in found) == sorted(
        zip(moves["index"], moves.action, moves.variable + moves.path, strict=True)
    )
    # What the README shows of the answer is what the answer is.
    for row in found:
        line = r"\s+".join(re.escape(str(value)) for value in row.values())
        assert re.search(line, page)


def test_running_it_again_runs_nothing(swept: tuple[Path, str], run_cli: RunCli) -> None:
    before = rows(swept[0], "runs")
    again = run_cli("sweep", SWEEP, "-o", swept[0], code=0)
    assert (again.executed, again.cached) == (0, 5)
    assert rows(swept[0], "runs") == before
