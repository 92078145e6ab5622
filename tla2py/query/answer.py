"""The answer to a query, by DuckDB where it can and by Spark where it must."""

from __future__ import annotations

import os
from collections.abc import Callable

from tla2py.errors import InputError, ToolchainError
from tla2py.query import Engine
from tla2py.query.duck import Columns, duck_rows, translate
from tla2py.query.mistakes import check_columns, check_tables, used_tables
from tla2py.query.parse import NotRead, NotTranslated, parse_query
from tla2py.spark import has_pyspark, require_pyspark
from tla2py.store.store import Store
from tla2py.tables.files import table_files
from tla2py.tables.schema import TABLES, runs_columns

Answer = tuple[list[str], list[list[object]]]
"""The names of the columns, and the rows as plain Python values."""


def answer_query(
    store: Store,
    statement: str,
    *,
    engine: Engine | None = None,
    master: str | None = None,
    say: Callable[[str], None] = lambda _: None,
) -> Answer:
    """The answer to a query in Spark's SQL.

    Without an engine DuckDB answers if it gives Spark's rows, except on a cluster; ``say`` gets the reason if it does
    not. Raises InputError (``sql``) and ToolchainError (``spark-missing``, ``spark-failed``).
    """
    if engine is None and (master is not None or "PYSPARK_GATEWAY_PORT" in os.environ):
        engine = Engine.SPARK
    columns = _columns(store)
    try:
        tree = parse_query(statement)
        check_tables(tree, tuple(columns))
        translated = translate(tree, statement, columns)
        check_columns(tree, columns)
        if engine != Engine.SPARK:
            files = {
                name: [file.resolve() for file in table_files(store, name)]
                for name in used_tables(tree, columns)
            }
            return duck_rows(translated, columns, files)
    except NotTranslated as reason:
        if engine != Engine.SPARK:
            return _instead(store, statement, engine, reason, say)
    return _by_spark(store, statement, master)


def _instead(
    store: Store, statement: str, engine: Engine | None, reason: NotTranslated, say: Callable[[str], None]
) -> Answer:
    """Spark's answer where DuckDB has none."""
    if engine == Engine.DUCKDB:
        raise InputError("sql", f"DuckDB does not support {reason}", hint="leave out --engine to use Spark")
    if not has_pyspark():
        if isinstance(reason, NotRead):
            raise InputError(
                "sql", f"cannot read {reason}", hint="queries are in Spark's SQL: SELECT ... FROM ..."
            )
        raise ToolchainError(
            "spark-missing", f"only Spark supports {reason}", hint="pip install 'tla2py[spark]'"
        )
    say(f"starting Spark, which takes some seconds: DuckDB does not support {reason}")
    return _by_spark(store, statement, None)


def _columns(store: Store) -> Columns:
    every = {"runs": runs_columns(store.manifest().parameters), **TABLES}
    return {table: {column.name: column.type for column in each} for table, each in every.items()}


def _by_spark(store: Store, statement: str, master: str | None) -> Answer:
    require_pyspark()
    from tla2py.spark.query import run_query
    from tla2py.spark.session import spark_session

    with spark_session(master, name="tla2py query") as session:
        return run_query(session, store, statement)
