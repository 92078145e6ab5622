"""Reads Parquet files as Arrow tables.

Everything that reads Parquet here or in ``store`` does so in its own thread: if Arrow's threads are still busy when the
process ends, they may abort it (apache/arrow#34314).
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tla2py.errors import StoreError
from tla2py.store.schema import Column
from tla2py.store.storage import Folder, Storage

if TYPE_CHECKING:
    import pyarrow as pa


# So many rows become Python objects at once.
BATCH_ROWS = 1000

Files = Sequence[Path]
"""The files that make up a table."""


def wrong_value(table: str, what: str) -> StoreError:
    """The error for what tla2py never writes into a table, though the file is as its list says."""
    return StoreError(
        "table-damaged",
        f"the table {table} has {what}",
        hint="a newer tla2py may have written it; otherwise make the tables anew: tla2py tables STORE",
    )


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

    from tla2py.store.index import text_column

    for path in files:
        with pq.ParquetFile(path) as file:
            for group in range(file.num_row_groups):
                range_ = file.metadata.row_group(group).column(0).statistics
                if range_ is not None and range_.has_min_max and not range_.min <= run_id <= range_.max:
                    continue
                own = pc.equal(
                    file.read_row_group(group, ["run_id"], use_threads=False)["run_id"],
                    text_column([run_id])[0],
                )
                if pc.any(own).as_py():
                    yield from table_rows(
                        file.read_row_group(group, list(columns), use_threads=False).filter(own), columns
                    )


def table_rows(table: pa.Table, columns: Sequence[str]) -> Iterator[tuple[Any, ...]]:
    """The values of some columns of an Arrow table, a tuple per row; None in columns that it lacks."""
    for batch in table.to_batches(max_chunksize=BATCH_ROWS):
        yield from _batch_rows(batch, columns)


def _batch_rows(batch: pa.RecordBatch, columns: Sequence[str]) -> Iterator[tuple[Any, ...]]:
    present = set(batch.schema.names)
    absent = [None] * batch.num_rows
    lists = [batch.column(name).to_pylist() if name in present else absent for name in columns]
    yield from zip(*lists, strict=True)


# Copies of remote files, which do not change after they were found intact.
_intact_copies: set[Path] = set()


def intact_file(storage: Storage, name: str, sha256: str) -> Path | None:
    """A file with this digest, or its copy; None if it is missing or differs.

    A file is read once for each of its sizes and times. Raises StoreError.
    """
    try:
        path = storage.local(name)
        if path in _intact_copies:
            return path
        stat = path.stat()
        found = _cached(path, stat.st_size, stat.st_mtime_ns)
    except OSError:
        return None
    if found == sha256:
        if not isinstance(storage, Folder):
            _intact_copies.add(path)
        return path
    storage.forget(name)
    return None


@lru_cache(maxsize=4096)
def _cached(path: Path, _size: int, _mtime_ns: int) -> str:
    return file_digest(path)


def file_digest(path: Path) -> str:
    """The sha256 of a file, in hexadecimal. Raises OSError."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def has_columns(path: Path, columns: Sequence[Column], *, whole: bool) -> bool:
    """Whether a file has these columns with their types; without ``whole`` some may be missing."""
    stat = path.stat()
    shapes = _column_shapes(path, stat.st_size, stat.st_mtime_ns)
    return all(
        shapes.get(column.name) == _shape(column.type)
        for column in columns
        if whole or column.name == "run_id" or column.name in shapes
    )


@lru_cache(maxsize=4096)
def _column_shapes(path: Path, _size: int, _mtime_ns: int) -> Mapping[str, str]:
    """The shapes of a file's columns by name; none of a file that is not Parquet."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(path) as file:
            return {field.name: _shape(field.type) for field in file.schema_arrow}
    except (OSError, ValueError, pa.ArrowException):
        return {}


def _shape(kind: pa.DataType) -> str:
    """A type without what differs between writers."""
    import pyarrow as pa

    text = str(kind.value_type if pa.types.is_dictionary(kind) else kind)
    if text.startswith("timestamp"):
        return "timestamp"
    return text.replace("element: ", "item: ").replace(" not null", "").replace("large_", "")
