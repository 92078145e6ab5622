"""The files that a store's tables consist of, and the list of them.

A refresh of the tables adds one fragment: Parquet files with the rows of the runs that were added. Fragments never
change. The list names all that belongs to one moment: the manifest and its points, and the fragments that count. It is
replaced whole. Tables can be made anew from the records, so a list that cannot be read is as good as none.
"""

from __future__ import annotations

import contextlib
import hashlib
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import msgspec

from tla2py.errors import StoreError
from tla2py.store.manifest import Manifest
from tla2py.store.schema import TABLES, Column, runs_columns
from tla2py.store.storage import Storage

if TYPE_CHECKING:
    import pyarrow as pa


LIST = "tables/current.json"
# Raised when the rows that are made of a record change otherwise than by their columns.
_ROWS_VERSION = 3

# The rows of ``runs`` without point and parameters, by run.
RESULTS = (
    *(column for column in runs_columns(()) if column.name != "point"),
    Column("record", "string", False, "size and CRC of the record that the row was made from"),
)
# The tables of the store as a whole: points joined with the rows of runs, mutants, what ``drive`` wrote last, and causes.
JOINED = ("runs", "logs", "mutants", "drives", "because")
LOG_RESULTS = tuple(column for column in TABLES["logs"] if column.name != "point")
FRAGMENT_TABLES: dict[str, tuple[Column, ...]] = {
    "results": RESULTS,
    "log_results": LOG_RESULTS,
    **{name: columns for name, columns in TABLES.items() if name not in JOINED},
}
# The columns of every file; those of ``runs`` also have the parameters.
_DECLARED = {**TABLES, **FRAGMENT_TABLES, "runs": runs_columns(())}
# Another version of tla2py may have other columns: its tables are made again.
COLUMNS = hashlib.sha256(
    repr((_ROWS_VERSION, [(name, [c[:3] for c in each]) for name, each in FRAGMENT_TABLES.items()])).encode()
).hexdigest()[:16]

# A store may be untrusted.
_FileName = Annotated[str, msgspec.Meta(pattern=r"^(tables/\w+|points)/\w+\.parquet\Z")]


class TableFile(msgspec.Struct, frozen=True, kw_only=True):
    """A Parquet file: its name in the store, its rows, bytes and digest."""

    name: _FileName
    rows: int
    size: int
    sha256: str


class Fragment(msgspec.Struct, frozen=True, kw_only=True):
    """A fragment: its files by table."""

    files: dict[str, list[TableFile]]

    def with_files(self, others: Iterable[Fragment]) -> Fragment:
        """This fragment, with the files of others after its own."""
        files = {table: [*mine] for table, mine in self.files.items()}
        for other in others:
            for table, more in other.files.items():
                files[table] = [*files.get(table, ()), *more]
        return Fragment(files=files)

    @property
    def size(self) -> int:
        """The bytes of all its files."""
        return sum(file.size for files in self.files.values() for file in files)

    @property
    def names(self) -> list[str]:
        """The names of its files in the store."""
        return [file.name for files in self.files.values() for file in files]


class TableList(msgspec.Struct, frozen=True, kw_only=True):
    """The tables of a store at one moment, with the manifest that they were made for.

    ``runs`` has the files of the tables that are joined with the points, ``fragments`` those of all others. ``made_from``
    is the digest of what they were made from, empty since a record was found damaged; ``columns`` that of their columns.
    ``retired`` has the files of earlier moments, and the times when they were replaced: their readers may not have
    finished. ``newer`` are runs that limited sweeps executed since, which the next whole sweep takes in.
    """

    manifest: Manifest
    made_from: str
    columns: str
    runs: Fragment
    fragments: list[Fragment]
    retired: dict[_FileName, float]
    newer: list[str] = []

    @property
    def names(self) -> set[str]:
        """The names of the files of the tables and of the points."""
        return {self.manifest.points, *(name for each in (self.runs, *self.fragments) for name in each.names)}

    def having(self, table: str) -> list[Fragment]:
        """The fragments that may have files of a table."""
        return [self.runs] if table in JOINED else self.fragments

    def of(self, table: str) -> list[TableFile]:
        """The files of a table."""
        return [file for each in self.having(table) for file in each.files.get(table, ())]


def new_name() -> str:
    """A name that no other file has."""
    return uuid.uuid4().hex[:16]


def intact_table(
    storage: Storage, table: str, fragments: Iterable[Fragment], *, whole: bool = True
) -> list[Path] | None:
    """The files of a table in fragments, or their copies, in order, with the content that was written.

    None if one is missing or differs, or has other columns than this version writes, of which some may be missing without
    ``whole``: a stranger may have written both the file and its digest.
    """
    found: list[Path] = []
    for each in (file for fragment in fragments for file in fragment.files.get(table, ())):
        try:
            path = storage.local(each.name)
            stat = path.stat()
            sha256, types = _contents(path, stat.st_size, stat.st_mtime_ns)
        except OSError:
            return None
        wanted = [c for c in _DECLARED[table] if whole or c.name == "run_id" or c.name in types]
        if sha256 != each.sha256 or any(types.get(column.name) != column.type for column in wanted):
            return None
        found.append(path)
    return found


