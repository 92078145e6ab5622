"""The order of runs: what took longer the last time starts first."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import tla2py
from tests.conftest import RunCli
from tla2py.execution.durations import NOTHING_KNOWN, Durations, earlier_durations, schedule_runs, weigh
from tla2py.store.store import Store
from tla2py.sweep.load import load_sweep
from tla2py.sweep.plan import plan_sweep
from tla2py.tlc.process.pool import LONG_SECONDS
from tla2py.tlc.tools.toolchain import find_jar

SPECS = Path(__file__).resolve().parent.parent / "specs"
SWEEP = """module = "Counter.tla"
[model]
init = "Init"
next = "Next"
check_deadlock = false
[constants]
Procs = "{p1}"
Bound = 5
[parameters]
Max = [1, 2, 3]
"""


def test_what_weighs_more() -> None:
    assert weigh({"S": "{a, b}"}) < weigh({"S": "{a, b, c}"})
    assert weigh({"N": "2", "M": "1"}) < weigh({"N": "2", "M": "2"})


def test_points_that_were_never_run_take_as_long_as_those_nearby() -> None:
    known = {"1": 1.0, "8": 80.0}
    durations = Durations({(("N", n),): took for n, took in known.items()})
    assert [durations.seconds({"N": n}) for n in ("1", "2", "7", "8", "9")] == [1, 1, 80, 80, 80]
    assert Durations().seconds({"N": "1"}) is None


@pytest.mark.java
def test_a_store_tells_of_runs_of_the_modules_before(tmp_path: Path, run_cli: RunCli) -> None:
    shutil.copy(SPECS / "Counter.tla", tmp_path)
    (tmp_path / "s.toml").write_text(SWEEP)
    store = Store(tmp_path / "store")
    assert not earlier_durations(store).by_parameters
    run_cli("sweep", tmp_path / "s.toml", "--executor", "local", "-o", store.path, code=0)
    with (tmp_path / "Counter.tla").open("a") as module:
        module.write("\n\\* changed\n")
    plan = plan_sweep(load_sweep(tmp_path / "s.toml"), find_jar().sha256)
    run_ids = {point.parameters["Max"]: run.run_id for point, run in zip(plan.points, plan.runs, strict=True)}
    assert not {*run_ids.values()} & store.recorded()
    durations = earlier_durations(store)
    took = {size: durations.seconds({"Max": size}) for size in run_ids}
    told = tla2py.open_store(store.path).arrow("runs").to_pylist()
    assert took == {str(row["Max"]): row["wall_seconds"] for row in told}

    schedule = schedule_runs(plan, durations, range(3))
    assert [plan.points[place].parameters["Max"] for place in schedule.places] == sorted(
        took, key=lambda size: took[size] or 0, reverse=True
    )
    assert schedule.long == {run_ids[size] for size in took if (took[size] or 0) >= LONG_SECONDS}
    assert schedule.seconds == pytest.approx(sum(each or 0 for each in took.values()))
    slow = Durations({(("Max", size),): LONG_SECONDS if size == "2" else 1.0 for size in run_ids})
    assert schedule_runs(plan, slow, range(3)).long == {run_ids["2"]}
    assert schedule_runs(plan, NOTHING_KNOWN, range(3)).seconds is None
    assert schedule_runs(plan, slow, [1]).seconds == LONG_SECONDS
