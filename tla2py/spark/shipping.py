"""Shipping of a job's dependencies to a cluster's workers, which share only the store with the driver.

The package is shipped as a zip that the workers import, the jars as files named by digest; runs contain their modules
and configs. A worker uses its own Java, or the one of its Spark executor.
"""

from __future__ import annotations

import atexit
import hashlib
import shutil
import socket
import tempfile
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from pathlib import Path

import psutil
from pyspark import SparkContext, SparkFiles

import tla2py
from tla2py.errors import StoreError, ToolchainError
from tla2py.execution.executor import Work
from tla2py.store.storage import Address, folder_of, is_remote
from tla2py.tlc.config.render import default_template
from tla2py.tlc.tools.community import pack_override, read_override
from tla2py.tlc.tools.jar import Jar, copied_jar, read_jar
from tla2py.tlc.tools.java import Java, find_java, java_at
from tla2py.tlc.tools.toolchain import Override, Toolchain

_PACKAGE = Path(tla2py.__file__).parent


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
        if not self._remote:
            return Parcel(work=work, shipped=False)
        folder = self._ship_package()
        for jar in (work.toolchain.jar, *work.toolchain.others):
            self._ship(folder / _jar_name(jar), partial(shutil.copyfile, jar.path))
        for override in work.toolchain.overrides:
            self._ship(folder / _shipped_name(override), partial(pack_override, override))
        return Parcel(work=work, shipped=True)

    def ship_package(self) -> None:
        """Ship this package, for tasks that need nothing else."""
        if self._remote:
            self._ship_package()

    def _ship_package(self) -> Path:
        if self._folder is None:
            # Spark reads from here until the context ends.
            self._folder = Path(tempfile.mkdtemp(prefix="tla2py-ship-"))
            atexit.register(shutil.rmtree, self._folder, ignore_errors=True)
            if _PACKAGE.is_dir():
                self._context.addPyFile(str(zip_package(self._folder)))
        return self._folder

    def _ship(self, file: Path, make: Callable[[Path], object]) -> None:
        if file.name not in self._shipped:
            make(file)
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
        raise StoreError(
            "store-not-shared",
            f"{store} does not exist on the worker {socket.gethostname()}",
            hint="driver and workers share the store: name a folder with -o that all of them can access",
        )


@lru_cache(maxsize=4)
def _tools(wanted: Toolchain) -> Toolchain:
    return Toolchain(
        jar=_received_jar(wanted.jar),
        java=_java(),
        overrides=tuple(_received(override) for override in wanted.overrides),
        others=tuple(map(_received_jar, wanted.others)),
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
        raise ToolchainError(
            "jar-corrupt",
            f"{path} was damaged on its way to {socket.gethostname()}",
            hint="run the sweep again",
        )


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
