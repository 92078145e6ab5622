"""Rows made from records: a fragment for some runs, in memory bounded by one trace."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain
from typing import TypeVar

from tla2py.sourcemap.stored import StoredOrigins
from tla2py.store.columns import text_column
from tla2py.store.manifest import Manifest
from tla2py.store.record import Archive
from tla2py.store.store import Store
from tla2py.tables import rows
from tla2py.tables.fragments import FRAGMENT_TABLES, Fragment, fragment_of, new_id, write_pending
from tla2py.tables.sink import TableWriter
from tla2py.tlc.output.behaviours import iter_behaviours
from tla2py.tlc.output.graph import iter_graph
from tla2py.tlc.output.result import interpret_record
from tla2py.trace.trace import Trace

T = TypeVar("T")


def settle(store: Store, run_ids: Iterable[str], generation: int) -> Fragment | None:
    """The fragment of runs whose records are loose. Packs them and leaves the fragment to the next refresh.

    None if no point has such a run. A process that knows only the store's address may call this, without the lock.
    Raises StoreError.
    """
    return derive_fragment(store, store.pack(generation, run_ids))


def derive_fragment(store: Store, records: Mapping[str, str]) -> Fragment | None:
    """A fragment with the rows of the points' runs among these, in their order; ``records`` are identities by run id.

    The next refresh adds it to the list. Raises StoreError, also ``record-damaged``.
    """
    manifest = store.manifest()
    parameters = _parameters(store, manifest, records)
    found = [run_id for run_id in records if run_id in parameters]
    if not found:
        return None
    name = new_id()
    origins = StoredOrigins(store, manifest)
    store.prefetch(found)
    with store.storage.staging("tables") as folder:
        with TableWriter(folder, name, FRAGMENT_TABLES) as tables:
            for run_id in found:
                with store.archive(run_id) as archive:
                    _add_run(tables, archive, origins, parameters[run_id], records[run_id])
        fragment = fragment_of(folder, name, len(found), tables.counts)
    write_pending(store.storage, fragment)
    return fragment


def _parameters(store: Store, manifest: Manifest, run_ids: Iterable[str]) -> dict[str, dict[str, str]]:
    """The texts of the parameters of the first point of each run."""
    import pyarrow.compute as pc

    points = store.points_table()
    points = points.filter(pc.is_in(points["run_id"], value_set=text_column(run_ids)))
    names = {each.column: each.name for each in manifest.parameters}
    found: dict[str, dict[str, str]] = {}
    for batch in points.to_batches(max_chunksize=1000):
        for row in batch.to_pylist():
            found.setdefault(row["run_id"], {name: row[column] for column, name in names.items()})
    return found


def _add_run(
    tables: TableWriter,
    archive: Archive,
    origins: StoredOrigins,
    parameters: Mapping[str, str],
    identity: str,
) -> None:
    record = archive.record
    run_id = record.run_id
    result = interpret_record(record, archive.stdout)
    result = origins.located(parameters, record, result)
    tables.add("results", [{**rows.result_row(record, result), "record": identity}])
    lengths = Counter[int]()
    behaviours = _counted(_optional(archive, "behaviours.txt", iter_behaviours), lengths)
    tables.add_traces(run_id, chain(result.traces, behaviours))
    tables.add("coverage", rows.coverage_rows(run_id, result))
    tables.add("diagnostics", rows.diagnostic_rows(run_id, result))
    tables.add("prints", rows.print_rows(run_id, result))
    tables.add("simulations", rows.simulation_rows(record, result, lengths))
    tables.add_graph(run_id, _optional(archive, "graph.dot", iter_graph))


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
