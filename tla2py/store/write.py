"""Brings a store's tables up to date with its records and points."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from tla2py.errors import StoreError
from tla2py.store.fragments import (
    COLUMNS,
    FRAGMENT_TABLES,
    JOINED,
    Fragment,
    TableList,
    fragment_files,
    fragment_of,
    new_id,
    pending_name,
    pending_names,
    read_list,
    read_pending,
    write_list,
)
from tla2py.store.points import Manifest
from tla2py.store.read import old_names, old_table, read_table
from tla2py.store.schema import TABLE_NAMES, TABLES, arrow_schema, runs_columns
from tla2py.store.storage import Storage
from tla2py.store.store import Store
from tla2py.text import counted
from tla2py.tlc.process.sandbox import this_machine

if TYPE_CHECKING:
    import pyarrow as pa


Group = Mapping[str, str]
"""The identities of records that become one fragment, by run id."""
Derive = Callable[[Store, Iterable[Group]], Iterable[Fragment]]
"""Makes a fragment of each group, see ``derive_fragment``."""

# Every sweep reads these again; a reader checks the others.
_READ_BY_SWEEPS = ("runs", "coverage", "diagnostics")
# An error names so many files.
_NAMED = 3


def derive_here(store: Store, groups: Iterable[Group]) -> Iterator[Fragment]:
    """The fragments of groups of records, one after the other. Raises StoreError as ``derive_fragment`` does."""
    # Imported on use, with Arrow: most commands write no table.
    from tla2py.store.derive import derive_fragment

    processes = max(int(this_machine().cores), 1)
    for group in groups:
        fragment = derive_fragment(store, group, processes=processes)
        if fragment is not None:
            yield fragment


def refresh_tables(
    store: Store,
    *,
    checked: Sequence[str] = _READ_BY_SWEEPS,
    derive: Derive = derive_here,
    anew: bool = False,
    lost: Callable[[StoreError], None] | None = None,
) -> bool:
    """Bring the tables up to date with the records; returns whether they had to be written.

    The files of ``checked`` tables are compared with their digests, of the others with their sizes. ``derive`` makes the
    fragments that are missing, or all with ``anew``. The store must be locked. Raises StoreError, also ``records-lost`` if
    there are rows whose records are missing; with ``lost`` that error is passed to it and the rows are dropped.
    """
    store.pack(store.next_generation())
    storage = store.storage
    before, sizes, waiting = read_list(storage), _sizes(storage), pending_names(storage)
    listed = [] if before is None or anew else before.fragments
    sound = [each for each in listed if _is_sound(storage, each, sizes, checked)]
    if before is not None and not anew and not waiting and len(sound) == len(listed):
        joined = _is_sound(storage, before.runs, sizes, checked)
        if joined and before.made_from == _made_from(store, store.manifest()):
            return False
    if before is not None and (error := _lost(store, before)):
        if lost is None:
            raise error
        lost(error)
    known = {each.id for each in sound}
    adopted = [] if anew else read_pending(storage, waiting)
    sound += [each for each in adopted if each.id not in known and _is_sound(storage, each, sizes, checked)]
    try:
        names = _write(store, before, sound, derive, waiting)
    except StoreError as error:
        if error.code == "record-damaged" and before is not None:
            # The rows that there are stay readable; the next sweep reads all records.
            doubted = _made_from(store, store.manifest())
            write_list(storage, msgspec.structs.replace(before, made_from="", doubted=doubted))
        raise
    storage.remove(sizes.keys() - names)
    return True


def _write(
    store: Store, before: TableList | None, sound: Sequence[Fragment], derive: Derive, waiting: Iterable[str]
) -> set[str]:
    """Write the list; returns the names of the files that it names and of those that readers may still read."""
    from tla2py.store.keep import compacted, keep_rows

    storage, manifest = store.storage, store.manifest()
    # Before the records are listed: those that come later are for the next refresh.
    made_from, points = _made_from(store, manifest), store.points_table()
    places = _places(manifest)
    gone = set(before.places).difference(places) if before is not None else set()
    kept = keep_rows(store, points, sound, (each.partition(" ")[2] for each in gone))
    derived = list(derive(store, kept.groups()))
    fragments = compacted(storage, [*kept.fragments, *derived])
    runs = _join(store, points, manifest, fragments)
    names = {name for each in (runs, *fragments) for name in each.names}
    former = old_names(storage.names("tables")) if before is None else before.names
    retired = sorted({*former} - names)
    write_list(
        storage,
        TableList(
            version=1 if before is None else before.version + 1,
            made_from=made_from,
            doubted=made_from if before is not None and before.doubted == made_from else "",
            places=places,
            runs=runs,
            fragments=fragments,
            retired=retired,
            packs=[pack.name for pack in store.record_ids().packs],
        ),
    )
    names.update(retired)
    storage.remove([*waiting, *map(pending_name, derived)])
    made = {name for each in derived for name in each.names}
    storage.remove(made.union(before.retired if before is not None else ()) - names)
    return names


def _lost(store: Store, before: TableList) -> StoreError | None:
    """The error of a store that lacks records which its tables were made from."""
    from tla2py.store.keep import lost_runs

    count = lost_runs(store, store.points_table(), before.fragments)
    if not count:
        return None
    present = {pack.name for pack in store.record_ids().packs}
    missing = [f"records/{name}.zip" for name in before.packs if name not in present]
    more = f" and {len(missing) - _NAMED} more" if len(missing) > _NAMED else ""
    named = f": no {', '.join(missing[:_NAMED])}{more}" if missing else ""
    return StoreError(
        "records-lost",
        f"{store.path} lacks the records of {counted(count, 'run')} that its tables have rows of{named}",
        hint="put the files back, or run the sweep again, which executes these runs; "
        "tla2py tables makes the tables without them",
    )


def tables_current(store: Store) -> bool:
    """Whether the tables are up to date with the records; ``table_files`` checks their contents.

    Raises StoreError as ``Store.manifest`` does.
    """
    tables = read_list(store.storage)
    return tables is not None and tables.made_from == _made_from(store, store.manifest())


def records_doubted(store: Store) -> bool:
    """Whether a record was found damaged, and no record was written since."""
    tables = read_list(store.storage)
    return tables is not None and tables.doubted != ""


def _made_from(store: Store, manifest: Manifest) -> str:
    """The digest of what the tables are made from, and of how."""
    parts = (COLUMNS, manifest.parameters, _places(manifest), store.contents())
    return hashlib.sha256(repr(parts).encode()).hexdigest()


def _places(manifest: Manifest) -> list[str]:
    """The digests and paths of the user's files."""
    sweep = hashlib.sha256(manifest.sweep.encode()).hexdigest()
    path = Path(manifest.sweep_file or manifest.name)
    files = [(sweep, str(path)), *manifest.files.items()]
    files += [(sha256, str(path.parent / name)) for name, sha256 in manifest.configs.items()]
    return sorted(f"{sha256} {path}" for sha256, path in files)


