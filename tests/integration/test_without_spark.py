"""Where pyspark is not installed everything works but Spark itself, and that says what to do."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conftest import RunCli

pytestmark = pytest.mark.java


def test_every_command_but_those_on_spark(
    run_cli: RunCli, without_spark: dict[str, str], tiny_sweep: Path, tmp_path: Path
) -> None:
    def run(*args: str, code: int = 0) -> str:
        ended = run_cli(*args, env=without_spark)
        assert ended.code == code, (args, ended)
        assert "Traceback" not in ended.stderr
        return ended.stdout

    assert "x" in run("inspect", "Counter.tla")
    run("init", "Counter.tla", "-o", "first.toml")
    run("cfg", "sweep.toml", "-o", "configs")
    assert "violated" in run("check", "Counter.tla", "-c", "Max=3", "--invariant", "Small", code=1)
    assert "violated: Small" in run("sweep", "sweep.toml", "--executor", "local", "-o", "store", code=1)
    assert "Small is violated" in run("trace", "store", "3")
    assert "page.html" in run("report", "store", "-o", "page.html")
    run("gate", "sweep.toml", "--executor", "local", "-o", "store", code=1)
    run("tools", "list")
    run("doctor", "--no-self-test")
    run("examples", "list")


def test_what_needs_spark_says_so(
    run_cli: RunCli, without_spark: dict[str, str], tiny_sweep: Path, tmp_path: Path
) -> None:
    swept = run_cli("sweep", "sweep.toml", "-o", "store", env=without_spark)
    assert swept.code == 2
    assert swept.error.code == "spark-missing"
    assert "--executor local" in swept.hint
    queried = run_cli("query", "store", "SELECT 1", env=without_spark)
    assert queried.code == 2
    assert queried.error.code == "spark-missing"


def test_the_interpreter_of_these_tests_has_no_spark(run_cli: RunCli, without_spark: dict[str, str]) -> None:
    for env, installed in ((without_spark, False), (None, True)):
        found = json.loads(run_cli("doctor", "--no-self-test", "--json", env=env).stdout)
        [spark] = [each for each in found if each["about"] == "Spark"]
        assert ("pip install" in spark["remedy"]) == (not installed), spark
