"""Spark: executor choice, session, frames over a store's tables, jobs. Only this package imports pyspark."""

from __future__ import annotations

import contextlib
import functools
import importlib.util
from collections.abc import Callable, Iterator, Sequence
from enum import StrEnum
from typing import TYPE_CHECKING

from tla2py.errors import InputError, ToolchainError

if TYPE_CHECKING:
    from tla2py.execution.executor import Executor, ExecutorFactory
    from tla2py.execution.listener import Listener
    from tla2py.sweep.sweep import Sweep


def has_pyspark() -> bool:
    """Whether pyspark is installed; it is not imported, which takes a while."""
    return importlib.util.find_spec("pyspark") is not None


def require_pyspark() -> None:
    """Import pyspark. Raises ToolchainError (``spark-missing``) if it is not installed, or damaged."""
    try:
        import pyspark  # noqa: F401
    except Exception as error:
        raise ToolchainError(
            "spark-missing",
            f"pyspark cannot be imported: {error}",
            hint="pip install 'tla2py[spark]'; sweeps run without it: tla2py sweep --executor local",
        ) from error


class ExecutorName(StrEnum):
    """The executors of a sweep's runs."""

    SPARK = "spark"
    LOCAL = "local"


def choose_executor(
    name: str, master: str | None, listener: Listener, *, only_runs: bool = False
) -> ExecutorFactory:
    """The factory of an executor: ``spark`` on a master, or ``local`` for threads.

    Without a master Spark takes the one of ``spark-submit``, or ``local[*]``. On a local master threads execute the
    first runs while Spark starts; without a master and without pyspark they execute all. With ``only_runs`` nothing else
    uses Spark in this process, so it starts faster. An executor on this machine limits concurrent runs to those that fit
    its memory; opening it raises InputError (``too-little-memory``) if none fits. Raises InputError
    (``unknown-executor``).
    """
    if name not in set(ExecutorName):
        raise InputError("unknown-executor", f"no executor {name!r}", hint="executors: spark, local")
    open_ = _local if name == ExecutorName.LOCAL else functools.partial(_spark, master, only_runs=only_runs)

    @contextlib.contextmanager
    def opened(sweeps: Sequence[Sweep]) -> Iterator[Callable[[], Executor]]:
        workers = max(sweep.workers for sweep in sweeps)
        memory = max(sweep.limits.memory_bytes for sweep in sweeps)
        with contextlib.ExitStack() as stack:
            yield functools.cache(lambda: stack.enter_context(open_(workers, memory, listener)))

    return opened


@contextlib.contextmanager
def _local(workers: int, memory: int, listener: Listener) -> Iterator[Executor]:
    from tla2py.execution.executor import LocalExecutor, default_slots

    yield LocalExecutor(_fitting(default_slots(workers), memory, listener))


@contextlib.contextmanager
def _spark(
    master: str | None, workers: int, memory: int, listener: Listener, *, only_runs: bool
) -> Iterator[Executor]:
    from tla2py.spark.launch import has_active_context, local_cores, submitted

    cores = local_cores(master or "local[*]")
    if cores is None or submitted() or has_active_context():
        require_pyspark()
        from tla2py.spark.executor import SparkExecutor
        from tla2py.spark.session import spark_context

        with spark_context(master, workers=workers, only_runs=only_runs) as context:
            yield SparkExecutor(context)
        return
    from tla2py.execution.executor import LocalExecutor
    from tla2py.spark.handover import HandoverExecutor
    from tla2py.spark.launch import SparkStart

    slots = _fitting(max(cores // workers, 1), memory, listener)
    if not has_pyspark():
        if master is not None:
            require_pyspark()
        listener.without_spark()
        yield LocalExecutor(slots)
        return
    start = SparkStart(f"local[{slots * workers}]", workers, only_runs=only_runs)
    try:
        yield HandoverExecutor(slots, start, listener.spark_failed)
    finally:
        start.close()


def _fitting(slots: int, memory: int, listener: Listener) -> int:
    from tla2py.execution.executor import fitting_slots

    fitting = fitting_slots(slots, memory)
    if fitting < slots:
        listener.fewer_slots(fitting, memory)
    return fitting