def _sizes(storage: Storage) -> dict[str, int]:
    """The sizes of the tables' files by name."""
    return {
        f"tables/{table}/{name}": stamp.size
        for table in (*JOINED, *FRAGMENT_TABLES)
        for name, stamp in storage.stamps(f"tables/{table}").items()
    }


def _is_sound(storage: Storage, fragment: Fragment, sizes: Mapping[str, int], checked: Sequence[str]) -> bool:
    """Whether the files of a fragment exist, have their sizes and, in ``checked`` tables, their digests."""
    return fragment.columns == COLUMNS and all(
        all(sizes.get(file.name) == file.size for file in files)
        and (table not in checked or fragment_files(storage, table, fragment) is not None)
        for table, files in fragment.files.items()
    )


def _join(store: Store, points: pa.Table, manifest: Manifest, fragments: Sequence[Fragment]) -> Fragment:
    """The fragment of ``runs``, ``logs`` and ``mutants``. Raises StoreError (``store-unwritable``)."""
    from tla2py.store.sink import write_logs, write_mutants, write_runs

    def files(table: str) -> list[Path]:
        return [file for each in fragments for file in fragment_files(store.storage, table, each) or ()]

    results, name = files("results"), new_id()
    with store.storage.staging("tables") as folder:
        rows = write_runs(folder / "runs" / f"{name}.parquet", points, manifest.parameters, results)
        write_logs(folder / "logs" / f"{name}.parquet", points, files("log_results"))
        write_mutants(folder / "mutants" / f"{name}.parquet", store.mutants())
        return fragment_of(folder, name, rows)


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
