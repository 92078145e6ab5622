"""`pip install tla2py` alone: without pyspark and pandas everything works but clusters and frames, which say what to do."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import RunCli

pytestmark = pytest.mark.java


def test_every_command(run_cli: RunCli, core_only: dict[str, str], tiny_sweep: Path, tmp_path: Path) -> None:
    def run(*args: str, code: int = 0) -> str:
        ended = run_cli(*args, env=core_only)
        assert ended.code == code, (args, ended)
        assert "Traceback" not in ended.stderr
        # For the gate nothing is left to run.
        assert ended.stderr.count("running on threads") == (args[0] == "sweep")
        return ended.stdout

    assert "x" in run("inspect", "Counter.tla")
    run("init", "Counter.tla", "-o", "first.toml")
    run("cfg", "sweep.toml", "-o", "configs")
    assert "violated" in run("check", "Counter.tla", "-c", "Max=3", "--invariant", "Small", code=1)
    assert "violated: Small" in run("sweep", "sweep.toml", "-o", "store", code=1)
    assert "Small is violated" in run("trace", "store", "3")
    assert "page.html" in run("report", "store", "-o", "page.html")
    run("gate", "sweep.toml", "-o", "store", code=1)
    run("tools", "list")
    run("doctor", "--no-self-test")
    run("examples", "list")


def test_jvms_that_stay_use_the_same_jar(core_only: dict[str, str]) -> None:
    program = "from tla2py.tlc.jvm.gateway import gateway_jar; print(gateway_jar())"

    def jar(env: dict[str, str]) -> Path:
        command = [sys.executable, "-c", program]
        done = subprocess.run(command, env={**os.environ, **env}, capture_output=True, text=True, check=True)
        return Path(done.stdout.strip())

    assert jar(core_only) == jar({})
    assert jar({}).is_file()


def test_a_master_needs_spark(run_cli: RunCli, core_only: dict[str, str], tiny_sweep: Path) -> None:
    swept = run_cli("sweep", "sweep.toml", "--master", "local[2]", "-o", "store", env=core_only)
    assert swept.code == 2
    assert swept.error.code == "spark-missing"
    assert "tla2py[spark]" in swept.hint


def test_queries_need_spark_where_duckdb_would_differ(
    run_cli: RunCli, core_only: dict[str, str], tiny_sweep: Path
) -> None:
    run_cli("sweep", "sweep.toml", "-o", "store", env=core_only)
    answered = run_cli("query", "store", "SELECT count(*) AS n FROM runs", "--json", env=core_only)
    assert json.loads(answered.stdout)[0]["n"] > 0
    refused = run_cli("query", "store", "SELECT md5(verdict) FROM runs", env=core_only)
    assert (refused.code, refused.error.code) == (2, "spark-missing")
    assert "md5()" in refused.error.message
    assert "tla2py[spark]" in refused.hint
    unread = run_cli("query", "store", "SELECT point FROM runs WHERE (", env=core_only)
    assert (unread.code, unread.error.code) == (2, "sql")


def test_the_interpreter_of_these_tests_has_the_core_alone(
    run_cli: RunCli, core_only: dict[str, str]
) -> None:
    for env, installed in ((core_only, False), (None, True)):
        found = json.loads(run_cli("doctor", "--no-self-test", "--json", env=env).stdout)
        [spark] = [each for each in found if each["about"] == "Spark"]
        assert ("pip install" in spark["remedy"]) == (not installed), spark
