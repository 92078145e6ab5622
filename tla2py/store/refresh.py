"""Brings a store's tables up to date with its records and points."""

from __future__ import annotations

import contextlib
import hashlib
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from tla2py.errors import StoreError
from tla2py.store.fragments import (
    COLUMNS,
    FRAGMENT_TABLES,
    LIST,
    Fragment,
    TableList,
    fragment_of,
    intact_table,
    is_intact,
    new_name,
    read_list,
    read_rows,
    read_table,
    table_file,
    write_list,
)
from tla2py.store.manifest import Manifest
from tla2py.store.record import record_name
from tla2py.store.schema import TABLE_NAMES, TABLES, arrow_schema, runs_columns
from tla2py.store.storage import Storage, read_named
from tla2py.store.store import Store
from tla2py.text import counted
from tla2py.tlc.process.os_facts import this_machine

if TYPE_CHECKING:
    import pyarrow as pa


Group = Mapping[str, str]
"""The identities of some records by run id."""
Derive = Callable[[Store, Iterable[Group]], Iterable[Fragment]]
"""Makes fragments with the rows of groups of records, see ``derive_fragment``."""

# Every sweep reads these again; a reader checks the others.
_READ_BY_SWEEPS = ("runs", "coverage", "diagnostics")
# So many fragments are added before all become one; one with more bytes stays as it is.
_MOST_FRAGMENTS = 32
_LARGE = 256 << 20
# The runs of a group.
_GROUP_RUNS = 1000
# For how many seconds the files of earlier moments are kept for their readers.
_RETIRED_SECONDS = 600.0


def derive_here(store: Store, groups: Iterable[Group]) -> list[Fragment]:
    """The fragment of groups of records, made in this process. Raises StoreError as ``derive_fragment`` does."""
    # Imported on use, with Arrow: most commands write no table.
    from tla2py.store.record_rows import derive_fragment

    fragment = derive_fragment(store, groups, processes=max(int(this_machine().cores), 1))
    return [] if fragment is None else [fragment]


def refresh_tables(
    store: Store,
    *,
    checked: Sequence[str] = _READ_BY_SWEEPS,
    derive: Derive = derive_here,
    anew: bool = False,
    lost: Callable[[StoreError], None] | None = None,
) -> bool:
    """Bring the tables up to date with the records; returns whether they had to be written.

    The files of ``checked`` tables are compared with their digests. ``derive`` makes the rows that are missing, or all
    with ``anew``. The store must be locked. Raises StoreError, also ``records-lost`` if there are rows whose records are
    missing; with ``lost`` that error is passed to it and the rows are dropped.
    """
    storage = store.storage
    store.pack()
    # Before the records are listed: those that come later are for the next refresh.
    manifest = store.manifest()
    before = read_list(storage) or TableList(
        manifest=manifest, made_from="", columns="", runs=Fragment(files={}), fragments=[], retired={}
    )
    made_from = _made_from(store, manifest)
    listed = [] if anew or before.columns != COLUMNS else before.fragments
    sound = [each for each in listed if is_intact(storage, each, ("results", "log_results", *checked))]
    if (
        not anew
        and not before.newer
        and before.made_from == made_from
        and len(sound) == len(listed)
        and is_intact(storage, before.runs, checked)
    ):
        return False
    points = store.points_table()
    if error := _lost(store, points, before):
        if lost is None:
            raise error
        lost(error)
    moved = {path for _, path in _places(before.manifest) - _places(manifest)}
    kept, missing = _keep_rows(store, points, sound, moved)
    try:
        batches = (batch.columns for batch in missing.to_batches(max_chunksize=_GROUP_RUNS))
        groups = (dict(zip(*(c.to_pylist() for c in columns), strict=True)) for columns in batches)
        derived = [*derive(store, groups)]
    except StoreError as error:
        if error.code == "record-damaged" and before.columns:
            # The rows that there are stay readable; the next sweep reads all records.
            write_list(storage, msgspec.structs.replace(before, made_from=""))
        raise
    if before.columns and not before.made_from and not derived and lost is None:
        # A reader does not end the doubt, but a sweep, which has read all records.
        made_from = ""
    fragments = _merged(storage, [*kept, *([derived[0].with_files(derived[1:])] if derived else [])])
    tables = TableList(
        manifest=manifest,
        made_from=made_from,
        columns=COLUMNS,
        runs=_join(store, points, manifest, fragments),
        fragments=fragments,
        retired={},
    )
    now = time.time()
    retired = {
        name: since
        for name, since in (dict.fromkeys(before.names, now) | before.retired).items()
        if name not in tables.names and abs(now - since) < _RETIRED_SECONDS
    }
    write_list(storage, msgspec.structs.replace(tables, retired=retired))
    on_disk = storage.tree("tables").keys() | storage.tree("points").keys()
    storage.remove(on_disk - tables.names - retired.keys() - {LIST})
    return True


