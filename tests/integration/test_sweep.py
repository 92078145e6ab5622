"""The main job on this machine's threads: what a sweep leaves in its store, what a second one costs, what a kill costs."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import psutil
import pytest

import tla2py
from tests import command
from tests.command import tool
from tests.conftest import COUNTER, COUNTER_SWEEP, SPECS, RunCli, spec
from tests.stores import TIMES as TIMES
from tests.stores import damage_record, lasting_rows, loose_records, record_ids
from tla2py.analysis.view import StoreView
from tla2py.store.address import Address
from tla2py.store.store import Store
from tla2py.view.explorer import store_data

SWEEP_HERE = [sys.executable, "-m", "tla2py", "sweep", str(SPECS / "counter.toml"), "--executor", "local"]
rows = lasting_rows


def processes_of(mark: str | Path) -> list[str]:
    """The command lines with a mark, such as the folder of the processes."""
    found = []
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error):
            command = " ".join(process.cmdline())
            if str(mark) in command:
                found.append(command)
    return found


def wait_until_gone(mark: str | Path, seconds: float = 15) -> list[str]:
    deadline = time.monotonic() + seconds
    while (left := processes_of(mark)) and time.monotonic() < deadline:
        time.sleep(0.1)
    return left


def sweeping(command: Sequence[str], store: Address, env: Mapping[str, str]) -> subprocess.Popen[bytes]:
    """A process that sweeps into a store, as soon as it has recorded a run."""
    nowhere = subprocess.DEVNULL
    process = subprocess.Popen([*command, "-o", store], env=env, stdout=nowhere, stderr=nowhere)
    deadline = time.monotonic() + 120
    while not record_ids(store) and time.monotonic() < deadline:
        time.sleep(0.02)
    return process


@pytest.fixture(scope="module")
def counter_store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    store = tmp_path_factory.mktemp("counter") / "store"
    done = command.run(*SWEEP_HERE[3:], "-o", store, cwd=store.parent, code=0)
    assert [(len(result.runs), result.mismatches) for result in done.reported.results] == [(6, ())]
    assert "Procs = {p1}, Max = 3" in done.stdout
    assert "Procs = {p1, p2}, Max = 2" in done.stdout
    assert not wait_until_gone(store)
    return store


def test_a_store_answers_what_was_asked(counter_store: Path) -> None:
    view = tla2py.open_store(str(counter_store))
    runs = view.runs.set_index("point")
    assert list(runs.verdict) == ["holds", "holds", "violated", "holds", "violated", "violated"]
    assert list(runs.Max) == [1, 2, 3, 1, 2, 3]
    assert list(runs.Procs) == ["{p1}"] * 3 + ["{p1, p2}"] * 3
    assert list(runs.distinct[:2]) == [2, 3]
    assert [v["name"] for v in runs.violated[3]] == ["Below", "Small"]
    assert list(runs.executions) == [1, 1, 2, 1, 2, 2]
    trace = view.trace(5)
    assert (trace.name, [state.action for state in trace.states]) == ("Below", [None, "Step", "Step", "Step"])
    assert sum(trace.states[-1].values["count"].values()) == 3  # type: ignore[union-attr,arg-type]
    changed = view.changes[view.changes.run_id == runs.run_id[5]]
    assert set(changed.action) == {"Step"}
    assert list(changed.before.astype(int) + 1) == list(changed.after.astype(int))


def test_a_second_sweep_runs_nothing_and_prints_its_rows(counter_store: Path, run_cli: RunCli) -> None:
    before = {name: rows(counter_store, name) for name in ("runs", "states", "changes")}
    written = (counter_store / "tables" / "current.json").read_bytes()
    # A Java that answers to nothing: whoever starts it fails.
    again = run_cli(*SWEEP_HERE[3:], "-o", counter_store, code=0)
    assert (again.executed, again.cached) == (0, 6)
    assert (counter_store / "tables" / "current.json").read_bytes() == written
    assert before == {name: rows(counter_store, name) for name in before}
    printed = run_cli(*SWEEP_HERE[3:], "-o", counter_store, "--json", code=0).json
    kept = run_cli("query", counter_store, "SELECT * FROM runs ORDER BY point", "--json", code=0).json
    assert printed == [{"sweep": "counter", **row} for row in kept]
    assert run_cli(*SWEEP_HERE[3:], "--json", "--dry-run", code=2).error.code == "usage"


def test_a_new_point_or_a_damaged_record_is_run(counter_store: Path, tmp_path: Path, run_cli: RunCli) -> None:
    store = shutil.copytree(counter_store, tmp_path / "store")
    shutil.copy(SPECS / "Counter.tla", tmp_path)
    text = (SPECS / "counter.toml").read_text().replace("Max = [1, 2, 3]", "Max = [0, 1, 2, 3]")
    (tmp_path / "more.toml").write_text(text)
    more = run_cli("sweep", tmp_path / "more.toml", "--executor", "local", "-o", store, code=0)
    assert (more.executed, more.cached) == (2, 6)
    assert len(rows(store, "runs")) == 8
    store = shutil.copytree(counter_store, tmp_path / "damaged")
    shutil.rmtree(store / "tables")
    damage_record(store, min(record_ids(store)))
    again = run_cli(*SWEEP_HERE[3:], "-o", store, code=0)
    assert (again.executed, again.cached) == (1, 5)
    cut = loose_records(store)[0]
    cut.write_bytes(cut.read_bytes()[:-100])
    again = run_cli(*SWEEP_HERE[3:], "-o", store, code=0)
    assert (again.executed, again.cached) == (1, 5)
    assert rows(store, "runs") == rows(counter_store, "runs")


def test_a_longer_limit_repeats_only_what_the_shorter_one_stopped(tmp_path: Path, run_cli: RunCli) -> None:
    (tmp_path / "Long.tla").write_text(spec("Long"))
    sweep, store = tmp_path / "long.toml", tmp_path / "store"
    asked = ("sweep", sweep, "--executor", "local", "-o", store)
    model = '[model]\ninvariants = ["Fine"]\ncheck_deadlock = false\n'
    sweep.write_text(f'module = "Long.tla"\n{model}[parameters]\nMax = [2]\n[tlc]\nmemory = "512MiB"\n')
    assert run_cli(*asked).code == 0
    sweep.write_text(sweep.read_text().replace("[2]", "[2, 100000]") + 'timeout = "1s"\n')
    assert run_cli(*asked, code=3).executed == 1
    ends = [(each["outcome"], each["termination_reason"]) for each in rows(store, "runs")]
    assert ends == [("success", None), ("timeout", "timeout")]
    assert run_cli(*asked, code=3).executed == 0
    longer = run_cli(*asked, "--timeout", "2s")
    assert (longer.executed, longer.cached) == (1, 1)


@pytest.mark.faults
@pytest.mark.parametrize("sent", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
def test_a_kill_costs_only_the_runs_in_flight(
    sent: signal.Signals, counter_store: Path, tmp_path: Path, run_cli: RunCli
) -> None:
    store, scratch = tmp_path / "store", tmp_path / "scratch"
    scratch.mkdir()
    process = sweeping(SWEEP_HERE, store, os.environ | {"TMPDIR": str(scratch)})
    assert processes_of(scratch), "no TLC was running when the sweep was killed"
    process.send_signal(sent)
    process.wait(timeout=30)
    # At once, while the guard of the killed sweep may still be about it.
    with Store(store).lock():
        pass
    assert process.returncode in (-signal.SIGKILL, 130)
    assert not wait_until_gone(scratch)
    kept = record_ids(store)
    assert 0 < len(kept) < 6
    assert run_cli(*SWEEP_HERE[3:], "-o", store, code=0).cached == len(kept)
    assert kept.items() <= record_ids(store).items()
    assert not list(store.rglob(".tmp-*"))
    for table in ("runs", "traces", "states", "changes"):
        assert rows(store, table) == rows(counter_store, table)


@pytest.mark.faults
def test_a_killed_tlc_is_no_answer(counter_store: Path, tmp_path: Path, run_cli: RunCli) -> None:
    store, scratch = tmp_path / "store", tmp_path / "scratch"
    scratch.mkdir()
    # What is lost with a JVM that many runs share is run again at once.
    (tmp_path / "Counter.tla").write_text(spec("Counter"))
    sweep = tmp_path / "counter.toml"
    sweep.write_text((SPECS / "counter.toml").read_text().replace("[tlc]\n", "[tlc]\nwarm = false\n"))
    argv = [*SWEEP_HERE[:4], str(sweep), *SWEEP_HERE[5:], "-o", str(store)]
    environment = {**os.environ, "TMPDIR": str(scratch)}
    process = subprocess.Popen(argv, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    deadline = time.monotonic() + 60
    while not processes_of(scratch) and time.monotonic() < deadline:
        time.sleep(0.02)
    subprocess.run(["pkill", "-9", "-f", f"java.io.tmpdir={scratch}"], check=True)
    process.communicate(timeout=120)
    assert not wait_until_gone(scratch)
    # Inconclusive where nothing was expected of it, and executed again.
    outcomes = [row["outcome"] for row in rows(store, "runs")]
    assert "killed" in outcomes
    assert process.returncode == 3
    again = run_cli("sweep", sweep, "--executor", "local", "-o", store, code=0)
    assert again.executed == outcomes.count("killed")
    assert rows(store, "runs") == rows(counter_store, "runs")


def test_what_commands_import(tmp_path: Path) -> None:
    """Each of these packages takes tenths of a second; pandas is for frames alone."""
    store, sweep = str(tmp_path / "store"), str(SPECS / "counter.toml")
    heavy = {"pandas", "pyspark", "pyarrow", "numpy", "duckdb"}
    none, arrow = set[str](), {"pyarrow", "numpy"}
    # In one process, so each may import what those before it may.
    commands = (
        (("--help",), none),
        (("check", sweep, "--point", "1"), none),
        (("inspect", str(SPECS / "Counter.tla")), none),
        (("sweep", sweep, "--executor", "local", "-o", store), arrow),
        (("sweep", sweep, "-o", store), arrow),
        (("trace", store, "3"), arrow),
        # The sweep keeps its graph, which a gate compares with its lock.
        (("gate", store), arrow | {"duckdb"}),
        (("query", store, "SELECT point FROM runs"), arrow | {"duckdb"}),
    )
    program = f"""import sys
