"""Runs in Spark's tasks."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from operator import itemgetter

from py4j.protocol import Py4JError
from pyspark import Broadcast, SparkContext, TaskContext

from tla2py.errors import StoreError, Tla2pyError
from tla2py.execution.executor import PartEnd, PartRun, Work, execute_into_store
from tla2py.execution.listener import RunEnd
from tla2py.model.run import Run
from tla2py.spark.frames import deriver
from tla2py.spark.launch import job_failed
from tla2py.spark.shipping import Parcel, shared_address, shipper, unpack
from tla2py.store.fragments import Fragment
from tla2py.store.store import Store
from tla2py.store.write import Group
from tla2py.tlc.output.result import interpret_record

# Py4J logs the traceback of every connection that it loses. Set up logging to see them.
logging.getLogger("py4j").addHandler(logging.NullHandler())


class SparkTasks:
    """Spark's tasks, each of which executes some runs.

    A failing model is data, never a failed task. Spark therefore repeats a task only if its worker was lost; the
    repetition executes only the runs without a record.
    """

    def __init__(self, context: SparkContext) -> None:
        self._context = context
        self._cpus = int(self._context.getConf().get("spark.task.cpus", "1") or "1")

    @property
    def slots(self) -> int:
        """How many tasks execute at once; on a cluster, with its current executors."""
        return max(self._context.defaultParallelism // self._cpus, 1)

    @property
    def distant(self) -> bool:
        """Whether they execute on other machines."""
        return not str(self._context.master).startswith("local")

    def derive(self, store: Store, groups: Iterable[Group]) -> Iterable[Fragment]:
        """The fragments of groups of records, made by tasks if the records are many."""
        return deriver(self._context)(store, groups)

    def share(self, work: Work) -> Broadcast[Parcel]:
        """The work as tasks get it."""
        return self._context.broadcast(
            shipper(self._context).pack(replace(work, store=shared_address(work.store)))
        )

    def execute(self, batch: Sequence[PartRun], shared: Mapping[int, Broadcast[Parcel]]) -> list[PartEnd]:
        """Execute runs one after the other, in one task.

        Raises ToolchainError (``spark-failed``) if its job fails, and errors of the task such as StoreError.
        """
        try:
            news = self._context.parallelize([batch], 1).mapPartitions(_task(shared)).collect()
        except Exception as error:
            raise job_failed(error) from error
        for each in news:
            if isinstance(each, Tla2pyError):
                raise each
        return [each for each in news if not isinstance(each, Tla2pyError)]

    def join(self, threads: Sequence[threading.Thread]) -> None:
        """Cancel all jobs and wait for the threads that wait for them, so that no TLC outlives the sweep."""
        deadline = time.monotonic() + 10
        while (alive := [thread for thread in threads if thread.is_alive()]) and time.monotonic() < deadline:
            try:
                self._context.cancelAllJobs()
            except (Py4JError, OSError):
                return
            alive[0].join(0.5)


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
            seconds = sum(each.wall_seconds for each in archive.record.executions)
    except StoreError:
        return None
    return RunEnd(run_id=run.run_id, verdict=verdict, wall_seconds=seconds)
