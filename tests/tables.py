"""The tables of a store, as tests read them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tla2py.store.store import Store
from tla2py.tables.files import stored_table


def table_rows(store: Path, name: str) -> list[dict[str, Any]]:
    """The rows of a table, in the order of the points."""
    return stored_table(Store(store), name).to_pylist()  # type: ignore[no-any-return]
