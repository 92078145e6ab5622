"""The tables of stores as Spark frames and views, and the work of the programs in ``spark_jobs/``."""

from __future__ import annotations

import hashlib
import json
import logging
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import reduce
from typing import get_args

import pyarrow as pa
from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, Row, SparkSession
from pyspark.sql import functions as sf
from pyspark.sql import types as st
from pyspark.sql.pandas.types import from_arrow_type, to_arrow_schema
from pyspark.sql.types import VariantVal

from tla2py.errors import ExitCode, InputError, StoreError, Tla2pyError
from tla2py.model.trace import ViolationKind
from tla2py.spark.tasks import SparkTasks, shared_address, shipper
from tla2py.store.address import Address, folder_of, is_remote
from tla2py.store.foreign import ForeignStore, open_tables
from tla2py.store.fragments import TableList, read_list
from tla2py.store.open_storage import open_storage
from tla2py.store.refresh import stored_table, table_files
from tla2py.store.schema import TABLE_NAMES, TABLES, Column, runs_columns
from tla2py.store.store import Store


def fragments_frame(
    session: SparkSession, store: Store, tables: TableList, name: str, schema: st.StructType
) -> DataFrame:
    """A table of which each task reads some files, with the content that was written.

    A task raises StoreError (``table-damaged``) for any other content.
    """
    context = session.sparkContext
    shipper(context).ship_package()
    files = [(file.name, file.sha256) for file in tables.of(name)]
    rows = context.parallelize(files, max(len(files), 1))
    listed = session.createDataFrame(rows, "name string, sha256 string")
    address, wanted = shared_address(store.path), to_arrow_schema(schema, timezone="UTC")

    def read(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for row in batch.to_pylist():
                yield from _read_file(address, row["name"], row["sha256"], wanted)

    return listed.mapInArrow(read, schema)


def _read_file(address: Address, name: str, sha256: str, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    import pyarrow.parquet as pq

    with open_storage(address).open(name) as source:
        data = source.read()
    if hashlib.sha256(data).hexdigest() != sha256:
        raise StoreError(
            "table-damaged",
            f"{name} of {address} differs from the one that was written",
            hint="run tla2py tables on the store; it makes the rows again",
        )
    with pq.ParquetFile(pa.BufferReader(data)) as file:
        for batch in file.iter_batches(use_threads=False):
            yield from pa.Table.from_batches([batch]).select(schema.names).cast(schema).to_batches()


def table_frame(session: SparkSession, store: Store, name: str) -> DataFrame:
    """A table with ``state`` as a VARIANT. Raises InputError (``unknown-table``)."""
    frame = stored_frame(session, store, name)
    if name in ("states", "graph_states"):
        frame = frame.withColumn("state", sf.parse_json("state"))
    return frame


def stored_frame(session: SparkSession, store: Store, name: str) -> DataFrame:
    """A table as stored, with ``state`` as JSON text. Raises InputError (``unknown-table``)."""
    if name not in TABLE_NAMES:
        raise InputError("unknown-table", f"no table {name}", hint=f"tables: {', '.join(TABLE_NAMES)}")
    columns = runs_columns(store.manifest().parameters) if name == "runs" else TABLES[name]
    if is_remote(store.path) and not str(session.sparkContext.master).startswith("local"):
        tables = store.moment or read_list(store.storage)
        if tables is not None:
            return fragments_frame(session, store, tables, name, struct_type(columns))
    files = [file.resolve() for file in table_files(store, name)]
    if not files:
        return session.createDataFrame([], struct_type(columns))
    # On a cluster a path without a scheme means Spark's default file system.
    return session.read.schema(struct_type(columns)).parquet(*(file.as_uri() for file in files))


def create_views(session: SparkSession, store: Store) -> None:
    """Create a temporary view for every table of a store."""
    for name in TABLE_NAMES:
        table_frame(session, store, name).createOrReplaceTempView(name)


def struct_type(columns: Sequence[Column]) -> st.StructType:
    """The Spark schema of some columns."""
    return st.StructType(
        [st.StructField(c.name, from_arrow_type(c.type), c.nullable, {"comment": c.doc}) for c in columns]
    )


def query_views(session: SparkSession, statement: str) -> tuple[list[str], list[list[object]]]:
    """The column names and rows of a statement on a session's views, as plain Python values.

    Raises InputError (``sql``) with Spark's first line if the statement fails.
    """
    # PySpark logs every error of a query as JSON in addition to raising it.
    logging.getLogger("SQLQueryContextLogger").setLevel(logging.CRITICAL + 1)
    try:
        frame = session.sql(statement)
        kinds = [field.dataType for field in frame.schema]
        rows = [[to_json_data(*each) for each in zip(row, kinds, strict=True)] for row in frame.collect()]
        return list(frame.columns), rows
    except (PySparkException, Py4JJavaError) as error:
        reason = spark_reason(error)[:300]
        hint = f"tables: {', '.join(TABLE_NAMES)}; DESCRIBE runs lists columns"
        raise InputError("sql", reason, hint=hint) from error


def spark_reason(error: PySparkException | Py4JJavaError) -> str:
    """The reason in Spark's message, without the SQLSTATE, the plan and advice for authors of catalogs."""
    if isinstance(error, Py4JJavaError):
        # A task failed: the reason is that of the exception within.
        within = error.java_exception
        while within.getCause() is not None:
            within = within.getCause()
        return str(within.getMessage()).partition("\n")[0]
    return re.split(r" SQLSTATE|\n", str(error).strip(), maxsplit=1)[0]


def to_json_data(value: object, kind: st.DataType) -> object:
    """Return a Spark value of a type as JSON data, with times in UTC."""
    if isinstance(value, Row) and isinstance(kind, st.StructType):
        return {
            field.name: to_json_data(part, field.dataType) for field, part in zip(kind, value, strict=True)
        }
    if isinstance(kind, st.ArrayType) and isinstance(value, list):
        return [to_json_data(part, kind.elementType) for part in value]
    if isinstance(kind, st.MapType) and isinstance(value, dict):
        return {
            str(to_json_data(key, kind.keyType)): to_json_data(part, kind.valueType)
            for key, part in value.items()
        }
    if isinstance(value, VariantVal):
        return json.loads(value.toJson())
    if isinstance(value, datetime):
        # PySpark makes them times of this machine's zone.
        utc = value.astimezone(UTC) if isinstance(kind, st.TimestampType) else value
        return utc.replace(tzinfo=None).isoformat()
    return value


def check_inputs(inputs: Sequence[str]) -> None:
    """Refuse an input that is named twice, however it is spelled. Raises InputError (``same-input``)."""
    places: dict[str, str] = {}
    for name in inputs:
        place = name.rstrip("/") if is_remote(name) else str(folder_of(name).resolve())
        if place in places:
            raise InputError(
                "same-input",
                f"an input is named twice: {places[place]} and {name}",
                hint="name it once, or its rows would count twice",
            )
        places[place] = name


def load_tables(session: SparkSession, inputs: Sequence[str]) -> dict[str, DataFrame]:
    """Every table over some stores, logs and trace files; ``source`` is the input of a row.

    A parameter that an input lacks is null; states are ITF as JSON text. Raises InputError and StoreError as
    ``tla2py.open_store`` does, and InputError (``same-input``) for a duplicate.
    """
    check_inputs(inputs)
    stores = {name: open_tables(name, SparkTasks(session.sparkContext).derive) for name in inputs}
    frames = {}
    for table in TABLE_NAMES:
        parts = []
        for name, store in stores.items():
            if isinstance(store, ForeignStore):
                # Only the driver has its tables. Spark cannot read one without a chunk.
                columns = runs_columns(()) if table == "runs" else TABLES[table]
                found = stored_table(store, table)
                part = session.createDataFrame(found if found.num_rows else [], struct_type(columns))
            else:
                part = stored_frame(session, store, table)
            parts.append(part.withColumn("source", sf.lit(name)))
        frames[table] = _union(parts)
    return frames


def _union(frames: Sequence[DataFrame]) -> DataFrame:
    return reduce(lambda one, other: one.unionByName(other, allowMissingColumns=True), frames)


def write_tables(
    tables: Mapping[str, DataFrame], target: str, append: bool = False
) -> Iterator[tuple[str, int]]:
    """Write each table as Parquet below ``target``, any address that Spark can write to; yields its name and row count.

    Raises InputError (``output-unwritable``) if Spark cannot write, or if a table exists and ``append`` is not set.
    """
    for name, frame in tables.items():
        place = f"{target.rstrip('/')}/{name}"
        try:
            frame.write.mode("append" if append else "errorifexists").parquet(place)
            yield name, frame.count()
        except PySparkException as error:
            problem = f"cannot write {place}: {spark_reason(error)}"
            hint = "name another place, or use --append"
            raise InputError("output-unwritable", problem, hint=hint) from error


def load_summary(session: SparkSession, inputs: Sequence[str]) -> DataFrame:
    """Return the summary of stores, logs and folders written by ``write_tables``; see ``summarize``.

    Raises as ``load_tables`` does, and InputError (``no-runs``) for an address without tables.
    """
    check_inputs(inputs)
    stores = [name for name in inputs if _is_store(name)]
    folders = [name for name in inputs if name not in stores]
    parts = [load_tables(session, stores)] if stores else []
    parts += [_written_tables(session, folder) for folder in folders]
    runs = _union([tables["runs"] for tables in parts])
    traces = _union([tables["traces"] for tables in parts])
    return summarize(runs, traces)


def _written_tables(session: SparkSession, folder: str) -> dict[str, DataFrame]:
    """Return the tables of a folder written by ``write_tables`` that a summary reads."""
    place = folder.rstrip("/")
    try:
        return {name: session.read.parquet(f"{place}/{name}") for name in ("runs", "traces")}
    except PySparkException as error:
        hint = "load_traces.py -o URI writes them"
        raise InputError("no-runs", f"{folder} has no tables", hint=hint) from error


def _is_store(name: str) -> bool:
    """Whether an input is a store, a log or a trace file, not a folder written by ``write_tables``."""
    if not is_remote(name):
        return not (folder_of(name) / "runs").is_dir()
    try:
        Store.open(name)
    except StoreError:
        return False
    return True


def summarize(runs: DataFrame, traces: DataFrame) -> DataFrame:
    """Return a row for each source and verdict, then a row for each definition that is violated there.

    ``runs`` and ``traces`` are those tables with ``source``. A row without ``kind`` is about all points with the
    verdict: ``points`` counts them, ``shortest`` is the length of their shortest counterexample in states, ``distinct``
    the maximum of their distinct states, and ``cpu_seconds`` the sum over their runs, in which a run that several points
    share counts once. A row with ``kind`` and ``name`` is about the points that violate this definition and about its
    own counterexamples; its ``cpu_seconds`` is null, because a run that violates several definitions is not run for
    each.
    """
    # Rows that were loaded twice are the same rows.
    points = runs.dropDuplicates(["source", "run_id", "point"])
    verdicts = _summarize_verdicts(points, traces)
    definitions = _summarize_definitions(points, traces)
    return verdicts.unionByName(definitions).orderBy("source", "verdict", "kind", "name")


def _summarize_verdicts(points: DataFrame, traces: DataFrame) -> DataFrame:
    """Return the rows of a summary that are about all points with a verdict."""
    group = ["source", "verdict"]
    lengths = _counterexamples(traces).groupBy("source", "run_id").agg(sf.min("length").alias("length"))
    rows = (
        points.join(lengths, ["source", "run_id"], "left")
        .groupBy(*group)
        .agg(
            sf.count(sf.lit(1)).alias("points"),
            sf.min("length").alias("shortest"),
            sf.max("distinct").alias("distinct"),
        )
    )
    costs = (
        points.dropDuplicates(["source", "run_id"])
        .groupBy(*group)
        .agg(sf.round(sf.sum("cpu_seconds"), 1).alias("cpu_seconds"))
    )
    nothing = sf.lit(None).cast("string")
    return rows.join(costs, group).select(
        *group, nothing.alias("kind"), nothing.alias("name"), "points", "shortest", "distinct", "cpu_seconds"
    )


def _summarize_definitions(points: DataFrame, traces: DataFrame) -> DataFrame:
    """Return the rows of a summary that are about the points that violate one definition."""
    key = ["source", "run_id", "kind", "name"]
    violations = points.select(
        "source", "run_id", "verdict", "distinct", sf.explode("violated").alias("violation")
    ).select("source", "run_id", "verdict", "distinct", "violation.kind", "violation.name")
    lengths = _counterexamples(traces).groupBy(*key).agg(sf.min("length").alias("length"))
    return (
        violations.join(lengths, key, "left")
        .groupBy("source", "verdict", "kind", "name")
        .agg(
            sf.count(sf.lit(1)).alias("points"),
            sf.min("length").alias("shortest"),
            sf.max("distinct").alias("distinct"),
        )
        .withColumn("cpu_seconds", sf.lit(None).cast("double"))
    )


def _counterexamples(traces: DataFrame) -> DataFrame:
    """Return the rows of ``traces`` that violate something and have states."""
    violations = sf.col("kind").isin(*get_args(ViolationKind))
    return traces.where(violations & (sf.col("length") > 0))


def job_exit(job: Callable[[], None]) -> int:
    """Run a job and return its exit code; user errors are printed in two lines."""
    try:
        job()
    except Tla2pyError as error:
        sys.stderr.write(f"error: {error}\n")
        return ExitCode.NOT_RUN
    return ExitCode.OK
