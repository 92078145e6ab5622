"""Reading tables: Parquet files as Arrow."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import IO, Any

import pyarrow as pa
import pyarrow.parquet as pq

_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)


def read_table(source: Path | IO[bytes], columns: Sequence[str] | None = None) -> pa.Table:
    """A Parquet file, or some columns of it; ``pyarrow.parquet.read_table`` does the same and imports pandas for it.

    Raises OSError and what pyarrow raises where it is none.
    """
    with pq.ParquetFile(source) as file:
        return file.read(columns=None if columns is None else list(columns))


def list_of(table: pa.Table) -> list[dict[str, Any]]:
    """The rows of a table; ``to_pylist`` gives the same, and imports pandas for times with a zone, of which ours have UTC."""
    zoned = [field.name for field in table.schema if pa.types.is_timestamp(field.type)]
    for name in zoned:
        ticks = pa.chunked_array([chunk.view(pa.int64()) for chunk in table[name].chunks], pa.int64())
        table = table.set_column(table.column_names.index(name), name, ticks)
    texts = {field.name: dict[str, str]() for field in table.schema if pa.types.is_string(field.type)}
    rows: list[dict[str, Any]] = []
    for batch in table.to_batches(max_chunksize=1000):
        for row in batch.to_pylist():
            row |= {name: _time(row[name]) for name in zoned}
            # Most are the same in every row.
            row |= {name: seen.setdefault(row[name], row[name]) for name, seen in texts.items()}
            rows.append(row)
    return rows


def _time(milliseconds: int | None) -> datetime | None:
    return None if milliseconds is None else _EPOCH + timedelta(milliseconds=milliseconds)
