"""``tla2py query``."""

from __future__ import annotations

import re
from typing import Annotated

import typer

from tla2py.cli.console import err, show, show_json
from tla2py.cli.options import Json, Master, Store
from tla2py.errors import InputError
from tla2py.interop.open import open_tables
from tla2py.query import Engine
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
    engine: Annotated[
        Engine | None,
        typer.Option(
            metavar="spark|duckdb", help="The engine; default: DuckDB if it gives the same rows as Spark."
        ),
    ] = None,
    master: Master = None,
    as_json: Json = False,
) -> None:
    """Run Spark SQL on a store's tables.

    DuckDB answers within a second if its rows are the same as Spark's. Spark, which takes seconds to start, answers the
    rest, and everything with --master. The tables are Parquet files in STORE/tables, for other tools too.

    Example:
      tla2py query runs/NAME "SELECT point, verdict, distinct FROM runs"
    """
    _check(statement)
    opened = open_tables(store)
    # Imported on use: it brings DuckDB and the parser.
    from tla2py.query.answer import answer_query

    columns, rows = answer_query(
        opened,
        statement,
        engine=engine,
        master=master,
        say=lambda line: err().print(line, markup=False, highlight=False, soft_wrap=True),
    )
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
