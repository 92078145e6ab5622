"""The store of a sweep: its manifest, the raw record of every run, and the tables derived from them.

::

    STORE/store.json              the manifest: parameters, the sweep file's text, the names of the points table
                                  and of the table of mutants
    STORE/points/DIGEST.parquet   the points: their parameters and run ids
    STORE/sources/SHA256.tla      the text of every module of the runs
    STORE/inputs/SHA256           the files that runs read, if a sweep declares any
    STORE/findings.json           what lint and the results show to be doubtful, and what [accept] accepts
    STORE/probes.json             which runs asked TLC what could not fail
    STORE/outputs/RUN_ID/         the files that a run wrote and the sweep declares
    STORE/records/RUN_ID.zip      the raw record of a run, see tla2py.store.record, until it is packed
    STORE/records/PACK.zip        a pack of records, see tla2py.store.pack
    STORE/records/PACK.parquet    its index
    STORE/tables/                 the tables, derived from the rest, see tla2py.store.fragments
"""

from __future__ import annotations

import contextlib
import shutil
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING, TypeVar

import msgspec

from tla2py.errors import StoreError
from tla2py.model.finding import NO_FINDINGS, Findings
from tla2py.model.mutant import MutantReport
from tla2py.model.run import OUTPUTS, Executed
from tla2py.store.points import (
    FILE,
    STORE_VERSION,
    Manifest,
    StoredPoints,
    damaged,
    read_manifest,
    read_named,
    read_points,
    write_named,
    write_points,
)
from tla2py.store.record import Archive, checked, open_archive, record_name, write_archive
from tla2py.store.storage import Address, Write, below, is_remote, storage_of

if TYPE_CHECKING:
    import pyarrow as pa

    from tla2py.store.fragments import TableList
    from tla2py.store.index import RecordIndex


T = TypeVar("T")
_FOLDERS = ("records", "tables", "sources")
_FINDINGS = "findings.json"
_PROBES = "probes.json"
# Where an older version kept the mutants.
_MUTANTS = "mutants.json"
# Seconds before retrying to write a record to an unreachable server: its run may have taken hours.
_PAUSES = (3.0, 9.0)


