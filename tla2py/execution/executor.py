"""Estimates of run times: the longest runs start first, and long ones do not share a JVM."""

from __future__ import annotations

import bisect
import contextlib
import functools
import re
import threading
import time
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Protocol, TypeAlias

import msgspec

from tla2py.errors import InputError, StoreError
from tla2py.execution.execute import execute_run
from tla2py.model.outcome import Stats, Verdict
from tla2py.model.run import ExecutorKind, Limits, Run
from tla2py.store.fragments import Fragment
from tla2py.store.record import input_file
from tla2py.store.runs import run_seconds
from tla2py.store.storage import Address
from tla2py.store.store import ManifestPoint, Store
from tla2py.store.write import Group, derive_here, intact_files
from tla2py.sweep.grid import comparable
from tla2py.sweep.plan import Plan
from tla2py.tlc.output.collector import latest_progress
from tla2py.tlc.process.pool import LONG_SECONDS, close_hosts, stop_hosts
from tla2py.tlc.process.process import Watch
from tla2py.tlc.process.sandbox import Machine, this_machine
from tla2py.tlc.tools.toolchain import Toolchain

if TYPE_CHECKING:
    from tla2py.sweep.sweep import Sweep


@dataclass(frozen=True, kw_only=True)
class Durations:
    """CPU seconds of earlier runs, by the parameters of their points and by the weight of these.

    ``wall`` are their wall-clock seconds by parameters.
    """

    by_parameters: Mapping[tuple[tuple[str, str], ...], float]
    by_weight: Mapping[float, float]
    wall: Mapping[tuple[tuple[str, str], ...], float] = field(default_factory=dict)

    def seconds(self, parameters: Mapping[str, str]) -> float | None:
        """The time of the run with these parameters, else with the nearest weight; None if nothing is known."""
        same = self.by_parameters.get(parameter_key(parameters))
        if same is not None or not self.by_weight:
            return same
        weight = weigh(parameters)
        after = bisect.bisect(self._weights, weight)
        near = self._weights[max(after - 1, 0) : after + 1]
        return self.by_weight[min(near, key=lambda known: abs(known - weight))]

    @functools.cached_property
    def _weights(self) -> list[float]:
        return sorted(self.by_weight)


NOTHING_KNOWN = Durations(by_parameters={}, by_weight={})


def earlier_durations(store: Store) -> Durations:
    """The times in a store's tables, whatever its modules were then; empty without a store."""
    seconds: dict[str, tuple[float, float]] = {}
    points: Iterable[ManifestPoint] = ()
    try:
        points = store.points()
        seconds = run_seconds(intact_files(store, "runs") or [])
    except (StoreError, OSError, ValueError):
        points = ()
    by_parameters: dict[tuple[tuple[str, str], ...], float] = {}
    by_weight: dict[float, float] = {}
    wall: dict[tuple[tuple[str, str], ...], float] = {}
    for point in points:
        if point.run_id in seconds:
            key, weight = parameter_key(point.parameters), weigh(point.parameters)
            by_parameters[key], wall[key] = seconds[point.run_id]
            by_weight[weight] = max(by_parameters[key], by_weight.get(weight, 0.0))
    return Durations(by_parameters=by_parameters, by_weight=by_weight, wall=wall)


def weigh(parameters: Mapping[str, str]) -> float:
    """A number that grows with the values of a point's parameters."""
    return sum(map(_weight, parameters.values()))


@functools.lru_cache(maxsize=1 << 12)
def _weight(text: str) -> float:
    value = comparable(text)
    if isinstance(value, frozenset):
        return 2.0 * len(value)
    if isinstance(value, int):
        return float(value)
    return float(sum(int(n) for n in re.findall(r"\d+", text)[:1]))


@dataclass(frozen=True, slots=True, kw_only=True)
class Schedule:
    """The places of missing runs in a plan, in order of their start.

    ``long`` are the ids of those expected to take long, ``seconds`` the CPU seconds that all took before; None if nothing
    is known of one of them.
    """

    places: Sequence[int]
    long: frozenset[str] = frozenset()
    seconds: float | None = None


def schedule_runs(plan: Plan, durations: Durations, places: Iterable[int]) -> Schedule:
    """The schedule of the runs at some places of a plan: longer times first, then larger parameters."""
    keys = []
    for place in places:
        parameters = plan.points[place].parameters
        keys.append((durations.seconds(parameters), -weigh(parameters), place))
    keys.sort(key=lambda key: (-(key[0] or 0.0), *key[1:]))
    return Schedule(
        places=array("I", (place for _, _, place in keys)),
        long=frozenset(plan.runs.ids[place] for took, _, place in keys if (took or 0.0) >= LONG_SECONDS),
        seconds=None if any(took is None for took, *_ in keys) else sum(took or 0.0 for took, *_ in keys),
    )


