"""Parquet files to which rows are added one by one."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.json as pj
import pyarrow.parquet as pq

from tla2py.tables import rows
from tla2py.tables.rows import Row
from tla2py.tables.schema import Column, arrow_schema

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tla2py.trace.trace import Trace

# The size of the JSON that becomes one row group of a file.
_BATCH_BYTES = 1024**2


class Sink:
    """A Parquet file, made with its first row."""

    def __init__(self, file: Path, schema: pa.Schema) -> None:
        self._file, self._schema = file, schema
        self._writer: pq.ParquetWriter | None = None
        self._lines: list[str] = []
        self._tables: list[pa.Table] = []
        self._size = 0

    def add(self, row: Row) -> None:
        """Add a row; batches are written as they fill up."""
        line = _encode(row)
        self._lines.append(line)
        self._size += len(line)
        if self._size >= _BATCH_BYTES:
            self._flush()

    def add_columns(self, columns: Sequence[pa.Array]) -> None:
        """Add rows given as all columns, only to tables that get all rows this way."""
        table = pa.Table.from_arrays(columns, schema=self._schema)
        if table.num_rows:
            self._tables.append(table)
            self._size += table.nbytes
        if self._size >= _BATCH_BYTES:
            self._flush()

    def close(self) -> None:
        """Write the rows that are left and close the file."""
        self._flush()
        if self._writer is not None:
            self._writer.close()

    def _flush(self) -> None:
        tables = [*self._tables, *([_parsed(self._lines, self._schema)] if self._lines else [])]
        self._lines, self._tables, self._size = [], [], 0
        if tables and self._writer is None:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            self._writer = pq.ParquetWriter(self._file, self._schema, compression="zstd")
        if tables and self._writer is not None:
            self._writer.write_table(pa.concat_tables(tables))


def rows_as_table(columns: Sequence[Column], added: Iterable[Row]) -> pa.Table:
    """A few rows as an Arrow table."""
    return _parsed([_encode(row) for row in added], arrow_schema(columns))


def _parsed(lines: list[str], schema: pa.Schema) -> pa.Table:
    if not lines:
        return schema.empty_table()
    text = "\n".join(lines).encode()
    # Arrow would build the table from Python objects too, but imports pandas to do so.
    table = pj.read_json(
        pa.BufferReader(text),
        read_options=pj.ReadOptions(use_threads=False, block_size=len(text) + 1),
        parse_options=pj.ParseOptions(explicit_schema=schema, unexpected_field_behavior="error"),
    )
    return pa.Table.from_arrays(table.columns, schema=schema)


def _milliseconds(time: object) -> str:
    if not isinstance(time, datetime):
        raise TypeError(f"not a value of a table: {time!r}")
    return time.isoformat(timespec="milliseconds")


_encode = json.JSONEncoder(ensure_ascii=False, default=_milliseconds, check_circular=False).encode


class TableWriter:
    """Adds rows to tables: files ``TABLE/NAME.parquet`` in a folder, none for a table without rows."""

    def __init__(self, folder: Path, name: str, tables: Mapping[str, Sequence[Column]]) -> None:
        self._sinks = {
            table: Sink(folder / table / f"{name}.parquet", arrow_schema(columns))
            for table, columns in tables.items()
        }

    def __enter__(self) -> TableWriter:
        return self

    def __exit__(self, *_: object) -> None:
        for sink in self._sinks.values():
            sink.close()

    def add(self, table: str, added: Iterable[Row]) -> None:
        """Add rows to a table."""
        sink = self._sinks[table]
        for row in added:
            sink.add(row)

    def add_traces(self, run_id: str, traces: Iterable[Trace]) -> None:
        """Add a run's counterexamples, in order."""
        for number, trace in enumerate(traces, 1):
            self.add("traces", [rows.trace_row(run_id, number, trace)])
            self.add("states", (rows.state_row(run_id, number, trace, state) for state in trace.states))
            for before, after in pairwise(trace.states):
                self.add("changes", rows.change_rows(run_id, number, before, after))

    def add_columns(self, table: str, columns: Sequence[pa.Array]) -> None:
        """Add rows to a table, given as all its columns."""
        self._sinks[table].add_columns(columns)
