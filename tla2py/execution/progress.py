"""The progress of a sweep and of each run in it, as TLC prints it."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec

from tla2py.execution.schedule import TimeLeft
from tla2py.model.outcome import Stats, Verdict
from tla2py.model.run import Limits, Run
from tla2py.sweep.grid import Point
from tla2py.tlc.output.collector import latest_progress
from tla2py.tlc.process.process import Watch

# How often a run looks at its output; a shorter run writes nothing.
_SECONDS = 1.0
_TAIL_BYTES = 8192
_NO_STATS = Stats()


@dataclass(frozen=True, slots=True, kw_only=True)
class RunProgress:
    """The progress of an execution of TLC: when it began, its memory, and the counts that TLC printed last.

    ``began`` is a time of this machine's monotonic clock, which all its processes share and nobody sets.
    ``states_per_second`` is the rate of generated states up to these counts.
    """

    run_id: str
    began: float
    limits: Limits
    memory_bytes: int
    stats: Stats = _NO_STATS
    states_per_second: float | None = None

    @property
    def seconds(self) -> float:
        """The wall-clock time so far."""
        return time.monotonic() - self.began


def follow_run(run: Run, tell: Callable[[RunProgress], None]) -> Watch:
    """A watch that calls ``tell`` with the progress of a run, once a second."""
    start = RunProgress(run_id=run.run_id, began=0.0, limits=run.limits, memory_bytes=0)
    stdout: Path | None = None
    progress, counted, looked = start, 0.0, 0.0

    def watch(file: Path, memory_bytes: int) -> None:
        nonlocal stdout, progress, counted, looked
        now = time.monotonic()
        if file != stdout:
            # Another execution of the same run.
            stdout, progress, counted, looked = file, replace(start, began=now), now, now
        if now - looked < _SECONDS:
            return
        looked = now
        new, old = latest_stats(file, simulation=run.options.mode != "check"), progress.stats
        if new is not None and new != old:
            rate = ((new.generated or 0) - (old.generated or 0)) / max(now - counted, _SECONDS)
            progress, counted = replace(progress, stats=new, states_per_second=rate), now
        tell(replace(progress, memory_bytes=memory_bytes))

    return watch


def latest_stats(stdout: Path, *, simulation: bool) -> Stats | None:
    """The counts of the last progress line near the end of TLC's output."""
    with stdout.open("rb") as stream:
        stream.seek(max(stdout.stat().st_size - _TAIL_BYTES, 0))
        found = [
            stats for line in stream if (stats := latest_progress(line, simulation=simulation)) is not None
        ]
    return found[-1] if found else None


@contextlib.contextmanager
def write_progress(run: Run, folder: Path | None) -> Iterator[Watch | None]:
    """A watch that writes a run's progress into the driver's folder; None where this machine lacks the folder.

    A failure to write is ignored.
    """
    if folder is None or not folder.is_dir():
        yield None
        return
    file = folder / f"{run.run_id}.json"
    new = folder / f"{run.run_id}.new"

    def write(progress: RunProgress) -> None:
        with contextlib.suppress(OSError):
            new.write_bytes(msgspec.json.encode(progress))
            new.replace(file)

    try:
        yield follow_run(run, write)
    finally:
        with contextlib.suppress(OSError):
            new.unlink(missing_ok=True)
            file.unlink(missing_ok=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunEnd:
    """The end of a recorded run: its verdict and its time."""

    run_id: str
    verdict: Verdict
    wall_seconds: float


def read_progress(folder: Path) -> list[RunProgress]:
    """The progress of the runs that have lasted a second, the longest first, from the driver's folder."""
    found = []
    for file in folder.glob("*.json"):
        with contextlib.suppress(OSError, msgspec.DecodeError):
            found.append(msgspec.json.decode(file.read_bytes(), type=RunProgress))
    return sorted(found, key=lambda progress: progress.began)


@dataclass(slots=True)
class SweepProgress:
    """The progress of a sweep, in runs; points with the same model share a run.

    ``violated`` is None for mutants, where a violation is expected. ``inside`` are the points of the runs that have lasted a second, the longest first, and their progress, as far as this
    machine executes them. ``left`` is None while too little is known.
    """

    done: int = 0
    violated: int | None = 0
    running: int = 0
    inside: Sequence[tuple[Point, RunProgress]] = ()
    left: TimeLeft | None = None
