"""The tables of a store as Spark frames and views."""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as sf
from pyspark.sql import types as st
from pyspark.sql.pandas.types import from_arrow_type

from tla2py.errors import InputError
from tla2py.spark.fragments import fragments_frame
from tla2py.store.storage import is_remote
from tla2py.store.store import Store
from tla2py.tables.files import table_files
from tla2py.tables.fragments import read_list
from tla2py.tables.read import read_table
from tla2py.tables.schema import TABLE_NAMES, TABLES, Column, runs_columns


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
        tables = read_list(store.storage)
        if tables is not None:
            return fragments_frame(session, store, tables, name, struct_type(columns))
        # The table of an older store that cannot be written: only the driver has its copy.
        return session.createDataFrame(read_table(table_files(store, name)), struct_type(columns))
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
