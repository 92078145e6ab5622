"""Reading tables: Parquet files as Arrow."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import IO

import pyarrow as pa
import pyarrow.parquet as pq


def read_table(source: Path | IO[bytes], columns: Sequence[str] | None = None) -> pa.Table:
    """A Parquet file, or some columns of it; ``pyarrow.parquet.read_table`` does the same and imports pandas for it.

    Raises OSError and what pyarrow raises where it is none.
    """
    with pq.ParquetFile(source) as file:
        return file.read(columns=None if columns is None else list(columns))


def rows_of(table: pa.Table, **values: object) -> pa.Table:
    """The rows of a table whose columns have these values."""
    # Takes as long to import as a command that needs it not takes for all else.
    import pyarrow.compute as pc

    for column, value in values.items():
        table = table.filter(pc.field(column) == value)
    return table
