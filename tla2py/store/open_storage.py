"""The storage at an address: a folder of this machine, or what is reached at a URI."""

from __future__ import annotations

from tla2py.store.address import SCHEME, Address, folder_of, is_remote
from tla2py.store.storage import Storage


def open_storage(address: Address) -> Storage:
    """Return the storage at a path or a URI. Raises StoreError (``store-scheme``, ``store-secret``)."""
    if not is_remote(address):
        return Storage(folder_of(address))
    # Importing Arrow takes longer than finding a local sweep complete.
    from tla2py.store.remote import Remote

    return Remote(SCHEME.sub(r"\1://", str(address), count=1))
