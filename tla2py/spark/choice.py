"""Spark: executor choice, session, frames over a store's tables, jobs. Only this package imports pyspark."""

from __future__ import annotations

import contextlib
import functools
import importlib.util
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from itertools import islice
from statistics import fmean
from typing import TYPE_CHECKING

from tla2py.errors import InputError, ToolchainError
from tla2py.execution.executor import Executor, Part, PartEnd, PartRun, Work, default_slots, fitting_slots
from tla2py.spark import ExecutorName
from tla2py.spark.launch import SparkStart, has_active_context, local_cores, submitted
from tla2py.store.fragments import Fragment
from tla2py.store.store import Store
from tla2py.store.write import Group
from tla2py.tlc.process.pool import close_hosts

if TYPE_CHECKING:
    from pyspark import Broadcast

    from tla2py.execution.executor import ExecutorFactory
    from tla2py.execution.listener import Listener
    from tla2py.spark.tasks import Parcel, SparkTasks
    from tla2py.sweep.sweep import Sweep


# Spark's start takes eight CPU seconds. It begins if the rest of the runs is expected to take much longer than that.
_WORTH_SECONDS = 30.0
# It starts at once if so many runs per slot are missing, even if nothing is known of them.
_MANY_RUNS = 75
# Their mean time is that of the latest so many per slot, after the one that started the slot's JVM.
_MEASURED_RUNS = 2
# A job of its own costs a run 20 ms, so short runs share one.
_BATCH_SECONDS = 1.0
# A job that cannot be cancelled does not keep the process.
_PATIENCE_SECONDS = 10.0
# A cluster may get more executors while it works; the threads beyond its slots wait in its queue.
_CLUSTER_THREADS = 64


