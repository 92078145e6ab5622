"""Spark's start beside the first runs, and the order and turns of runs."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import count, pairwise
from pathlib import Path

import psutil
import pytest

import tla2py
from tests.conftest import COUNTER, COUNTER_SWEEP, RunCli
from tests.integration.test_sweep import processes_of, wait_until_gone
from tests.stores import table_rows
from tla2py.errors import ExitCode
from tla2py.execution.executor import Executor
from tla2py.execution.listener import SILENT
from tla2py.execution.schedule import Durations, earlier_durations, schedule_runs, weigh
from tla2py.execution.sweeps import SweepOptions, run_sweeps
from tla2py.gate.run import gate
from tla2py.spark.choice import HandoverExecutor, choose_executor
from tla2py.spark.launch import SparkStart
from tla2py.store.store import Store
from tla2py.sweep.load import load_sweep
from tla2py.sweep.plan import plan_sweep
from tla2py.sweep.sweep import Sweep
from tla2py.tlc.process.pool import LONG_SECONDS
from tla2py.tlc.tools.toolchain import find_jar, find_toolchain

ROOT = Path(__file__).parents[2]


def calling(call: str, folder: Path) -> list[str]:
    """The command of a process that calls a function of this module with ``folder``."""
    names = "from pathlib import Path\nfrom tests.integration.test_hidden_start import *\n"
    return [sys.executable, "-c", f"import sys\n{names}folder = Path(sys.argv[1])\n{call}", str(folder)]


def executors(store: Path) -> list[str]:
    return [row["executor"] for row in table_rows(store, "runs")]


def run_while_starting(sweep: Path) -> list[str]:
    """Run a sweep on threads while Spark starts, although its points are few; what was told meanwhile."""
    told: list[str] = []

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
    return told


def test_few_points_never_start_spark(run_cli: RunCli, tiny_sweep: Path) -> None:
    # A Spark that cannot start would be reported.
    nowhere = {"SPARK_HOME": "/nowhere"}
    for executed in (3, 0):
        swept = run_cli("sweep", "sweep.toml", "-o", "store", env=nowhere)
        assert (swept.code, swept.executed) == (1, executed), swept.stderr
        assert "on threads" not in swept.stderr
    assert executors(tiny_sweep.with_name("store")) == ["local"] * 3


def test_a_spark_that_fails_is_reported_once(tiny_sweep: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPARK_HOME", "/nowhere")
    [text] = run_while_starting(tiny_sweep)
    assert text.startswith("running on threads, since Spark did not start")
    assert executors(tiny_sweep.with_name("store")) == ["local"] * 3


def test_needless_spark_is_killed(tiny_sweep: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
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
    assert not run_while_starting(tiny_sweep)
    assert executors(tiny_sweep.with_name("store")) == ["local"] * 3
    assert launched
    assert not [process for process in launched if process.is_running()]


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_kills_as_spark_starts_leave_nothing(sent: signal.Signals, tiny_sweep: Path, tmp_path: Path) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    command, env = calling("run_while_starting(folder)", tiny_sweep), {**os.environ, "TMPDIR": str(scratch)}
    process = subprocess.Popen(command, env=env, cwd=ROOT, stderr=subprocess.DEVNULL, start_new_session=True)
    deadline = time.monotonic() + 60
    while not any("SparkSubmit" in line for line in processes_of(scratch)):
        assert time.monotonic() < deadline
        assert process.poll() is None
        time.sleep(0.02)
    process.send_signal(sent)
    process.wait(timeout=30)
    assert not wait_until_gone(scratch), processes_of(scratch)


# What each says of the points that both have is wrong of the other.
EXPECTED = '[expect]\nverdict = "holds"\n[[expect.point]]\nmatch = {{ Max = {} }}\nviolates = ["Small"]\n'
SWEEPS = {"few": ("Low", 3, "[1, 2, 3]", 3), "many": ("High", 5, "[3, 1, 2, 4, 5]", 5)}
HERE = choose_executor("local", None, SILENT)


def take_turns(folder: Path) -> None:
    """Sweep by turns without end; now and then the runs are executed again."""
    sys.stdout.write("begun\n")
    sys.stdout.flush()
    for turn in count(1):
        for name in SWEEPS:
            sweep_once(folder, name, fresh=name == "few" and turn % 25 == 0)


def sweep_once(folder: Path, name: str, *, fresh: bool = False) -> None:
    [sweep] = SweepOptions().load([folder / f"{name}.toml"])
    [result] = run_sweeps([sweep], find_toolchain(None), HERE, store=folder / "store", fresh=fresh)
    assert result.exit_code == ExitCode.OK


@contextlib.contextmanager
def turns_in(folder: Path) -> Iterator[None]:
    """A folder with a store on which a process sweeps by turns."""
    for name, (module, limit, values, violated) in SWEEPS.items():
        text = COUNTER.replace("MODULE Counter", f"MODULE {module}").replace("x < 3", f"x < {limit}")
        (folder / f"{module}.tla").write_text(text)
        sweep = COUNTER_SWEEP.replace("Counter.tla", f"{module}.tla").replace("[1, 2, 3]", values)
        (folder / f"{name}.toml").write_text(sweep + EXPECTED.format(violated))
        sweep_once(folder, name)
    with subprocess.Popen(calling("take_turns(folder)", folder), cwd=ROOT, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"begun\n"
        try:
            yield
            assert process.poll() is None
        finally:
            process.terminate()


@pytest.mark.parametrize("count", [40, pytest.param(2000, marks=pytest.mark.long)])
def test_gates_while_two_sweeps_take_turns(tmp_path: Path, count: int) -> None:
    seen: list[str] = []
    with turns_in(tmp_path):
        while len(seen) < count or sum(one != other for one, other in pairwise(seen)) < count / 20:
            [gated] = gate([str(tmp_path / "store")], HERE)
            name = gated.sweep.path.stem
            found = [problem.text for problem in gated.decision.all_problems]
            assert (gated.decision.exit_code, found) == (ExitCode.OK, []), (name, len(seen))
            assert len(gated.decision.points) == {"few": 3, "many": 5}[name]
            assert all(point.row is not None for point in gated.decision.points)
            seen.append(name)


def test_what_weighs_more_and_points_that_were_never_run_take_as_long_as_those_nearby() -> None:
    assert weigh({"S": "{a, b}"}) < weigh({"S": "{a, b, c}"})
    assert weigh({"N": "2", "M": "1"}) < weigh({"N": "2", "M": "2"})
    known = {"1": 1.0, "8": 80.0}
    durations = Durations({(("N", n),): took for n, took in known.items()})
    assert [durations.seconds({"N": n}) for n in ("1", "2", "7", "8", "9")] == [1, 1, 80, 80, 80]
    assert Durations().seconds({"N": "1"}) is None


def test_a_store_tells_of_runs_of_the_modules_before(tiny_sweep: Path, run_cli: RunCli) -> None:
    store = Store(tiny_sweep.with_name("store"))
    assert not earlier_durations(store).by_parameters
    run_cli("sweep", tiny_sweep, "--executor", "local", "-o", store.path, code=1)
    with tiny_sweep.with_name("Counter.tla").open("a") as module:
        module.write("\n\\* changed\n")
    plan = plan_sweep(load_sweep(tiny_sweep), find_jar().sha256)
    run_ids = {point.parameters["Max"]: run.run_id for point, run in zip(plan.points, plan.runs, strict=True)}
    assert not {*run_ids.values()} & store.recorded()
    durations = earlier_durations(store)
    took = {size: durations.seconds({"Max": size}) for size in run_ids}
    told = tla2py.open_store(store.path).arrow("runs").to_pylist()
    assert took == {str(row["Max"]): row["wall_seconds"] for row in told}
    schedule = schedule_runs(plan, durations, range(3))
    longest_first = sorted(took, key=lambda size: took[size] or 0, reverse=True)
    assert [plan.points[place].parameters["Max"] for place in schedule.places] == longest_first
    assert schedule.long == {run_ids[size] for size in took if (took[size] or 0) >= LONG_SECONDS}
    assert schedule.seconds == pytest.approx(sum(each or 0 for each in took.values()))
    slow = Durations({(("Max", size),): LONG_SECONDS if size == "2" else 1.0 for size in run_ids})
    assert schedule_runs(plan, slow, range(3)).long == {run_ids["2"]}
    assert schedule_runs(plan, Durations(), range(3)).seconds is None
    assert schedule_runs(plan, slow, [1]).seconds == LONG_SECONDS
