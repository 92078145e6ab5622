"""The progress lines of a sweep in a log, and the estimate of the time left, from recorded times."""

from __future__ import annotations

import io
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from rich.console import Console

from tla2py.cli.progress import ConsoleListener, left_text, log_line, progress_lines
from tla2py.execution import schedule
from tla2py.execution.progress import RunProgress, SweepProgress
from tla2py.execution.schedule import Estimator, TimeLeft
from tla2py.model.outcome import Stats
from tla2py.model.run import Limits, Walls
from tla2py.sweep.grid import Point
from tla2py.sweep.load import load_sweep


def test_lines_in_a_log_get_rarer(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tiny_sweep: Path
) -> None:
    now = 0.0
    monkeypatch.setattr("tla2py.cli.progress.time.monotonic", lambda: now)
    limits = Limits(timeout_seconds=1, memory_bytes=1, trust=True)
    sweep = replace(load_sweep(tiny_sweep), name="sweep").select(limits=limits)
    with ConsoleListener().executing(sweep, 700, 0) as report:
        for second in range(601):
            now = float(second)
            report(SweepProgress(done=second))
        now = 601.0
        report(SweepProgress(done=700))
    first, *lines = capsys.readouterr().err.splitlines()
    assert first == "sweep: 700 runs to execute; trusted"
    done = [int(line.partition("/")[0]) for line in lines]
    # The last run is reported at once.
    assert done == [5, 15, 35, 75, *range(135, 601, 60), 700]


@pytest.mark.parametrize("of_folder", [True, False])
def test_a_folder_that_has_run_for_a_minute_is_told_once_how_to_bound_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tiny_sweep: Path, of_folder: bool
) -> None:
    now = 0.0
    monkeypatch.setattr("tla2py.cli.progress.time.monotonic", lambda: now)
    sweep = replace(load_sweep(tiny_sweep), name="models").select(is_folder=of_folder)
    point = Point(index=2, parameters={"module": "Big.tla", "config": "big/Big.cfg"})
    running = [(point, inside(10)[1])]
    with ConsoleListener().executing(sweep, 3, 0) as report:
        for second in (30, 59, 61, 62, 200):
            now = float(second)
            report(SweepProgress(done=1, inside=running))
    lines = [line for line in capsys.readouterr().err.splitlines() if "--timeout" in line]
    text = (
        "models has run for a minute: --timeout 30s bounds each config, "
        'and exclude = [{ config = "big/Big.cfg" }] under [grid] in '
    )
    assert [line.startswith(text) for line in lines] == [True] * of_folder


def test_the_first_line_names_the_walls_only_where_one_is_missing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tiny_sweep: Path
) -> None:
    sweep = load_sweep(tiny_sweep)
    found = {
        "": Walls(by="bubblewrap"),
        "; sandbox: Landlock and seccomp, without processes": Walls(by="kernel", missing=("processes",)),
        "; sandbox: none": Walls(by="none", missing=("files", "network")),
    }
    for end, walls in found.items():
        monkeypatch.setattr("tla2py.cli.progress.walls", lambda walls=walls: walls)
        with ConsoleListener().executing(sweep, 3, 0):
            pass
        assert capsys.readouterr().err == f"{sweep.name}: 3 runs to execute{end}\n"


def inside(seconds: float, index: int = 7, stats: Stats | None = None) -> tuple[Point, RunProgress]:
    progress = RunProgress(
        run_id=str(index),
        began=1000.0 - seconds,
        limits=Limits(timeout_seconds=600, memory_bytes=1 << 30),
        memory_bytes=300 << 20,
        stats=stats or Stats(generated=5000, distinct=1234, queue=56, depth=9),
        states_per_second=2500.7,
    )
    return Point(index=index, parameters={"N": str(index)}), progress


