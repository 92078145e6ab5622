"""What no point of a store refers to any more, such as the runs of modules that have changed since, and its removal."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from dataclasses import dataclass, replace

import pyarrow as pa
import pyarrow.compute as pc

from tla2py.errors import StoreError
from tla2py.store.fragments import pending_names, read_list, read_pending
from tla2py.store.index import RecordIndex, integer_column, text_column
from tla2py.store.pack import rewrite_packs
from tla2py.store.record import record_name
from tla2py.store.storage import Storage
from tla2py.store.store import Store
from tla2py.store.write import refresh_tables


@dataclass(frozen=True, slots=True, kw_only=True)
class Unused:
    """What no point refers to: files and their bytes by kind and name, and records in packs.

    ``mixed`` are the packs that have such records, ``used`` the runs whose records are kept. ``kept`` counts the records that are kept because an
    older version wrote the store, which did not write which runs asked TLC what could not fail.
    """

    files: Mapping[str, Mapping[str, int]]
    packed: int
    packed_size: int
    mixed: tuple[str, ...]
    used: frozenset[str]
    kept: int

    def counts(self) -> dict[str, int]:
        """The number of things to remove by kind, without kinds of which there are none."""
        counts = {kind: len(names) for kind, names in self.files.items()}
        counts["record"] += self.packed
        return {kind: count for kind, count in counts.items() if count}

    @property
    def size(self) -> int:
        """The bytes of all of it."""
        return self.packed_size + sum(sum(names.values()) for names in self.files.values())


def find_unused(store: Store) -> Unused:
    """What no point of a store refers to, besides rows of tables. Raises StoreError as ``Store.manifest`` does."""
    index, probes, used = store.record_ids(), store.probes(), store.points().run_ids()
    others = index.since(0) - used if probes is None else probes
    used |= others
    tree = store.storage.tree
    live = index.columns.filter(pc.is_in(index.columns["run_id"], value_set=text_column(sorted(used))))
    living = [_count(live["pack"], number) for number in range(len(index.packs))]
    loose = {record_name(run_id) for run_id in index.loose - used}
    outputs = {name: size for name, size in tree("outputs").items() if name.split("/")[1] not in used}
    digests = _digests(store, index, used)
    named = {f"sources/{sha256}.tla" for sha256 in digests} | {f"inputs/{sha256}" for sha256 in digests}
    points = store.manifest().points
    return Unused(
        files={
            "record": {name: size for name, size in tree("records").items() if name in loose},
            "output": outputs,
            "source": {name: size for name, size in tree("sources").items() if name not in named},
            "input": {name: size for name, size in tree("inputs").items() if name not in named},
            "points table": {name: size for name, size in tree("points").items() if name != points},
        },
        packed=sum(pack.entries.num_rows for pack in index.packs) - live.num_rows,
        packed_size=sum(_total(pack.entries["size"]) for pack in index.packs) - _total(live["size"]),
        mixed=tuple(
            pack.name
            for pack, count in zip(index.packs, living, strict=True)
            if pack.entries.num_rows != count
        ),
        used=frozenset(used),
        kept=len(others) if probes is None else 0,
    )


def remove_unused(store: Store, unused: Unused) -> None:
    """Remove what ``find_unused`` found. The store must be locked. Raises StoreError (``store-unwritable``)."""
    storage = store.storage
    storage.remove(name for names in unused.files.values() for name in names)
    for folder in {"/".join(name.split("/")[:2]) for name in unused.files["output"]}:
        storage.remove_folder(folder)
    index, keep = store.record_ids(), text_column(sorted(unused.used))
    for pack in index.packs:
        # One after the other, which needs the least space.
        if pack.name in unused.mixed:
            rewrite_packs(storage, index, [pack], keep)


def _count(column: pa.ChunkedArray, number: int) -> int:
    return int(pc.sum(pc.equal(column, integer_column([number])[0])).as_py() or 0)


def _total(column: pa.ChunkedArray) -> int:
    return int(pc.sum(column).as_py() or 0)


def _digests(store: Store, index: RecordIndex, used: set[str]) -> set[str]:
    """The digests of the texts and inputs that the points and their runs name."""
    manifest = store.manifest()
    found = {*manifest.files, *manifest.configs.values()}
    stored = {name.removesuffix(".tla") for name in store.storage.names("sources")}
    if stored <= found and not store.storage.names("inputs"):
        return found
    # What tla2py wrote itself is named by records alone.
    run_ids = sorted(used & index.since(0))
    store.prefetch(run_ids)
    for run_id in run_ids:
        # A damaged record is executed again, by a sweep that writes what it needs.
        with contextlib.suppress(StoreError), store.archive(run_id) as archive:
            record = archive.record
            found.update(sha256 for _, sha256 in (*record.modules, *record.originals, *record.inputs.files))
    return found


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