import typer
from tla2py.cli.app import run_command
for arguments, allowed in {commands}:
    try:
        code = run_command([*arguments])
    except typer.Exit as ended:
        code = ended.exit_code
    assert code == 0, arguments
    assert {heavy} & {{*sys.modules}} <= allowed, arguments
"""
    tool(sys.executable, "-c", program, code=0)


def test_a_violation_whose_counterexample_was_cut_off(tmp_path: Path, run_cli: RunCli) -> None:
    (tmp_path / "Slow.tla").write_text(spec("Slow"))
    sweep = tmp_path / "sweep.toml"
    sweep.write_text('module = "Slow.tla"\n[model]\ninvariants = ["Small"]\n[tlc]\ntimeout = "12s"\n')
    ended = run_cli("sweep", sweep, "--executor", "local", cwd=tmp_path, code=1)
    why = "timeout ended the run before TLC wrote the counterexample"
    assert why in ended.stdout
    assert "Next   tla2py report runs/sweep" in ended.stdout
    assert why in run_cli("trace", "runs/sweep", "1", cwd=tmp_path, code=2).error.message


def test_traces_are_listed_shown_and_compared(counter_store: Path, run_cli: RunCli, tmp_path: Path) -> None:
    lines = run_cli("trace", counter_store, code=0).stdout.splitlines()
    assert [line for line in lines if line[:1].isdigit()] == [
        "1. Below: 3 counterexamples of 4 states",
        "2. Small: 2 counterexamples of 4 states",
    ]
    printed = run_cli("trace", counter_store, "5", code=0)
    assert "Below is violated, 4 states" in printed.stdout
    assert "count[p1]: 0 -> 1" in printed.stdout or "count[p2]  0 -> 1" in printed.stdout
    assert run_cli("trace", counter_store, "5", "--full").stdout.count("count = (p1 :> ") == 4
    hidden = run_cli("trace", counter_store, "5", "--hide", "count")
    assert hidden.stdout.count("only hidden variables change") == 3
    assert "count" not in hidden.stdout
    assert run_cli("trace", counter_store, "5", "--only", "count").stdout == printed.stdout
    none = run_cli("trace", counter_store, "1", code=2)
    assert none.error.code == "no-trace"
    assert [word in none.error.message for word in ("point 1", str(counter_store), "holds")] == [True] * 3
    wrong = run_cli("trace", counter_store, "5", "--eval", "count + 1", code=2).error
    assert "TLC cannot evaluate count + 1 in state 1" in wrong.message
    other = shutil.copytree(counter_store, tmp_path / "other")

    def compared(with_: str) -> str:
        return run_cli("trace", counter_store, "5", "--diff", with_, code=0).stdout

    assert compared(str(other)).splitlines()[-1] == "both take the same steps"
    assert f"point 5 of {other}" in compared(str(other))
    assert compared("6/1") == compared("6").replace("point 6", "point 6, trace 1")
    assert compared(f"{other}:6/1").splitlines()[1].startswith(f"> point 6, trace 1 of {other}")
    assert compared(f"{other}:6") == compared("6").replace("point 6", f"point 6 of {other}")
    failed = run_cli("trace", counter_store, "5", "--diff", f"{other}:1", code=2)
    assert failed.error.code == "no-trace"
    assert str(other) in failed.error.message
    assert f"'tla2py trace {other}'" in failed.hint


def test_a_parameter_that_is_named_like_a_column(tmp_path: Path, run_cli: RunCli) -> None:
    swept = run_cli("sweep", SPECS / "column.toml", "-o", tmp_path / "store", "--executor", "local")
    assert swept.stdout.count("The column of Depth in the tables is parameter_Depth") == 1
    assert list(tla2py.open_store(tmp_path / "store").runs["parameter_Depth"]) == [1, 2]


def test_lanes_say_what_tells_who_acts(counter_store: Path) -> None:
    def told(view: StoreView) -> str:
        chunk: Any = store_data(view).chunk(0)
        return next(str(row["lanes"]["caption"]) for row in chunk["traces"] if row["lanes"])

    view = tla2py.open_store(counter_store)
    assert told(view).endswith("; the acting process is derived from the part of the state that changed")
    said = "; the acting process is derived from arguments, or from the part of the state that changed"
    assert told(view.with_arguments()).endswith(said)


def test_a_store_that_another_module_takes_over_is_told(tiny_sweep: Path, run_cli: RunCli) -> None:
    asked = ("sweep", "sweep.toml", "--executor", "local")
    first = run_cli(*asked)
    assert not any("belonged to" in text for text in (*first.reported.told, *run_cli(*asked).reported.told))
    tiny_sweep.with_name("Other.tla").write_text(COUNTER.replace("MODULE Counter", "MODULE Other"))
    tiny_sweep.write_text(COUNTER_SWEEP.replace("Counter.tla", "Other.tla"))
    taken = run_cli(*asked)
    assert [text.partition(";")[0] for text in taken.reported.told if "belonged to" in text] == [
        "runs/sweep belonged to Counter and now shows only sweep"
    ]
    assert "runs/sweep" in taken.stderr
