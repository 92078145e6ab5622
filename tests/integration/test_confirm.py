"""What TLC says again: traces confirmed, state graphs and simulations in tables."""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import psutil
import pytest

import tla2py
from tests import command
from tests.conftest import SPECS, RunCli, spec
from tests.stores import swept
from tla2py.analysis.view import StoreView
from tla2py.model.trace import Trace
from tla2py.replay.confirm import Confirmation, confirm_trace
from tla2py.replay.query import Origin, UnansweredError
from tla2py.tlc.tools.toolchain import find_toolchain


def ring(model: str, broken: str = "none", module: Path = SPECS / "Ring.tla") -> str:
    """A sweep file of the module Ring: what is checked, and on which behaviour."""
    constants = f'Nodes = "{{n1, n2, n3}}"\nBroken = \'"{broken}"\'\n'
    return f'module = "{module}"\n[model]\n{model}\n[constants]\n{constants}'


VIOLATED = '[expect]\nverdict = "violated"\n'
# One point per kind of violation.
ASKED = {
    "invariant": ('specification = "Spec"\ninvariants = ["Few"]', "none"),
    "initial": ('specification = "Spec"\ninvariants = ["AtFirst"]', "none"),
    "deadlock": ('specification = "Spec"', "stop"),
    "assert": ('init = "Init"\nnext = "Next"', "assert"),
    "action_property": ('specification = "FairSpec"\nproperties = ["Grows"]', "none"),
    "lasso": ('specification = "FairSpec"\nproperties = ["Comes"]', "none"),
    "stuttering": ('specification = "Spec"\nproperties = ["Comes"]\ncheck_deadlock = false', "none"),
}


@pytest.fixture(scope="module")
def views(tmp_path_factory: pytest.TempPathFactory) -> dict[str, StoreView]:
    """A store with one counterexample per kind of violation."""
    base = tmp_path_factory.mktemp("ring")
    files = []
    for name, (model, broken) in ASKED.items():
        files.append(base / f"{name}.toml")
        files[-1].write_text(ring(model, broken) + VIOLATED)
    command.run("sweep", *files, "--executor", "local", "-o", base, cwd=base, code=0)
    return {name: tla2py.open_store(base / name) for name in ASKED}


def test_what_is_local_to_the_root_module_is_confirmed(tmp_path: Path, run_cli: RunCli) -> None:
    text = spec("Ring")
    for name in ("Spec", "Few", "Init", "Next"):
        assert f"\n{name} ==" in text
        text = text.replace(f"\n{name} ==", f"\nLOCAL {name} ==")
    swept(tmp_path, Ring=text, sweep=ring(*ASKED["invariant"], Path("Ring.tla")))
    run_cli("trace", "runs/sweep", "--verify", code=0)


def confirm(view: StoreView, trace: Trace, *, seconds: float | None = None) -> Confirmation:
    """Confirm a trace; with ``seconds``, within so many for each run of TLC."""
    with view.store.archive(next(iter(view.points)).run_id) as archive:
        record = archive.record
    if seconds is not None:
        record = replace(record, limits=replace(record.limits, timeout_seconds=seconds))
    origin = Origin(record=record, sources=view.store.sources(), toolchain=find_toolchain())
    return confirm_trace(trace, origin)


@pytest.mark.parametrize("name", ["invariant", "lasso", "deadlock"])
def test_a_check_that_ran_out_of_time_refuses_nothing(name: str, views: dict[str, StoreView]) -> None:
    # Java alone takes longer.
    with pytest.raises(UnansweredError, match="TLC gave no answer: timeout"):
        confirm(views[name], views[name].trace(1), seconds=0.02)


def kill_tlc(driver: psutil.Process, number: int) -> None:
    """Kill the TLC that a command starts as its first, second, ... one."""
    seen = set[int]()
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        for process in driver.children(recursive=True):
            with contextlib.suppress(psutil.Error):
                if process.name() == "java" and "tlc2.TLC" in process.cmdline():
                    seen.add(process.pid)
                    if len(seen) == number:
                        process.kill()
                        return
        time.sleep(0.005)
    raise AssertionError(f"the command started {len(seen)} TLCs")


