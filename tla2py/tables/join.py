"""The tables of a store as a whole: points joined with the results of their runs, and mutants."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from tla2py.mutation.row import MutantReport
from tla2py.store.columns import text_column
from tla2py.store.manifest import ManifestParameter
from tla2py.tables.fragments import RESULTS
from tla2py.tables.schema import TABLES, arrow_schema, runs_columns
from tla2py.tables.sink import rows_as_table

# The points of one row group.
_POINTS = 10_000


def write_runs(
    file: Path, points: pa.Table, parameters: Sequence[ManifestParameter], results: Iterable[Path]
) -> int:
    """Write ``runs``; returns its number of rows. Raises OSError."""
    found = _results(results)
    schema = arrow_schema(runs_columns(parameters))
    types = {each.column: each.type for each in parameters}
    rows = 0
    file.parent.mkdir(exist_ok=True)
    with pq.ParquetWriter(file, schema, compression="zstd") as writer:
        places = pc.index_in(points["run_id"], value_set=found["run_id"])
        points, places = points.filter(pc.is_valid(places)), places.drop_null()
        for start in range(0, points.num_rows, _POINTS):
            part, there = points.slice(start, _POINTS), found.take(places.slice(start, _POINTS))
            columns = []
            for field in schema:
                column = part[field.name] if field.name in part.column_names else there[field.name]
                if field.name in types:
                    column = _typed(column, types[field.name])
                columns.append(column.cast(field.type))
            writer.write_table(pa.Table.from_arrays(columns, schema=schema))
            rows += part.num_rows
    return rows


def write_logs(file: Path, points: pa.Table, results: Iterable[Path]) -> None:
    """Write ``logs``, unless no run checks a log. Raises OSError."""
    parts = [pq.read_table(path, use_threads=False) for path in results]
    if not any(part.num_rows for part in parts):
        return
    found, schema = pa.concat_tables(parts), arrow_schema(TABLES["logs"])
    places = pc.index_in(points["run_id"], value_set=found["run_id"].combine_chunks())
    part, there = points.filter(pc.is_valid(places)), found.take(places.drop_null())
    columns = [part["point"] if field.name == "point" else there[field.name] for field in schema]
    file.parent.mkdir(exist_ok=True)
    pq.write_table(
        pa.Table.from_arrays(
            [each.cast(field.type) for each, field in zip(columns, schema, strict=True)], schema=schema
        ),
        file,
        compression="zstd",
    )


def write_mutants(file: Path, report: MutantReport | None) -> None:
    """Write ``mutants``, unless the store has none. Raises OSError."""
    if report is not None:
        file.parent.mkdir(exist_ok=True)
        table = rows_as_table(TABLES["mutants"], msgspec.to_builtins(report.mutants))
        pq.write_table(table, file, compression="zstd")


def _results(files: Iterable[Path]) -> pa.Table:
    """The rows of ``results``. Texts are dictionaries: most are the same in many rows."""
    schema = arrow_schema(RESULTS)
    texts = [each.name for each in RESULTS if each.kind == "string" and each.name not in ("run_id", "record")]
    parts = []
    for path in files:
        with pq.ParquetFile(path, read_dictionary=texts) as file:
            parts.append(file.read([name for name in schema.names if name != "record"], use_threads=False))
    if not parts:
        return schema.empty_table()
    found = pa.concat_tables(parts).unify_dictionaries().combine_chunks()
    return found.set_column(0, "run_id", found["run_id"])


def _typed(texts: pa.ChunkedArray, kind: str) -> pa.ChunkedArray:
    """The values of a parameter, typed as its column is."""
    if kind == "integer":
        return texts.cast(pa.string()).cast(pa.int64())
    return pc.equal(texts.cast(pa.string()), text_column(["TRUE"])[0]) if kind == "boolean" else texts
