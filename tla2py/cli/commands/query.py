"""``tla2py query``."""

from __future__ import annotations

import re
from typing import Annotated

import typer

from tla2py.cli.console import show, show_json
from tla2py.cli.options import Json, Store
from tla2py.errors import InputError
from tla2py.explore.view import open_view
from tla2py.spark import require_pyspark
from tla2py.terminal.layout import plain_table

# The first words of statements that read, after comments and parentheses.
_READING = ("SELECT", "WITH", "FROM", "VALUES", "TABLE", "SHOW", "DESCRIBE", "DESC", "EXPLAIN")
_BEFORE = r"(?:\s|\(|--[^\n]*\n|/\*(?:[^*]|\*(?!/))*\*/)*"


def query_command(
    store: Store,
    statement: Annotated[
        str,
        typer.Argument(metavar="SQL", help="Spark SQL over runs, traces, states, changes, prints, coverage."),
    ],
    as_json: Json = False,
) -> None:
    """Run Spark SQL on a store's tables.

    Starting Spark takes some seconds. The tables are Parquet files in STORE/tables, for other tools too.

    Example:
      tla2py query runs/NAME "SELECT point, verdict, distinct FROM runs"
    """
    _check(statement)
    view = open_view(store)
    require_pyspark()
    from tla2py.spark.query import run_query
    from tla2py.spark.session import spark_session

    with spark_session(name="tla2py query") as session:
        columns, rows = run_query(session, view.store, statement)
    if as_json:
        show_json([dict(zip(columns, row, strict=True)) for row in rows])
        return
    table = plain_table(*columns)
    for row in rows:
        table.add_row(*("" if value is None else str(value) for value in row))
    show(table)


def _check(statement: str) -> None:
    """Raise InputError (``no-query``) for a statement that does not read: its effect would be lost silently."""
    if not re.match(rf"{_BEFORE}(?:{'|'.join(_READING)})\b", statement, re.IGNORECASE):
        shown = " ".join(statement.split())[:100] or "nothing"
        raise InputError(
            "no-query",
            f"not a query: {shown}",
            hint=f"start with one of: {', '.join(_READING)}",
        )
