"""The Parquet files of tables: rows added one by one, joined with the points, or taken from other files."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from itertools import pairwise
from pathlib import Path

import msgspec
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.json as pj
import pyarrow.parquet as pq

from tla2py.model.mutant import MutantReport, MutantRow
from tla2py.model.trace import Trace
from tla2py.store import rows
from tla2py.store.fragments import RESULTS, read_table
from tla2py.store.pack import text_column
from tla2py.store.rows import Row
from tla2py.store.schema import TABLES, Column, arrow_schema

# The size of the JSON that becomes one row group of a file.
_BATCH_BYTES = 1024**2


class _Sink:
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
            table: _Sink(folder / table / f"{name}.parquet", arrow_schema(columns))
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


# The points of one row group.
_POINTS = 10_000
# The key of what a file of ``mutants`` says about all of them.
_REPORT = b"tla2py"


def write_runs(file: Path, points: pa.Table, schema: pa.Schema, results: Sequence[Path]) -> None:
    """Write ``runs``. Raises OSError."""
    texts = [each.name for each in RESULTS if each.kind == "string" and each.name not in ("run_id", "record")]
    names = [each.name for each in RESULTS if each.name != "record"]
    parts = []
    for path in results:
        # Most texts are the same in many rows.
        with pq.ParquetFile(path, read_dictionary=texts) as source:
            parts.append(source.read(names, use_threads=False))
    found = pa.concat_tables(parts).unify_dictionaries() if parts else arrow_schema(RESULTS).empty_table()
    _write_joined(file, points, schema, found.combine_chunks())


def write_logs(file: Path, points: pa.Table, results: Sequence[Path]) -> None:
    """Write ``logs``, unless no run checks a log. Raises OSError."""
    if results:
        found = read_table(results).combine_chunks()
        _write_joined(file, points.select(["point", "run_id"]), arrow_schema(TABLES["logs"]), found)


def _write_joined(file: Path, points: pa.Table, schema: pa.Schema, found: pa.Table) -> None:
    """Write the rows that were found for the runs of points, with the columns of the points."""
    places = pc.index_in(points["run_id"], value_set=found["run_id"].combine_chunks())
    points, places = points.filter(pc.is_valid(places)), places.drop_null()
    file.parent.mkdir(exist_ok=True)
    with pq.ParquetWriter(file, schema, compression="zstd") as writer:
        for start in range(0, points.num_rows, _POINTS):
            part, there = points.slice(start, _POINTS), found.take(places.slice(start, _POINTS))
            columns = [
                _typed(part[field.name], field.type)
                if field.name in part.column_names
                else there[field.name].cast(field.type)
                for field in schema
            ]
            writer.write_table(pa.Table.from_arrays(columns, schema=schema))


def _typed(column: pa.ChunkedArray, kind: pa.DataType) -> pa.ChunkedArray:
    """A column of the points with the type of its column: parameters are texts."""
    if pa.types.is_dictionary(column.type):
        column = column.cast(pa.string())
    return pc.equal(column, text_column(["TRUE"])[0]) if pa.types.is_boolean(kind) else column.cast(kind)


def mutants_file(report: MutantReport) -> bytes:
    """The file of ``mutants``: a row per mutant, and what else there is to say about all of them as its metadata."""
    rest = msgspec.json.encode(msgspec.structs.replace(report, mutants=()))
    return rows_as_file("mutants", msgspec.to_builtins(report.mutants), {_REPORT: rest})


def rows_as_file(name: str, added: Iterable[Row], metadata: Mapping[bytes, bytes] | None = None) -> bytes:
    """A few rows of a table as a file, with other metadata than the descriptions of the columns."""
    table = rows_as_table(TABLES[name], added)
    sink = io.BytesIO()
    pq.write_table(table.replace_schema_metadata(metadata), sink, compression="zstd")
    return sink.getvalue()


def read_mutants(data: bytes) -> MutantReport:
    """The report in a file of ``mutants``. Raises ValueError, and OSError, if it is damaged."""
    with pq.ParquetFile(pa.BufferReader(data)) as file:
        table = file.read(use_threads=False)
    rest = (table.schema.metadata or {}).get(_REPORT, b"")
    mutants = msgspec.convert(table.to_pylist(), tuple[MutantRow, ...])
    return msgspec.structs.replace(msgspec.json.decode(rest, type=MutantReport), mutants=mutants)


# The memory of the rows that become one row group.
_GROUP_BYTES = 4 << 20
_BATCH_ROWS = 4096


def write_batches(
    file: Path, schema: pa.Schema, files: Iterable[Path], kept: pa.Array | None, key: str = "run_id"
) -> None:
    """Write the rows of some files, or those whose ``key`` is among ``kept``; without rows there is no file."""
    group, writer = list[pa.RecordBatch](), None
    for path in files:
        with pq.ParquetFile(path) as source:
            for batch in source.iter_batches(batch_size=_BATCH_ROWS, use_threads=False):
                if kept is not None:
                    batch = batch.filter(pc.is_in(batch[key], value_set=kept))
                if not batch.num_rows:
                    continue
                if writer is None:
                    file.parent.mkdir(exist_ok=True)
                    writer = pq.ParquetWriter(file, schema, compression="zstd")
                group.append(batch)
                if sum(each.nbytes for each in group) >= _GROUP_BYTES:
                    writer.write_table(pa.Table.from_batches(group).cast(schema))
                    group = []
    if writer is not None:
        if group:
            writer.write_table(pa.Table.from_batches(group).cast(schema))
        writer.close()
