"""Runs watched while they go on, and what happens inside them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.conftest import SPECS
from tests.integration.test_sweep import processes_of, wait_until_gone
from tla2py.execution.executor import Executor, Work
from tla2py.execution.progress import RunProgress, follow_run, read_progress, write_progress
from tla2py.model.run import Run
from tla2py.store.store import Store
from tla2py.sweep.load import load_sweep
from tla2py.sweep.plan import Plan, plan_sweep
from tla2py.tlc.tools.toolchain import find_toolchain

LIBRARY = "---- MODULE Limit ----\nLimit == 3\n====\n"


class Watching:
    """A command that watches the module Counter."""

    def __init__(self, folder: Path, *arguments: str) -> None:
        command = (sys.executable, "-m", "tla2py", "check", "Counter.tla", "--watch", *arguments)
        environment = {**os.environ, "TMPDIR": str(folder)}
        self.folder = folder
        self.process = subprocess.Popen(
            command, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )

    def until(self, wanted: str) -> list[str]:
        """The next lines, up to the first that begins with a text."""
        assert self.process.stdout is not None
        lines = list[str]()
        while not lines or not lines[-1].startswith(wanted):
            line = self.process.stdout.readline()
            assert line, lines
            lines.append(line.rstrip("\n"))
        return lines

    def await_tlc(self) -> None:
        while not processes_of(f"-Djava.io.tmpdir={self.folder}"):
            assert self.process.poll() is None
            time.sleep(0.05)

    def interrupt(self) -> int:
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(timeout=30)

    def close(self) -> None:
        with self.process:
            self.process.kill()


@pytest.fixture
def watching(tiny_spec: Path) -> Iterator[Callable[..., Watching]]:
    """``watching(*options)`` watches the module Counter, which extends Limit."""
    tiny_spec.with_name("Limit.tla").write_text(LIBRARY)
    tiny_spec.with_name("Other.tla").write_text("---- MODULE Other ----\n====\n")
    text = tiny_spec.read_text().replace("EXTENDS Naturals", "EXTENDS Naturals, Limit")
    tiny_spec.write_text(text.replace("x < 3", "x < Limit"))
    started: list[Watching] = []

    def start(*options: str) -> Watching:
        started.append(Watching(tiny_spec.parent, "-c", "Max=4", "--invariant", "Small", *options))
        return started[-1]

    yield start
    for each in started:
        each.close()


@pytest.mark.timeout(300)
def test_it_says_what_changes_in_the_answer(watching: Callable[..., Watching], tiny_spec: Path) -> None:
    watch, library, module = watching(), tiny_spec.with_name("Limit.tla"), tiny_spec.read_text()
    assert any(line.startswith("violated: Small") for line in watch.until("watching"))
    # An error is shown and waited out; a module that is not there yet can mend it.
    tiny_spec.write_text(module.replace("Limit\n", "Limit, Later\n", 1))
    assert any("Later" in line for line in watch.until("watching"))
    tiny_spec.with_name("Later.tla").write_text("---- MODULE Later ----\n====\n")
    assert watch.until("watching")[-2] == "unchanged: violated"
    tiny_spec.with_name("Other.tla").write_text("---- MODULE Other ----\nOther == 1\n====\n")
    library.write_text(LIBRARY.replace("3", "9"))
    lines = watch.until("watching")
    assert lines[1] == "Limit.tla changed"
    assert any(line.startswith("holds: Small") for line in lines)
    assert lines[-2].startswith("changed: verdict violated -> holds,")
    assert "trace length 4 -> none, " in lines[-2]
    assert watch.interrupt() == 130


@pytest.mark.timeout(300)
def test_a_change_stops_a_run_that_is_out_of_date(watching: Callable[..., Watching], tiny_spec: Path) -> None:
    tiny_spec.write_text(tiny_spec.read_text().replace("x < Max", "(x < Max \\/ Max = 4)"))
    library, far = tiny_spec.with_name("Limit.tla"), LIBRARY.replace("3", "2000000000")
    library.write_text(far)
    watch = watching()
    watch.await_tlc()
    library.write_text(LIBRARY)
    lines = watch.until("watching")
    assert any(line.startswith("violated: Small") for line in lines), lines
    library.write_text(far)
    watch.until("Limit.tla changed")
    watch.await_tlc()
    assert watch.interrupt() == 130
    assert wait_until_gone(tiny_spec.parent, 10) == []
    # An error that no edit mends ends it too.
    assert watching("-c", "Nothing=1").process.wait(timeout=60) == 2


PROGRESS = b"Progress(%d) at 2026-01-01 10:00:00: %d states generated, %d distinct states found, 2 states left on queue.\n"


class _SeenError(Exception):
    """Ends a sweep that would not end."""


def plan(folder: Path) -> Plan:
    (folder / "s.toml").write_text(
        f'module = "{SPECS}/Endless.tla"\n[model]\nspecification = "Count"\n[tlc]\ntimeout = "2m"\n'
    )
    return plan_sweep(load_sweep(folder / "s.toml"), find_toolchain().jar.sha256)


def first_counts(executor: Executor, folder: Path) -> RunProgress:
    """The first counts of a run without end, which is then stopped."""
    planned = plan(folder)
    store = Store.create(folder / "store")
    inside = folder / "inside"
    inside.mkdir()
    work = Work(sources=planned.sources, toolchain=find_toolchain(), store=store.path, progress=inside)
    seen = list[RunProgress]()

    def tick() -> None:
        seen.extend(each for each in read_progress(inside) if each.stats.generated)
        if seen:
            raise _SeenError

    with pytest.raises(_SeenError):
        list(executor.execute([(planned.runs, work)], tick))
    assert not store.recorded()
    assert seen[0].run_id == planned.runs[0].run_id
    return seen[0]


def test_the_counts_of_a_running_point(tmp_path: Path) -> None:
    progress = first_counts(Executor(1), tmp_path)
    assert not list((tmp_path / "inside").glob("*.json"))
    counts = progress.stats
    assert None not in (counts.generated, counts.distinct, counts.queue, counts.depth)
    assert progress.states_per_second
    assert progress.memory_bytes > 30 << 20
    assert 2 < progress.seconds < progress.limits.timeout_seconds == 120


@pytest.mark.long
def test_a_long_check_in_a_log() -> None:
    # How soon TLC counts depends on the machine, so a later line may be the first with counts.
    command = ("check", str(SPECS / "Endless.tla"), "--config", str(SPECS / "Count.cfg"), "--timeout", "30m")
    argv = [sys.executable, "-m", "tla2py", *command]
    with subprocess.Popen(argv, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        try:
            lines = (line for line in process.stderr if line.startswith("running TLC"))
            line = next(line for line in lines if " states generated, " in line)
        finally:
            process.send_signal(signal.SIGINT)
    assert " of 30m" in line


@pytest.fixture
def planned(tmp_path: Path) -> Run:
    return plan(tmp_path).runs[0]


def test_the_progress_of_a_run(planned: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now, told = 1000.0, list[RunProgress]()
    monkeypatch.setattr("tla2py.execution.progress.time", SimpleNamespace(monotonic=lambda: now))
    watch, stdout = follow_run(planned, told.append), tmp_path / "stdout.txt"
    stdout.write_bytes(b"Starting\n")
    watch(stdout, 1)
    assert not told
    now += 1
    watch(stdout, 2)
    stdout.write_bytes(b"x" * 10_000 + b"\n" + PROGRESS % (3, 40, 10) + PROGRESS % (4, 100, 20) + b"@!@!@\n")
    watch(stdout, 3)
    now += 1
    watch(stdout, 4)
    counts = [(each.seconds, each.memory_bytes, each.stats.generated) for each in told]
    assert counts == [(2, 2, None), (2, 4, 100)]
    assert (told[1].stats.depth, told[1].states_per_second) == (4, 50)
    stdout.write_bytes(PROGRESS % (9, 400, 30))
    now += 3
    watch(stdout, 5)
    assert told[2].states_per_second == 100
    # Another execution of the same run starts again.
    other = tmp_path / "other.txt"
    other.write_bytes(b"Starting\n")
    watch(other, 6)
    now += 1
    watch(other, 6)
    assert (told[3].seconds, told[3].stats.generated) == (1, None)


@pytest.mark.parametrize("jump", [-3_600, 86_400], ids=["back", "ahead"])
def test_a_clock_that_is_set_changes_no_progress(
    jump: int, planned: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now, clock, told = 1000.0, 5000.0, list[RunProgress]()
    times = SimpleNamespace(monotonic=lambda: now, time=lambda: clock)
    monkeypatch.setattr("tla2py.execution.progress.time", times)
    watch, stdout = follow_run(planned, told.append), tmp_path / "stdout.txt"
    stdout.write_bytes(PROGRESS % (3, 40, 10))
    watch(stdout, 1)
    now, clock = now + 2, clock + 2 + jump
    watch(stdout, 1)
    stdout.write_bytes(PROGRESS % (4, 100, 20))
    now, clock = now + 2, clock + 2
    watch(stdout, 1)
    assert [(progress.seconds, progress.states_per_second) for progress in told] == [(4, 20), (4, 30)]


def test_what_the_driver_reads(planned: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now = 1000.0
    monkeypatch.setattr("tla2py.execution.progress.time", SimpleNamespace(monotonic=lambda: now))
    inside, stdout = tmp_path / "inside", tmp_path / "stdout.txt"
    inside.mkdir()
    stdout.write_bytes(PROGRESS % (3, 40, 10))
    assert read_progress(inside) == []
    with write_progress(planned, inside) as watch:
        assert watch is not None
        watch(stdout, 1)
        now += 1
        watch(stdout, 1)
        (inside / "damaged.json").write_text(json.dumps({"run_id": 3}))
        (found,) = read_progress(inside)
        assert (found.run_id, found.stats.generated, found.limits) == (planned.run_id, 40, planned.limits)
    assert read_progress(inside) == []
    # A folder that goes away stops no run.
    with write_progress(planned, tmp_path / "elsewhere") as watch:
        assert watch is None
    assert not (tmp_path / "elsewhere").exists()
    (inside / "damaged.json").unlink()
    with write_progress(planned, inside) as watch:
        inside.rmdir()
        assert watch is not None
        for _ in range(2):
            now += 2
            watch(stdout, 1)
    assert read_progress(inside) == []
