"""``tla2py tables``."""

from __future__ import annotations

import time

from tla2py.cli.console import show
from tla2py.cli.options import Store as Address
from tla2py.terminal.layout import plain_table


def tables_command(store: Address) -> None:
    """Derive all tables of a store anew from its records.

    A sweep and every command that reads a store derive what is missing, and what was edited or damaged. This command also
    derives the rest: use it if you doubt the tables.

    Example:
      tla2py tables runs/NAME
    """
    # Imported on use, with Arrow.
    from tla2py.store.store import Store
    from tla2py.tables.files import row_counts
    from tla2py.tables.write import refresh_tables

    opened, begun = Store.open(store), time.monotonic()
    with opened.lock():
        refresh_tables(opened, anew=True)
    table = plain_table("table", "rows")
    for name, rows in row_counts(opened).items():
        table.add_row(name, f"{rows:,}")
    show(table)
    show(f"derived from the records of {opened.path} in {time.monotonic() - begun:.1f}s")
