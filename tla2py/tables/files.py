"""The files of a store's tables, for readers."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tla2py.errors import StoreError
from tla2py.store.store import Store
from tla2py.tables.fragments import fragment_files, read_list
from tla2py.tables.read import read_table
from tla2py.tables.schema import TABLE_NAMES, TABLES, arrow_schema, runs_columns
from tla2py.tables.verify import old_table
from tla2py.tables.write import refresh_tables

if TYPE_CHECKING:
    import pyarrow as pa

# Seconds before looking again at a table that a sweep may be writing.
_PAUSES = (0.1, 0.3, 0.9)


def table_files(store: Store, name: str) -> list[Path]:
    """The files that make up a table, with the content that was written; a changed one is made again from the records.

    Raises StoreError: ``table-damaged`` if the store cannot be written, ``record-damaged``, ``records-lost``.
    """
    for pause in (*_PAUSES, None):
        files = intact_files(store, name)
        if files is not None:
            return files
        try:
            with store.lock():
                refresh_tables(store, checked=(name,))
        except StoreError as error:
            # A sweep may be writing the tables at this moment.
            if error.code in ("record-damaged", "records-lost"):
                raise
            if error.code != "store-busy" or pause is None:
                raise _damaged(store, name, error.message) from error
            time.sleep(pause)
    raise _damaged(store, name, "it changes all the time")


def intact_files(store: Store, name: str) -> list[Path] | None:
    """The files that make up a table if all have the content that was written, otherwise None."""
    if store.tables is not None:
        return sorted((store.tables / name).glob("*.parquet"))
    tables = read_list(store.storage)
    if tables is None:
        old = old_table(store.storage, name)
        return None if old is None else [old]
    found: list[Path] = []
    for each in tables.of(name):
        files = fragment_files(store.storage, name, each)
        if files is None:
            return None
        found += files
    return found


def row_counts(store: Store) -> dict[str, int]:
    """The number of rows of each table; empty if no tables were written."""
    tables = read_list(store.storage)
    if tables is None:
        return {}
    files = {name: [file for each in tables.of(name) for file in each.files[name]] for name in TABLE_NAMES}
    return {name: sum(file.rows for file in found) for name, found in files.items()}


def stored_table(store: Store, name: str, columns: Sequence[str] | None = None) -> pa.Table:
    """A table, or some of its columns, in the order of the points. Raises StoreError as ``table_files`` does."""
    files = table_files(store, name)
    if not files:
        schema = arrow_schema(runs_columns(store.manifest().parameters) if name == "runs" else TABLES[name])
        return schema.empty_table().select(columns or schema.names)
    table = read_table(files, columns)
    if name in ("runs", "mutants"):
        return table
    import pyarrow.compute as pc

    order = read_table(table_files(store, "runs"), ["run_id"])["run_id"]
    ranks = pc.index_in(read_table(files, ["run_id"])["run_id"], value_set=order).combine_chunks()
    if pc.all(pc.less_equal(ranks[:-1], ranks[1:])).as_py():
        return table
    return table.take(pc.sort_indices(ranks))


def _damaged(store: Store, name: str, problem: str) -> StoreError:
    return StoreError(
        "table-damaged",
        f"the table {name} of {store.path} differs from the one that was written, and cannot be rebuilt: {problem}",
        hint="open a copy of the store that you can write",
    )
