"""Rewrites a store's tables from its records, in memory bounded by one trace."""

from __future__ import annotations

import contextlib
import hashlib
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, pairwise
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import msgspec

from tla2py.errors import StoreError
from tla2py.sourcemap.stored import StoredOrigins
from tla2py.store.digests import DIGESTS, TableDigests, file_digest, read_digests
from tla2py.store.manifest import Manifest, ManifestParameter
from tla2py.store.points import ManifestPoint
from tla2py.store.record import Archive
from tla2py.store.storage import Stamp
from tla2py.store.store import Store
from tla2py.tables import rows
from tla2py.tables.schema import FIXED_RUNS_COLUMNS, TABLE_NAMES, TABLES, arrow_schema, runs_columns
from tla2py.tlc.output.behaviours import iter_behaviours
from tla2py.tlc.output.graph import GraphEdge, GraphState, iter_graph
from tla2py.tlc.output.result import interpret_record
from tla2py.trace.trace import Trace

if TYPE_CHECKING:
    from tla2py.tables.sink import Sink

T = TypeVar("T")

# Seconds before looking again at a table that a sweep may be writing.
_PAUSES = (0.1, 0.3, 0.9)
# Every sweep reads these again; a reader checks the others.
_READ_BY_SWEEPS = ("runs", "coverage", "diagnostics")


def refresh_tables(store: Store) -> bool:
    """Bring the tables up to date with the records; returns whether they had to be written.

    The store must be locked. Raises StoreError as ``rewrite_tables`` does.
    """
    if tables_current(store) and all(map(store.intact, _READ_BY_SWEEPS)):
        return False
    rewrite_tables(store)
    return True


def rewrite_tables(store: Store) -> None:
    """Write every table aside and move it into place. Raises StoreError (``store-unwritable``)."""
    manifest, records = store.manifest(), store.records()
    _write(store, manifest, records, _digest(manifest, store.points(), records))


def table_file(store: Store, name: str) -> Path:
    """The file of a table with the content that was written; a changed one is made again from the records.

    Raises StoreError (``table-damaged``) if the store cannot be written.
    """
    for pause in (*_PAUSES, None):
        if store.intact(name):
            break
        try:
            with store.lock():
                rewrite_tables(store)
            break
        except StoreError as error:
            # A sweep may be writing the tables at this moment.
            if error.code == "store-busy" and pause is not None:
                time.sleep(pause)
                continue
            raise StoreError(
                "table-damaged",
                f"the table {name} of {store.path} differs from the one that was written, and cannot be rebuilt:  "
                f"{error.message}",
                hint="open a copy of the store that you can write",
            ) from error
    return store.table(name)


def tables_current(store: Store) -> bool:
    """Whether the tables are up to date with the records, judged by their sizes; ``table_file`` checks their contents.

    Raises StoreError as ``Store.manifest`` does.
    """
    written = read_digests(store.storage)
    if written.made_from != _digest(store.manifest(), store.points(), store.records()):
        return False
    stamps = store.storage.stamps("tables")
    sizes = {name: stamps.get(f"{name}.parquet") for name in TABLE_NAMES}
    return all(stamp and stamp.size == written.size.get(name) for name, stamp in sizes.items())


def _digest(manifest: Manifest, points: Iterable[ManifestPoint], records: Mapping[str, Stamp]) -> str:
    """The digest of what the tables are made from: the points and the existing records."""
    # A newer version of tla2py may have more columns.
    columns = {name: [column.name for column in each] for name, each in TABLES.items()}
    parts = [repr((manifest.version, manifest.parameters, FIXED_RUNS_COLUMNS, columns))]
    for point in points:
        stamp = records.get(point.run_id)
        if stamp is not None:
            parts.append(f"{point.point} {point.run_id} {stamp.size} {stamp.mtime_ns} {point.parameters}")
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def _write(store: Store, manifest: Manifest, records: Mapping[str, Stamp], digest: str) -> None:
    points = [point for point in store.points() if point.run_id in records]
    with store.storage.staging("tables") as folder:
        with write_tables(folder, manifest.parameters) as tables:
            _add_points(tables, store, manifest, points)
        files = {name: folder / f"{name}.parquet" for name in TABLE_NAMES}
        digests = TableDigests(
            made_from=digest,
            size={name: file.stat().st_size for name, file in files.items()},
            sha256={name: file_digest(file) for name, file in files.items()},
        )
        (folder / DIGESTS).write_bytes(msgspec.json.format(msgspec.json.encode(digests), indent=1))


def _add_points(
    tables: TableWriter, store: Store, manifest: Manifest, points: Sequence[ManifestPoint]
) -> None:
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
                lengths = Counter[int]()
                behaviours = _counted(_optional(archive, "behaviours.txt", iter_behaviours), lengths)
                traces = chain(result.traces, behaviours)
                tables.add_found(point.run_id, traces, rows.coverage_rows(point.run_id, result))
                tables.add_diagnostics(rows.diagnostic_rows(point.run_id, result))
                tables.add_prints(rows.print_rows(point.run_id, result))
                tables.add_simulation(rows.simulation_rows(archive.record, result, lengths))
                tables.add_graph(point.run_id, _optional(archive, "graph.dot", iter_graph))


def _optional(archive: Archive, name: str, read: Callable[[Iterable[bytes]], Iterator[T]]) -> Iterator[T]:
    """The items that ``read`` makes of a stream; none if the record lacks it."""
    stream = archive.optional(name)
    if stream is not None:
        with stream:
            yield from read(stream)


def _counted(traces: Iterable[Trace], lengths: Counter[int]) -> Iterator[Trace]:
    """The traces; their lengths are counted."""
    for trace in traces:
        lengths[len(trace.states)] += 1
        yield trace


@contextlib.contextmanager
def write_tables(folder: Path, parameters: Sequence[ManifestParameter]) -> Iterator[TableWriter]:
    """A writer of every table as a file in ``folder``."""
    # Imported on use, with Arrow: most commands write no table.
    from tla2py.tables.sink import Sink

    columns = {"runs": runs_columns(parameters), **TABLES}
    with contextlib.ExitStack() as stack:
        sinks = {}
        for name in TABLE_NAMES:
            sinks[name] = stack.enter_context(Sink(folder / f"{name}.parquet", arrow_schema(columns[name])))
        yield TableWriter(sinks)
        for sink in sinks.values():
            sink.close()


class TableWriter:
    """Adds rows to the tables."""

    def __init__(self, sinks: Mapping[str, Sink]) -> None:
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

    def add_simulation(self, simulation: Iterable[rows.Row]) -> None:
        """Add a run's statistics, if it simulated."""
        for row in simulation:
            self._sinks["simulations"].add(row)

    def add_graph(self, run_id: str, graph: Iterable[GraphState | GraphEdge]) -> None:
        """Add a run's state graph."""
        for item in graph:
            if isinstance(item, GraphState):
                self._sinks["graph_states"].add(rows.graph_state_row(run_id, item))
            else:
                self._sinks["graph_edges"].add(rows.graph_edge_row(run_id, item))
