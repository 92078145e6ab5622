"""The tables of a store as Spark frames and views."""

from __future__ import annotations

import contextlib
import hashlib
import json
import logging
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from itertools import islice
from typing import TypeAlias, TypeVar

import pyarrow as pa
from py4j.protocol import Py4JError, Py4JJavaError
from pyspark import SparkContext
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, Row, SparkSession
from pyspark.sql import functions as sf
from pyspark.sql import types as st
from pyspark.sql.pandas.types import from_arrow_type, to_arrow_schema
from pyspark.sql.types import VariantVal

from tla2py.errors import InputError, StoreError, Tla2pyError
from tla2py.spark.launch import job_failed
from tla2py.spark.shipping import check_shared, shared_address, shipper
from tla2py.store.derive import GraphShare, derive_fragment, large_graphs
from tla2py.store.fragments import Fragment, TableList, read_list
from tla2py.store.schema import TABLE_NAMES, TABLES, Column, runs_columns
from tla2py.store.storage import Address, is_remote, storage_of
from tla2py.store.store import Store
from tla2py.store.write import Derive, Group, derive_here, table_files


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
    return listed.mapInArrow(
        _reader(shared_address(store.path), to_arrow_schema(schema, timezone="UTC")), schema
    )


def _reader(
    address: Address, schema: pa.Schema
) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    def read(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for row in batch.to_pylist():
                yield from _read_file(address, row["name"], row["sha256"], schema)

    return read


def _read_file(address: Address, name: str, sha256: str, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    import pyarrow.parquet as pq

    with storage_of(address).open(name) as source:
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


T = TypeVar("T")
Task: TypeAlias = Callable[[Iterable[T]], Iterator[Fragment | Tla2pyError]]

# Tables of fewer records are made faster by the driver.
_MANY_RECORDS = 2000
# The tasks per slot, if the records are enough for that: the last of few would keep the others waiting.
_WAVES = 4
# A fragment of fewer runs costs more than it saves.
_LEAST_RUNS = 50


def deriver(context: SparkContext) -> Derive:
    """The function that makes fragments with a context's tasks, or in this process if records are few and graphs small.

    It raises StoreError as ``derive_fragment`` does, and ToolchainError (``spark-failed``).
    """

    def derive(store: Store, groups: Iterable[Group]) -> Iterable[Fragment]:
        found = list(groups)
        slots = context.defaultParallelism
        shares = [share for group in found for share in large_graphs(store, group, slots)]
        if not shares and sum(map(len, found)) < _MANY_RECORDS:
            return derive_here(store, found)
        return _derive(context, store, [*split(found, slots * _WAVES)], shares)

    return derive


def _derive(
    context: SparkContext, store: Store, groups: Sequence[Group], shares: Sequence[GraphShare]
) -> list[Fragment]:
    shipper(context).ship_package()
    address = shared_address(store.path)
    graphs: dict[str, list[Fragment]] = {}
    for share, fragment in zip(shares, _made(context, shares, _writing(address)), strict=True):
        graphs.setdefault(share.run_id, []).append(fragment)
    return _made(context, groups, _deriving(address, graphs))


def _made(context: SparkContext, items: Sequence[T], task: Task[T]) -> list[Fragment]:
    """What a task for each item makes, in order."""
    if not items:
        return []
    try:
        made = context.parallelize(items, len(items)).mapPartitions(task).collect()
    except BaseException as error:
        # Whoever interrupts the driver ends its tasks.
        with contextlib.suppress(Py4JError, OSError):
            context.cancelAllJobs()
        if isinstance(error, Exception):
            raise job_failed(error) from error
        raise
    for each in made:
        if isinstance(each, Tla2pyError):
            raise each
    return [each for each in made if isinstance(each, Fragment)]


def split(groups: Sequence[Group], tasks: int) -> Iterator[Group]:
    """Groups of about as many runs as each of so many tasks should have, at most as large as these groups."""
    size = max(-(-sum(map(len, groups)) // tasks), _LEAST_RUNS)
    for group in groups:
        records = iter(group.items())
        while part := dict(islice(records, size)):
            yield part


def _writing(address: Address) -> Task[GraphShare]:
    def task(shares: Iterable[GraphShare]) -> Iterator[Fragment | Tla2pyError]:
        try:
            check_shared(address)
            for share in shares:
                yield share._replace(store=address).write()
        except Tla2pyError as error:
            yield error

    return task


def _deriving(address: Address, graphs: Mapping[str, Sequence[Fragment]]) -> Task[Group]:
    def task(groups: Iterable[Group]) -> Iterator[Fragment | Tla2pyError]:
        try:
            check_shared(address)
            for group in groups:
                fragment = derive_fragment(Store(address), [group], graphs=graphs)
                if fragment is not None:
                    yield fragment
        except Tla2pyError as error:
            yield error

    return task


def run_query(session: SparkSession, store: Store, statement: str) -> tuple[list[str], list[list[object]]]:
    """The column names and rows of a statement, as plain Python values.

    Raises InputError (``sql``) with Spark's first line if the statement fails.
    """
    create_views(session, store)
    return query_views(session, statement)


def query_views(session: SparkSession, statement: str) -> tuple[list[str], list[list[object]]]:
    """As ``run_query``, on the views that a session has."""
    # PySpark logs every error of a query as JSON in addition to raising it.
    logging.getLogger("SQLQueryContextLogger").setLevel(logging.CRITICAL + 1)
    try:
        frame = session.sql(statement)
        kinds = [field.dataType for field in frame.schema]
        rows = [[plain(*each) for each in zip(row, kinds, strict=True)] for row in frame.collect()]
        return list(frame.columns), rows
    except (PySparkException, Py4JJavaError) as error:
        reason = spark_reason(error)[:300]
        raise InputError(
            "sql",
            reason,
            hint=f"tables: {', '.join(TABLE_NAMES)}; DESCRIBE runs lists columns",
        ) from error


def spark_reason(error: PySparkException | Py4JJavaError) -> str:
    """The reason in Spark's message, without the SQLSTATE, the plan and advice for authors of catalogs."""
    if isinstance(error, Py4JJavaError):
        # A task failed: the reason is that of the exception within.
        within = error.java_exception
        while within.getCause() is not None:
            within = within.getCause()
        return str(within.getMessage()).partition("\n")[0]
    return re.split(r" SQLSTATE|\n", str(error).strip(), maxsplit=1)[0]


def plain(value: object, kind: st.DataType) -> object:
    """A Spark value of a type as JSON data, with times in UTC."""
    if isinstance(value, Row) and isinstance(kind, st.StructType):
        return {field.name: plain(part, field.dataType) for field, part in zip(kind, value, strict=True)}
    if isinstance(kind, st.ArrayType) and isinstance(value, list):
        return [plain(part, kind.elementType) for part in value]
    if isinstance(kind, st.MapType) and isinstance(value, dict):
        return {str(plain(key, kind.keyType)): plain(part, kind.valueType) for key, part in value.items()}
    if isinstance(value, VariantVal):
        return json.loads(value.toJson())
    if isinstance(value, datetime):
        # PySpark makes them times of this machine's zone.
        utc = value.astimezone(UTC) if isinstance(kind, st.TimestampType) else value
        return utc.replace(tzinfo=None).isoformat()
    return value
