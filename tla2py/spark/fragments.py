"""The tables of a store on object storage, read by Spark's tasks: Spark has no connector for it of its own."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import types as st
from pyspark.sql.pandas.types import to_arrow_schema

from tla2py.errors import StoreError
from tla2py.spark.shipping import shared_address, shipper
from tla2py.store.storage import Address, storage_of
from tla2py.store.store import Store
from tla2py.tables.fragments import TableList


def fragments_frame(
    session: SparkSession, store: Store, tables: TableList, name: str, schema: st.StructType
) -> DataFrame:
    """A table of which each task reads some files, with the content that was written.

    A task raises StoreError (``table-damaged``) for any other content.
    """
    context = session.sparkContext
    shipper(context).ship_package()
    files = [(file.name, file.sha256) for each in tables.of(name) for file in each.files[name]]
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
