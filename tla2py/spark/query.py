"""SQL over the tables of a store."""

from __future__ import annotations

import json
import logging
import re
from datetime import datetime

from pyspark.errors import PySparkException
from pyspark.sql import Row, SparkSession
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
    # PySpark logs every error of a query as JSON in addition to raising it.
    logging.getLogger("SQLQueryContextLogger").setLevel(logging.CRITICAL + 1)
    try:
        frame = session.sql(statement)
        return list(frame.columns), [[plain(value) for value in row] for row in frame.collect()]
    except PySparkException as error:
        reason = spark_reason(error)[:300]
        raise InputError(
            "sql",
            reason,
            hint=f"tables: {', '.join(TABLE_NAMES)}; DESCRIBE runs lists columns",
        ) from error


def spark_reason(error: PySparkException) -> str:
    """The reason in Spark's message, without the SQLSTATE, the plan and advice for authors of catalogs."""
    return re.split(r" SQLSTATE|\n", str(error).strip(), maxsplit=1)[0]


def plain(value: object) -> object:
    """A Spark value as JSON data."""
    if isinstance(value, Row):
        return {name: plain(part) for name, part in value.asDict().items()}
    if isinstance(value, list | tuple):
        return [plain(part) for part in value]
    if isinstance(value, dict):
        return {str(key): plain(part) for key, part in value.items()}
    if isinstance(value, VariantVal):
        return json.loads(value.toJson())
    if isinstance(value, datetime):
        return value.isoformat()
    return value
