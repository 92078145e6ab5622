"""The store of a sweep: its manifest, the raw record of every run, and the tables derived from them; docs/store.md has its files."""

from __future__ import annotations

import contextlib
import io
import shutil
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING, TypeVar

import msgspec

from tla2py.errors import StoreError
from tla2py.model.finding import NO_FINDINGS, Findings
from tla2py.model.mutant import MutantReport
from tla2py.model.run import OUTPUTS, ExecutedRun
from tla2py.model.search import Search
from tla2py.store.address import Address, below, is_remote
from tla2py.store.manifest import FILE, Manifest, ManifestParameter, read_manifest
from tla2py.store.open_storage import open_storage
from tla2py.store.record import Archive, checked, open_archive, record_name, write_archive
from tla2py.store.storage import Write, damaged, read_named, write_named

if TYPE_CHECKING:
    import pyarrow as pa

    from tla2py.store.fragments import TableList
    from tla2py.store.pack import RecordIndex


class ManifestPoint(msgspec.Struct, frozen=True, kw_only=True):
    """A point of the sweep, the texts of its parameters and its run."""

    point: int
    run_id: str
    parameters: dict[str, str]


class StoredPoints:
    """The points of a store in order, made from columns as they are asked for."""

    def __init__(self, table: pa.Table, parameters: Sequence[ManifestParameter]) -> None:
        self.table, self._parameters = table, parameters

    def __len__(self) -> int:
        return int(self.table.num_rows)

    def __iter__(self) -> Iterator[ManifestPoint]:
        for batch in self.table.to_batches(max_chunksize=1000):
            for row in batch.to_pylist():
                parameters = {each.name: row[each.column] for each in self._parameters}
                yield ManifestPoint(point=row["point"], run_id=row["run_id"], parameters=parameters)

    def run_ids(self) -> set[str]:
        """The runs of the points."""
        return set(self.table["run_id"].to_pylist())

    def __getitem__(self, number: int) -> ManifestPoint:
        """The point with a number. Raises KeyError."""
        return self.some([number])[number]

    def find(self, number: int) -> ManifestPoint | None:
        """The point with a number."""
        return self.some([number]).get(number)

    def some(self, numbers: Iterable[int]) -> dict[int, ManifestPoint]:
        """The points with these numbers, by number."""
        from tla2py.store.pack import integer_column

        return {each.point: each for each in self._where("point", integer_column(numbers))}

    def of_run(self, run_id: str) -> ManifestPoint | None:
        """The first point with a run."""
        from tla2py.store.pack import text_column

        return next(iter(self._where("run_id", text_column([run_id]))), None)

    def different(self, parameter: ManifestParameter) -> int:
        """The number of different texts of a parameter."""
        import pyarrow as pa

        return len(self.table[parameter.column].cast(pa.string()).unique())

    def _where(self, column: str, values: pa.Array) -> StoredPoints:
        import pyarrow.compute as pc

        found = pc.is_in(self.table[column], value_set=values)
        return StoredPoints(self.table.filter(found), self._parameters)


def points_table(parameters: Sequence[ManifestParameter], points: Iterable[ManifestPoint]) -> pa.Table:
    """The points as a table, with a text column for each parameter."""
    import pyarrow as pa

    from tla2py.store.pack import integer_column, text_column

    every = list(points)
    columns = {
        "point": integer_column(each.point for each in every),
        "run_id": text_column(each.run_id for each in every),
    }
    for parameter in parameters:
        texts = text_column(each.parameters[parameter.name] for each in every)
        columns[parameter.column] = texts.dictionary_encode()
    return pa.table(columns)


T = TypeVar("T")
_FOLDERS = ("records", "tables", "sources")
_FINDINGS = "findings.json"
_PROBES = "probes.json"
# Which points were as expected the last time, and the store with the points and tables of the last limited sweep.
PASSED = "passed.json"
LIMITED = "limited"
# Seconds before retrying to write a record to an unreachable server: its run may have taken hours.
_PAUSES = (3.0, 9.0)


