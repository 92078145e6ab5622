"""What is in a store, as tests read and damage it."""

from __future__ import annotations

import zlib
from pathlib import Path
from typing import Any

from tla2py.store.index import identity
from tla2py.store.storage import Address
from tla2py.store.store import Store
from tla2py.tables.files import stored_table


def table_rows(store: Address, name: str) -> list[dict[str, Any]]:
    """The rows of a table, in the order of the points."""
    return stored_table(Store(store), name).to_pylist()  # type: ignore[no-any-return]


def record_ids(store: Address) -> dict[str, str]:
    """The identities of a store's records by run id, loose or packed."""
    opened = Store(store)
    index = opened.record_ids()
    found = dict(index)
    for run_id in index.loose:
        with opened.storage.open(f"records/{run_id}.zip") as source:
            data = source.read()
        found[run_id] = identity(len(data), zlib.crc32(data))
    return found


def damage_record(store: Path, run_id: str) -> None:
    """Overwrite the middle of a packed record."""
    part = Store(store).record_ids().place(run_id).file
    assert not isinstance(part, str)
    with (store / part.name).open("r+b") as file:
        file.seek(part.offset + part.size // 2)
        file.write(b"damaged!")
