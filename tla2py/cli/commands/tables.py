"""``tla2py tables``."""

from __future__ import annotations

import contextlib
import time
from typing import Annotated

import typer

from tla2py.cli.console import err, show
from tla2py.cli.options import Store as Address
from tla2py.cli.progress import deriving
from tla2py.errors import StoreError
from tla2py.terminal.layout import plain_table


def tables_command(
    store: Address,
    master: Annotated[
        str | None,
        typer.Option(
            metavar="URL",
            help="A Spark master, such as spark://HOST:7077, whose tasks derive the rows of 2,000 records or more.",
        ),
    ] = None,
) -> None:
    """Derive all tables of a store anew from its records.

    A sweep and every command that reads a store derive what is missing, and what was edited or damaged. This command also
    derives the rest: use it if you doubt the tables.

    Examples:
      tla2py tables runs/NAME
      tla2py tables runs/NAME --master 'local[*]'
    """
    # Imported on use, with Arrow.
    from tla2py.store.store import Store
    from tla2py.tables.files import row_counts
    from tla2py.tables.fragments import PendingRuns
    from tla2py.tables.write import Derive, derive_here, refresh_tables

    opened, begun = Store.open(store), time.monotonic()
    with contextlib.ExitStack() as stack:
        stack.enter_context(opened.lock())
        derive: Derive = derive_here
        if master is not None:
            from tla2py.spark import require_pyspark

            require_pyspark()
            from tla2py.spark.derive import deriver
            from tla2py.spark.session import spark_context

            derive = deriver(stack.enter_context(spark_context(master, workers=1, only_runs=True)))
        stack.enter_context(deriving(len(opened.points()), PendingRuns(Store(store).storage).count))
        refresh_tables(opened, derive=derive, anew=True, lost=_report)
    table = plain_table("table", "rows")
    for name, rows in row_counts(opened).items():
        table.add_row(name, f"{rows:,}")
    show(table)
    show(f"derived from the records of {opened.path} in {time.monotonic() - begun:.1f}s")


def _report(lost: StoreError) -> None:
    err().print(f"{lost.message}; these rows are dropped", style="yellow", markup=False)
