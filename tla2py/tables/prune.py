"""Removal of what no point of a store refers to any more."""

from __future__ import annotations

from tla2py.store.prune import Unused, find_unused, remove_unused
from tla2py.store.store import Store
from tla2py.tables.write import refresh_tables


def prune(store: Store, *, dry_run: bool = False) -> Unused:
    """What no point refers to, which is removed unless this is a ``dry_run``. Raises StoreError."""
    if dry_run:
        return find_unused(store)
    with store.lock():
        unused = find_unused(store)
        remove_unused(store, unused)
        # Drops the rows of the runs that are gone, and files that no list of tables names.
        refresh_tables(store)
    return unused