class Store:
    """A store at a path or a URI. Constructing one does not access the storage."""

    def __init__(self, path: Address) -> None:
        self.storage = open_storage(path)
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
        # What a store has without a manifest, because its creation was interrupted.
        ours = {".lock", "claims", "inputs", "outputs", "points", PASSED, LIMITED, *_FOLDERS}
        if not all(name in ours or name.startswith(".tmp-") for name in store.storage.names("")):
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
        """The store's manifest, without its points. Raises StoreError as ``read_manifest`` does."""
        return read_manifest(self.storage) if self.moment is None else self.moment.manifest

    def points_table(self) -> pa.Table:
        """The points in order: ``point``, ``run_id`` and, under its column's name, the text of each parameter.

        Raises StoreError as ``manifest`` does.
        """
        import pyarrow as pa
        import pyarrow.compute as pc
        import pyarrow.parquet as pq

        from tla2py.store.pack import release_memory

        manifest = self.manifest()
        names = ["point", "run_id", *(each.column for each in manifest.parameters)]
        try:
            # ``read_table`` would import pandas.
            with pq.ParquetFile(pa.BufferReader(read_named(self.storage, manifest.points))) as file:
                table = file.read(use_threads=False).select(names)
            # They become file names, and a store may be untrusted.
            odd = table.filter(pc.invert(pc.match_substring_regex(table["run_id"], r"^\w+\z")))
        except FileNotFoundError as error:
            raise damaged(self.storage, FILE, f"{manifest.points} is missing") from error
        except (KeyError, IsADirectoryError, pa.ArrowException) as error:
            raise damaged(self.storage, manifest.points or FILE, error) from error
        if odd.num_rows:
            raise damaged(self.storage, manifest.points, f"{odd['run_id'][0].as_py()!r} is not a run")
        release_memory()
        return table

    def points(self) -> StoredPoints:
        """The points in order. Raises StoreError as ``manifest`` does."""
        return StoredPoints(self.points_table(), self.manifest().parameters)

    def write_manifest(self, manifest: Manifest, points: pa.Table, sources: Mapping[str, str]) -> None:
        """Write the manifest, the points and the missing module texts. Raises StoreError (``store-unwritable``).

        The mutants and causes, unless damaged, and the last search stay. Points that a reader may need are removed when the tables are brought up to date.
        """
        import pyarrow.parquet as pq

        from tla2py.store.pack import release_memory

        stored = self.storage.names("sources")
        self.storage.write(
            {
                f"sources/{sha256}.tla": lambda sink, text=text: sink.write(text.encode())  # type: ignore[misc]
                for sha256, text in sources.items()
                if f"{sha256}.tla" not in stored
            }
        )
        kept: dict[str, str] = {}
        search = None
        unanswered: list[tuple[str, int | None]] = []
        with contextlib.suppress(StoreError):
            before = read_manifest(self.storage)
            search, unanswered = before.search, before.unanswered
            for table, file in {"mutants": before.mutants, "because": before.because}.items():
                with contextlib.suppress(StoreError, OSError):
                    kept[table] = file if not file or read_named(self.storage, file) else ""
        sink = io.BytesIO()
        pq.write_table(points, sink, compression="zstd")
        named = write_named(self.storage, "points", sink.getvalue())
        manifest = msgspec.structs.replace(
            manifest, points=named, search=search, unanswered=unanswered, **kept
        )
        self._write(FILE, manifest)
        release_memory()

    def _write(self, name: str, content: object) -> None:
        data = msgspec.json.format(msgspec.json.encode(content), indent=1)
        self.storage.write({name: lambda sink: sink.write(data)})

    def write_findings(self, findings: Findings) -> None:
        """Write the findings on the sweep. Raises StoreError (``store-unwritable``)."""
        self._write(_FINDINGS, findings)

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
        except (OSError, ValueError) as error:
            raise damaged(self.storage, name, error) from error

    def write_mutants(self, report: MutantReport) -> None:
        """Write the mutants and their statuses as the table ``mutants``. Raises StoreError (``store-unwritable``)."""
        from tla2py.store.parquet import mutants_file

        name = write_named(self.storage, "tables/mutants", mutants_file(report))
        self._write(FILE, msgspec.structs.replace(read_manifest(self.storage), mutants=name))

    def write_because(
        self, rows: Iterable[dict[str, object]], unanswered: Iterable[tuple[str, int | None]] = ()
    ) -> None:
        """Write the causes of violations as the table ``because``, and which to ask about again, by run and trace.

        Raises StoreError (``store-unwritable``).
        """
        from tla2py.store.parquet import rows_as_file

        name = write_named(self.storage, "tables/because", rows_as_file("because", rows))
        manifest = read_manifest(self.storage)
        self._write(FILE, msgspec.structs.replace(manifest, because=name, unanswered=list(unanswered)))

    def mutants(self) -> MutantReport | None:
        """The mutants and their statuses; None if the store has none. Raises StoreError (``not-a-store``) if they are damaged."""
        name = self.manifest().mutants
        if not name:
            return None
        from tla2py.store.parquet import read_mutants

        try:
            return read_mutants(read_named(self.storage, name))
        except (OSError, ValueError) as error:
            raise damaged(self.storage, name, error) from error

    def write_search(self, search: Search) -> None:
        """Write a search for laws. Raises StoreError (``store-unwritable``)."""
        self._write(FILE, msgspec.structs.replace(read_manifest(self.storage), search=search))

    def write_probes(self, run_ids: Iterable[str]) -> None:
        """Write which runs asked TLC what could not fail. Raises StoreError (``store-unwritable``)."""
        self._write(_PROBES, sorted(run_ids))

    def probes(self) -> frozenset[str]:
        """The runs that asked TLC what could not fail in the last sweep that did."""
        return frozenset(self._read(_PROBES, list[str]) or ())

    def sources(self) -> dict[str, str]:
        """The module texts of the store's runs by sha256."""
        digests = sorted(name[:-4] for name in self.storage.stamps("sources") if name.endswith(".tla"))
        self.storage.prefetch(f"sources/{sha256}.tla" for sha256 in digests)
        return {sha256: self.source(sha256) for sha256 in digests}

    def source(self, sha256: str) -> str:
        """A module text by its sha256. Raises OSError if it is missing."""
        with self.storage.open(f"sources/{sha256}.tla") as source:
            return source.read().decode("utf-8")

    def record_ids(self) -> RecordIndex:
        """The identities of the packed records by run id."""
        from tla2py.store.pack import read_index

        self._index = read_index(self.storage, self._index)
        return self._index

    def recorded(self) -> set[str]:
        """The runs with a record."""
        index = self.record_ids()
        return {*index.columns["run_id"].to_pylist(), *index.loose}

    def pack(self) -> None:
        """Move the loose records into a pack, see ``pack_records``. The store must be locked."""
        from tla2py.store.pack import pack_records

        pack_records(self.storage, self.record_ids())

    def write_record(self, executed: ExecutedRun) -> None:
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

    def read_record(self, run_id: str, read: Callable[[Archive], T]) -> T | None:
        """What ``read`` makes of the record of a run; None if it is damaged or missing."""
        try:
            with self.archive(run_id) as archive:
                return read(archive)
        except StoreError as error:
            if error.code != "record-damaged":
                raise
            return None

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
            self.storage.prefetch(index.place(run_id)[0] for run_id in run_ids)

    def lock(self) -> AbstractContextManager[None]:
        """Hold the store for writing. Raises StoreError (``store-busy``)."""
        return self.storage.lock()


def _copy(file: Path, sink: IO[bytes]) -> None:
    with file.open("rb") as source:
        shutil.copyfileobj(source, sink, 1 << 20)
