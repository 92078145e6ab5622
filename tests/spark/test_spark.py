"""Spark: the same rows as without it, its frames and SQL, and masters that are not there."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import tla2py
from tests import command
from tests.command import tool
from tests.conftest import SPECS, RunCli
from tests.integration.test_sweep import rows
from tla2py.spark.frames import struct_type
from tla2py.store.schema import TABLE_NAMES, TABLES

pytestmark = [pytest.mark.spark, pytest.mark.filterwarnings("ignore::ResourceWarning")]

SWEEP = [sys.executable, "-m", "tla2py", "sweep", str(SPECS / "counter.toml")]


@pytest.fixture(scope="module")
def stores(session: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    base = tmp_path_factory.mktemp("stores")
    for executor in ("local", "spark"):
        done = command.run(*SWEEP[3:], "--executor", executor, "-o", base / executor, cwd=base, code=0)
        assert [(len(result.runs), result.mismatches) for result in done.reported.results] == [(6, ())]
    return base / "local", base / "spark"


@pytest.mark.core
@pytest.mark.parametrize("table", TABLE_NAMES)
def test_rows_are_those_of_the_local_executor(stores: tuple[Path, Path], table: str) -> None:
    local, spark = stores
    # Nothing is simulated here, there are no logs, nothing is mutated, and no program is driven.
    empty = {"drives", "simulations", "logs", "log_lines", "log_mutants", "mutants"}
    assert bool(rows(local, table)) == (table not in empty)
    assert rows(local, table) == rows(spark, table)


@pytest.mark.core
def test_frames_have_their_explicit_schema(stores: tuple[Path, Path], session: SparkSession) -> None:
    view = tla2py.open_store(str(stores[1]))
    for name in TABLES:
        frame = view.spark(name)
        wanted = struct_type(TABLES[name])
        assert frame.columns == wanted.fieldNames()
        for field in wanted:
            variant = name.endswith("states") and field.name == "state"
            kind = "variant" if variant else field.dataType.simpleString()
            assert frame.schema[field.name].dataType.simpleString() == kind
    assert view.spark("runs").count() == 6
    assert view.spark("states").selectExpr("state:count").count() == len(view.states)


def test_sweeps_and_queries_follow_each_other_in_one_process(tmp_path: Path) -> None:
    """The second sweep must not take the context that the first is still stopping."""
    script = """if True:
        import sys, tla2py
        stores = [tla2py.run_sweep(sys.argv[1], f"{sys.argv[2]}/{n}", master="local[2,4]") for n in (1, 2)]
        print([store.spark("runs").count() for store in stores])
    """
    done = tool(sys.executable, "-c", script, SPECS / "counter.toml", tmp_path)
    assert done.stdout == "[6, 6]\n", done.stderr


@pytest.mark.core
def test_query_answers_in_sql(stores: tuple[Path, Path], run_cli: RunCli) -> None:
    asked = "SELECT r.point, r.Max, min(c.index) AS first FROM runs r JOIN changes c USING (run_id) "
    asked += "WHERE c.trace = 1 GROUP BY r.point, r.Max ORDER BY r.point"
    answer = run_cli("query", stores[1], "--json", asked, code=0)
    assert answer.json == [{"point": p, "Max": m, "first": 2} for p, m in ((3, 3), (5, 2), (6, 3))]


LOST = {"yarn": "HADOOP_CONF_DIR", "k8s://https://127.0.0.1:1": "Connection refused", "nonsense://here": ""}


@pytest.mark.parametrize(("master", "reason"), LOST.items())
def test_a_master_that_is_not_there(master: str, reason: str, run_cli: RunCli, tmp_path: Path) -> None:
    asked = ("sweep", SPECS / "counter.toml", "-o", tmp_path / "store", "--master", master)
    ended = run_cli(*asked, process=True)
    assert (ended.code, ended.error.code) == (2, "spark-failed")
    assert master in ended.error.message
    assert reason in ended.error.message
    if reason:
        assert ended.error.message.startswith(f"Spark did not start on {master}: ")
    else:
        assert "Traceback" not in ended.stderr
