"""The executor that distributes runs with Spark, a task per batch of runs."""

from __future__ import annotations

import contextlib
import logging
import math
import threading
import time
from array import array
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from operator import itemgetter

from py4j.protocol import Py4JError
from pyspark import AccumulatorParam, Broadcast, SparkContext, TaskContext

from tla2py.errors import StoreError, Tla2pyError
from tla2py.execution.executor import Part, PartEnd, PartRun, Work, execute_into_store
from tla2py.execution.listener import RunEnd
from tla2py.model.run import Run
from tla2py.spark.frames import deriver
from tla2py.spark.launch import job_failed
from tla2py.spark.shipping import Parcel, shared_address, shipper, unpack
from tla2py.store.fragments import Fragment
from tla2py.store.store import Store
from tla2py.store.write import Group
from tla2py.sweep.plan import Runs
from tla2py.tlc.output.result import interpret_record

# Py4J logs the traceback of every connection that it loses. Set up logging to see them.
logging.getLogger("py4j").addHandler(logging.NullHandler())

News = list[PartEnd | Tla2pyError]
# Batches are sized for so many waves of tasks: fewer would leave slots idle at the end, more would cost more.
_WAVES = 8
_BATCH_RUNS = 200


class _Append(AccumulatorParam[News]):
    """An accumulator that collects results on the driver during a job."""

    def zero(self, value: News) -> News:  # noqa: ARG002
        return []

    def addInPlace(self, value1: News, value2: News) -> News:  # noqa: N802
        value1.extend(value2)
        return value1


class SparkExecutor:
    """An executor of runs as Spark tasks.

    A failing model is data, never a failed task. Spark therefore repeats a task only if its worker was lost; the
    repetition executes only the runs without a record.
    """

    def __init__(self, context: SparkContext) -> None:
        self._context = context
        self._cpus = int(self._context.getConf().get("spark.task.cpus", "1") or "1")
        self._active, self._looked = 0, 0.0

    @property
    def slots(self) -> int:
        """How many runs execute at once; on a cluster, with its current executors."""
        return max(self._context.defaultParallelism // self._cpus, 1)

    @property
    def distant(self) -> bool:
        """Whether the tasks run on other machines."""
        return not str(self._context.master).startswith("local")

    def derive(self, store: Store, groups: Iterable[Group]) -> Iterable[Fragment]:
        """The fragments of groups of records, made by tasks if the records are many."""
        return deriver(self._context)(store, groups)

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

    def execute(self, parts: Sequence[Part], tick: Callable[[], None]) -> Generator[PartEnd, None, None]:
        """Execute all runs; leaving the loop early cancels the job and its runs.

        Raises ToolchainError (``spark-failed``) if the job fails, and errors of tasks such as StoreError.
        """
        shared = {number: self.share(work) for number, (_, work) in enumerate(parts)}
        news = self._context.accumulator([], _Append())
        execute = _task(shared)
        batches = _Batches(parts, self.slots)
        failure: list[BaseException] = []

        def job() -> None:
            try:
                self._context.parallelize(batches, len(batches)).foreachPartition(
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
                yield from _ends(fresh)
                if not fresh:
                    thread.join(0.1)
                    tick()
            if failure:
                raise job_failed(failure[0]) from failure[0]
        finally:
            self.join([thread])
            with contextlib.suppress(Py4JError, OSError):
                for each in shared.values():
                    each.destroy()

    def share(self, work: Work) -> Broadcast[Parcel]:
        """The work as tasks get it."""
        return self._context.broadcast(
            shipper(self._context).pack(replace(work, store=shared_address(work.store)))
        )

    def execute_batch(
        self, batch: Sequence[PartRun], shared: Mapping[int, Broadcast[Parcel]]
    ) -> list[PartEnd]:
        """Execute runs one after the other, in one task; raises as ``execute`` does."""
        try:
            news = self._context.parallelize([batch], 1).mapPartitions(_task(shared)).collect()
        except Exception as error:
            raise job_failed(error) from error
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


def batched(ids: Sequence[str], long: frozenset[str], slots: int) -> list[Sequence[int]]:
    """The places of each task's runs, in order of start: long runs alone, the others in ever smaller batches."""
    batches: list[Sequence[int]] = [[place] for place, run_id in enumerate(ids) if run_id in long]
    short = array("I", (place for place, run_id in enumerate(ids) if run_id not in long))
    start = 0
    while start < len(short):
        size = min(math.ceil((len(short) - start) / (slots * _WAVES)), _BATCH_RUNS)
        batches.append(short[start : start + size])
        start += size
    return batches


class _Batches:
    """The runs of each task, all of one part, each made when it is sent."""

    def __init__(self, parts: Sequence[Part], slots: int) -> None:
        self._parts = parts
        self._places = [
            (number, places)
            for number, (runs, work) in enumerate(parts)
            for places in batched(
                runs.ids if isinstance(runs, Runs) else [run.run_id for run in runs], work.long, slots
            )
        ]

    def __len__(self) -> int:
        return len(self._places)

    def __iter__(self) -> Iterator[list[PartRun]]:
        for number, places in self._places:
            runs, _ = self._parts[number]
            yield [(number, runs[place]) for place in places]


def _task(
    shared: Mapping[int, Broadcast[Parcel]],
) -> Callable[[Iterable[Sequence[PartRun]]], Iterator[PartEnd | Tla2pyError]]:
    """What a task does with its runs; an error ends it."""

    def task(partition: Iterable[Sequence[PartRun]]) -> Iterator[PartEnd | Tla2pyError]:
        context = TaskContext.get()
        repeated = context is not None and context.attemptNumber() > 0
        try:
            for number, same in groupby((each for batch in partition for each in batch), itemgetter(0)):
                work = unpack(shared[number].value)
                store = Store(work.store)
                # What is loose is of this sweep.
                recorded = store.record_ids().loose if repeated else frozenset()
                for _, run in same:
                    end = _recorded_end(run, store) if run.run_id in recorded else None
                    end = end or execute_into_store(run, work, "spark")
                    if end:
                        yield number, end
        except Tla2pyError as error:
            yield error

    return task


def _recorded_end(run: Run, store: Store) -> RunEnd | None:
    """The end of a run that an earlier attempt at its task recorded; None if the record is damaged."""
    try:
        with store.archive(run.run_id) as archive:
            verdict = interpret_record(archive.record, archive.stdout).verdict
            cpu_seconds = sum(each.cpu_seconds for each in archive.record.executions)
    except StoreError:
        return None
    return RunEnd(run_id=run.run_id, verdict=verdict, cpu_seconds=cpu_seconds)


def _ends(news: Iterable[PartEnd | Tla2pyError]) -> Iterator[PartEnd]:
    """The ends of runs; raises the first error among them."""
    for each in news:
        if isinstance(each, Tla2pyError):
            raise each
        yield each