def parameter_key(parameters: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """A hashable form of a point's parameters."""
    return tuple(sorted(parameters.items()))


# How often a run looks at its output; a shorter run writes nothing.
_SECONDS = 1.0
_TAIL_BYTES = 8192
_ENDED = "ended"
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
    """The end of a recorded run: its verdict, the times of its executions, and the bytes of their output.

    ``wall_seconds`` is None for a run that an earlier attempt at its task recorded.
    """

    run_id: str
    verdict: Verdict
    cpu_seconds: float
    output_bytes: int = 0
    wall_seconds: float | None = None


def tell_end(end: RunEnd, folder: Path | None) -> None:
    """Tell the driver that a run has ended, unless this machine lacks the folder; a failure to write is ignored."""
    if folder is not None and folder.is_dir():
        with contextlib.suppress(OSError), (folder / _ENDED).open("ab", buffering=0) as ended:
            # With one write, so that processes do not mix their lines.
            ended.write(msgspec.json.encode(end) + b"\n")


class ProgressReader:
    """The driver's side of the folder; without it, nothing is known."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._position = 0

    def running(self) -> list[RunProgress]:
        """The progress of the runs that have lasted a second, the longest first."""
        found = []
        for file in self._folder.glob("*.json"):
            with contextlib.suppress(OSError, msgspec.DecodeError):
                found.append(msgspec.json.decode(file.read_bytes(), type=RunProgress))
        return sorted(found, key=lambda progress: progress.began)

    def ended(self) -> list[RunEnd]:
        """The runs that have ended since the last call."""
        try:
            with (self._folder / _ENDED).open("rb") as stream:
                stream.seek(self._position)
                lines = stream.read().rpartition(b"\n")[0]
        except OSError:
            return []
        self._position += len(lines) + bool(lines)
        return [msgspec.json.decode(line, type=RunEnd) for line in lines.splitlines()]


_MIB = 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """What executors need besides the runs: module texts by sha256, tools and the store.

    ``warm`` are the runs that may share JVMs, ``long`` those that took long before. ``slots`` is the number of concurrent
    runs, see ``execute_run``. Runs on the driver's machine write their progress into the folder ``progress``.
    ``cpu_seconds`` is what all runs took before, None if that is unknown.
    """

    sources: Mapping[str, str]
    toolchain: Toolchain
    store: Address
    warm: frozenset[str] = frozenset()
    long: frozenset[str] = frozenset()
    slots: int = 1
    progress: Path | None = None
    cpu_seconds: float | None = None


class Executor(Protocol):
    """Executes runs into a store and yields the end of each, in any order.

    Ends may arrive late, several at once; on this machine the folder ``Work.progress`` has each as it happens.
    """

    @property
    def slots(self) -> int:
        """The maximum number of concurrent runs."""

    @property
    def distant(self) -> bool:
        """Whether runs execute on other machines, which have no folder ``Work.progress``."""

    def running(self) -> int:
        """The number of runs in progress."""

    def execute(self, runs: Sequence[Run], work: Work, tick: Callable[[], None]) -> Iterator[RunEnd]:
        """Execute all runs, in order of start; ``tick`` is called now and then while none ends."""

    def derive(self, store: Store, groups: Iterable[Group]) -> Iterable[Fragment]:
        """The fragments of groups of records, see ``refresh_tables``."""


# Opens an executor that sweeps share; it starts on the first call and closes with the context.
ExecutorFactory: TypeAlias = "Callable[[Sequence[Sweep]], AbstractContextManager[Callable[[], Executor]]]"


def execute_into_store(
    run: Run, work: Work, executor: ExecutorKind, cancelled: threading.Event | None = None
) -> RunEnd | None:
    """Execute and record a run, and return its end; None without a record if it was cancelled."""
    store, began = Store(work.store), time.monotonic()
    with (
        told_progress(run, work.progress) as watch,
        execute_run(
            run,
            work.sources,
            work.toolchain,
            cancelled=cancelled,
            watch=watch,
            warm=run.run_id in work.warm,
            # On a cluster this machine executes at most as many as it has cores for.
            slots=min(work.slots, default_slots(run.options.workers)),
            input_file=partial(input_file, store.storage),
        ) as executed,
    ):
        if executed.cancelled:
            return None
        store.write_record(replace(executed, record=replace(executed.record, executor=executor)))
        written = sum(
            file.stat().st_size for folder in executed.folders for file in folder.iterdir() if file.is_file()
        )
    end = RunEnd(
        run_id=run.run_id,
        verdict=executed.result.verdict,
        cpu_seconds=sum(each.cpu_seconds for each in executed.record.executions),
        output_bytes=written,
        wall_seconds=time.monotonic() - began,
    )
    tell_end(end, work.progress)
    return end


class Waiting:
    """The runs that wait, in order; a planned run is made when it is taken."""

    def __init__(self, runs: Sequence[Run]) -> None:
        self._runs = runs
        self._taken = 0

    def __len__(self) -> int:
        return len(self._runs) - self._taken

    def take(self, count: int) -> Sequence[Run]:
        """The next runs, at most ``count``."""
        taken = self._runs[self._taken : self._taken + count]
        self._taken += len(taken)
        return taken


class LocalExecutor:
    """An executor whose threads each wait for one TLC."""

    distant = False

    def __init__(self, slots: int) -> None:
        self.slots = slots
        self._running = 0
        self._lock = threading.Lock()

    def running(self) -> int:
        """The number of runs in progress."""
        return self._running

    def execute(self, runs: Sequence[Run], work: Work, tick: Callable[[], None]) -> Iterator[RunEnd]:
        """Execute all runs; leaving the loop early cancels the others without a record."""
        cancelled = threading.Event()
        waiting = Waiting(runs)
        # A thread ends with None.
        done: SimpleQueue[RunEnd | BaseException | None] = SimpleQueue()

        def slot() -> None:
            try:
                while not cancelled.is_set() and (batch := self._take(waiting)):
                    with self._counted():
                        ends = self._execute(batch, work, cancelled)
                    for end in ends:
                        done.put(end)
            except BaseException as error:
                done.put(error)
            finally:
                done.put(None)

        threads = [
            threading.Thread(target=slot, name=f"run-{number}", daemon=True)
            for number in range(min(self.slots, len(runs)))
        ]
        try:
            for thread in threads:
                thread.start()
            left = len(threads)
            while left:
                try:
                    end = done.get(timeout=0.2)
                except Empty:
                    tick()
                    continue
                if end is None:
                    left -= 1
                    continue
                if isinstance(end, BaseException):
                    raise end
                yield end
                tick()
        finally:
            cancelled.set()
            stop_hosts()
            self._join([thread for thread in threads if thread.ident])
            close_hosts()

    def derive(self, store: Store, groups: Iterable[Group]) -> Iterable[Fragment]:
        """The fragments of groups of records."""
        return derive_here(store, groups)

    @contextmanager
    def _counted(self) -> Iterator[None]:
        with self._lock:
            self._running += 1
        try:
            yield
        finally:
            with self._lock:
                self._running -= 1

    def _take(self, waiting: Waiting) -> Sequence[Run]:
        """The runs that a thread executes next, one after the other; empty if none is left."""
        with self._lock:
            return waiting.take(1)

    def _execute(self, batch: Sequence[Run], work: Work, cancelled: threading.Event) -> Sequence[RunEnd]:
        """Execute runs in a thread; cancelled ones have no end."""
        ends = [execute_into_store(run, work, "local", cancelled) for run in batch]
        return [end for end in ends if end]

    def _join(self, threads: Sequence[threading.Thread]) -> None:
        """Wait for the cancelled threads."""
        for thread in threads:
            thread.join()


def fitting_slots(slots: int, memory_bytes: int, machine: Machine | None = None) -> int:
    """The number of concurrent runs, at most ``slots``, whose memory limits fit this machine.

    Raises InputError (``too-little-memory``) if not even one fits.
    """
    machine = machine or this_machine()
    fitting = min(slots, machine.memory_bytes // memory_bytes)
    if fitting < 1:
        raise InputError(
            "too-little-memory",
            f"the memory limit of a run is {_gibibytes(memory_bytes)}, "
            f"but this {machine.kind} has {_gibibytes(machine.memory_bytes)}",
            hint=f'write memory = "{machine.memory_bytes * 4 // 5 // _MIB}MiB" in [tlc], or give --memory',
        )
    return fitting


def slots_text(slots: int, memory_bytes: int) -> str:
    """The reason why only ``slots`` runs are executed at once."""
    machine = this_machine()
    return (
        f"{slots} run{'s' * (slots != 1)} at once, since each may take {_gibibytes(memory_bytes)} of memory and this "
        f"{machine.kind} has {_gibibytes(machine.memory_bytes)}; more with a smaller memory in [tlc], or --memory"
    )


def _gibibytes(size: int) -> str:
    return f"{size / 1024**3:.3g} GiB"


def default_slots(workers: int) -> int:
    """The number of concurrent runs, each with so many TLC workers, that this machine has cores for."""
    return max(int(this_machine().cores) // workers, 1)
