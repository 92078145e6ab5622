"""The store of a sweep: what was run, the raw record of every run, and the tables derived from them.

::

    STORE/store.json              what was run: points, parameters, run ids, the sweep file's text
    STORE/sources/SHA256.tla      the text of every module that a run reached
    STORE/records/RUN_ID.zip      the raw record of a run, see tla2py.store.record
    STORE/tables/NAME.parquet     the tables; always derivable from the rest
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Annotated

import msgspec

from tla2py.errors import StoreError
from tla2py.model.result import Executed
from tla2py.store.record import Archive, open_archive, write_archive
from tla2py.store.storage import Address, Stamp, below, storage_of

# Raised when the layout of the store or the meaning of a column changes; newer stores are refused.
STORE_VERSION = 1
_FOLDERS = ("records", "tables", "sources")
# Seconds before a record is written again to a server that is away: the run behind it may have taken hours.
_PAUSES = (3.0, 9.0)


class ManifestParameter(msgspec.Struct, frozen=True, kw_only=True):
    """A parameter: its name in the sweep, and the column of ``runs`` that holds it with its type."""

    name: str
    kind: str
    column: str
    type: str


class ManifestPoint(msgspec.Struct, frozen=True, kw_only=True):
    """A point of the sweep, the texts of its parameters and the run that answers it."""

    point: int
    # A record is found by it, and a store may come from anybody.
    run_id: Annotated[str, msgspec.Meta(pattern=r"^\w+\Z")]
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


class Store:
    """A store at a path, or at a URI that ``tla2py.store.storage`` knows. Making one with ``Store(path)`` touches nothing."""

    def __init__(self, path: Address) -> None:
        self.storage = storage_of(path)

    @property
    def path(self) -> Address:
        """What opens it again, here and on other machines: its folder, or its URI."""
        return self.storage.address

    @classmethod
    def create(cls, path: Address) -> Store:
        """A store at ``path``, made when it is not there yet.

        Raises StoreError: ``not-a-store`` for a folder that holds something else, ``store-too-new``,
        ``store-unwritable``, and what reaching its place raises.
        """
        store = cls(path)
        if not all(map(_is_ours, store.storage.names(""))):
            store.manifest()
        store.storage.make(_FOLDERS)
        return store

    @classmethod
    def open(cls, path: Address) -> Store:
        """The store at ``path`` for reading. Raises StoreError as ``manifest`` does."""
        store = cls(path)
        store.manifest()
        return store

    def manifest(self) -> Manifest:
        """What the store was made from.

        Raises StoreError: ``store-missing``, ``store-unreadable``, ``not-a-store``, ``store-too-new``.
        """
        try:
            with self.storage.open("store.json") as source:
                data = msgspec.json.decode(source.read())
        except (FileNotFoundError, NotADirectoryError) as error:
            if not self.storage.exists():
                raise StoreError(
                    "store-missing", f"no such store: {self.path}", hint="'tla2py sweep SWEEP.toml' makes one"
                ) from error
            data = None
        except OSError as error:
            raise StoreError(
                "store-unreadable",
                f"cannot read store.json of {self.path}: {error.strerror}",
                hint="see that you may read the store, whole",
            ) from error
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
                "not-a-store",
                f"store.json of {self.path} is damaged: {error}",
                hint="run the sweep again with --fresh",
            ) from error

    def write_manifest(self, manifest: Manifest, sources: Mapping[str, str]) -> None:
        """Put down what is about to be run. Raises StoreError (``store-unwritable``)."""
        there = self.storage.names("sources")
        self.storage.write(
            {
                f"sources/{sha256}.tla": lambda sink, text=text: sink.write(text.encode())  # type: ignore[misc]
                for sha256, text in sources.items()
                if f"{sha256}.tla" not in there
            }
        )
        data = msgspec.json.format(msgspec.json.encode(manifest), indent=1)
        self.storage.write({"store.json": lambda sink: sink.write(data)})

    def sources(self) -> dict[str, str]:
        """The module texts of the store's runs by their sha256."""
        names = sorted(name for name in self.storage.stamps("sources") if name.endswith(".tla"))
        self.storage.expect(f"sources/{name}" for name in names)
        return {name.removesuffix(".tla"): self.source(name.removesuffix(".tla")) for name in names}

    def source(self, sha256: str) -> str:
        """One module text by its sha256. Raises OSError where it is not there."""
        with self.storage.open(f"sources/{sha256}.tla") as source:
            return source.read().decode("utf-8")

    def records(self) -> dict[str, Stamp]:
        """The run ids of the records there are, with what tells one version of a record from another."""
        stamps = self.storage.stamps("records")
        return {name.removesuffix(".zip"): stamp for name, stamp in stamps.items() if name.endswith(".zip")}

    def write_record(self, executed: Executed) -> None:
        """Put down a run's record, whole or not at all.

        Raises StoreError (``store-unwritable``), and ``store-unreachable`` where a server is away for half a minute.
        """
        name = _record_name(executed.record.run_id)
        for pause in (*_PAUSES, None):
            try:
                self.storage.write(
                    {name: lambda sink: write_archive(sink, executed.record, executed.folders)}
                )
            except StoreError as error:
                if pause is None or error.code != "store-unreachable":
                    raise
                time.sleep(pause)
            else:
                return

    @contextlib.contextmanager
    def archive(self, run_id: str) -> Iterator[Archive]:
        """The record of a run. Raises StoreError (``record-damaged``)."""
        name = _record_name(run_id)
        with open_archive(lambda: self.storage.open(name), below(self.path, name)) as archive:
            yield archive

    def expect(self, run_ids: Iterable[str]) -> None:
        """Be told which records are read next, in this order, so that they may be fetched ahead."""
        self.storage.expect(map(_record_name, run_ids))

    def table(self, name: str) -> Path:
        """A table as a file of this machine: its own, or a copy. Raises FileNotFoundError, or leaves that to readers."""
        return self.storage.local(f"tables/{name}.parquet")

    @contextlib.contextmanager
    def lock(self) -> Iterator[None]:
        """Hold the store for writing; one sweep at a time. Raises StoreError (``store-busy``)."""
        with self.storage.lock():
            yield


def _record_name(run_id: str) -> str:
    return f"records/{run_id}.zip"


def _is_ours(name: str) -> bool:
    """Whether something may be in a store that has no manifest yet, since its making was cut short."""
    return name in (".lock", "claims", *_FOLDERS) or name.startswith(".tmp-")
