"""Writing the tables of a store anew from its records, in memory bounded by one trace."""

from __future__ import annotations

import contextlib
import hashlib
import tempfile
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from tla2py.errors import StoreError
from tla2py.result import interpret_record
from tla2py.store import Manifest, Store
from tla2py.tables import rows
from tla2py.tables.schema import TABLE_NAMES, TABLES, arrow_schema, runs_columns

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
    parts = [repr((manifest.version, manifest.parameters))]
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
    columns = {"runs": runs_columns(manifest.parameters), **TABLES}
    with contextlib.ExitStack() as stack:
        folder = stack.enter_context(_scratch(store))
        sinks = {
            name: stack.enter_context(
                _Sink(
                    folder / f"{name}.parquet",
                    arrow_schema(columns[name]).with_metadata({_DIGEST: digest.encode()}),
                )
            )
            for name in TABLE_NAMES
        }
        seen: set[str] = set()
        for point in manifest.points:
            if not store.record_file(point.run_id).exists():
                continue
            with store.archive(point.run_id) as archive:
                result = interpret_record(archive.record, archive.stdout)
                sinks["runs"].add(rows.run_row(point, manifest.parameters, archive.record, result))
            if point.run_id in seen:
                continue
            seen.add(point.run_id)
            for number, trace in enumerate(result.traces, 1):
                sinks["traces"].add(rows.trace_row(point.run_id, number, trace))
                for state in trace.states:
                    sinks["states"].add(rows.state_row(point.run_id, number, trace, state))
                for before, after in pairwise(trace.states):
                    for row in rows.change_rows(point.run_id, number, before, after):
                        sinks["changes"].add(row)
            for row in rows.coverage_rows(point.run_id, result):
                sinks["coverage"].add(row)
        for sink in sinks.values():
            sink.close()
        for name in TABLE_NAMES:
            (folder / f"{name}.parquet").replace(store.tables / f"{name}.parquet")


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
