"""Spark's tasks: runs, the rows of records, and what is shipped to the workers of a cluster, which share only the store.

The package is shipped as a zip that the workers import, the jars as files named by digest; runs contain their modules
and configs. A worker uses its own Java, or the one of its Spark executor.
"""

from __future__ import annotations

import contextlib
import hashlib
import logging
import shutil
import socket
import threading
import time
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import groupby, islice
from operator import itemgetter
from pathlib import Path
from typing import TypeVar

import psutil
from py4j.protocol import Py4JError
from pyspark import Broadcast, SparkContext, SparkFiles, TaskContext

from tla2py.errors import StoreError, Tla2pyError, ToolchainError
from tla2py.execution.executor import PartEnd, PartRun, Work, execute_into_store
from tla2py.execution.progress import RunEnd
from tla2py.spark.launch import job_failed
from tla2py.store.address import Address, folder_of, is_remote
from tla2py.store.fragments import Fragment
from tla2py.store.record import Archive
from tla2py.store.record_rows import derive_fragment
from tla2py.store.refresh import Group, derive_here
from tla2py.store.store import Store
from tla2py.tlc.config.render import default_template
from tla2py.tlc.output.result import interpret_record
from tla2py.tlc.process.reaper import process_folder
from tla2py.tlc.tools.community import read_override
from tla2py.tlc.tools.jar import Jar, copied_jar, read_jar
from tla2py.tlc.tools.java import Java, find_java, java_at
from tla2py.tlc.tools.toolchain import Override, Toolchain

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
        self.distant = not str(self._context.master).startswith("local")
        """Whether they execute on other machines."""
        self._slots = self._look()

    def _look(self) -> int:
        return max(self._context.defaultParallelism // self._cpus, 1)

    @property
    def slots(self) -> int:
        """How many tasks execute at once; on a cluster, with its current executors."""
        # A Spark that has stopped is reported by its job.
        with contextlib.suppress(Py4JError, OSError):
            self._slots = self._look() if self.distant else self._slots
        return self._slots

    def derive(self, store: Store, groups: Iterable[Group]) -> Iterable[Fragment]:
        """The fragments of groups of records, made by tasks, or in this process if the records are few.

        Raises StoreError as ``derive_fragment`` does, and ToolchainError (``spark-failed``).
        """
        context, found = self._context, list(groups)
        if sum(map(len, found)) < _MANY_RECORDS:
            return derive_here(store, found)
        shipper(context).ship_package()
        parts = [*split(found, context.defaultParallelism * _WAVES)]
        task = _derivation(shared_address(store.path))
        try:
            made = context.parallelize(parts, len(parts)).mapPartitions(task).collect()
        except BaseException as error:
            # Whoever interrupts the driver ends its tasks.
            with contextlib.suppress(Py4JError, OSError):
                context.cancelAllJobs()
            if isinstance(error, Exception):
                raise job_failed(error) from error
            raise
        return _without_errors(made)

    def share(self, work: Work) -> Broadcast[Parcel]:
        """The work as tasks get it."""
        work = replace(work, store=shared_address(work.store))
        return self._context.broadcast(shipper(self._context).pack(work))

    def execute(self, batch: Sequence[PartRun], shared: Mapping[int, Broadcast[Parcel]]) -> list[PartEnd]:
        """Execute runs one after the other, in one task.

        Raises ToolchainError (``spark-failed``) if its job fails, and errors of the task such as StoreError.
        """
        try:
            news = self._context.parallelize([batch], 1).mapPartitions(_task(shared)).collect()
        except Exception as error:
            raise job_failed(error) from error
        return _without_errors(news)

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
                    end = store.read_record(run.run_id, _end) if run.run_id in recorded else None
                    end = end or execute_into_store(run, work, "spark")
                    if end:
                        yield number, end
        except Tla2pyError as error:
            yield error

    return task


def _end(archive: Archive) -> RunEnd:
    """The end of a run that an earlier attempt at its task recorded."""
    return RunEnd(
        run_id=archive.record.run_id,
        verdict=interpret_record(archive.record, archive.stdout).verdict,
        wall_seconds=sum(each.wall_seconds for each in archive.record.executions),
    )


T = TypeVar("T")

# Tables of fewer records are made faster by the driver.
_MANY_RECORDS = 2000
# The tasks per slot, if the records are enough for that: the last of few would keep the others waiting.
_WAVES = 4
# A fragment of fewer runs costs more than it saves.
_LEAST_RUNS = 50


def _derivation(address: Address) -> Callable[[Iterable[Group]], Iterator[Fragment | Tla2pyError]]:
    """What a task does with its groups of records; an error ends it."""

    def task(part: Iterable[Group]) -> Iterator[Fragment | Tla2pyError]:
        try:
            check_shared(address)
            yield from filter(None, (derive_fragment(Store(address), [group]) for group in part))
        except Tla2pyError as error:
            yield error

    return task


def _without_errors(made: Iterable[T | Tla2pyError]) -> list[T]:
    """What tasks made; raises the first error among it."""
    found = []
    for each in made:
        if isinstance(each, Tla2pyError):
            raise each
        found.append(each)
    return found


def split(groups: Sequence[Group], tasks: int) -> Iterator[Group]:
    """Groups of about as many runs as each of so many tasks should have, at most as large as these groups."""
    size = max(-(-sum(map(len, groups)) // tasks), _LEAST_RUNS)
    for group in groups:
        records = iter(group.items())
        while part := dict(islice(records, size)):
            yield part


_PACKAGE = Path(__file__).parent.parent


@dataclass(frozen=True, slots=True, kw_only=True)
class Parcel:
    """Work for a task; its jars are ``shipped`` files unless the workers are on this machine."""

    work: Work
    shipped: bool


class Shipper:
    """Ships files to a context's workers, each file once."""

    def __init__(self, context: SparkContext) -> None:
        self._context = context
        self._remote = not str(context.master).startswith("local")
        self._folder: Path | None = None
        self._shipped: set[str] = set()

    def pack(self, work: Work) -> Parcel:
        """The work for this context's workers, with its dependencies shipped."""
        folder = self.ship_package()
        if folder is None:
            return Parcel(work=work, shipped=False)
        jar = work.toolchain.jar
        self._ship(jar.path, folder / _jar_name(jar))
        for override in work.toolchain.overrides:
            self._ship(override.copy, folder / _shipped_name(override))
        return Parcel(work=work, shipped=True)

    def ship_package(self) -> Path | None:
        """Ship this package, and return the folder of what is shipped; None if the workers are on this machine."""
        if self._remote and self._folder is None:
            # Spark reads from here until the context ends.
            self._folder = process_folder("tla2py-ship-")
            if _PACKAGE.is_dir():
                self._context.addPyFile(str(zip_package(self._folder)))
        return self._folder

    def _ship(self, source: Path, file: Path) -> None:
        if file.name not in self._shipped:
            shutil.copyfile(source, file)
            self._context.addFile(str(file))
            self._shipped.add(file.name)


@lru_cache(maxsize=1)
def shipper(context: SparkContext) -> Shipper:
    """The shipper of a context, which refuses a second file of the same name."""
    return Shipper(context)


def shared_address(store: Address) -> Address:
    """The address of a store for tasks: Spark's processes may have started in another folder."""
    return store if is_remote(store) else folder_of(store).resolve()


def zip_package(folder: Path) -> Path:
    """This package as an importable zip, named by its digest so that no worker reuses an older one."""
    files = {file.relative_to(_PACKAGE.parent): file.read_bytes() for file in sorted(_PACKAGE.rglob("*.py"))}
    files[Path("tla2py/cfg_templates/default.cfg.j2")] = default_template().encode()
    digest = hashlib.sha256()
    for name, data in files.items():
        digest.update(f"{name} {len(data)} ".encode() + data)
    target = folder / f"tla2py-{digest.hexdigest()[:16]}.zip"
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(zipfile.ZipInfo(str(name)), data)
    return target


def unpack(parcel: Parcel) -> Work:
    """The work with the tools of this machine.

    Raises ToolchainError (``java-missing``, ``jar-corrupt``), and StoreError (``store-not-shared``).
    """
    work = parcel.work
    if not parcel.shipped:
        return work
    check_shared(work.store)
    return replace(work, toolchain=_tools(work.toolchain))


def check_shared(store: Address) -> None:
    """Raise StoreError (``store-not-shared``) if a task's machine lacks the folder of the store."""
    if not is_remote(store) and not Path(store).is_dir():
        problem = f"{store} does not exist on the worker {socket.gethostname()}"
        hint = "driver and workers share the store: name a folder with -o that all of them can access"
        raise StoreError("store-not-shared", problem, hint=hint)


@lru_cache(maxsize=4)
def _tools(wanted: Toolchain) -> Toolchain:
    return Toolchain(
        jar=_received_jar(wanted.jar),
        java=_java(),
        overrides=tuple(_received(override) for override in wanted.overrides),
    )


def _received_jar(wanted: Jar) -> Jar:
    jar = read_jar(Path(SparkFiles.get(_jar_name(wanted))), "shipped")
    _check(jar.path, jar.sha256, wanted.sha256)
    # The copy's path, and so its class-data archive, stays the same from one job to the next.
    return copied_jar(jar)


def _jar_name(jar: Jar) -> str:
    return f"tla2tools-{jar.sha256}.jar"


def _received(override: Override) -> Override:
    """A shipped override under its original name, which is part of a run."""
    shipped = Path(SparkFiles.get(_shipped_name(override)))
    received = read_override(shipped)
    _check(shipped, received.sha256, override.sha256)
    return replace(received, path=override.path, official=override.official)


def _shipped_name(override: Override) -> str:
    return f"override-{override.sha256}.jar"


def _check(path: Path, found: str, wanted: str) -> None:
    if found != wanted:
        problem = f"{path} was damaged on its way to {socket.gethostname()}"
        raise ToolchainError("jar-corrupt", problem, hint="run the sweep again")


def _java() -> Java:
    """The worker's own Java if it is suitable, otherwise the one of its Spark executor."""
    try:
        return find_java()
    except ToolchainError:
        for process in psutil.Process().parents():
            try:
                path = Path(process.exe())
            except psutil.Error:
                continue
            if path.name == "java":
                return java_at(path, "Spark")
        raise