@pytest.fixture
def _at_1000(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tla2py.execution.progress.time", SimpleNamespace(monotonic=lambda: 1000.0))


@pytest.mark.usefixtures("_at_1000")
def test_a_line_in_a_log_names_the_longest_point_and_the_time_left() -> None:
    left = TimeLeft(low=100, high=400)
    progress = SweepProgress(done=3, running=2, inside=[inside(65), inside(2, 8)], left=left)
    assert log_line(progress, 9, 75.0) == (
        "3/9 done, 2 running, 0 violated, 1m15s, about 5m left; longest: point 7 (N = 7), 1m05s of 10m00s, "
        "5,000 states generated, 1,234 distinct, 2,500 per second, depth 9, queue 56, 300MiB of 1GiB"
    )
    progress.done = 9
    assert log_line(progress, 9, 75.0) == "9/9 done, 2 running, 0 violated, 1m15s"
    # For mutants a violation is expected.
    progress.violated = None
    assert log_line(progress, 9, 75.0) == "9/9 done, 2 running, 1m15s"


@pytest.mark.usefixtures("_at_1000")
def test_a_terminal_shows_the_runs_that_last_longest() -> None:
    console = Console(width=100, record=True, file=io.StringIO())
    console.print(*progress_lines([inside(70), inside(5, 8, Stats()), inside(2, 9)]), sep="\n")
    heads, first, second, machine = console.export_text().splitlines()
    assert " ".join(heads.split()) == "point time generated distinct per second depth queue memory"
    assert first.split() == ["7", "N", "=", "7", "1m10s", "5,000", "1,234", "2,500", "9", "56", "300MiB"]
    assert second.split() == ["8", "N", "=", "8", "5s", "-", "-", "2,500", "-", "-", "300MiB"]
    assert machine.startswith("each may take 10m00s and 1GiB; memory of this ")
    assert list(progress_lines([inside(2)])) == []
    # In a narrow terminal only the parameters are cut.
    point, progress = inside(70)
    long = replace(point, parameters={"Servers": "{s1, s2, s3, s4, s5}"})
    console = Console(width=80, record=True, file=io.StringIO())
    console.print(*progress_lines([(long, progress)]), sep="\n")
    _, first, *_ = console.export_text().splitlines()
    assert re.fullmatch(r"7 Servers = .*… +1m10s +5,000 +1,234 +2,500 +9 +56 +300MiB", first), first
    folder = replace(point, parameters={"module": "Lease.tla", "config": "models/Lease_small.cfg"})
    assert (
        str(log_line(SweepProgress(inside=[(folder, progress)]), 1, 9.0)).count(
            "(config = models/Lease_small"
        )
        == 1
    )
    *_, machine = map(str, progress_lines([inside(60, index) for index in range(12)]))
    assert machine.startswith("and 4 more; each may take ")


def test_the_time_left() -> None:
    for low, high, text in (
        (100, 130, "about 2m left"),
        (12, 14, "about 15s left"),
        (100, 400, "about 5m left"),
        (3, 400, "about 4m left"),
        (3600, 9000, "about 1.8h left"),
        (1, float("inf"), ""),
    ):
        assert left_text(TimeLeft(low=low, high=high)) == text
    assert left_text(None) == ""


def estimator(missing: str, earlier: Mapping[int, float], slots: int = 1) -> Estimator:
    """An estimator for the sizes in ``missing``, a run each, after a sweep with these times."""
    runs = {size: {"N": size} for size in missing.split()}
    known = {schedule.parameter_key({"N": str(size)}): seconds for size, seconds in earlier.items()}
    return Estimator(runs, schedule.Durations(known), slots=slots, timeout_seconds=600)


def test_runs_take_about_as_long_as_before() -> None:
    one = estimator("3 2 1", {1: 10, 2: 20, 3: 50})
    assert one.left({}) == TimeLeft(low=64, high=100)
    assert one.left({"3": 10.0}) == TimeLeft(low=54, high=90)
    # Two at once, and at least the longest.
    assert estimator("3 2 1", {1: 10, 2: 20, 3: 50}, slots=2).left({}) == TimeLeft(low=40, high=62.5)
    # A run that takes longer than expected may take as long again.
    assert estimator("3", {3: 50}).left({"3": 80.0}) == TimeLeft(low=0, high=80)
    assert estimator("3", {3: 50}).left({"3": 590.0}) == TimeLeft(low=0, high=10)
    # A run between known ones takes a time between theirs.
    assert estimator("2", {1: 10, 3: 50}).left({}) == TimeLeft(low=10, high=50)
    assert estimator("0", {1: 10, 3: 50}).left({}) == TimeLeft(low=0, high=10)


def test_a_larger_run_takes_as_long_as_growth_says() -> None:
    left = estimator("4", {1: 5, 2: 10, 3: 20}).left({})
    assert left is not None
    low, high = schedule.growth_bounds([1, 2, 3], [5, 10, 20], 4)
    assert low == pytest.approx(32.7, abs=0.1)
    assert high == 40
    assert (left.low, left.high) == (low / 1.25, high * 1.25)
    # Times that are mostly the start of a JVM say nothing, nor does a single one.
    assert estimator("9", {1: 0.8, 2: 1.1}).left({}) is None
    assert estimator("9", {1: 10}).left({}) is None


def test_runs_that_have_ended_correct_the_earlier_times() -> None:
    one = estimator("3 2 1", {1: 10, 2: 20, 3: 50})
    one.end("3", 100.0)
    assert one.left({}) == TimeLeft(low=48, high=75)
    # The sweep's own times suffice, but none is known before its first run ends.
    one = estimator("3 2 1", {})
    assert one.left({"3": 20.0}) is None
    one.end("3", 30.0)
    assert one.left({"2": 5.0}) == TimeLeft(low=0, high=55)
    # Nothing left needs no estimate.
    one = estimator("1", {1: 10})
    one.end("1", 10.0)
    assert one.left({}) is None
