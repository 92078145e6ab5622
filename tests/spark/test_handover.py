"""Spark beside a machine's own runs, and what comes out of it: hosts, jars, mutants, logs."""

from __future__ import annotations

import hashlib
import sys
from collections import Counter
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from tests.command import tool
from tests.conftest import COUNTER, COUNTER_SWEEP, RunCli
from tests.integration.test_sweep import SPECS, TIMES, processes_of, wait_until_gone
from tests.integration.test_watch import first_counts
from tests.jars import remade_jar
from tests.stores import table_rows
from tla2py.spark.choice import SparkExecutor
from tla2py.spark.tasks import SparkTasks
from tla2py.tlc.tools.jar import bundled_jar

pytestmark = pytest.mark.spark


# Runs that take TLC so long that Spark is up before a third of them has ended, whatever else the machine does.
SWEEP = """
module = "Counter.tla"
[model]
invariants = ["Below"]
check_deadlock = false
[constants]
Procs = "{p1, p2}"
Max = 120
[parameters]
Bound = { from = 1000, to = 1199 }
"""


def test_spark_runs_a_third_of_200_points(tmp_path: Path) -> None:
    (tmp_path / "Counter.tla").write_text((SPECS / "Counter.tla").read_text())
    (tmp_path / "many.toml").write_text(SWEEP)
    command = [sys.executable, "-m", "tla2py", "sweep", "many.toml", "-o", "store"]
    done = tool(*command, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    rows = table_rows(tmp_path / "store", "runs")
    by = Counter(row["executor"] for row in rows)
    assert by["spark"] >= 200 / 3
    assert by["local"] >= 2
    assert by.total() == 200
    said = {f"{by['spark']} runs by Spark", f"{by['local']} runs by threads of this machine"}
    lines = [line for line in done.stderr.splitlines() if "by Spark" in line]
    assert [{*line.removeprefix("many: ").split(", ")} for line in lines] == [said]
    # Whoever ran it, a point has the same row.
    own = {*TIMES, "run_id", "point", "Bound"}
    assert len({str({name: row[name] for name in row.keys() - own}) for row in rows}) == 1
    assert not wait_until_gone(tmp_path), processes_of(tmp_path)


@pytest.mark.parametrize(
    ("command", "options"), [("sweep", ("--executor", "spark")), ("gate", ("--master", "local[1]"))]
)
def test_spark_alone_where_it_was_asked_for(
    command: str, options: tuple[str, ...], tmp_path: Path, run_cli: RunCli
) -> None:
    (tmp_path / "Counter.tla").write_text(COUNTER)
    (tmp_path / "sweep.toml").write_text(COUNTER_SWEEP)
    (tmp_path / "other.toml").write_text(COUNTER_SWEEP.replace("[1, 2, 3]", "[2]"))
    files = ("sweep.toml", "other.toml") if command == "sweep" else ("sweep.toml",)
    done = run_cli(command, *files, *options, "--points", "1", process=True, code=0)
    # Both sweeps in one pool of tasks, each in its own store.
    for file in files:
        name = Path(file).stem
        assert f"{name}: 1 run by Spark" in done.stderr
        assert [row["executor"] for row in table_rows(tmp_path / "runs" / name / "limited", "runs")] == [
            "spark"
        ]
    # Few short runs do not start it otherwise.
    done = run_cli(command, *files, "--points", "1", "--fresh", process=True)
    assert f"{name}: 1 run by threads of this machine" in done.stderr


def test_the_counts_of_a_point_that_spark_runs(session: SparkSession, tmp_path: Path) -> None:
    progress = first_counts(SparkExecutor(1, SparkTasks(session.sparkContext)), tmp_path)
    assert progress.stats.distinct
    assert progress.memory_bytes > 30 << 20


def test_tasks_run_each_point_with_its_jar(run_cli: RunCli, tmp_path: Path) -> None:
    (tmp_path / "Counter.tla").write_text(COUNTER)
    other = remade_jar(bundled_jar(), tmp_path / "other.jar", version="Version 2.99")
    digest = hashlib.sha256(other.read_bytes()).hexdigest()
    (tmp_path / "s.toml").write_text(
        'module = "Counter.tla"\n[model]\ninvariants = ["Small"]\n[parameters]\n'
        f'jar = ["bundled", {{ path = "other.jar", sha256 = "{digest}" }}]\nMax = [1, 2]\n'
    )
    run_cli("sweep", "s.toml", "--master", "local[2]", cwd=tmp_path, process=True, code=0)
    rows = table_rows(tmp_path / "runs/s", "runs")
    assert {row["executor"] for row in rows} == {"spark"}
    found = [(row["jar"], row["tlc_version"], row["jar_sha256"] == digest) for row in rows]
    assert found == [("bundled", "2.15", False)] * 2 + [("other.jar", "2.99", True)] * 2
