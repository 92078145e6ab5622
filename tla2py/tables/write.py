"""Writing the tables of a store anew from its records, in memory bounded by one trace."""

from __future__ import annotations

import contextlib
import hashlib
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, pairwise
from pathlib import Path
from typing import TypeVar

import pyarrow as pa
import pyarrow.parquet as pq

from tla2py.errors import StoreError
from tla2py.record import Archive
from tla2py.result import interpret_record
from tla2py.store import Manifest, ManifestParameter, Store
from tla2py.storedorigins import StoredOrigins
from tla2py.tables import rows
from tla2py.tables.schema import FIXED_RUNS_COLUMNS, TABLE_NAMES, TABLES, arrow_schema, runs_columns
from tla2py.tlc.behaviours import iter_behaviours
from tla2py.tlc.graph import GraphEdge, GraphState, iter_graph
from tla2py.trace import Trace

T = TypeVar("T")

_BATCH_ROWS = 2000
_DIGEST = b"tla2py.digest"


def refresh_tables(store: Store) -> bool:
    """Bring the tables in line with the records; True when they had to be written.

    Every table is written aside and then put in place. Raises StoreError (``store-unwritable``).
    """
    manifest = store.manifest()
    digest = _digest(store, manifest)
    if all(_written_for(store.tables / f"{name}.parquet") == digest for name in TABLE_NAMES):
        return False
    _write(store, manifest, digest)
    return True


def _digest(store: Store, manifest: Manifest) -> str:
    """A digest over what the tables are made from: the points and the records there are."""
    # A table gets new columns with time.
    columns = {name: [column.name for column in each] for name, each in TABLES.items()}
    parts = [repr((manifest.version, manifest.parameters, FIXED_RUNS_COLUMNS, columns))]
    for point in manifest.points:
        try:
            stat = store.record_file(point.run_id).stat()
        except FileNotFoundError:
            continue
        parts.append(f"{point.point} {point.run_id} {stat.st_size} {stat.st_mtime_ns} {point.parameters}")
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def _written_for(file: Path) -> str | None:
    try:
        metadata = pq.read_schema(file).metadata or {}
    except (OSError, pa.ArrowException):
        return None
    return str(metadata.get(_DIGEST, b""), "utf-8")


def _write(store: Store, manifest: Manifest, digest: str) -> None:
    with _scratch(store) as folder:
        with write_tables(folder, manifest.parameters, digest) as tables:
            seen: set[str] = set()
            origins = StoredOrigins(store, manifest)
            for point in manifest.points:
                if not store.record_file(point.run_id).exists():
                    continue
                with store.archive(point.run_id) as archive:
                    result = interpret_record(archive.record, archive.stdout)
                    result = origins.located(point, archive.record, result)
                    tables.add_run(rows.run_row(point, manifest.parameters, archive.record, result))
                    if point.run_id not in seen:
                        seen.add(point.run_id)
                        traces = chain(result.traces, _optional(archive, "behaviours.txt", iter_behaviours))
                        tables.add_found(point.run_id, traces, rows.coverage_rows(point.run_id, result))
                        tables.add_diagnostics(rows.diagnostic_rows(point.run_id, result))
                        tables.add_graph(point.run_id, _optional(archive, "graph.dot", iter_graph))
        for name in TABLE_NAMES:
            (folder / f"{name}.parquet").replace(store.tables / f"{name}.parquet")


def _optional(archive: Archive, name: str, read: Callable[[Iterable[bytes]], Iterator[T]]) -> Iterator[T]:
    """What ``read`` makes of a stream that not every record has."""
    stream = archive.optional(name)
    if stream is not None:
        with stream:
            yield from read(stream)


@contextlib.contextmanager
def write_tables(
    folder: Path, parameters: Sequence[ManifestParameter], digest: str = ""
) -> Iterator[TableWriter]:
    """Every table as a file in ``folder``, to be filled; ``digest`` tells what they were made from."""
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
    """The tables while they are being written."""

    def __init__(self, sinks: Mapping[str, _Sink]) -> None:
        self._sinks = sinks

    def add_run(self, row: rows.Row) -> None:
        """Take the row of ``runs`` for a point."""
        self._sinks["runs"].add(row)

    def add_found(self, run_id: str, traces: Iterable[Trace], coverage: Iterable[rows.Row] = ()) -> None:
        """Take what a run found: its counterexamples in order, and the rows of ``coverage``."""
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
        """Take the errors and warnings of a run."""
        for row in diagnostics:
            self._sinks["diagnostics"].add(row)

    def add_graph(self, run_id: str, graph: Iterable[GraphState | GraphEdge]) -> None:
        """Take the state graph of a run."""
        for item in graph:
            if isinstance(item, GraphState):
                self._sinks["graph_states"].add(rows.graph_state_row(run_id, item))
            else:
                self._sinks["graph_edges"].add(rows.graph_edge_row(run_id, item))


@contextlib.contextmanager
def _scratch(store: Store) -> Iterator[Path]:
    """A folder beside the tables, so that a rename puts a table in place."""
    try:
        with tempfile.TemporaryDirectory(
            dir=store.tables, prefix=".tmp-", ignore_cleanup_errors=True
        ) as name:
            yield Path(name)
    except OSError as error:
        raise StoreError(
            "store-unwritable",
            f"cannot write to {store.tables}: {error.strerror or error}",
            hint="free some space; the records are kept, and the same command makes the tables",
        ) from error


class _Sink:
    """A Parquet file that takes rows one by one."""

    def __init__(self, file: Path, schema: pa.Schema) -> None:
        self._schema = schema
        self._writer = pq.ParquetWriter(file, schema, compression="zstd")
        self._rows: list[rows.Row] = []

    def __enter__(self) -> _Sink:
        return self

    def __exit__(self, *_: object) -> None:
        self._writer.close()

    def add(self, row: rows.Row) -> None:
        """Take a row; batches are written as they fill up."""
        self._rows.append(row)
        if len(self._rows) >= _BATCH_ROWS:
            self._flush()

    def close(self) -> None:
        """Write what is left and end the file."""
        self._flush()
        self._writer.close()

    def _flush(self) -> None:
        if self._rows:
            self._writer.write_batch(pa.RecordBatch.from_pylist(self._rows, schema=self._schema))
            self._rows = []
