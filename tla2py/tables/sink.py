"""Parquet files to which rows are added one by one."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path

import pyarrow as pa
import pyarrow.json as pj
import pyarrow.parquet as pq

from tla2py.tables.rows import Row

# The size of the JSON that becomes one row group of a file.
_BATCH_BYTES = 1024**2


class Sink:
    """A Parquet file to which rows are added one by one."""

    def __init__(self, file: Path, schema: pa.Schema) -> None:
        self._schema = schema
        self._writer = pq.ParquetWriter(file, schema, compression="zstd")
        self._lines: list[bytes] = []
        self._size = 0

    def __enter__(self) -> Sink:
        return self

    def __exit__(self, *_: object) -> None:
        self._writer.close()

    def add(self, row: Row) -> None:
        """Add a row; batches are written as they fill up."""
        line = json.dumps(row, ensure_ascii=False, default=_milliseconds).encode()
        self._lines.append(line)
        self._size += len(line)
        if self._size >= _BATCH_BYTES:
            self._flush()

    def close(self) -> None:
        """Write the rows that are left and close the file."""
        self._flush()
        self._writer.close()

    def _flush(self) -> None:
        if self._lines:
            text = b"\n".join(self._lines)
            self._lines, self._size = [], 0
            # Arrow would build the table from Python objects too, but imports pandas to do so.
            table = pj.read_json(
                pa.BufferReader(text),
                read_options=pj.ReadOptions(use_threads=False, block_size=len(text) + 1),
                parse_options=pj.ParseOptions(
                    explicit_schema=self._schema, unexpected_field_behavior="error"
                ),
            )
            self._writer.write_table(pa.Table.from_arrays(table.columns, schema=self._schema))


def _milliseconds(time: datetime) -> str:
    return time.isoformat(timespec="milliseconds")
