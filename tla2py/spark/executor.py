"""The executor that distributes runs with Spark, one partition per run."""

from __future__ import annotations

import contextlib
import logging
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from py4j.protocol import Py4JError
from pyspark import AccumulatorParam, Broadcast, SparkContext

from tla2py.errors import Tla2pyError, ToolchainError
from tla2py.execution.executor import RunEnd, Work, execute_into_store
from tla2py.model.outcome import Verdict
from tla2py.model.run import Run
from tla2py.spark.shipping import Parcel, Shipper, unpack
from tla2py.store.storage import folder_of, is_remote

# Py4J logs the traceback of every connection that it loses. Set up logging to see them.
logging.getLogger("py4j").addHandler(logging.NullHandler())

News = list[RunEnd | Tla2pyError]


class _Append(AccumulatorParam[News]):
    """An accumulator that collects results on the driver during a job."""

    def zero(self, value: News) -> News:  # noqa: ARG002
        return []

    def addInPlace(self, value1: News, value2: News) -> News:  # noqa: N802
        value1.extend(value2)
        return value1


class SparkExecutor:
    """An executor of runs as Spark tasks.

    A failing model is data, never a failed task. Spark therefore repeats a task only if its worker was lost, which is
    harmless: the run's record keeps its name.
    """

    def __init__(self, context: SparkContext) -> None:
        self._context = context
        self._cpus = int(self._context.getConf().get("spark.task.cpus", "1") or "1")
        self._shipper = Shipper(self._context)
        self._active, self._looked = 0, 0.0

    @property
    def slots(self) -> int:
        """How many runs execute at once; on a cluster, with its current executors."""
        return max(self._context.defaultParallelism // self._cpus, 1)

    def running(self) -> int:
        """How many runs execute now, at most 0.2 seconds ago: asking Spark takes many calls."""
        if time.monotonic() - self._looked >= 0.2:
            self._active, self._looked = self._look(), time.monotonic()
        return self._active

    def _look(self) -> int:
        try:
            tracker = self._context.statusTracker()
            stages = [tracker.getStageInfo(stage) for stage in tracker.getActiveStageIds()]
        except (Py4JError, OSError):
            # Spark has stopped; its job reports that.
            return 0
        # The tracker may count a task that has ended together with its successor.
        return min(sum(stage.numActiveTasks for stage in stages if stage is not None), self.slots)

    def execute(self, runs: Sequence[Run], work: Work, tick: Callable[[], None]) -> Iterator[Verdict]:
        """Execute all runs; leaving the loop early cancels the job and its runs.

        Raises ToolchainError (``spark-failed``) if the job fails, and errors of tasks such as StoreError.
        """
        shared = self.share(work)
        news = self._context.accumulator([], _Append())
        execute = _task(shared)

        failure: list[BaseException] = []

        def job() -> None:
            try:
                self._context.parallelize(runs, len(runs)).foreachPartition(
                    lambda part: news.add([*execute(part)])
                )
            except Exception as error:
                failure.append(error)

        thread = threading.Thread(target=job, name="spark-job", daemon=True)
        thread.start()
        seen = 0
        try:
            alive = True
            while alive:
                alive = thread.is_alive()
                fresh = list(news.value[seen:])
                seen += len(fresh)
                for end in _ends(fresh):
                    yield end.verdict
                if not fresh:
                    thread.join(0.1)
                    tick()
            if failure:
                raise _job_failed(failure[0]) from failure[0]
        finally:
            self.join([thread])
            with contextlib.suppress(Py4JError, OSError):
                shared.destroy()

    def share(self, work: Work) -> Broadcast[Parcel]:
        """The work as tasks get it."""
        # Spark's processes may have started in another folder.
        store = work.store if is_remote(work.store) else folder_of(work.store).absolute()
        return self._context.broadcast(self._shipper.pack(replace(work, store=store)))

    def execute_batch(self, runs: Sequence[Run], shared: Broadcast[Parcel]) -> list[RunEnd]:
        """Execute runs one after the other, in one task; raises as ``execute`` does."""
        try:
            news = self._context.parallelize(runs, 1).mapPartitions(_task(shared)).collect()
        except Exception as error:
            raise _job_failed(error) from error
        return [*_ends(news)]

    def join(self, threads: Sequence[threading.Thread]) -> None:
        """Cancel all jobs and wait for the threads that wait for them, so that no TLC outlives the sweep."""
        deadline = time.monotonic() + 10
        while (alive := [thread for thread in threads if thread.is_alive()]) and time.monotonic() < deadline:
            try:
                self._context.cancelAllJobs()
            except (Py4JError, OSError):
                return
            alive[0].join(0.5)


def _task(shared: Broadcast[Parcel]) -> Callable[[Iterable[Run]], Iterator[RunEnd | Tla2pyError]]:
    """What a task does with its runs."""

    def task(part: Iterable[Run]) -> Iterator[RunEnd | Tla2pyError]:
        for run in part:
            try:
                end = execute_into_store(run, unpack(shared.value), "spark")
            except Tla2pyError as error:
                yield error
            else:
                if end:
                    yield end

    return task


def _ends(news: Iterable[RunEnd | Tla2pyError]) -> Iterator[RunEnd]:
    """The ends of runs; raises the first error among them."""
    for each in news:
        if isinstance(each, Tla2pyError):
            raise each
        yield each


def _job_failed(error: BaseException) -> ToolchainError:
    return ToolchainError(
        "spark-failed",
        f"the Spark job failed: {first_line(error)}",
        hint="recorded runs are kept; the same command executes the rest",
    )


def first_line(error: BaseException) -> str:
    """The first line of an error's message, or its class if it has none."""
    return (str(error).splitlines() or [type(error).__name__])[0]