class Store:
    """A store at a path or a URI. Constructing one does not access the storage."""

    def __init__(self, path: Address) -> None:
        self.storage = storage_of(path)
        # The folder of the tables of a foreign file, which are not in the storage.
        self.tables: Path | None = None
        # The moment that a reader sees: neither manifest nor points nor tables change under it.
        self.moment: TableList | None = None
        self._index: RecordIndex | None = None

    @property
    def path(self) -> Address:
        """Its folder or its URI, valid on other machines too."""
        return self.storage.address

    @classmethod
    def create(cls, path: Address) -> Store:
        """The store at ``path``, created if it does not exist.

        Raises StoreError: ``not-a-store`` for a folder that holds something else, ``store-too-new``,
        ``store-unwritable``, and what accessing the storage raises.
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
        """The store's manifest, without its points.

        Raises StoreError: ``store-missing``, ``store-unreadable``, ``not-a-store``, ``store-too-new``, ``store-too-old``.
        """
        return read_manifest(self.storage) if self.moment is None else self.moment.manifest

    def points_table(self) -> pa.Table:
        """The points in order: ``point``, ``run_id`` and, under its column's name, the text of each parameter.

        Raises StoreError as ``manifest`` does.
        """
        manifest = self.manifest()
        for _ in range(2):
            with contextlib.suppress(FileNotFoundError):
                return read_points(self.storage, manifest)
            # Sweeps that began after the manifest was read may have replaced both.
            manifest = read_manifest(self.storage)
        raise damaged(self.storage, FILE, f"{manifest.points} is missing")

    def points(self) -> StoredPoints:
        """The points in order. Raises StoreError as ``manifest`` does."""
        return StoredPoints(self.points_table(), self.manifest().parameters)

    def write_manifest(self, manifest: Manifest, points: pa.Table, sources: Mapping[str, str]) -> None:
        """Write the manifest, the points and the missing module texts. Raises StoreError (``store-unwritable``).

        The mutants stay. Points that a reader may need are removed when the tables are brought up to date.
        """
        from tla2py.store.index import release_memory

        stored = self.storage.names("sources")
        self.storage.write(
            {
                f"sources/{sha256}.tla": lambda sink, text=text: sink.write(text.encode())  # type: ignore[misc]
                for sha256, text in sources.items()
                if f"{sha256}.tla" not in stored
            }
        )
        mutants = ""
        with contextlib.suppress(StoreError):
            mutants = read_manifest(self.storage).mutants
        self._write_manifest(
            msgspec.structs.replace(
                manifest, version=STORE_VERSION, points=write_points(self.storage, points), mutants=mutants
            )
        )
        release_memory()

    def _write_manifest(self, manifest: Manifest) -> None:
        data = msgspec.json.format(msgspec.json.encode(manifest), indent=1)
        self.storage.write({FILE: lambda sink: sink.write(data)})

    def write_findings(self, findings: Findings) -> None:
        """Write the findings on the sweep. Raises StoreError (``store-unwritable``)."""
        data = msgspec.json.format(msgspec.json.encode(findings), indent=1)
        self.storage.write({_FINDINGS: lambda sink: sink.write(data)})

    def findings(self) -> Findings:
        """The findings on the sweep; none if it has not ended. Raises StoreError (``not-a-store``) if they are damaged."""
        return self._read(_FINDINGS, Findings) or NO_FINDINGS

    def _read(self, name: str, kind: type[T]) -> T | None:
        """The content of a JSON file; None if it is missing. Raises StoreError (``not-a-store``) if it is damaged."""
        try:
            with self.storage.open(name) as source:
                return msgspec.json.decode(source.read(), type=kind)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except (OSError, msgspec.DecodeError, UnicodeDecodeError) as error:
            raise damaged(self.storage, name, error) from error

    def write_mutants(self, report: MutantReport) -> None:
        """Write the mutants and their statuses as the table ``mutants``. Raises StoreError (``store-unwritable``)."""
        from tla2py.store.sink import mutants_file

        name = write_named(self.storage, "tables/mutants", mutants_file(report))
        self._write_manifest(msgspec.structs.replace(read_manifest(self.storage), mutants=name))

    def mutants(self) -> MutantReport | None:
        """The mutants and their statuses; None if the store has none. Raises StoreError (``not-a-store``) if they are damaged."""
        name = self.manifest().mutants
        if not name:
            return self._read(_MUTANTS, MutantReport)
        from tla2py.store.sink import read_mutants

        try:
            return read_mutants(read_named(self.storage, name))
        except (OSError, ValueError) as error:
            raise damaged(self.storage, name, error) from error

    def mend_mutants(self) -> None:
        """Forget the mutants and their statuses if they are damaged; whoever runs mutants writes them anew."""
        try:
            self.carry_mutants()
            self.mutants()
        except StoreError as error:
            if error.code == "not-a-store":
                with contextlib.suppress(StoreError):
                    self._write_manifest(msgspec.structs.replace(read_manifest(self.storage), mutants=""))

    def carry_mutants(self) -> None:
        """Make the table of mutants that an older version kept in a file beside the tables. The store must be locked."""
        if _MUTANTS in self.storage.names(""):
            if not self.manifest().mutants and (report := self.mutants()) is not None:
                self.write_mutants(report)
            self.storage.remove([_MUTANTS])

    def write_probes(self, run_ids: Iterable[str]) -> None:
        """Write which runs asked TLC what could not fail. Raises StoreError (``store-unwritable``)."""
        data = msgspec.json.encode(sorted(run_ids))
        self.storage.write({_PROBES: lambda sink: sink.write(data)})

    def probes(self) -> frozenset[str] | None:
        """The runs that asked TLC what could not fail in the last sweep that did; None if no sweep wrote them."""
        try:
            with self.storage.open(_PROBES) as source:
                return frozenset(msgspec.json.decode(source.read(), type=list[str]))
        except (FileNotFoundError, msgspec.DecodeError):
            return None

    def sources(self) -> dict[str, str]:
        """The module texts of the store's runs by sha256."""
        names = sorted(name for name in self.storage.stamps("sources") if name.endswith(".tla"))
        self.storage.prefetch(f"sources/{name}" for name in names)
        return {name.removesuffix(".tla"): self.source(name.removesuffix(".tla")) for name in names}

    def source(self, sha256: str) -> str:
        """A module text by its sha256. Raises OSError if it is missing."""
        with self.storage.open(f"sources/{sha256}.tla") as source:
            return source.read().decode("utf-8")

    def record_ids(self) -> RecordIndex:
        """The identities of the packed records by run id."""
        from tla2py.store.index import read_index

        self._index = read_index(self.storage, self._index)
        return self._index

    def recorded(self) -> set[str]:
        """The runs with a record."""
        index = self.record_ids()
        return {*index.columns["run_id"].to_pylist(), *index.loose}

    def pack(self) -> None:
        """Move the loose records into a pack. The store must be locked.

        Many packs become one. Damaged records stay as they are. Raises StoreError (``store-unwritable``).
        """
        from tla2py.store.pack import pack_records

        pack_records(self.storage, self.record_ids())

    def write_record(self, executed: Executed) -> None:
        """Write a run's record, whole or not at all.

        Raises StoreError: ``store-unwritable``, ``store-unreachable`` after two retries.
        """
        record = executed.record
        outputs = executed.folders[0] / OUTPUTS
        files = {f"outputs/{record.run_id}/{path}": outputs / path for path, _ in record.outputs}
        writes: dict[str, Write] = {name: partial(_copy, file) for name, file in files.items()}
        # Last, so that no record lacks its files.
        writes[record_name(record.run_id)] = lambda sink: write_archive(sink, record, executed.folders)
        for pause in (*_PAUSES, None):
            try:
                if files:
                    self.storage.make({name.rpartition("/")[0] for name in files})
                self.storage.write(writes)
            except StoreError as error:
                if pause is None or error.code != "store-unreachable":
                    raise
                time.sleep(pause)
            else:
                return

    @contextlib.contextmanager
    def archive(self, run_id: str) -> Iterator[Archive]:
        """The record of a run. Raises StoreError (``record-damaged``)."""
        name = below(self.path, record_name(run_id))
        with open_archive(lambda: self._open_record(run_id), name, run_id) as archive:
            yield archive

    def _open_record(self, run_id: str) -> IO[bytes]:
        if not is_remote(self.path):
            # Needs no index, and a loose record counts before any other.
            with contextlib.suppress(FileNotFoundError):
                return self.storage.open(record_name(run_id))
        # The record may have been packed, and packs may have been merged, since the index was read.
        for index in (self._index, None):
            file, crc32 = (index or self.record_ids()).place(run_id)
            with contextlib.suppress(FileNotFoundError):
                return checked(self.storage.open(file), crc32)
        raise FileNotFoundError("it is missing")

    def prefetch(self, run_ids: Iterable[str]) -> None:
        """Prepare to read these records next, in this order."""
        if is_remote(self.path):
            index = self.record_ids()
            self.storage.prefetch(index.place(run_id).file for run_id in run_ids)

    def lock(self) -> AbstractContextManager[None]:
        """Hold the store for writing. Raises StoreError (``store-busy``)."""
        return self.storage.lock()


def _copy(file: Path, sink: IO[bytes]) -> None:
    with file.open("rb") as source:
        shutil.copyfileobj(source, sink, 1 << 20)


def _is_ours(name: str) -> bool:
    """Whether a store without a manifest may contain this name, because its creation was interrupted."""
    return name in (".lock", "claims", "inputs", "outputs", "points", *_FOLDERS) or name.startswith(".tmp-")
