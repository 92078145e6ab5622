"""The order of runs by how long earlier ones took."""

from __future__ import annotations

from pathlib import Path

import tla2py
from tests.conftest import RunCli
from tla2py.execution.schedule import Durations, earlier_durations, schedule_runs, weigh
from tla2py.store.store import Store
from tla2py.sweep.load import load_sweep
from tla2py.sweep.plan import plan_sweep
from tla2py.tlc.process.pool import LONG_SECONDS
from tla2py.tlc.tools.toolchain import find_jar


def test_unknown_points_take_as_long_as_their_neighbours() -> None:
    assert weigh({"S": "{a, b}"}) < weigh({"S": "{a, b, c}"})
    assert weigh({"N": "2", "M": "1"}) < weigh({"N": "2", "M": "2"})
    known = {"1": 1.0, "8": 80.0}
    durations = Durations({(("N", n),): took for n, took in known.items()})
    assert [durations.seconds({"N": n}) for n in ("1", "2", "7", "8", "9")] == [1, 1, 80, 80, 80]
    assert Durations().seconds({"N": "1"}) is None


def test_durations_come_from_runs_of_earlier_modules(tiny_sweep: Path, run_cli: RunCli) -> None:
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
    slow = Durations({(("Max", size),): LONG_SECONDS if size == "2" else 1.0 for size in run_ids})
    assert schedule_runs(plan, slow, range(3)).long == {run_ids["2"]}
