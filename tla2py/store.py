"""The store of a sweep on disk: what was run, the raw record of every run, and the tables derived from them.

::

    STORE/store.json              what was run: points, parameters, run ids, the sweep file's text
    STORE/sources/SHA256.tla      the text of every module that a run reached
    STORE/records/RUN_ID.zip      the raw record of a run, see tla2py.record
    STORE/tables/NAME.parquet     the tables; always derivable from the rest
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import IO

import msgspec

from tla2py.errors import StoreError
from tla2py.execute import Executed
from tla2py.record import Archive, open_archive, write_archive

# Raised when the layout of the store or the meaning of a column changes; newer stores are refused.
STORE_VERSION = 1


class ManifestParameter(msgspec.Struct, frozen=True, kw_only=True):
    """A parameter: its name in the sweep, and the column of ``runs`` that holds it with its type."""

    name: str
    kind: str
    column: str
    type: str


class ManifestPoint(msgspec.Struct, frozen=True, kw_only=True):
    """A point of the sweep, the texts of its parameters and the run that answers it."""

    point: int
    run_id: str
    parameters: dict[str, str]


class Manifest(msgspec.Struct, frozen=True, kw_only=True):
    """What a store was made from."""

    format: str = "tla2py-store"
    version: int = STORE_VERSION
    tla2py_version: str
    name: str
    modules: list[str]
    sweep: str
    parameters: list[ManifestParameter]
    points: list[ManifestPoint]
    # The sweep file as the user named it; stores from before this was kept have none.
    sweep_file: str | None = None
    # The user's files by the sha256 of their texts.
    files: dict[str, str] = {}


def store_folder(address: str | Path) -> Path:
    """The folder that an address of a store names: a path, or ``file:`` and one.

    Raises StoreError (``store-remote``) for any other scheme.
    """
    # As a path, what follows the scheme has lost a slash.
    found = re.match(r"([A-Za-z][A-Za-z0-9+.-]+):(?=/)", str(address))
    if found is None:
        return Path(address)
    if found[1].lower() == "file":
        return Path("/" + str(address)[found.end() :].lstrip("/"))
    raise StoreError(
        "store-remote",
        f"a store is a folder, and {address} is on {found[1]}:",
        hint="sweep into a folder that is mounted on all machines; load_traces.py writes its tables to where Spark can",
    )


class Store:
    """A store at a path, or a ``file:`` address. Making one with ``Store(path)`` touches nothing."""

    def __init__(self, path: Path) -> None:
        path = store_folder(path)
        self.path = path
        self.records = path / "records"
        self.tables = path / "tables"

    @classmethod
    def create(cls, path: Path) -> Store:
        """A store at ``path``, made when it is not there yet.

        Raises StoreError: ``not-a-store`` for a folder that holds something else, ``store-too-new``,
        ``store-unwritable``.
        """
        store = cls(path)
        path = store.path
        with _writing(path):
            if path.is_file() or (path.is_dir() and not all(map(_is_ours, path.iterdir()))):
                store.manifest()
            for folder in (store.records, store.tables, path / "sources"):
                folder.mkdir(parents=True, exist_ok=True)
        return store

    @classmethod
    def open(cls, path: Path) -> Store:
        """The store at ``path`` for reading. Raises StoreError as ``manifest`` does."""
        store = cls(path)
        store.manifest()
        return store

    def manifest(self) -> Manifest:
        """What the store was made from.

        Raises StoreError: ``store-missing``, ``store-unreadable``, ``not-a-store``, ``store-too-new``.
        """
        file = self.path / "store.json"
        try:
            data = msgspec.json.decode(file.read_bytes())
        except (FileNotFoundError, NotADirectoryError) as error:
            if not self.path.exists():
                raise StoreError(
                    "store-missing", f"no such store: {self.path}", hint="'tla2py sweep SWEEP.toml' makes one"
                ) from error
            data = None
        except OSError as error:
            raise StoreError("store-unreadable", f"cannot read {file}: {error.strerror}") from error
        except (msgspec.DecodeError, UnicodeDecodeError):
            data = None
        if not isinstance(data, dict) or data.get("format") != "tla2py-store":
            raise StoreError(
                "not-a-store",
                f"{self.path} is not a store of tla2py",
                hint="a store is a folder with a store.json",
            )
        version = data.get("version")
        if isinstance(version, int) and version > STORE_VERSION:
            raise StoreError(
                "store-too-new",
                f"{self.path} was written by tla2py {data.get('tla2py_version')}, store version {version}; "
                f"this one reads up to {STORE_VERSION}",
                hint="update tla2py, or sweep into another store with -o",
            )
        try:
            return msgspec.convert(data, Manifest)
        except msgspec.ValidationError as error:
            raise StoreError(
                "not-a-store", f"{file} is damaged: {error}", hint="run the sweep again with --fresh"
            ) from error

    def write_manifest(self, manifest: Manifest, sources: Mapping[str, str]) -> None:
        """Put down what is about to be run. Raises StoreError (``store-unwritable``)."""
        with _writing(self.path):
            for sha256, text in sources.items():
                file = self.path / "sources" / f"{sha256}.tla"
                if not file.exists():
                    _write_atomically(file, lambda sink, text=text: sink.write(text.encode()))  # type: ignore[misc]
            data = msgspec.json.format(msgspec.json.encode(manifest), indent=1)
            _write_atomically(self.path / "store.json", lambda sink: sink.write(data))

    def sources(self) -> dict[str, str]:
        """The module texts of the store's runs by their sha256."""
        return {file.stem: file.read_text(encoding="utf-8") for file in (self.path / "sources").glob("*.tla")}

    def source(self, sha256: str) -> str:
        """One module text by its sha256. Raises OSError where it is not there."""
        return (self.path / "sources" / f"{sha256}.tla").read_text(encoding="utf-8")

    def record_file(self, run_id: str) -> Path:
        """The file of a run's record, there or not."""
        return self.records / f"{run_id}.zip"

    def write_record(self, executed: Executed) -> None:
        """Put down a run's record, whole or not at all. Raises StoreError (``store-unwritable``)."""
        with _writing(self.path):
            _write_atomically(
                self.record_file(executed.record.run_id),
                lambda sink: write_archive(sink, executed.record, executed.folders),
            )

    @contextlib.contextmanager
    def archive(self, run_id: str) -> Iterator[Archive]:
        """The record of a run. Raises StoreError (``record-damaged``)."""
        with open_archive(self.record_file(run_id)) as archive:
            yield archive

    def write_file(self, file: Path, write: Callable[[IO[bytes]], object]) -> None:
        """Write a file of the store, whole or not at all. Raises StoreError (``store-unwritable``)."""
        with _writing(self.path):
            _write_atomically(file, write)

    @contextlib.contextmanager
    def lock(self) -> Iterator[None]:
        """Hold the store for writing; one sweep at a time. Raises StoreError (``store-busy``)."""
        with _writing(self.path):
            handle = (self.path / ".lock").open("a")
        with handle:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as error:
                raise StoreError(
                    "store-busy",
                    f"another sweep is writing to {self.path}",
                    hint="wait for it, or use another store with -o",
                ) from error
            # Half-written files of a sweep that was killed.
            for folder in (self.path, self.records, self.tables, self.path / "sources"):
                for leftover in folder.glob(".tmp-*"):
                    if leftover.is_dir():
                        shutil.rmtree(leftover, ignore_errors=True)
                    else:
                        leftover.unlink(missing_ok=True)
            yield


def _is_ours(entry: Path) -> bool:
    """Whether something may be in a store that has no manifest yet, since its making was cut short."""
    return entry.name in (".lock", "records", "tables", "sources") or entry.name.startswith(".tmp-")


def _write_atomically(file: Path, write: Callable[[IO[bytes]], object]) -> None:
    handle = tempfile.NamedTemporaryFile(  # noqa: SIM115 - renamed, not deleted, when whole
        dir=file.parent, prefix=".tmp-", delete=False
    )
    try:
        with handle:
            write(handle)
            handle.flush()
            os.fsync(handle.fileno())
        Path(handle.name).chmod(0o644)
        Path(handle.name).replace(file)
    except BaseException:
        with contextlib.suppress(OSError):
            Path(handle.name).unlink()
        raise


@contextlib.contextmanager
def _writing(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise StoreError(
            "store-unwritable",
            f"cannot write to {path}: {error.strerror or error}",
            hint="free some space or name another store with -o; what is recorded stays",
        ) from error