def hold_tables(store: Store, newer: Iterable[str]) -> None:
    """Have readers take the tables as they are, although records of the ``newer`` runs were written since."""
    before = read_list(store.storage)
    if before is not None:
        made_from, runs = _made_from(store, store.manifest()), sorted({*before.newer, *newer})
        write_list(store.storage, msgspec.structs.replace(before, made_from=made_from, newer=runs))


def tables_current(store: Store) -> bool:
    """Whether the tables are up to date with the records, not in a store without a sweep; ``table_files`` checks their contents."""
    with contextlib.suppress(StoreError):
        tables = read_list(store.storage)
        return tables is not None and tables.made_from == _made_from(store, store.manifest())
    return False


def _made_from(store: Store, manifest: Manifest) -> str:
    """The digest of what the tables are made from, and of how."""
    records = sorted(store.storage.stamps("records").items())
    return hashlib.sha256(repr((COLUMNS, manifest, records)).encode()).hexdigest()


def _places(manifest: Manifest) -> set[tuple[str, str]]:
    """The digests and paths of the user's files, which diagnostics name."""
    sweep = hashlib.sha256(manifest.sweep.encode()).hexdigest()
    path = Path(manifest.sweep_file or manifest.name)
    configs = ((sha256, str(path.parent / name)) for name, sha256 in manifest.configs.items())
    return {(sweep, str(path)), *manifest.files.items(), *configs}


def _lost(store: Store, points: pa.Table, before: TableList) -> StoreError | None:
    """The error of a store that lacks records of points' runs which its tables have rows of."""
    import pyarrow as pa
    import pyarrow.compute as pc

    from tla2py.store.pack import text_column

    index = store.record_ids()
    files = intact_table(store.storage, "results", before.fragments, whole=False)
    if not files:
        return None
    run_ids = read_table(files, ["run_id"])["run_id"].unique()
    # A damaged record is never packed.
    recorded = pa.chunked_array([*index.columns["run_id"].chunks, text_column(sorted(index.loose))])
    gone = pc.and_not(pc.is_in(run_ids, value_set=points["run_id"]), pc.is_in(run_ids, value_set=recorded))
    count = int(pc.sum(gone).as_py() or 0)
    if not count:
        return None
    return StoreError(
        "records-lost",
        f"{store.path} lacks the records of {counted(count, 'run')} that its tables have rows of",
        hint="put the files back, or run the sweep again, which executes these runs; "
        "tla2py tables makes the tables without them",
    )


