"""Reading tables: Parquet files as Arrow."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, Any

import pyarrow as pa
import pyarrow.parquet as pq

Source = Path | IO[bytes]
"""A file of a table, by its path or open."""


def read_table(source: Source, columns: Sequence[str] | None = None) -> pa.Table:
    """A Parquet file, or some columns of it; ``pyarrow.parquet.read_table`` does the same and imports pandas for it.

    Raises OSError and what pyarrow raises where it is none.
    """
    with pq.ParquetFile(source) as file:
        return file.read(columns=None if columns is None else list(columns))


def read_rows(
    source: Source, columns: Sequence[str], first: int = 0, count: int | None = None
) -> Iterator[tuple[Any, ...]]:
    """The values of some columns, a tuple per row; None in columns that the file lacks.

    ``first`` and ``count`` choose the rows. Raises as ``read_table``.
    """
    for batch in read_table(source, columns).slice(first, count).to_batches(max_chunksize=1000):
        present = set(batch.schema.names)
        nothing = [None] * batch.num_rows
        lists = [batch.column(name).to_pylist() if name in present else nothing for name in columns]
        yield from zip(*lists, strict=True)