@pytest.mark.parametrize(("asks", "number"), [("--verify", 1), ("--verify", 2), ("--why", 1)])
def test_a_killed_tlc_decides_nothing_about_a_trace(
    asks: str, number: int, views: dict[str, StoreView]
) -> None:
    command_line = [sys.executable, "-m", "tla2py", "trace", str(views["lasso"].store.path), "1"]
    command_line += ["--trace", "1", asks]
    driver = psutil.Popen(command_line, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    kill_tlc(driver, number)
    stdout, _ = driver.communicate(timeout=120)
    assert "TLC gave no answer: killed" in stdout
    assert "REFUSED" not in stdout
    # What is not answered is not green; --why always says what it found.
    assert driver.returncode == (3 if asks == "--verify" else 0)


@pytest.mark.parametrize("name", ASKED)
def test_a_trace_of_tlc_is_confirmed(name: str, views: dict[str, StoreView]) -> None:
    trace = views[name].trace(1) if name != "assert" else asserting(views)
    assert (trace.loop_start is not None) == (name == "lasso")
    assert trace.stuttering == (name == "stuttering")
    found = confirm(views[name], trace)
    assert found.confirmed, found.reason


def asserting(views: dict[str, StoreView]) -> Trace:
    """The trace to the failing assertion; TLC 2.15 prints none if the assertion is in the next-state relation."""
    trace = views["invariant"].trace(1)
    return replace(trace, kind="assert", name="", states=trace.states[:3])


def changed(trace: Trace, position: int) -> Trace:
    states = list(trace.states)
    # There are as many hops as states before.
    states[position] = replace(states[position], values={**states[position].values, "hops": position + 7})
    return replace(trace, states=tuple(states))


def without(trace: Trace, position: int) -> Trace:
    return replace(trace, states=(*trace.states[:position], *trace.states[position + 1 :]))


SPOILED: dict[str, Callable[[Trace], Trace]] = {
    "value in state 1": lambda t: changed(t, 0),
    "value in state 2": lambda t: changed(t, 1),
    "value in state 3": lambda t: changed(t, 2),
    "state 1 dropped": lambda t: without(t, 0),
    "state 2 dropped": lambda t: without(t, 1),
    "last state dropped": lambda t: without(t, len(t.states) - 1),
    "states 2 and 3 swapped": lambda t: replace(t, states=tuple(t.states[place] for place in (0, 2, 1, 3))),
    "another invariant": lambda t: replace(t, name="AtFirst"),
    "no such invariant": lambda t: replace(t, name="Fewer"),
}


@pytest.mark.parametrize("spoiled", SPOILED)
def test_a_spoiled_trace_is_refused(spoiled: str, views: dict[str, StoreView]) -> None:
    trace = views["invariant"].trace(1)
    assert len(trace.states) == 4
    assert not confirm(views["invariant"], SPOILED[spoiled](trace)).confirmed


def test_other_lassos_and_what_is_no_deadlock_are_refused(views: dict[str, StoreView]) -> None:
    trace = views["lasso"].trace(1)
    assert trace.loop_start is not None
    for start in range(1, len(trace.states) + 1):
        if start != trace.loop_start:
            assert not confirm(views["lasso"], replace(trace, loop_start=start)).confirmed
    # Rests fails in this lasso too, a loop that is not there is no answer, and stuttering is not fair.
    assert not confirm(views["lasso"], replace(trace, loop_start=None, stuttering=True)).confirmed
    trace = views["deadlock"].trace(1)
    assert not confirm(views["deadlock"], without(trace, len(trace.states) - 1)).confirmed
    trace = asserting(views)
    assert not confirm(views["assert"], without(trace, len(trace.states) - 1)).confirmed


def test_the_command_verifies_a_whole_store(views: dict[str, StoreView], run_cli: RunCli) -> None:
    done = run_cli("trace", views["lasso"].store.path, "--verify", code=0)
    assert "point 1, trace 1: confirmed: " in done.stdout
    run_cli("trace", views["lasso"].store.path, "2", "--verify", code=2)


HEAD = ring('specification = "Spec"\ncheck_deadlock = false')


def test_the_graph_has_every_state_and_every_step(tmp_path: Path, run_cli: RunCli) -> None:
    sweep = tmp_path / "ring.toml"
    sweep.write_text(HEAD + "[tlc]\ngraph = true\n")
    run_cli("sweep", sweep, "--executor", "local", "-o", tmp_path / "store", code=0)
    view = tla2py.open_store(tmp_path / "store")
    states, edges = view.graph_states, view.graph_edges
    assert len(states) == view.runs.distinct[0] == 12
    assert states.initial.sum() == 3
    values = {row.fingerprint: json.loads(str(row.state)) for row in states.itertuples()}
    # The graph is known: from hops < 3 to both other nodes, from 3 back to 1 at the same node.
    nodes = ("n1", "n2", "n3")
    passed = product(nodes, range(3), nodes)
    expected = {(one, hops, "Pass", other, hops + 1) for one, hops, other in passed if one != other}
    expected |= {(node, 3, "Reset", node, 1) for node in nodes}

    def state(fingerprint: Any) -> tuple[str, int]:
        return values[fingerprint]["token"], int(values[fingerprint]["hops"]["#bigint"])

    assert {(*state(row.source), row.action, *state(row.target)) for row in edges.itertuples()} == expected
    assert len(edges) == len(expected)


def test_steps_that_tlc_cannot_tell_apart_are_one_row(tmp_path: Path, run_cli: RunCli, jar: Path) -> None:
    """Two numbers of eight lead from each state to each of its four successors."""
    (tmp_path / "Parallel.tla").write_text(spec("Parallel"))
    (tmp_path / "s.toml").write_text('module = "Parallel.tla"\n[tlc]\ngraph = true\n')
    options = ("--executor", "local", "--tla2tools", jar, "--workers", "2")
    run_cli("sweep", "s.toml", "-o", "store", *options, code=0)
    view = tla2py.open_store(tmp_path / "store")
    rows = [repr(row) for row in view.arrow("graph_edges").to_pylist()]
    assert len(rows) == len(set(rows))
    states = len(view.graph_states)
    pairs = {(row["source"], row["target"]) for row in view.arrow("graph_edges").to_pylist()}
    assert (states, len(pairs)) == (6, 6 * 4)
    # TLC that prints arguments tells all steps apart.
    printed = view.arrow("graph_edges").to_pylist()[0]["action_args"] is not None
    assert len(rows) == 6 * (8 if printed else 4)


def test_a_simulation_keeps_its_behaviours(tmp_path: Path, run_cli: RunCli) -> None:
    sweep = tmp_path / "ring.toml"
    sweep.write_text(
        HEAD + '[grid]\nrepeat = 2\n[tlc]\nmode = "simulate"\nnum = 5\ndepth = 7\nbehaviours = true\n'
        '[expect]\nverdict = "inconclusive"\n'
    )
    done = run_cli("sweep", sweep, "--executor", "local", "-o", tmp_path / "store")
    view = tla2py.open_store(tmp_path / "store")
    assert set(view.runs.outcome) == {"bounded_success"}, done.stderr
    assert list(view.runs.seed) == [0, 1]
    assert len(view.traces) == 10
    assert set(view.traces.kind) == {"simulated"}
    assert view.runs.trace_length.isna().all()
    assert view.states.groupby(["run_id", "trace"]).size().min() >= 7
    # Other seeds, other behaviours.
    first, second = (view.states[view.states.run_id == run] for run in view.runs.run_id)
    assert list(first.state) != list(second.state)
    trace = view.trace(1)
    hops = [state.values["hops"] for state in trace.states]
    assert hops[:4] == [0, 1, 2, 3]