def _keep_rows(
    store: Store, points: pa.Table, fragments: Sequence[Fragment], moved: set[str]
) -> tuple[list[Fragment], pa.Table]:
    """The fragments with the rows that count, and the records, as ``run_id`` and ``record``, without rows in them.

    Rows count if the store has their record, and a point its run. A fragment that also has other rows is written anew.
    ``moved`` are paths of the user's files that changed: the rows of runs whose diagnostics name them do not count either.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    from tla2py.store.pack import text_column

    storage = store.storage
    records = store.record_ids().columns.select(["run_id", "record"])
    ranks = pc.index_in(records["run_id"], value_set=points["run_id"])
    records, ranks = records.filter(pc.is_valid(ranks)), ranks.drop_null()
    # In the order of the points.
    records = records.take(pc.sort_indices(ranks))
    diagnostics = intact_table(storage, "diagnostics", fragments if moved else ()) or ()
    named = read_rows(diagnostics, ("run_id", "file"))
    stale = text_column({run_id for run_id, file in named if file in moved})
    parts = [
        read_table(files, records.column_names).cast(records.schema) if files else records.slice(0, 0)
        for files in (intact_table(storage, "results", [each]) for each in fragments)
    ]
    rows = pa.concat_tables([records.slice(0, 0), *parts])
    # For all fragments at once: each search begins with a hash table of the records.
    places = pc.index_in(rows["run_id"], value_set=records["run_id"])
    same = pc.equal(records["record"].take(places), rows["record"])
    counts = pc.and_not(same, pc.is_in(rows["run_id"], value_set=stale))
    kept, have, start = list[Fragment](), [text_column(())], 0
    for each, part in zip(fragments, parts, strict=True):
        run_ids = part["run_id"].filter(counts[start : start + part.num_rows])
        start += part.num_rows
        if not len(run_ids):
            continue
        whole = len(run_ids) == part.num_rows
        left = each if whole else _merge(storage, [each], run_ids.combine_chunks())
        if left is not None:
            kept.append(left)
            have += run_ids.chunks
    return kept, records.filter(pc.invert(pc.is_in(records["run_id"], value_set=pa.chunked_array(have))))


def _merged(storage: Storage, fragments: list[Fragment]) -> list[Fragment]:
    """The fragments, or one instead of all that are not large if they are many."""
    small = [each for each in fragments if each.size <= _LARGE]
    if len(small) <= _MOST_FRAGMENTS:
        return fragments
    merged = _merge(storage, small)
    # A reader of a damaged file has it made again.
    return fragments if merged is None else [*(each for each in fragments if each.size > _LARGE), merged]


def _merge(
    storage: Storage, fragments: Sequence[Fragment], kept: pa.StringArray | None = None
) -> Fragment | None:
    """One fragment with the rows of some, or with those of the runs ``kept``; None if a file of theirs is damaged."""
    from tla2py.store.parquet import write_batches

    name = new_name()
    with storage.staging("tables") as folder:
        for table, columns in FRAGMENT_TABLES.items():
            found = intact_table(storage, table, fragments)
            if found is None:
                return None
            write_batches(folder / table / f"{name}.parquet", arrow_schema(columns), found, kept)
        return fragment_of(folder, name)


def _join(store: Store, points: pa.Table, manifest: Manifest, fragments: Sequence[Fragment]) -> Fragment:
    """The files of ``runs``, ``logs``, ``mutants`` and ``because``. Raises StoreError (``store-unwritable``)."""
    import pyarrow as pa

    from tla2py.store.parquet import write_logs, write_runs

    storage, name = store.storage, new_name()
    if manifest.search is not None:
        chosen = map(manifest.search.chosen.get, points["run_id"].to_pylist())
        points = points.append_column("chosen_for", pa.array(chosen, pa.string()))
    results, logs = (intact_table(storage, table, fragments) or [] for table in ("results", "log_results"))
    with storage.staging("tables") as folder:
        schema = arrow_schema(runs_columns(manifest.parameters))
        write_runs(folder / "runs" / f"{name}.parquet", points, schema, results)
        write_logs(folder / "logs" / f"{name}.parquet", points, logs)
        files = fragment_of(folder, name).files
    if manifest.mutants:
        store.mutants()  # raises if they are damaged
        files["mutants"] = [table_file(storage.local(manifest.mutants), "mutants")]
    # TLC can be asked again.
    with contextlib.suppress(StoreError, OSError):
        if manifest.because and read_named(storage, manifest.because):
            files["because"] = [table_file(storage.local(manifest.because), "because")]
    return Fragment(files=files)


DRIVES = "drives.parquet"
"""The file of ``drives``, in a folder of this name in the store."""
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
        current = Store(store.path)
        try:
            with current.lock():
                refresh_tables(current, checked=(name,))
        except StoreError as error:
            # A sweep may be writing the tables at this moment.
            if error.code in ("record-damaged", "records-lost"):
                raise
            if error.code != "store-busy" or pause is None:
                raise _damaged(store, name, error.message) from error
            time.sleep(pause)
        if store.moment is not None:
            store.moment = read_list(store.storage)
    raise _damaged(store, name, "it changes all the time")


def intact_files(store: Store, name: str) -> list[Path] | None:
    """The files that make up a table if all have the content that was written, otherwise None."""
    if name == "drives":
        # Written whole by each drive, and not made from records.
        return [store.storage.local(f"{name}/{file}") for file in store.storage.names(name) & {DRIVES}]
    if store.tables is not None:
        return sorted((store.tables / name).glob("*.parquet"))
    tables = store.moment or read_list(store.storage)
    if tables is None:
        return None
    return intact_table(store.storage, name, tables.having(name), whole=tables.columns == COLUMNS)


def row_counts(store: Store) -> dict[str, int]:
    """The number of rows of each table; empty if no tables were written."""
    tables = read_list(store.storage)
    return {name: sum(file.rows for file in tables.of(name)) for name in TABLE_NAMES} if tables else {}


def missing_points(store: Store) -> list[int]:
    """The points without a result, in order. Raises StoreError as ``table_files`` does."""
    found = {point for (point,) in read_rows(table_files(store, "runs"), ("point",))}
    return [point for point in store.points_table()["point"].to_pylist() if point not in found]


def stored_table(store: Store, name: str, columns: Sequence[str] | None = None) -> pa.Table:
    """A table, or some of its columns, in the order of the points. Raises StoreError as ``table_files`` does."""
    files = table_files(store, name)
    if not files:
        from pyarrow import Table

        schema = arrow_schema(runs_columns(store.manifest().parameters) if name == "runs" else TABLES[name])
        # ``schema.empty_table`` would do, but imports pandas.
        return Table.from_batches([], schema).select(columns or schema.names)
    table = read_table(files, columns)
    if name in ("runs", "mutants", "drives", "because"):
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


class PruneResult(NamedTuple):
    """What no point refers to: the number of things by kind, without kinds of which there are none, and their bytes."""

    counts: Mapping[str, int]
    size: int


def prune(store: Store, *, dry_run: bool = False) -> PruneResult:
    """What no point refers to, which is removed unless this is a ``dry_run``. Raises StoreError."""
    import pyarrow.compute as pc

    from tla2py.store.pack import integer_column, rewrite_packs, text_column

    with contextlib.nullcontext() if dry_run else store.lock():
        storage, index = store.storage, store.record_ids()
        used = store.points().run_ids() | store.probes()
        digests = _digests(store, used)
        named = {f"sources/{sha256}.tla" for sha256 in digests} | {f"inputs/{sha256}" for sha256 in digests}
        loose = {record_name(run_id) for run_id in index.loose - used}
        sizes = {
            "record": {name: size for name, size in storage.tree("records").items() if name in loose},
            "output": {
                name: size for name, size in storage.tree("outputs").items() if name.split("/")[1] not in used
            },
            "source": {name: size for name, size in storage.tree("sources").items() if name not in named},
            "input": {name: size for name, size in storage.tree("inputs").items() if name not in named},
        }
        counts = {kind: len(names) for kind, names in sizes.items()}
        size = sum(sum(names.values()) for names in sizes.values())
        keep = text_column(sorted(used))
        live = index.columns.filter(pc.is_in(index.columns["run_id"], value_set=keep))
        mixed = []
        for number, pack in enumerate(index.packs):
            rows = live.filter(pc.equal(live["pack"], integer_column([number])[0]))
            if rows.num_rows < pack.entries.num_rows:
                mixed.append(pack)
                counts["record"] += pack.entries.num_rows - rows.num_rows
                size += sum(pack.entries["size"].to_pylist()) - sum(rows["size"].to_pylist())
        if not dry_run:
            storage.remove(name for names in sizes.values() for name in names)
            for folder in {"/".join(name.split("/")[:2]) for name in sizes["output"]}:
                storage.remove_folder(folder)
            for pack in mixed:
                # One after the other, which needs the least space.
                rewrite_packs(storage, index, [pack], keep)
            # Drops the rows of the runs that are gone.
            refresh_tables(store)
    return PruneResult(counts={kind: count for kind, count in counts.items() if count}, size=size)


def _digests(store: Store, used: set[str]) -> set[str]:
    """The digests of the texts and inputs that the points and their runs name."""
    manifest = store.manifest()
    found = {*manifest.files, *manifest.configs.values()}
    stored = {name.removesuffix(".tla") for name in store.storage.names("sources")}
    if stored <= found and not store.storage.names("inputs"):
        return found
    # What tla2py wrote itself is named by records alone.
    run_ids = sorted(used & store.recorded())
    store.prefetch(run_ids)
    for run_id in run_ids:
        # A damaged record is executed again, by a sweep that writes what it needs.
        with contextlib.suppress(StoreError), store.archive(run_id) as archive:
            record = archive.record
            found.update(sha256 for _, sha256 in (*record.modules, *record.originals, *record.inputs.files))
    return found
