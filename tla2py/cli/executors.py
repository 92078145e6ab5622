"""The executor that ``sweep`` and ``gate`` are asked to use."""

from __future__ import annotations

import contextlib
import functools
import logging
from collections.abc import Callable, Iterator, Sequence

from tla2py.cli.console import err
from tla2py.cli.options import ExecutorName
from tla2py.execution.executor import Executor, LocalExecutor, default_slots, fitting_slots, told_slots
from tla2py.sweep.sweep import Sweep


@contextlib.contextmanager
def shared_executor(
    name: ExecutorName, master: str | None, sweeps: Sequence[Sweep]
) -> Iterator[Callable[[], Executor]]:
    """What gives the executor that a command asks for: started when it is first needed, closed at the end.

    It takes no more runs at once than fit this machine; it raises InputError (``too-little-memory``) where none does.
    """
    workers = max(sweep.workers for sweep in sweeps)
    memory = max(sweep.limits.memory_bytes for sweep in sweeps)
    with contextlib.ExitStack() as stack:

        @functools.cache
        def start() -> Executor:
            if name is ExecutorName.LOCAL:
                slots = default_slots(workers)
                fitting = fitting_slots(slots, memory)
                _tell_slots(fitting if fitting < slots else None, memory)
                return LocalExecutor(fitting)
            _hush()
            from tla2py.spark.executor import SparkExecutor
            from tla2py.spark.session import fitting_master, spark_context

            asked, fewer = fitting_master(master, workers, memory)
            _tell_slots(fewer, memory)
            return SparkExecutor(stack.enter_context(spark_context(asked, workers=workers, only_runs=True)))

        yield start


def _hush() -> None:
    """Keep Py4J's tracebacks off standard error, where nobody has asked for logs: what is gone is told in words."""
    if not logging.getLogger().handlers:
        logging.getLogger().addHandler(logging.NullHandler())


def _tell_slots(fewer: int | None, memory: int) -> None:
    if fewer is not None:
        err().print(told_slots(fewer, memory), style="yellow")
