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
from tla2py.spark.launch import has_active_context, local_cores, submitted
from tla2py.store.fragments import Fragment
from tla2py.store.refresh import Group
from tla2py.store.store import Store

if TYPE_CHECKING:
    from pyspark import Broadcast

    from tla2py.execution.executor import ExecutorFactory
    from tla2py.execution.listener import Listener
    from tla2py.spark.tasks import Parcel, SparkTasks
    from tla2py.sweep.sweep import Sweep


# The mean time of runs is that of the latest so many per slot.
_MEASURED_RUNS = 3
# A job of its own costs a run 20 ms, so short runs share one.
_BATCH_SECONDS = 1.0
# A job that cannot be cancelled does not keep the process.
_PATIENCE_SECONDS = 10.0
# A cluster may get more executors while it works; the threads beyond its slots wait in its queue.
_CLUSTER_THREADS = 64


class SparkExecutor(Executor):
    """Threads that each wait for a task of Spark's with some runs."""

    def __init__(self, tasks: SparkTasks) -> None:
        slots = tasks.slots
        super().__init__(slots, slots + _CLUSTER_THREADS if tasks.distant else slots)
        self._tasks = tasks
        self._shared: dict[int, Broadcast[Parcel]] = {}
        self._left = 0
        self._latest: deque[float] = deque()

    @property
    def slots(self) -> int:
        """The maximum number of concurrent runs."""
        return self._tasks.slots

    def execute(self, parts: Sequence[Part], tick: Callable[[], None]) -> Generator[PartEnd, None, None]:
        """Execute all runs; leaving the loop early cancels the others."""
        self._left = sum(len(runs) for runs, _ in parts)
        self._latest = deque(maxlen=_MEASURED_RUNS * self.slots)
        try:
            yield from super().execute(parts, tick)
        finally:
            for shared in self._shared.values():
                with contextlib.suppress(Exception):
                    shared.destroy()
            self._shared = {}

    def derive(self, store: Store, groups: Iterable[Group]) -> Iterable[Fragment]:
        """Return the fragments of groups of records, made by Spark's tasks if the records are many."""
        return self._tasks.derive(store, groups)

    def _take(self, waiting: Iterator[PartRun]) -> Sequence[PartRun]:
        with self._lock:
            size = 1
            if self._latest:
                mean_seconds = max(fmean(self._latest), 0.01)
                size = min(int(_BATCH_SECONDS / mean_seconds), self._left // (2 * self.slots))
            batch = [*islice(waiting, max(size, 1))]
            self._left -= len(batch)
            return batch

    def _execute(
        self,
        batch: Sequence[PartRun],
        works: Sequence[Work],
        cancelled: threading.Event,  # noqa: ARG002 - cancelling the job cancels its tasks
    ) -> Sequence[PartEnd]:
        numbers = {number for number, _ in batch}
        with self._lock:
            for number in numbers - self._shared.keys():
                self._shared[number] = self._tasks.share(works[number])
            shared = {number: self._shared[number] for number in numbers}
        ends = self._tasks.execute(batch, shared)
        with self._lock:
            self._latest.extend(end.wall_seconds for _, end in ends)
        return ends

    def _join(self, threads: Sequence[threading.Thread]) -> None:
        self._tasks.join(threads)
        for thread in threads:
            thread.join(_PATIENCE_SECONDS)


def has_pyspark() -> bool:
    """Return whether pyspark is installed; it is not imported, which takes a while."""
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
    """Return the factory of an executor: ``spark`` on a master, or ``local`` for the threads of this machine.

    Without a name, Spark executes the runs where there is a master, where ``spark-submit`` started this process or it has a
    Spark context, and where a sweep file says ``executor = "spark"``; otherwise threads do. Without a master Spark takes the
    one of ``spark-submit``, or ``local[*]``. With ``only_runs`` nothing else uses Spark in this process, so it starts faster.
    An executor on this machine limits concurrent runs to those that fit its memory; opening it raises InputError
    (``too-little-memory``) if none fits, and ToolchainError (``spark-missing``, ``spark-failed``). Raises InputError
    (``unknown-executor``).
    """
    if name not in {None, *ExecutorName}:
        raise InputError("unknown-executor", f"no executor {name!r}", hint="executors: spark, local")

    def is_spark(sweeps: Sequence[Sweep]) -> bool:
        if name is not None:
            return name == ExecutorName.SPARK
        if master is not None or submitted() or has_active_context():
            return True
        return any(sweep.file.sections.tlc.executor == "spark" for sweep in sweeps)

    @contextlib.contextmanager
    def opened(sweeps: Sequence[Sweep]) -> Iterator[Callable[[], Executor]]:
        workers = max(sweep.selection.options.workers for sweep in sweeps)
        memory = max(sweep.selection.limits.memory_bytes for sweep in sweeps)

        def open_executor() -> Executor:
            if is_spark(sweeps):
                spark = _spark_executor(master, workers, memory, listener, only_runs=only_runs)
                return stack.enter_context(spark)
            return Executor(fitting_slots(default_slots(workers), memory, tell=listener.told))

        with contextlib.ExitStack() as stack:
            yield functools.cache(open_executor)

    return opened


@contextlib.contextmanager
def _spark_executor(
    master: str | None, workers: int, memory: int, listener: Listener, *, only_runs: bool
) -> Iterator[Executor]:
    require_pyspark()
    from tla2py.spark.session import spark_context
    from tla2py.spark.tasks import SparkTasks

    cores = None if submitted() or has_active_context() else local_cores(master or "local[*]")
    if cores is not None:
        slots = fitting_slots(max(cores // workers, 1), memory, tell=listener.told)
        master = f"local[{slots * workers}]"
    with spark_context(master, workers=workers, only_runs=only_runs) as context:
        yield SparkExecutor(SparkTasks(context))
