"""Spark's start beside the first runs of a sweep on this machine."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import psutil
import pytest

from tests.conftest import RunCli
from tests.integration.test_sweep import processes_of, wait_until_gone
from tests.stores import table_rows
from tla2py.execution.executor import Executor
from tla2py.execution.sweeps import SweepOptions, run_sweeps
from tla2py.spark.choice import HandoverExecutor
from tla2py.spark.launch import SparkStart
from tla2py.sweep.sweep import Sweep
from tla2py.tlc.tools.toolchain import find_toolchain


def executors(store: Path) -> list[str]:
    """What executed each point."""
    return [row["executor"] for row in table_rows(store, "runs")]


def run_while_starting(sweep: Path, told: list[str]) -> None:
    """Run a sweep on threads while Spark starts, although its points are few."""

    @contextlib.contextmanager
    def opened(sweeps: Sequence[Sweep]) -> Iterator[Callable[[], Executor]]:
        start = SparkStart("local[1]", 1, only_runs=True)
        try:
            start.begin()
            time.sleep(0.5)
            yield lambda: HandoverExecutor(1, start, told.append)
        finally:
            start.close()

    run_sweeps(SweepOptions().load([sweep]), find_toolchain(), opened, store=sweep.parent / "store")


def test_few_points_never_start_spark(run_cli: RunCli, tiny_sweep: Path) -> None:
    # A Spark that cannot start would be reported.
    nowhere = {"SPARK_HOME": "/nowhere"}
    for executed in (3, 0):
        swept = run_cli("sweep", "sweep.toml", "-o", "store", env=nowhere)
        assert (swept.code, swept.executed) == (1, executed), swept.stderr
        assert "on threads" not in swept.stderr
    assert executors(tiny_sweep.with_name("store")) == ["local"] * 3


def test_a_spark_that_does_not_start_is_reported_once(
    tiny_sweep: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SPARK_HOME", "/nowhere")
    told: list[str] = []
    run_while_starting(tiny_sweep, told)
    [text] = told
    assert text.startswith("running on threads, since Spark did not start")
    assert executors(tiny_sweep.with_name("store")) == ["local"] * 3


def test_a_spark_that_is_not_needed_is_killed(
    tiny_sweep: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    launched: list[psutil.Process] = []
    begin = SparkStart.begin

    def beginning(start: SparkStart) -> None:
        begin(start)
        time.sleep(0.2)
        for process in psutil.Process().children():
            # Processes come and go while they are looked at.
            with contextlib.suppress(psutil.NoSuchProcess):
                if "pyspark-shell" in process.cmdline():
                    launched.append(process)

    monkeypatch.setattr(SparkStart, "begin", beginning)
    told: list[str] = []
    run_while_starting(tiny_sweep, told)
    assert not told
    assert executors(tiny_sweep.with_name("store")) == ["local"] * 3
    assert launched
    assert not [process for process in launched if process.is_running()]


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_a_kill_while_spark_starts_leaves_nothing(
    sent: signal.Signals, tiny_sweep: Path, tmp_path: Path
) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    program = (
        "import sys; from pathlib import Path\n"
        "from tests.integration.test_hidden_start import run_while_starting\n"
        "run_while_starting(Path(sys.argv[1]), [])"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", program, tiny_sweep],
        env={**os.environ, "TMPDIR": str(scratch)},
        cwd=Path(__file__).parents[2],
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    deadline = time.monotonic() + 60
    while not any("SparkSubmit" in line for line in processes_of(scratch)):
        assert time.monotonic() < deadline
        assert process.poll() is None
        time.sleep(0.02)
    process.send_signal(sent)
    process.wait(timeout=30)
    assert not wait_until_gone(scratch), processes_of(scratch)
