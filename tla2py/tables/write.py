"""Rewrites a store's tables from its records, in memory bounded by one trace."""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import chain, pairwise
from pathlib import Path
from typing import TypeVar

import pyarrow as pa
import pyarrow.json as pj
import pyarrow.parquet as pq

from tla2py.sourcemap.stored import StoredOrigins
from tla2py.store.record import Archive
from tla2py.store.storage import Stamp
from tla2py.store.store import Manifest, ManifestParameter, Store
from tla2py.tables import rows
from tla2py.tables.schema import FIXED_RUNS_COLUMNS, TABLE_NAMES, TABLES, arrow_schema, runs_columns
from tla2py.tlc.output.behaviours import iter_behaviours
from tla2py.tlc.output.graph import GraphEdge, GraphState, iter_graph
from tla2py.tlc.output.result import interpret_record
from tla2py.trace.trace import Trace

T = TypeVar("T")

# The size of the JSON that becomes one row group of a file.
_BATCH_BYTES = 1024**2
_DIGEST = b"tla2py.digest"


def refresh_tables(store: Store) -> bool:
    """Bring the tables up to date with the records; returns whether they had to be written.

    Every table is written aside and then moved into place. Raises StoreError (``store-unwritable``).
    """
    manifest, records = store.manifest(), store.records()
    digest = _digest(manifest, records)
    if _current(store, digest):
        return False
    _write(store, manifest, records, digest)
    return True


def tables_current(store: Store) -> bool:
    """Whether the tables are up to date with the records. Raises StoreError as ``Store.manifest`` does."""
    return _current(store, _digest(store.manifest(), store.records()))


def _current(store: Store, digest: str) -> bool:
    return all(_stored_digest(store, name) == digest for name in TABLE_NAMES)


def _digest(manifest: Manifest, records: Mapping[str, Stamp]) -> str:
    """The digest of what the tables are made from: the points and the existing records."""
    # A newer version of tla2py may have more columns.
    columns = {name: [column.name for column in each] for name, each in TABLES.items()}
    parts = [repr((manifest.version, manifest.parameters, FIXED_RUNS_COLUMNS, columns))]
    for point in manifest.points:
        stamp = records.get(point.run_id)
        if stamp is not None:
            parts.append(f"{point.point} {point.run_id} {stamp.size} {stamp.mtime_ns} {point.parameters}")
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def _stored_digest(store: Store, name: str) -> str | None:
    try:
        with store.storage.open(f"tables/{name}.parquet") as source:
            metadata = pq.read_schema(source).metadata or {}
    except (OSError, pa.ArrowException):
        return None
    return str(metadata.get(_DIGEST, b""), "utf-8")


def _write(store: Store, manifest: Manifest, records: Mapping[str, Stamp], digest: str) -> None:
    points = [point for point in manifest.points if point.run_id in records]
    # The tables have to be closed before their folder is moved into place.
    with (
        store.storage.staging("tables") as folder,
        write_tables(folder, manifest.parameters, digest) as tables,
    ):
        seen: set[str] = set()
        origins = StoredOrigins(store, manifest)
        store.prefetch(point.run_id for point in points)
        for point in points:
            with store.archive(point.run_id) as archive:
                result = interpret_record(archive.record, archive.stdout)
                result = origins.located(point, archive.record, result)
                tables.add_run(rows.run_row(point, manifest.parameters, archive.record, result))
                if point.run_id not in seen:
                    seen.add(point.run_id)
                    traces = chain(result.traces, _optional(archive, "behaviours.txt", iter_behaviours))
                    tables.add_found(point.run_id, traces, rows.coverage_rows(point.run_id, result))
                    tables.add_diagnostics(rows.diagnostic_rows(point.run_id, result))
                    tables.add_prints(rows.print_rows(point.run_id, result))
                    tables.add_graph(point.run_id, _optional(archive, "graph.dot", iter_graph))


def _optional(archive: Archive, name: str, read: Callable[[Iterable[bytes]], Iterator[T]]) -> Iterator[T]:
    """The items that ``read`` makes of a stream; none if the record lacks it."""
    stream = archive.optional(name)
    if stream is not None:
        with stream:
            yield from read(stream)


@contextlib.contextmanager
def write_tables(
    folder: Path, parameters: Sequence[ManifestParameter], digest: str = ""
) -> Iterator[TableWriter]:
    """A writer of every table as a file in ``folder``; ``digest`` identifies what they are made from."""
    columns = {"runs": runs_columns(parameters), **TABLES}
    with contextlib.ExitStack() as stack:
        sinks = {}
        for name in TABLE_NAMES:
            schema = arrow_schema(columns[name]).with_metadata({_DIGEST: digest.encode()})
            sinks[name] = stack.enter_context(_Sink(folder / f"{name}.parquet", schema))
        yield TableWriter(sinks)
        for sink in sinks.values():
            sink.close()


class TableWriter:
    """Adds rows to the tables."""

    def __init__(self, sinks: Mapping[str, _Sink]) -> None:
        self._sinks = sinks

    def add_run(self, row: rows.Row) -> None:
        """Add a point's row of ``runs``."""
        self._sinks["runs"].add(row)

    def add_found(self, run_id: str, traces: Iterable[Trace], coverage: Iterable[rows.Row] = ()) -> None:
        """Add a run's counterexamples, in order, and its rows of ``coverage``."""
        for number, trace in enumerate(traces, 1):
            self._sinks["traces"].add(rows.trace_row(run_id, number, trace))
            for state in trace.states:
                self._sinks["states"].add(rows.state_row(run_id, number, trace, state))
            for before, after in pairwise(trace.states):
                for row in rows.change_rows(run_id, number, before, after):
                    self._sinks["changes"].add(row)
        for row in coverage:
            self._sinks["coverage"].add(row)

    def add_diagnostics(self, diagnostics: Iterable[rows.Row]) -> None:
        """Add a run's errors and warnings."""
        for row in diagnostics:
            self._sinks["diagnostics"].add(row)

    def add_prints(self, prints: Iterable[rows.Row]) -> None:
        """Add the values that a run printed."""
        for row in prints:
            self._sinks["prints"].add(row)

    def add_graph(self, run_id: str, graph: Iterable[GraphState | GraphEdge]) -> None:
        """Add a run's state graph."""
        for item in graph:
            if isinstance(item, GraphState):
                self._sinks["graph_states"].add(rows.graph_state_row(run_id, item))
            else:
                self._sinks["graph_edges"].add(rows.graph_edge_row(run_id, item))


class _Sink:
    """A Parquet file to which rows are added one by one."""

    def __init__(self, file: Path, schema: pa.Schema) -> None:
        self._schema = schema
        self._writer = pq.ParquetWriter(file, schema, compression="zstd")
        self._lines: list[bytes] = []
        self._size = 0

    def __enter__(self) -> _Sink:
        return self

    def __exit__(self, *_: object) -> None:
        self._writer.close()

    def add(self, row: rows.Row) -> None:
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
