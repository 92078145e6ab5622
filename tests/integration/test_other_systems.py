"""Runs where Linux's own means are missing, as on macOS: they work, nothing outlives them, and it is said that no wall stands."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests import command
from tests.conftest import SPECS, RunCli
from tests.integration.test_sweep import SWEEP_HERE, processes_of, sweeping, wait_until_gone
from tests.stores import lasting_rows, record_ids, table_rows
from tla2py.model.run import WALLS, Walls
from tla2py.store.store import Store
from tla2py.tlc.process.sandbox import NO_WALLS

# Every interpreter of a test reads this as it starts. It takes away what macOS lacks: Linux's functions of Python and of
# the C library, /proc for all but psutil, which has other sources there, and the limit on a process's memory.
LACKING = """
import asyncio, ctypes, os, resource, select, signal, sys, sysconfig, urllib.request, uuid, webbrowser
import psutil

sysconfig.get_config_vars()
sys.platform = "darwin"
for module, names in (
    (os, "waitid waitid_result P_PID WNOWAIT WEXITED pidfd_open memfd_create sched_getaffinity O_PATH eventfd"),
    (select, "epoll"), (signal, "pidfd_send_signal sigwaitinfo sigtimedwait"), (resource, "prlimit"),
):
    for name in names.split():
        if hasattr(module, name):
            delattr(module, name)

set_limit, wait4 = resource.setrlimit, os.wait4

def setrlimit(kind, limits):
    if kind == resource.RLIMIT_AS:
        raise ValueError("current limit exceeds maximum limit")
    set_limit(kind, limits)

def wait4_in_bytes(pid, options):
    pid, status, usage = wait4(pid, options)
    numbers = list(usage)
    numbers[2] *= 1 if os.uname().sysname == "Darwin" else 1024
    return pid, status, resource.struct_rusage(numbers)

resource.setrlimit, os.wait4 = setrlimit, wait4_in_bytes

def refuse(event, arguments):
    if event in ("open", "os.listdir", "os.scandir") and str(arguments[0]).startswith("/proc"):
        frame = sys._getframe()
        while frame is not None:
            if frame.f_globals.get("__name__", "").startswith("psutil"):
                return
            frame = frame.f_back
        raise FileNotFoundError(2, "No such file or directory", arguments[0])
    if event == "ctypes.dlsym" and arguments[1] in ("prctl", "capset", "syscall"):
        raise AttributeError(arguments[1])

sys.addaudithook(refuse)
"""
NONE = Walls(by="none", missing=WALLS)


@pytest.fixture
def elsewhere(tmp_path: Path) -> dict[str, str]:
    """The environment of a system without Linux's own means."""
    site, scratch = tmp_path / "site", tmp_path / "scratch"
    for folder in (site, scratch):
        folder.mkdir()
    (site / "sitecustomize.py").write_text(LACKING)
    paths = (str(site), *filter(None, [os.environ.get("PYTHONPATH")]))
    return {"PYTHONPATH": os.pathsep.join(paths), "TMPDIR": str(scratch)}


def test_sweeps_are_the_same_and_say_once_that_no_wall_stands(
    elsewhere: dict[str, str], run_cli: RunCli, tiny_sweep: Path, tmp_path: Path
) -> None:
    # A template of the user's is rendered in a process of its own.
    template = "SPECIFICATION Spec\nINVARIANT Small\nCONSTANT {% for each in config.assignments %}{{ each | join(' = ') }}{% endfor %}\n"
    (tmp_path / "own.cfg.j2").write_text(template)
    other = tiny_sweep.with_name("other.toml")
    other.write_text('template = "own.cfg.j2"\n' + tiny_sweep.read_text())
    asked = ("sweep", tiny_sweep, other, "--executor", "local", "-o")
    there = run_cli(*asked, "there", env=elsewhere, code=1)
    assert there.stderr.count(f"{NO_WALLS}: ") == 1, there
    assert run_cli(*asked, "here", code=1).stderr.count(NO_WALLS) == 0
    for name in ("sweep", "other"):
        store = tmp_path / "there" / name
        for table in ("runs", "states"):
            assert lasting_rows(store, table) == lasting_rows(tmp_path / "here" / name, table)
        assert all(row["peak_memory_bytes"] > 2**24 for row in table_rows(store, "runs"))
        opened = Store(store)
        for run_id in opened.recorded():
            with opened.archive(run_id) as archive:
                assert [each.walls for each in archive.record.executions] == [NONE]
    # What is read there later needs no walls.
    assert "6 of 6" not in run_cli(*asked, "there", env=elsewhere, code=1).stderr
    checked = run_cli("check", tmp_path / "Counter.tla", "-c", "Max=3", "--invariant", "Small", env=elsewhere)
    assert (checked.code, checked.stderr.count(f"{NO_WALLS}: ")) == (1, 1), checked


@pytest.mark.parametrize("options", [("gate", "--no-trust"), ("sweep", "--sandbox", "require")])
def test_what_needs_walls_is_refused(
    options: tuple[str, ...], elsewhere: dict[str, str], run_cli: RunCli, tiny_sweep: Path
) -> None:
    ended = run_cli(options[0], tiny_sweep, *options[1:], env=elsewhere)
    assert (ended.code, ended.error.code) == (2, "sandbox-missing"), ended
    assert NO_WALLS in ended.error.message
    assert "bubblewrap" not in ended.hint


@pytest.mark.parametrize("sent", [signal.SIGKILL, signal.SIGINT])
def test_a_kill_leaves_no_process_and_costs_only_the_runs_in_flight(
    sent: signal.Signals, elsewhere: dict[str, str], run_cli: RunCli, tmp_path: Path
) -> None:
    store, scratch = tmp_path / "store", Path(elsewhere["TMPDIR"])
    process = sweeping(SWEEP_HERE, store, command.environment(elsewhere))
    assert processes_of(scratch), "no TLC was running when the sweep was killed"
    process.send_signal(sent)
    assert process.wait(timeout=30) == (130 if sent == signal.SIGINT else -signal.SIGKILL)
    assert not wait_until_gone(scratch)
    kept = record_ids(store)
    assert 0 < len(kept) < 6
    run_cli("sweep", SPECS / "counter.toml", "--executor", "local", "-o", store, env=elsewhere, code=0)
    assert kept.items() <= record_ids(store).items()
    assert len(lasting_rows(store, "runs")) == 6
    assert not wait_until_gone(scratch)
    assert not list(store.rglob(".tmp-*"))


def test_a_second_sweep_finds_a_lock(elsewhere: dict[str, str], run_cli: RunCli, tiny_sweep: Path) -> None:
    holding = "import sys\nfrom tla2py.store.store import Store\n"
    holding += "with Store.create(sys.argv[1]).lock():\n    print(flush=True)\n    sys.stdin.read()\n"
    argv, pipe = [sys.executable, "-c", holding, str(tiny_sweep.parent / "runs/sweep")], subprocess.PIPE
    with subprocess.Popen(argv, env=command.environment(elsewhere), stdin=pipe, stdout=pipe) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline()
        ended = run_cli("sweep", tiny_sweep, "--executor", "local", env=elsewhere)
        assert (ended.code, ended.error.code) == (2, "store-busy")