class SparkExecutor(Executor):
    """Threads that each wait for a task of Spark's with some runs; while there is no Spark they execute runs themselves."""

    def __init__(self, slots: int, spark: SparkTasks | None = None) -> None:
        super().__init__(slots, slots + _CLUSTER_THREADS if spark is not None and spark.distant else slots)
        self._tasks = spark
        self._shared: dict[int, Broadcast[Parcel]] = {}
        self._left = 0
        self._spent = 0.0
        self._latest: deque[float] = deque()

    @property
    def slots(self) -> int:
        """The maximum number of concurrent runs."""
        return self._slots if self._tasks is None else self._tasks.slots

    def execute(self, parts: Sequence[Part], tick: Callable[[], None]) -> Generator[PartEnd, None, None]:
        """Execute all runs; leaving the loop early cancels the others."""
        self._left, self._spent = sum(len(runs) for runs, _ in parts), 0.0
        self._latest = deque(maxlen=(_MEASURED_RUNS + 1) * self.slots)
        try:
            yield from super().execute(parts, tick)
        finally:
            for shared in self._shared.values():
                with contextlib.suppress(Exception):
                    shared.destroy()
            self._shared = {}

    def derive(self, store: Store, groups: Iterable[Group]) -> Iterable[Fragment]:
        """The fragments of groups of records, made by Spark's tasks if it is up and the records are many."""
        spark = self._spark()
        return super().derive(store, groups) if spark is None else spark.derive(store, groups)

    def _spark(self) -> SparkTasks | None:
        """Spark's tasks, None while it is not up."""
        return self._tasks

    def _take(self, waiting: Iterator[PartRun]) -> Sequence[PartRun]:
        with self._lock:
            size = 1
            if self._latest and self._spark() is not None:
                mean = fmean(self._latest)
                size = min(int(_BATCH_SECONDS / max(mean, 0.01)), self._left // (2 * self.slots))
            batch = [*islice(waiting, max(size, 1))]
            self._left -= len(batch)
            return batch

    def _execute(
        self, batch: Sequence[PartRun], works: Sequence[Work], cancelled: threading.Event
    ) -> Sequence[PartEnd]:
        spark = self._spark()
        if spark is None:
            ends = super()._execute(batch, works, cancelled)
        else:
            # A JVM that this thread shared with others is not needed any more.
            close_hosts()
            with self._lock:
                for number in {number for number, _ in batch} - self._shared.keys():
                    self._shared[number] = spark.share(works[number])
                shared = {number: self._shared[number] for number, _ in batch}
            ends = spark.execute(batch, shared)
        with self._lock:
            self._latest.extend(end.wall_seconds for _, end in ends)
            self._spent += sum(end.wall_seconds for _, end in ends)
        return ends

    def _join(self, threads: Sequence[threading.Thread]) -> None:
        if (spark := self._spark()) is not None:
            spark.join(threads)
        for thread in threads:
            thread.join(_PATIENCE_SECONDS)


class HandoverExecutor(SparkExecutor):
    """An executor on this machine that starts Spark if the runs that are left are expected to take longer than its start.

    ``tell`` is called with the reason if it does not start; then the threads execute all runs.
    """

    def __init__(self, slots: int, start: SparkStart, tell: Callable[[str], None]) -> None:
        super().__init__(slots)
        self._start = start
        self._tell = tell
        self._told = False

    def execute(self, parts: Sequence[Part], tick: Callable[[], None]) -> Generator[PartEnd, None, None]:
        """Execute all runs; leaving the loop early cancels the others."""
        known = [work.seconds for _, work in parts]
        expected = None if None in known else sum(filter(None, known))

        def look() -> None:
            if self._start.failure is not None and not self._told:
                self._told = True
                self._tell(f"running on threads, since {self._start.failure.message}")
            if not self._start.begun and self._worth(expected):
                self._start.begin()
            tick()

        yield from super().execute(parts, look)

    def _spark(self) -> SparkTasks | None:
        return self._start.use()

    def _worth(self, expected: float | None) -> bool:
        """Whether Spark's start is expected to pay off; all runs took so many seconds before, if that is known."""
        with self._lock:
            waiting, spent, latest = self._left, self._spent, [*self._latest]
        if waiting <= self.slots:
            return False
        if expected is not None:
            rest = expected - spent
        elif len(latest) == self._latest.maxlen:
            rest = fmean(latest[self.slots :]) * waiting
        else:
            return waiting >= _MANY_RUNS * self.slots
        return rest / self.slots > _WORTH_SECONDS


def has_pyspark() -> bool:
    """Whether pyspark is installed; it is not imported, which takes a while."""
    return importlib.util.find_spec("pyspark") is not None


def require_pyspark() -> None:
    """Import pyspark. Raises ToolchainError (``spark-missing``) if it is not installed, or damaged."""
    try:
        import pyspark  # noqa: F401
    except Exception as error:
        hint = "pip install 'tla2py[spark]'; sweeps run without it: tla2py sweep --executor local"
        raise ToolchainError("spark-missing", f"pyspark cannot be imported: {error}", hint=hint) from error


def choose_executor(
    name: str | None, master: str | None, listener: Listener, *, only_runs: bool = False
) -> ExecutorFactory:
    """The factory of an executor: ``spark`` on a master, or ``local`` for threads.

    Without a master Spark takes the one of ``spark-submit``, or ``local[*]``. Without a name and a master, threads execute the
    first runs on this machine while Spark starts, and without pyspark all of them. With ``only_runs`` nothing else
    uses Spark in this process, so it starts faster. An executor on this machine limits concurrent runs to those that fit
    its memory; opening it raises InputError (``too-little-memory``) if none fits. Raises InputError
    (``unknown-executor``).
    """
    if name not in {None, *ExecutorName}:
        raise InputError("unknown-executor", f"no executor {name!r}", hint="executors: spark, local")
    insist = name is not None or master is not None
    spark = functools.partial(_spark, master, insist=insist, only_runs=only_runs)
    open_ = _local if name == ExecutorName.LOCAL else spark

    @contextlib.contextmanager
    def opened(sweeps: Sequence[Sweep]) -> Iterator[Callable[[], Executor]]:
        workers = max(sweep.options.workers for sweep in sweeps)
        memory = max(sweep.limits.memory_bytes for sweep in sweeps)
        with contextlib.ExitStack() as stack:
            yield functools.cache(lambda: stack.enter_context(open_(workers, memory, listener)))

    return opened


@contextlib.contextmanager
def _local(workers: int, memory: int, listener: Listener) -> Iterator[Executor]:
    yield Executor(fitting_slots(default_slots(workers), memory, tell=listener.told))


@contextlib.contextmanager
def _spark(
    master: str | None, workers: int, memory: int, listener: Listener, *, insist: bool, only_runs: bool
) -> Iterator[Executor]:
    cores = None if submitted() or has_active_context() else local_cores(master or "local[*]")
    slots = 0 if cores is None else fitting_slots(max(cores // workers, 1), memory, tell=listener.told)
    if insist or cores is None:
        require_pyspark()
        from tla2py.spark.session import spark_context
        from tla2py.spark.tasks import SparkTasks

        chosen = master if cores is None else f"local[{slots * workers}]"
        with spark_context(chosen, workers=workers, only_runs=only_runs) as context:
            tasks = SparkTasks(context)
            yield SparkExecutor(tasks.slots, tasks)
        return
    if not has_pyspark():
        listener.told("running on threads, since pyspark is not installed: pip install 'tla2py[spark]'")
        yield Executor(slots)
        return
    start = SparkStart(f"local[{slots * workers}]", workers, only_runs=only_runs)
    try:
        yield HandoverExecutor(slots, start, listener.told)
    finally:
        start.close()
