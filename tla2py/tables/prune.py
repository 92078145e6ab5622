"""Removal of what no point of a store refers to any more."""

from __future__ import annotations

from dataclasses import replace

from tla2py.store.prune import Unused, find_unused, remove_unused
from tla2py.store.storage import Storage
from tla2py.store.store import Store
from tla2py.tables.fragments import pending_names, read_list, read_pending
from tla2py.tables.write import refresh_tables


def prune(store: Store, *, dry_run: bool = False) -> Unused:
    """What no point refers to, which is removed unless this is a ``dry_run``. Raises StoreError."""
    if dry_run:
        return _found(store)
    with store.lock():
        unused = _found(store)
        remove_unused(store, unused)
        # Drops the rows of the runs that are gone.
        refresh_tables(store)
        store.storage.remove(_unlisted(store.storage))
    return unused


def _found(store: Store) -> Unused:
    unused = find_unused(store)
    return replace(unused, files={**unused.files, "table file": _unlisted(store.storage)})


def _unlisted(storage: Storage) -> dict[str, int]:
    """The sizes of the tables' files that no list names, and that no fragment has which the next list will name."""
    tables = read_list(storage)
    if tables is None:
        return {}
    waiting = read_pending(storage, pending_names(storage))
    named = {*tables.names, *tables.retired, *(name for each in waiting for name in each.names)}
    found = storage.tree("tables")
    return {name: size for name, size in found.items() if name.endswith(".parquet") and name not in named}
