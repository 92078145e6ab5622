"""What is in a store, as tests read and damage it."""

from __future__ import annotations

import zipfile
import zlib
from pathlib import Path
from typing import Any

from tests import command
from tla2py.analysis.view import StoreView, open_view
from tla2py.store.address import Address
from tla2py.store.pack import identity
from tla2py.store.record import record_name
from tla2py.store.refresh import stored_table
from tla2py.store.schema import TABLE_NAMES
from tla2py.store.store import Store

# What differs from one execution of a run to the next.
TIMES = frozenset({"wall_seconds", "cpu_seconds", "peak_memory_bytes", "started_at", "executor"})


def table_rows(store: Address, name: str) -> list[dict[str, Any]]:
    """The rows of a table, in the order of the points."""
    return stored_table(Store(store), name).to_pylist()  # type: ignore[no-any-return]


def lasting_rows(store: Address, name: str) -> list[dict[str, Any]]:
    """The rows of a table but for what differs from one execution to the next."""
    return [{key: value for key, value in row.items() if key not in TIMES} for row in table_rows(store, name)]


def lasting_tables(store: Address) -> dict[str, list[dict[str, Any]]]:
    """These rows of all tables."""
    return {name: lasting_rows(store, name) for name in TABLE_NAMES}


def identities(store: Store) -> dict[str, str]:
    """The identities of the packed records that count, by run id."""
    columns = store.record_ids().columns
    return dict(zip(columns["run_id"].to_pylist(), columns["record"].to_pylist(), strict=True))


def record_ids(store: Address) -> dict[str, str]:
    """The identities of a store's records by run id, loose or packed."""
    opened = Store(store)
    index = opened.record_ids()
    found = identities(opened)
    for run_id in index.loose:
        try:
            with opened.storage.open(record_name(run_id)) as source:
                data = source.read()
        except FileNotFoundError:
            return record_ids(store)  # it was packed meanwhile
        found[run_id] = identity(len(data), zlib.crc32(data))
    return found


def swept(folder: Path, jar: Path | None = None, **files: str) -> StoreView:
    """The store of the sweep file ``sweep`` beside modules, at a point of which something is violated."""
    for name, text in files.items():
        (folder / (f"{name}.toml" if name == "sweep" else f"{name}.tla")).write_text(text)
    options: list[str | Path] = ["--tla2tools", jar] if jar is not None else []
    command.run("sweep", "sweep.toml", "--executor", "local", *options, cwd=folder, code=1)
    return open_view(folder / "runs/sweep")


def damage_record(store: Path, run_id: str) -> None:
    """Overwrite the middle of a packed record."""
    part = Store(store).record_ids().place(run_id)[0]
    assert not isinstance(part, str)
    with (store / part.name).open("r+b") as file:
        file.seek(part.offset + part.size // 2)
        file.write(b"damaged!")


def loose_records(folder: Path) -> list[Path]:
    """The files of a store's records, by run id, after the packed ones were made loose again."""
    index = Store(folder).record_ids()
    for run_id in identities(Store(folder)):
        place = index.place(run_id)[0]
        assert not isinstance(place, str)
        with zipfile.ZipFile(folder / place.name) as archive:
            (folder / record_name(run_id)).write_bytes(archive.read(f"{run_id}.zip"))
    for pack in index.packs:
        for suffix in ("parquet", "zip"):
            (folder / "records" / f"{pack.name}.{suffix}").unlink()
    return sorted((folder / "records").glob("*.zip"))
