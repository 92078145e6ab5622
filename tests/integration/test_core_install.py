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


EVERY_COMMAND = """\
inspect Counter.tla
init Counter.tla -o first.toml
cfg sweep.toml -o configs
check Counter.tla -c Max=3 --invariant Small
sweep sweep.toml -o store
trace store 3
report store -o page.html
gate sweep.toml -o store
tools list
doctor --no-self-test
examples list
"""
PROGRAM = """
import sys
from pathlib import Path
from tests import command
for line in sys.argv[1].splitlines():
    ended = command.run(*line.split(), cwd=Path())
    assert "Traceback" not in ended.stderr, ended
    # For the gate nothing is left to run.
    assert ended.stderr.count("running on threads") == line.startswith("sweep"), ended
    print(line.split()[0], ended.code, "Small" in ended.stdout)
"""


def test_every_command(core_only: dict[str, str], tiny_sweep: Path, tmp_path: Path) -> None:
    path = os.pathsep.join([core_only["PYTHONPATH"], str(Path(__file__).parents[2])])
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, EVERY_COMMAND],
        env={**os.environ, **core_only, "PYTHONPATH": path},
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "inspect 0 True",
        "init 0 False",
        "cfg 0 False",
        "check 1 True",
        "sweep 1 True",
        "trace 0 True",
        "report 0 False",
        "gate 1 True",
        "tools 0 False",
        "doctor 0 False",
        "examples 0 False",
    ]
    assert (tmp_path / "page.html").is_file()


def test_jvms_that_stay_use_the_same_jar(core_only: dict[str, str]) -> None:
    program = "from tla2py.tlc.process.gateway import gateway_jar; print(gateway_jar())"

    def jar(env: dict[str, str]) -> Path:
        command = [sys.executable, "-c", program]
        done = subprocess.run(command, env={**os.environ, **env}, capture_output=True, text=True, check=True)
        return Path(done.stdout.strip())

    assert jar(core_only) == jar({})
    assert jar({}).is_file()


def test_a_master_needs_spark(run_cli: RunCli, core_only: dict[str, str], tiny_sweep: Path) -> None:
    swept = run_cli("sweep", "sweep.toml", "--master", "local[2]", "-o", "store", env=core_only, code=2)
    assert swept.error.code == "spark-missing"
    assert "tla2py[spark]" in swept.hint


def test_spark_sql_needs_spark(run_cli: RunCli, core_only: dict[str, str], tiny_sweep: Path) -> None:
    run_cli("sweep", "sweep.toml", "-o", "store", env=core_only)
    answered = run_cli("query", "store", "SELECT count(*) AS n FROM runs", "--json", env=core_only)
    assert json.loads(answered.stdout)[0]["n"] > 0
    refused = run_cli("query", "store", "--engine", "spark", "SELECT md5(verdict) FROM runs", env=core_only)
    assert (refused.code, refused.error.code) == (2, "spark-missing")
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
