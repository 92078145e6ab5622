"""Opening of a user's input: a store, or a trace file as a store of one point."""

from __future__ import annotations

from tla2py.errors import StoreError
from tla2py.interop.store import ForeignStore
from tla2py.store.storage import Address, folder_of, is_remote
from tla2py.store.store import Store
from tla2py.tables.files import intact_files
from tla2py.tables.write import Derive, derive_here, refresh_tables, tables_current


def open_tables(path: Address, derive: Derive = derive_here) -> Store:
    """The store at ``path``, with its tables brought up to date; a trace file becomes a store of one point.

    ``derive`` makes the rows that are missing. Raises StoreError as ``Store.manifest`` does, and ``records-lost`` if there
    are rows of records that are missing; InputError for a file without a trace.
    """
    if not is_remote(path) and folder_of(path).is_file():
        return ForeignStore(folder_of(path))
    store = Store.open(path)
    if not tables_current(store):
        try:
            with store.lock():
                refresh_tables(store, derive=derive)
        except StoreError as error:
            # A sweep is writing, or the store is read-only: read the tables as they are if all exist.
            if error.code == "records-lost" or intact_files(store, "runs") is None:
                raise
    return store
