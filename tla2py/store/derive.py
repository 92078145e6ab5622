"""Rows made from records: a fragment for some runs, in memory bounded by one trace."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from itertools import chain
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from tla2py.errors import InputError, Place
from tla2py.logs.answer import answer_of, line_numbers
from tla2py.logs.files import LogText
from tla2py.logs.why import log_trace, read_log_why
from tla2py.model.logs import LogInput
from tla2py.model.outcome import Diagnostic
from tla2py.model.run import RunRecord, RunResult
from tla2py.model.trace import Trace
from tla2py.store import rows
from tla2py.store.fragments import FRAGMENT_TABLES, Fragment, fragment_of, new_name
from tla2py.store.graph import add_graph, graph_shares, without_repeated, write_shares
from tla2py.store.index import text_column
from tla2py.store.points import Manifest
from tla2py.store.record import Archive, input_file
from tla2py.store.sink import TableWriter
from tla2py.store.storage import Storage
from tla2py.store.store import Store
from tla2py.sweep.file import PointPlaces, SweepText, read_sweep_text
from tla2py.sweep.sections import SweepFile
from tla2py.tlc.output.codes import ENTRY
from tla2py.tlc.output.messages import UNEXPLAINED
from tla2py.tlc.output.prints import iter_behaviours
from tla2py.tlc.output.result import interpret_record
from tla2py.tlc.places import Origins, located


class StoredOrigins:
    """Maps places in the results of a store's runs to the user's files."""

    def __init__(self, store: Store, manifest: Manifest) -> None:
        self._store, self._manifest = store, manifest
        self._texts: dict[str, str] = {}
        path = Path(manifest.sweep_file or manifest.name)
        self._source = SweepText(path, manifest.sweep)
        try:
            self._file, self._source = read_sweep_text(manifest.sweep, path)
        except InputError:
            self._file = SweepFile(module="")  # the store was not made from a sweep file
        # The user's configs may have changed since, and other machines do not have them.
        self._configs = {name: self._source_of(sha256) for name, sha256 in manifest.configs.items()}

    def located(self, parameters: Mapping[str, str], record: RunRecord, result: RunResult) -> RunResult:
        """The result of a point with these parameters, with places in the user's files; unchanged if a text is missing."""
        written = PointPlaces(
            source=self._source, file=self._file, configs=self._configs, parameters=parameters
        )
        try:
            return located(
                record, result, Origins(paths=self._manifest.files, text=self._text, written=written)
            )
        except OSError:
            return result

    def _source_of(self, sha256: str) -> str:
        try:
            return self._text(sha256)
        except OSError:
            return ""

    def _text(self, sha256: str) -> str:
        if sha256 not in self._texts:
            self._texts[sha256] = self._store.source(sha256)
        return self._texts[sha256]


NO_GRAPHS: Mapping[str, Sequence[Fragment]] = {}


def derive_fragment(
    store: Store,
    groups: Iterable[Mapping[str, str]],
    *,
    graphs: Mapping[str, Sequence[Fragment]] = NO_GRAPHS,
    processes: int = 1,
) -> Fragment | None:
    """A fragment with the rows of the points' runs among groups of records, identities by run id; None without such a run.

    ``graphs`` has what ``GraphShare.write`` made of the graphs of some runs; of others, so many processes read a large
    one. A process that knows only the store's address may call this, without the lock. Raises StoreError, also
    ``record-damaged``.
    """
    manifest, points = store.manifest(), store.points_table()
    name, runs, shares = new_name(), 0, list[Fragment]()
    origins = StoredOrigins(store, manifest)
    with store.storage.staging("tables") as folder:
        with TableWriter(folder, name, FRAGMENT_TABLES) as tables:
            for records in groups:
                parameters = _parameters(points, manifest, records)
                found = [run_id for run_id in records if run_id in parameters]
                runs += len(found)
                store.prefetch(found)
                for run_id in found:
                    with store.archive(run_id) as archive:
                        distinct = _add_run(
                            tables, archive, store.storage, origins, parameters[run_id], records[run_id]
                        )
                        made = graphs.get(run_id) or write_shares(
                            graph_shares(store.path, archive, processes)
                        )
                        if not made:
                            add_graph(tables, archive, archive.graph_parts())
                        elif sum(_states(each) for each in made) != distinct:
                            made = without_repeated(store.storage, made)
                        shares += made
        return fragment_of(folder, name, runs).with_files(shares) if runs else None


def _states(fragment: Fragment) -> int:
    return sum(file.rows for file in fragment.files.get("graph_states", ()))


def _parameters(points: pa.Table, manifest: Manifest, run_ids: Iterable[str]) -> dict[str, dict[str, str]]:
    """The texts of the parameters of the first point of each run."""
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
    storage: Storage,
    origins: StoredOrigins,
    parameters: Mapping[str, str],
    identity: str,
) -> int | None:
    """Add a run's rows, except for its state graph; returns the number of distinct states that TLC counted."""
    record = archive.record
    run_id = record.run_id
    result = interpret_record(record, archive.stdout)
    result = origins.located(parameters, record, result)
    log = record.inputs.log
    text = None if log is None or log.edit is not None else log_text(log, storage, record)
    if text is not None:
        answer, entry = answer_of(result, text)
        tables.add("log_results", [{"run_id": run_id, **asdict(answer)}])
        if entry is not None:
            said = Diagnostic(code=ENTRY, severity="error", text=entry, place=Place(file=text.log.path))
            result = replace(result, diagnostics=(*result.diagnostics, said))
    row = {**rows.row_columns(rows.run_row(record, result)), "record": identity}
    del row["point"]
    tables.add("results", [row])
    lengths = Counter[int]()
    tables.add("coverage", rows.coverage_rows(run_id, result))
    tables.add("diagnostics", rows.diagnostic_rows(run_id, result))
    tables.add("prints", rows.print_rows(run_id, result))
    traces = chain(result.traces, _behaviours(archive, lengths))
    if log is not None and log.edit is not None:
        tables.add("log_mutants", rows.log_mutant_rows(record, log.edit, result))
    elif log is not None and text is not None:
        why = read_log_why(record, archive.stdout)
        numbers = {} if why is None else line_numbers(log, result.progress, text)
        # TLC gives no counterexample for a log that no behaviour explains.
        unexplained = result.violations == (UNEXPLAINED,) and not result.traces
        furthest = log_trace(why, numbers) if why is not None and unexplained else None
        if furthest is not None:
            traces = chain([furthest.trace])
        reached = {} if furthest is None else furthest.lines
        tables.add("log_lines", rows.log_line_rows(run_id, text, why, numbers, reached))
        if why is not None:
            tables.add("coverage", rows.log_coverage_rows(run_id, why))
    tables.add_traces(run_id, traces)
    tables.add("simulations", rows.simulation_rows(record, result, lengths))
    return result.stats.distinct


def log_text(log: LogInput, storage: Storage, record: RunRecord) -> LogText:
    """The text of the log that a run checks. Raises StoreError (``input-lost``)."""
    digests = dict(record.inputs.files)
    return LogText(log=log, files=[input_file(storage, digests[each.file]) for each in log.files])


def _behaviours(archive: Archive, lengths: Counter[int]) -> Iterator[Trace]:
    """The behaviours that a record keeps; their lengths are counted."""
    stream = archive.behaviours()
    if stream is not None:
        with stream:
            for trace in iter_behaviours(stream):
                lengths[len(trace.states)] += 1
                yield trace