@lru_cache(maxsize=4096)
def _contents(path: Path, _size: int, _mtime_ns: int) -> tuple[str, Mapping[str, pa.DataType]]:
    """The digest of a file, which is read once for each of its sizes and times, and the types of its columns, if it is Parquet."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    types: dict[str, pa.DataType] = {}
    with contextlib.suppress(ValueError, pa.ArrowException), pq.ParquetFile(path) as file:
        types = {field.name: field.type for field in file.schema_arrow}
    return file_digest(path), types


def is_intact(storage: Storage, fragment: Fragment, tables: Iterable[str]) -> bool:
    """Whether the files of these tables in a fragment have the content that was written."""
    return all(intact_table(storage, table, [fragment]) is not None for table in {*tables})


def fragment_of(folder: Path, name: str) -> Fragment:
    """The fragment whose files ``TABLE/NAME.parquet`` are in a folder. Raises OSError."""
    files = {}
    for table in (*JOINED, *FRAGMENT_TABLES):
        file = folder / table / f"{name}.parquet"
        if file.exists():
            files[table] = [table_file(file, table)]
    return Fragment(files=files)


def table_file(file: Path, table: str) -> TableFile:
    """The facts of a file of a table. Raises OSError."""
    import pyarrow.parquet as pq

    size, rows = file.stat().st_size, pq.read_metadata(file).num_rows
    return TableFile(name=f"tables/{table}/{file.name}", rows=rows, size=size, sha256=file_digest(file))


def read_list(storage: Storage) -> TableList | None:
    """The list of the tables; None if it is missing or damaged."""
    try:
        with storage.open(LIST) as source:
            tables = msgspec.json.decode(source.read(), type=TableList)
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return None
    # A table whose name is damaged would seem to have no rows.
    known = all(each.files.keys() <= _DECLARED.keys() for each in (tables.runs, *tables.fragments))
    return tables if known else None


def write_list(storage: Storage, tables: TableList) -> None:
    """Replace the list. Raises StoreError (``store-unwritable``)."""
    data = msgspec.json.encode(tables)
    storage.write({LIST: lambda sink: sink.write(data)})


# So many rows become Python objects at once.
BATCH_ROWS = 1000

Files = Sequence[Path]
"""The files that make up a table."""


def wrong_value(table: str, what: str) -> StoreError:
    """The error for what tla2py never writes into a table, though the file is as its list says."""
    hint = "a newer tla2py may have written it; otherwise make the tables anew: tla2py tables STORE"
    return StoreError("table-damaged", f"the table {table} has {what}", hint=hint)


def read_table(files: Files, columns: Sequence[str] | None = None) -> pa.Table:
    """The rows of Parquet files, at least one, or some of their columns. Raises OSError, and pyarrow's errors.

    ``pyarrow.parquet.read_table`` would do, but imports pandas.
    """
    # Imported on use: many commands read no table.
    import pyarrow as pa
    import pyarrow.parquet as pq

    parts = []
    for path in files:
        with pq.ParquetFile(path) as file:
            parts.append(file.read(None if columns is None else list(columns), use_threads=False))
    return pa.concat_tables(parts)


def read_rows(files: Files, columns: Sequence[str]) -> Iterator[tuple[Any, ...]]:
    """The values of some columns, a tuple per row; None in columns that a file lacks.

    Raises what ``read_table`` raises.
    """
    for batch in read_batches(files, columns):
        yield from _batch_rows(batch, columns)


def read_batches(files: Files, columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
    """The rows of Parquet files in parts, with those of the columns that a file has. Raises what ``read_table`` raises."""
    import pyarrow.parquet as pq

    for path in files:
        with pq.ParquetFile(path) as file:
            yield from file.iter_batches(BATCH_ROWS, columns=list(columns), use_threads=False)


def read_run(files: Files, columns: Sequence[str], run_id: str) -> Iterator[tuple[Any, ...]]:
    """The rows of one run, as ``read_rows`` returns them; reads little else."""
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    from tla2py.store.pack import text_column

    for path in files:
        with pq.ParquetFile(path) as file:
            for group in range(file.num_row_groups):
                range_ = file.metadata.row_group(group).column(0).statistics
                if range_ is not None and range_.has_min_max and not range_.min <= run_id <= range_.max:
                    continue
                read = partial(file.read_row_group, group, use_threads=False)
                own = pc.equal(read(columns=["run_id"])["run_id"], text_column([run_id])[0])
                if pc.any(own).as_py():
                    yield from table_rows(read(columns=list(columns)).filter(own), columns)


def table_rows(table: pa.Table, columns: Sequence[str]) -> Iterator[tuple[Any, ...]]:
    """The values of some columns of an Arrow table, a tuple per row; None in columns that it lacks."""
    for batch in table.to_batches(max_chunksize=BATCH_ROWS):
        yield from _batch_rows(batch, columns)


def _batch_rows(batch: pa.RecordBatch, columns: Sequence[str]) -> Iterator[tuple[Any, ...]]:
    present = set(batch.schema.names)
    absent = [None] * batch.num_rows
    lists = [batch.column(name).to_pylist() if name in present else absent for name in columns]
    yield from zip(*lists, strict=True)


def file_digest(path: Path) -> str:
    """The sha256 of a file, in hexadecimal. Raises OSError."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
