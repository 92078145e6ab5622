"""What a sweep tells while it runs: the progress inside a run, the ends of runs, and a listener to all of it."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from tla2py.execution.durations import TimeLeft
from tla2py.model.finding import Finding
from tla2py.model.outcome import Stats, Verdict
from tla2py.model.run import Limits, Run
from tla2py.sweep.grid import Point
from tla2py.sweep.plan import Plan
from tla2py.sweep.sweep import Sweep
from tla2py.tla.module import Remark
from tla2py.tlc.output.collector import latest_progress
from tla2py.tlc.process.process import Watch
from tla2py.tlc.tools.jar import Jar

if TYPE_CHECKING:
    from tla2py.execution.sweeps import SweepResult


# How often a run looks at its output; a shorter run writes nothing.
_SECONDS = 1.0
_TAIL_BYTES = 8192
_NO_STATS = Stats()


@dataclass(frozen=True, slots=True, kw_only=True)
class RunProgress:
    """The progress of an execution of TLC: when it began, its memory, and the counts that TLC printed last.

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
        return max(time.time() - self.began, 0.0)


def follow_run(run: Run, tell: Callable[[RunProgress], None]) -> Watch:
    """A watch that calls ``tell`` with the progress of a run, once a second."""
    stdout: Path | None = None
    began = counted = looked = 0.0
    stats, rate = Stats(), None

    def watch(file: Path, memory_bytes: int) -> None:
        nonlocal stdout, began, counted, looked, stats, rate
        now = time.time()
        if file != stdout:
            # Another execution of the same run.
            stdout, began, counted, looked, stats, rate = file, now, now, now, Stats(), None
        if abs(now - looked) < _SECONDS:
            return
        looked = now
        new = latest_stats(file, simulation=run.options.mode != "check")
        if new is not None and new != stats:
            rate = ((new.generated or 0) - (stats.generated or 0)) / max(now - counted, _SECONDS)
            stats, counted = new, now
        tell(
            RunProgress(
                run_id=run.run_id,
                began=began,
                limits=run.limits,
                memory_bytes=memory_bytes,
                stats=stats,
                states_per_second=rate,
            )
        )

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
def told_progress(run: Run, folder: Path | None) -> Iterator[Watch | None]:
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


def inside_runs(folder: Path) -> list[RunProgress]:
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


class Listener:
    """A listener that ignores everything; subclasses override what they report."""

    def warned(self, finding: Finding | Remark) -> None:
        """Lint found something, or PlusCal was translated on a copy or may be out of date."""

    def found(self, finding: Finding) -> None:
        """The results of a sweep show something doubtful."""

    def planned(self, sweep: Sweep, plan: Plan) -> None:
        """A sweep passed every check; nothing has run yet."""

    def told(self, text: str) -> None:
        """Something makes a sweep run otherwise than the last one did, or than its options say."""

    def reached(self, files: Iterable[Path]) -> None:
        """The files that a check reads are known."""

    def jar_chosen(self, jar: Jar) -> None:
        """Sweeps are about to use this jar."""

    def executing(
        self,
        sweep: Sweep,  # noqa: ARG002
        missing: int,  # noqa: ARG002
        cached: int,  # noqa: ARG002
    ) -> AbstractContextManager[Callable[[SweepProgress], None]]:
        """The execution of the missing runs starts; yields a function that is called with its progress."""
        return nullcontext(lambda _: None)

    def interrupted(self, left: int) -> None:
        """The user interrupted the sweep, with this number of runs left."""

    def finished(self, result: SweepResult) -> None:
        """A sweep has ended and was judged."""


SILENT = Listener()


class FindingListener(Listener):
    """A listener that calls a function with findings and remarks on PlusCal."""

    def __init__(self, on_finding: Callable[[Finding | Remark], None]) -> None:
        self._on_finding = on_finding

    def warned(self, finding: Finding | Remark) -> None:
        """Pass the finding on."""
        self._on_finding(finding)

    def found(self, finding: Finding) -> None:
        """Pass the finding on."""
        self._on_finding(finding)
