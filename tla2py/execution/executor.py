"""What executes runs into a store: threads of this machine, or what other rooms add."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, TypeAlias

from tla2py.errors import InputError
from tla2py.execution.execute import RunExecution
from tla2py.execution.progress import RunEnd, write_progress
from tla2py.model.run import ExecutorKind, Run
from tla2py.store.address import Address
from tla2py.store.fragments import Fragment
from tla2py.store.record import input_file
from tla2py.store.refresh import Group, derive_here
from tla2py.store.store import Store
from tla2py.text import counted
from tla2py.tlc.process.os_facts import Machine, this_machine
from tla2py.tlc.process.pool import close_hosts, stop_hosts
from tla2py.tlc.tools.toolchain import Toolchain

if TYPE_CHECKING:
    from tla2py.sweep.sweep import Sweep


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """What executors need besides the runs: module texts by sha256, tools and the store.

    ``warm`` are the runs that may share JVMs. ``slots`` is the number of concurrent runs, see ``RunExecution``. Runs on the driver's machine write their progress into the folder ``progress``.
    """

    sources: Mapping[str, str]
    toolchain: Toolchain
    store: Address
    warm: frozenset[str] = frozenset()
    slots: int = 1
    progress: Path | None = None


# Runs, and what they need; several parts share the slots.
Part: TypeAlias = tuple[Sequence[Run], Work]
# With the number of its part, from 0.
PartRun: TypeAlias = tuple[int, Run]
PartEnd: TypeAlias = tuple[int, RunEnd]


# Opens an executor that sweeps share; it starts on the first call and closes with the context.
ExecutorFactory: TypeAlias = "Callable[[Sequence[Sweep]], AbstractContextManager[Callable[[], Executor]]]"


def execute_into_store(
    run: Run, work: Work, executor: ExecutorKind, cancelled: threading.Event | None = None
) -> RunEnd | None:
    """Execute and record a run, and return its end; None without a record if it was cancelled."""
    store, began = Store(work.store), time.monotonic()
    with (
        write_progress(run, work.progress) as watch,
        RunExecution(
            run,
            work.sources,
            work.toolchain,
            cancelled=cancelled,
            watch=watch,
            warm=run.run_id in work.warm,
            # On a cluster this machine executes at most as many as it has cores for.
            slots=min(work.slots, default_slots(run.options.workers)),
            input_file=partial(input_file, store.storage),
        ).executed() as executed,
    ):
        if executed.cancelled:
            return None
        store.write_record(replace(executed, record=replace(executed.record, executor=executor)))
    return RunEnd(run_id=run.run_id, verdict=executed.result.verdict, wall_seconds=time.monotonic() - began)


class Executor:
    """Executes runs into stores, in threads, by default as many as its slots, that each wait for one TLC."""

    def __init__(self, slots: int, threads: int = 0) -> None:
        self._slots, self._threads = slots, threads or slots
        self._busy: set[int] = set()
        self._lock = threading.Lock()

    @property
    def slots(self) -> int:
        """The maximum number of concurrent runs."""
        return self._slots

    def running(self) -> int:
        """The number of runs in progress."""
        return min(len(self._busy), self.slots)

    def execute(self, parts: Sequence[Part], tick: Callable[[], None]) -> Generator[PartEnd, None, None]:
        """Execute all runs, in order of start, and yield the end of each, in any order; ``tick`` is called now and then.

        Leaving the loop early cancels the others without a record.
        """
        cancelled = threading.Event()
        # A planned run is made when it is taken.
        waiting = ((number, run) for number, (runs, _) in enumerate(parts) for run in runs)
        works, busy = [work for _, work in parts], self._busy
        busy.clear()
        # A thread ends with None.
        done: SimpleQueue[PartEnd | BaseException | None] = SimpleQueue()

        def slot() -> None:
            try:
                while not cancelled.is_set() and (batch := self._take(waiting)):
                    busy.add(threading.get_ident())
                    ends = self._execute(batch, works, cancelled)
                    busy.discard(threading.get_ident())
                    for end in ends:
                        done.put(end)
            except BaseException as error:
                done.put(error)
            finally:
                done.put(None)

        threads = [
            threading.Thread(target=slot, name=f"run-{number}", daemon=True)
            for number in range(min(self._threads, sum(len(runs) for runs, _ in parts)))
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
        """The fragments of groups of records, see ``refresh_tables``."""
        return derive_here(store, groups)

    def _take(self, waiting: Iterator[PartRun]) -> Sequence[PartRun]:
        """The runs that a thread executes next, one after the other; empty if none is left."""
        with self._lock:
            return [*islice(waiting, 1)]

    def _execute(
        self, batch: Sequence[PartRun], works: Sequence[Work], cancelled: threading.Event
    ) -> Sequence[PartEnd]:
        """Execute runs in a thread; cancelled ones have no end."""
        ends = ((n, execute_into_store(run, works[n], "local", cancelled)) for n, run in batch)
        return [(n, end) for n, end in ends if end]

    def _join(self, threads: Sequence[threading.Thread]) -> None:
        """Wait for the cancelled threads."""
        for thread in threads:
            thread.join()


def fitting_slots(
    slots: int,
    memory_bytes: int,
    machine: Machine | None = None,
    tell: Callable[[str], None] = lambda _: None,
) -> int:
    """The number of concurrent runs, at most ``slots``, whose memory limits fit this machine; ``tell`` is told of fewer.

    Raises InputError (``too-little-memory``) if not even one fits.
    """
    machine = machine or this_machine()
    limit, has = (f"{size / 1024**3:.3g} GiB" for size in (memory_bytes, machine.memory_bytes))
    fitting = min(slots, machine.memory_bytes // memory_bytes)
    if fitting < 1:
        raise InputError(
            "too-little-memory",
            f"the memory limit of a run is {limit}, but this {machine.kind} has {has}",
            hint=f'write memory = "{machine.memory_bytes * 4 // 5 // 1024**2}MiB" in [tlc], or give --memory',
        )
    if fitting < slots:
        tell(
            f"{counted(fitting, 'run')} at once, since each may take {limit} of memory and this {machine.kind} has {has}; "
            "more with a smaller memory in [tlc], or --memory"
        )
    return fitting


def default_slots(workers: int) -> int:
    """The number of concurrent runs, each with so many TLC workers, that this machine has cores for."""
    return max(int(this_machine().cores) // workers, 1)
