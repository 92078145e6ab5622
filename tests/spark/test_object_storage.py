"""Spark and stores on object storage: workers put the records there, and tables are read without Spark's connector."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import tla2py
from tests.conftest import SPECS, RunCli
from tests.integration.test_object_storage import answers
from tests.objects import Storage
from tests.spark.test_jobs import SUMMARY, Cluster, cluster, local_store, submit
from tla2py.spark.frames import load_runs, summarize

__all__ = ["cluster", "local_store"]

pytestmark = [pytest.mark.spark, pytest.mark.filterwarnings("ignore::ResourceWarning")]


@pytest.fixture(autouse=True)
def let_in(storage: Storage, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in storage.env.items():
        monkeypatch.setenv(name, value)


@pytest.mark.long
def test_workers_put_their_records(
    storage: Storage, local_store: Path, session: SparkSession, tmp_path: Path, run_cli: RunCli
) -> None:
    address = storage.uri(f"{storage.bucket('workers')}/counter")
    # Spark's Python workers have the environment of the process that started Spark.
    sweep = ("sweep", SPECS / "counter.toml", "--master", "local[2,4]", "-o", address)
    run_cli(*sweep, env=storage.env, process=True, code=0)
    view = tla2py.open_store(address)
    assert answers(view) == answers(tla2py.open_store(local_store))
    states = view.spark("states")
    assert states.count() == len(view.states)
    assert states.schema["state"].dataType.typeName() == "variant"
    asked = run_cli("query", address, "SELECT count(*) AS n FROM changes", "--json", env=storage.env)
    assert f'"n": {len(view.changes)}' in asked.stdout, asked.stderr
    found = summarize(load_runs(session, [address])).collect()
    assert {(row["verdict"], row["name"]): (row["points"], row["shortest"]) for row in found} == SUMMARY


@pytest.mark.long
def test_a_cluster_that_shares_no_file(
    storage: Storage, cluster: Cluster, local_store: Path, tmp_path: Path
) -> None:
    address = f"s3://{storage.bucket('cluster')}/counter"
    sweep = str(SPECS / "counter.toml")
    # Executors get this process's variables for the storage.
    told = [f"spark.executorEnv.{name}={value}" for name, value in storage.env.items()]
    conf = ["--master", cluster.master, *(part for each in told for part in ("--conf", each))]
    env = {**storage.env, "SPARK_LOCAL_IP": "127.0.0.1"}
    submit("run_sweep.py", sweep, "-o", address, cwd=tmp_path, conf=conf, env=env)
    there = tla2py.open_store(storage.uri("cluster/counter"))
    assert answers(there) == answers(tla2py.open_store(local_store))
    # Its executors see neither the driver's copies of the tables nor, through Spark, the storage.
    said = submit("summarize.py", address, cwd=tmp_path, conf=conf, env=env)
    assert "Below" in said.stdout
    assert "Small" in said.stdout
