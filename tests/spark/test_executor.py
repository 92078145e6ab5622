"""Runs that Spark executes: who asks for it, and hosts, jars, mutants and logs there."""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from pathlib import Path

import psutil
import pytest
from pyspark.sql import SparkSession

from tests.conftest import COUNTER, COUNTER_SWEEP, SPECS, RunCli
from tests.integration.test_sweep import processes_of, wait_until_gone
from tests.integration.test_watch import first_counts
from tests.jars import remade_jar
from tests.stores import lasting_rows, record_ids, table_rows
from tla2py.spark.choice import SparkExecutor
from tla2py.spark.tasks import SparkTasks
from tla2py.store.store import Store
from tla2py.tlc.tools.jar import bundled_jar

pytestmark = pytest.mark.spark

SYSTEMS = Path(__file__).resolve().parents[2] / "specs"

SWEEP_ON_SPARK = COUNTER_SWEEP.replace("[tlc]\n", '[tlc]\nexecutor = "spark"\n')


def executors(store: Path) -> Counter[str]:
    return Counter(row["executor"] for row in table_rows(store, "runs"))


@pytest.mark.parametrize(
    ("options", "expected"), [((), "spark"), (("--executor", "local"), "local")], ids=["file", "option"]
)
def test_a_sweep_file_names_its_executor(
    options: tuple[str, ...], expected: str, tmp_path: Path, run_cli: RunCli
) -> None:
    (tmp_path / "Counter.tla").write_text(COUNTER)
    (tmp_path / "sweep.toml").write_text(SWEEP_ON_SPARK)
    run_cli("sweep", "sweep.toml", "-o", "store", *options, process=True, code=1)
    assert executors(tmp_path / "store") == {expected: 3}
    assert not wait_until_gone(tmp_path), processes_of(tmp_path)


def test_the_executor_is_no_part_of_a_runs_identity(tmp_path: Path, run_cli: RunCli) -> None:
    (tmp_path / "Counter.tla").write_text(COUNTER)
    (tmp_path / "sweep.toml").write_text(COUNTER_SWEEP)
    run_cli("sweep", "sweep.toml", "-o", "store", process=True, code=1)
    assert executors(tmp_path / "store") == {"local": 3}
    (tmp_path / "sweep.toml").write_text(SWEEP_ON_SPARK)
    again = run_cli("sweep", "sweep.toml", "-o", "store", process=True, code=1)
    assert again.executed == 0


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
        [row] = table_rows(tmp_path / "runs" / name / "limited", "runs")
        assert row["executor"] == "spark"
    # Threads execute what nobody asks Spark for.
    done = run_cli(command, *files, "--points", "1", "--fresh", process=True)
    assert f"{name}: 1 run by threads of this machine" in done.stderr


def test_tasks_run_the_jar_that_is_named(run_cli: RunCli, tmp_path: Path) -> None:
    (tmp_path / "Counter.tla").write_text(COUNTER)
    other = remade_jar(bundled_jar(), tmp_path / "other.jar", version="Version 2.99")
    digest = hashlib.sha256(other.read_bytes()).hexdigest()
    (tmp_path / "s.toml").write_text(
        'module = "Counter.tla"\n[model]\ninvariants = ["Small"]\n[parameters]\nMax = [1, 2]\n'
    )
    named = ("--tla2tools", "other.jar", "--master", "local[2]")
    run_cli("sweep", "s.toml", *named, cwd=tmp_path, process=True, code=0)
    rows = table_rows(tmp_path / "runs/s", "runs")
    assert {row["executor"] for row in rows} == {"spark"}
    assert [(row["tlc_version"], row["jar_sha256"]) for row in rows] == [("2.99", digest)] * 2


def test_small_runs_share_a_jvm_that_ends_with_spark(run_cli: RunCli, tmp_path: Path) -> None:
    path = tmp_path / "store"
    run_cli("sweep", SPECS / "counter.toml", "-o", path, "--master", "local[1,4]", process=True, code=0)
    places = set()
    for run_id in record_ids(path):
        with Store(path).archive(run_id) as archive:
            for execution in archive.record.executions:
                places |= {part for part in execution.argv if part.startswith("-Djava.io.tmpdir=")}
    (place,) = places
    assert "tla2py-host-" in place
    folder = place.partition("=")[2]
    every = psutil.process_iter(["cmdline"])
    using = [each for each in every if any(folder in word for word in each.info["cmdline"] or ())]
    gone, alive = psutil.wait_procs(using, timeout=15)
    assert not alive, gone
    assert not Path(folder).exists()


def test_the_answers_on_logs_are_those_of_threads(run_cli: RunCli, tmp_path: Path) -> None:
    names = ("rm1", "rm2", "rm3")
    logs = [tmp_path / f"{number}.ndjson" for number in range(3)]
    for log, missing in zip(logs, (None, "RMPrepare", "TMRcvPrepared"), strict=True):
        steps = [(action, {"r": name}) for action in ("RMPrepare", "TMRcvPrepared") for name in names]
        kept = [step for step in (*steps, ("TMCommit", {})) if step[0] != missing]
        log.write_text("".join(json.dumps({"action": action, "args": args}) + "\n" for action, args in kept))
    found = {}
    for name, options in (("threads", ["local"]), ("spark", ["spark", "--master", "local[2]"])):
        asked = ("validate", SYSTEMS / "two_phase" / "TwoPhase.tla", *logs, "-o", tmp_path / name)
        run_cli(*asked, "--json", "--executor", *options, code=1)
        tables = ("runs", "logs", "log_lines", "coverage")
        found[name] = [lasting_rows(tmp_path / name, table) for table in tables]
    assert found["spark"] == found["threads"]
    assert [row["matched"] for row in found["spark"][1]] == [7, 0, 3]


def test_the_statuses_of_mutants_are_those_of_the_local_executor(run_cli: RunCli, tmp_path: Path) -> None:
    found = {}
    for name, options in (("local", ()), ("spark", ("--master", "local[2,4]"))):
        arguments = ("--points", "1,4", "--json", "-o", tmp_path / name, "--executor", name, *options)
        found[name] = run_cli("mutate", SPECS / "counter.toml", *arguments, code=0).json
        assert {row["executor"] for row in table_rows(tmp_path / name, "runs")} == {name}
    assert found["spark"] == found["local"]
    assert {row["operator"]: row["status"] for row in found["local"]} == {
        **dict.fromkeys(("change-initial-value", "negate-guard", "drop-update"), "survived"),
        **dict.fromkeys(("drop-guard", "swap-comparison"), "killed"),
        "swap-arithmetic": "unknown",
    }


@pytest.mark.long
def test_a_state_graph_answers_its_page(tmp_path: Path, run_cli: RunCli) -> None:
    folder, store = SYSTEMS / "ledger_chaining", tmp_path / "store"
    shown = r'tla2py query runs/ledger-chaining-graph "(.*?)"\n(.*?)```'
    found = re.search(shown, (folder / "README.md").read_text(), re.DOTALL)
    assert found
    run_cli("sweep", folder / "graph.toml", "--executor", "local", "-o", store, code=0)
    said = [line.split() for line in run_cli("query", store, found[1], code=0).stdout.splitlines()]
    assert said == [line.split() for line in found[2].splitlines()]
    assert ["2", "0", "144"] in said


# The last one here, since commands would use the session of this module.
def test_the_counts_of_a_point_that_spark_runs(session: SparkSession, tmp_path: Path) -> None:
    progress = first_counts(SparkExecutor(SparkTasks(session.sparkContext)), tmp_path)
    assert progress.stats.distinct
    assert progress.memory_bytes > 30 << 20
