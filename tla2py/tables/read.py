"""Reads Parquet files as Arrow tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa

Source = Path | IO[bytes]
"""A table's file: its path, or the open file."""


def read_table(source: Source, columns: Sequence[str] | None = None) -> pa.Table:
    """A Parquet file, or some of its columns. Raises OSError, and pyarrow's errors if it is not Parquet.

    ``pyarrow.parquet.read_table`` would do, but imports pandas.
    """
    # Imported on use: many commands read no table.
    import pyarrow.parquet as pq

    with pq.ParquetFile(source) as file:
        return file.read(columns=None if columns is None else list(columns))


def read_rows(
    source: Source, columns: Sequence[str], first: int = 0, count: int | None = None
) -> Iterator[tuple[Any, ...]]:
    """The values of some columns, a tuple per row; None in columns that the file lacks.

    Returns ``count`` rows from row ``first`` (counted from 0). Raises what ``read_table`` raises.
    """
    for batch in read_table(source, columns).slice(first, count).to_batches(max_chunksize=1000):
        present = set(batch.schema.names)
        absent = [None] * batch.num_rows
        lists = [batch.column(name).to_pylist() if name in present else absent for name in columns]
        yield from zip(*lists, strict=True)
