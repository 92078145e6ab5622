"""Executors: what runs a list of runs into a store, and the one that uses threads of this machine."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager
from dataclasses import dataclass
from itertools import islice
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Protocol, TypeAlias

from tla2py.errors import InputError
from tla2py.execution.execute import execute_run
from tla2py.execution.machine import Machine, this_machine
from tla2py.model.outcome import Outcome, Verdict, Violation
from tla2py.model.result import RunResult
from tla2py.model.run import RETRIED, Run
from tla2py.store.storage import Address
from tla2py.store.store import Store
from tla2py.tlc.jvm.pool import close_hosts, stop_hosts
from tla2py.toolchain.toolchain import Toolchain

if TYPE_CHECKING:
    from tla2py.sweep.sweep import Sweep

_MIB = 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Completed:
    """A run that has ended and whose record is in the store; small, for progress only."""

    run_id: str
    outcome: Outcome
    verdict: Verdict
    violations: tuple[Violation, ...]
    distinct: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """What every executor needs beside the runs: the module texts, the tools, and where records go.

    ``warm`` are the runs that may share JVMs, ``slots`` is how many runs go on at once, see ``execute_run``.
    """

    sources: Mapping[str, str]
    toolchain: Toolchain
    store: Address
    warm: frozenset[str] = frozenset()
    slots: int = 1


class Executor(Protocol):
    """Executes runs and yields news of each as it ends, in any order."""

    @property
    def slots(self) -> int:
        """How many runs go on at once."""

    def running(self) -> int:
        """How many runs go on now."""

    def execute(self, runs: Sequence[Run], work: Work, tick: Callable[[], None]) -> Iterator[Completed]:
        """Execute all runs, the first ones first; ``tick`` is called now and then while nothing ends."""


# Opens the executor that some sweeps share; it starts on the first call and is closed at the end.
ExecutorFactory: TypeAlias = "Callable[[Sequence[Sweep]], AbstractContextManager[Callable[[], Executor]]]"


def execute_into_store(run: Run, work: Work, cancelled: threading.Event | None = None) -> Completed | None:
    """Execute a run and put its record into the store; None when it was stopped on request and left no record."""
    with execute_run(
        run,
        work.sources,
        work.toolchain,
        cancelled=cancelled,
        warm=run.run_id in work.warm,
        # On a cluster no more of them are here than there are cores for.
        slots=min(work.slots, default_slots(run.options.workers)),
    ) as executed:
        if executed.cancelled:
            return None
        Store(work.store).write_record(executed)
        return completed(run.run_id, executed.result)


def completed(run_id: str, result: RunResult) -> Completed:
    """The news of a result."""
    return Completed(
        run_id=run_id,
        outcome=result.outcome,
        verdict=result.verdict,
        violations=result.violations,
        distinct=result.stats.distinct,
    )


def settled(
    outcome: Outcome, timeout_seconds: float, memory_bytes: int, disk_bytes: int | None, run: Run
) -> bool:
    """Whether an earlier outcome stands for a run now: not if it was killed, nor if it may now take more.

    ``timeout_seconds``, ``memory_bytes`` and ``disk_bytes`` are the limits under which the outcome came about.
    """
    if outcome in RETRIED:
        return False
    if outcome is Outcome.TIMEOUT:
        return run.limits.timeout_seconds <= timeout_seconds
    if outcome is Outcome.OUT_OF_MEMORY:
        return run.limits.memory_bytes <= memory_bytes
    if outcome is Outcome.OUT_OF_DISK:
        # A share of what is free is another one each time.
        asked = run.limits.disk_bytes
        return asked is not None and disk_bytes is not None and asked <= disk_bytes
    return True


class LocalExecutor:
    """Runs in threads of this process, each waiting for a TLC of its own."""

    def __init__(self, slots: int) -> None:
        self.slots = slots
        self._running = 0
        self._lock = threading.Lock()

    def running(self) -> int:
        """How many runs go on now."""
        return self._running

    def execute(self, runs: Sequence[Run], work: Work, tick: Callable[[], None]) -> Iterator[Completed]:
        """Execute all runs; leaving the loop early stops those that go on and records nothing of them."""
        cancelled = threading.Event()

        def one(run: Run) -> Completed | None:
            if cancelled.is_set():
                return None
            with self._lock:
                self._running += 1
            try:
                return execute_into_store(run, work, cancelled)
            finally:
                with self._lock:
                    self._running -= 1

        pool = ThreadPoolExecutor(self.slots, thread_name_prefix="run")
        try:
            # Waiting for a set of futures goes through all of them each time.
            done: SimpleQueue[Future[Completed | None]] = SimpleQueue()
            # A future of a run that waits takes two KiB, for thousands of them.
            waiting = iter(runs)

            def submit(count: int) -> None:
                for run in islice(waiting, count):
                    pool.submit(one, run).add_done_callback(done.put)

            submit(2 * self.slots)
            left = len(runs)
            while left:
                try:
                    future = done.get(timeout=0.2)
                except Empty:
                    tick()
                    continue
                left -= 1
                submit(1)
                if (news := future.result()) is not None:
                    yield news
                tick()
        finally:
            cancelled.set()
            stop_hosts()
            pool.shutdown(wait=True, cancel_futures=True)
            close_hosts()


def fitting_slots(slots: int, memory_bytes: int, machine: Machine | None = None) -> int:
    """How many of so many runs at once fit this machine's memory, each with the most that it may take.

    Raises InputError (``too-little-memory``) where not even one does.
    """
    machine = machine or this_machine()
    fitting = min(slots, machine.memory_bytes // memory_bytes)
    if fitting < 1:
        has = f"this {machine.kind} has {_gibibytes(machine.memory_bytes)}"
        raise InputError(
            "too-little-memory",
            f"a run may take {_gibibytes(memory_bytes)} of memory, and {has}",
            hint=f'write memory = "{machine.memory_bytes * 4 // 5 // _MIB}MiB" in [tlc], or give --memory',
        )
    return fitting


def told_slots(slots: int, memory_bytes: int, machine: Machine | None = None) -> str:
    """Why so few runs go on at once, in words."""
    machine = machine or this_machine()
    return (
        f"{slots} run{'s' * (slots != 1)} at once, since each may take {_gibibytes(memory_bytes)} of memory and this "
        f"{machine.kind} has {_gibibytes(machine.memory_bytes)}; more with a smaller memory in [tlc], or --memory"
    )


def _gibibytes(size: int) -> str:
    return f"{size / 1024**3:.3g} GiB"


def default_slots(workers: int) -> int:
    """How many runs of so many TLC workers this machine takes at once."""
    return max(int(this_machine().cores) // workers, 1)
