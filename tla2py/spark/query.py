"""SQL over the tables of a store."""

from __future__ import annotations

import json
import logging
import re
from datetime import datetime, timezone

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import Row, SparkSession
from pyspark.sql import types as st
from pyspark.sql.types import VariantVal

from tla2py.errors import InputError
from tla2py.spark.frames import create_views
from tla2py.store.store import Store
from tla2py.tables.schema import TABLE_NAMES


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
        utc = value.astimezone(timezone.utc) if isinstance(kind, st.TimestampType) else value
        return utc.replace(tzinfo=None).isoformat()
    return value
