"""Fragments made of others: without the rows of some runs, or several as one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from tla2py.store.fragments import FRAGMENT_TABLES, Fragment, fragment_files, fragment_of, new_id
from tla2py.store.index import integer_column, text_column
from tla2py.store.read import read_rows, read_table
from tla2py.store.schema import arrow_schema
from tla2py.store.storage import Storage
from tla2py.store.store import Store

# So many fragments of a tier become one of the next, with up to eight times as many runs.
_TIER = 8
# A larger fragment stays as it is, so that none made of others is over 256 MiB.
_LARGE = 32 << 20
# The memory of the rows that become one row group.
_GROUP_BYTES = 4 << 20
_BATCH_ROWS = 4096

# For each fragment the runs whose rows are kept.
KeptFragments = Mapping[str, pa.StringArray]


def compacted(storage: Storage, fragments: Sequence[Fragment]) -> list[Fragment]:
    """The fragments with those of each tier that has many as one of the next. Raises StoreError (``store-unwritable``)."""
    found = list(fragments)
    while group := _tier_to_merge(found):
        merged = merge(storage, group)
        if merged is None:
            break  # a reader of the damaged file has it made again
        found[found.index(group[0])] = merged
        found = [each for each in found if each not in group]
    return found


def _tier_to_merge(fragments: Iterable[Fragment]) -> list[Fragment]:
    tiers: dict[int, list[Fragment]] = defaultdict(list)
    for each in fragments:
        if each.size <= _LARGE:
            tier = tiers[(each.runs.bit_length() - 1) // 3]
            tier.append(each)
            if len(tier) == _TIER:
                return tier
    return []


def merge(
    storage: Storage, fragments: Sequence[Fragment], kept: KeptFragments | None = None
) -> Fragment | None:
    """One fragment with the rows of some; None if a file of theirs is damaged. Raises StoreError (``store-unwritable``)."""
    name, runs = new_id(), 0
    with storage.staging("tables") as folder:
        for table, columns in FRAGMENT_TABLES.items():
            files = []
            for each in fragments:
                paths = fragment_files(storage, table, each)
                if paths is None:
                    return None
                files += [(path, None if kept is None else kept[each.id]) for path in paths]
            rows = _write(folder / table / f"{name}.parquet", arrow_schema(columns), _batches(files))
            runs = rows if table == "results" else runs
        return fragment_of(folder, name, runs)


def _batches(files: Iterable[tuple[Path, pa.StringArray | None]]) -> Iterator[pa.RecordBatch]:
    for path, runs in files:
        with pq.ParquetFile(path) as file:
            for batch in file.iter_batches(batch_size=_BATCH_ROWS, use_threads=False):
                if runs is not None:
                    batch = batch.filter(pc.is_in(batch["run_id"], value_set=runs))
                if batch.num_rows:
                    yield batch


def _write(file: Path, schema: pa.Schema, batches: Iterable[pa.RecordBatch]) -> int:
    """The number of rows written; without rows there is no file."""
    group: list[pa.RecordBatch] = []
    rows, writer = 0, None
    for batch in batches:
        if writer is None:
            file.parent.mkdir(exist_ok=True)
            writer = pq.ParquetWriter(file, schema, compression="zstd")
        group.append(batch)
        rows += batch.num_rows
        if sum(each.nbytes for each in group) >= _GROUP_BYTES:
            writer.write_table(pa.Table.from_batches(group).cast(schema))
            group = []
    if writer is not None:
        if group:
            writer.write_table(pa.Table.from_batches(group).cast(schema))
        writer.close()
    return rows


# The runs of a new fragment, and the bytes of their records.
_GROUP_RUNS = 1000
_KEEP_GROUP_BYTES = 32 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """The fragments that count, and the records, as ``run_id`` and ``record``, without rows in them."""

    fragments: list[Fragment]
    missing: pa.Table

    def groups(self) -> Iterator[Mapping[str, str]]:
        """The missing records, by run id, in groups for a fragment each."""
        group: dict[str, str] = {}
        size = 0
        for batch in self.missing.to_batches(max_chunksize=_GROUP_RUNS):
            for run_id, record in zip(*(column.to_pylist() for column in batch.columns), strict=True):
                group[run_id] = record
                size += int(record.partition("-")[0])
                if len(group) == _GROUP_RUNS or size >= _KEEP_GROUP_BYTES:
                    yield group
                    group, size = {}, 0
        if group:
            yield group


def keep_rows(store: Store, points: pa.Table, fragments: Sequence[Fragment], moved: Iterable[str]) -> Kept:
    """The fragments with the rows that count: those of records that the store has, of runs that a point has.

    A fragment that also has other rows is written anew. ``moved`` are paths of the user's files that changed: the rows of
    runs whose diagnostics name them do not count either. Raises StoreError.
    """
    records = _records(store, points)
    stale = _stale(store.storage, fragments, set(moved))
    files = [fragment_files(store.storage, "results", each) or [] for each in fragments]
    found, have = [], [integer_column(())]
    for each, (rows, places) in zip(fragments, _places(files, records, stale), strict=True):
        # A task that was repeated may have derived a record twice.
        places = places.filter(pc.invert(pc.is_in(places, value_set=pa.chunked_array(have))))
        if not len(places):
            continue
        left: Fragment | None = each
        if len(places) < rows:
            runs = records["run_id"].take(places).combine_chunks()
            left = merge(store.storage, [each], {each.id: runs})
        if left is not None:
            found.append(left)
            have += places.chunks
    lacking = pc.invert(pc.is_in(integer_column(range(records.num_rows)), value_set=pa.chunked_array(have)))
    return Kept(fragments=found, missing=records.filter(lacking))


def lost_runs(store: Store, points: pa.Table, fragments: Sequence[Fragment]) -> int:
    """The number of runs of the points that have rows but no record any more."""
    files = [fragment_files(store.storage, "results", each) or () for each in fragments]
    if not (found := list(chain.from_iterable(files))):
        return 0
    run_ids = read_table(found, ["run_id"])["run_id"].unique()
    index = store.record_ids()
    # A damaged record is never packed.
    recorded = pa.chunked_array([*index.columns["run_id"].chunks, text_column(sorted(index.loose))])
    lost = pc.and_not(pc.is_in(run_ids, value_set=points["run_id"]), pc.is_in(run_ids, value_set=recorded))
    return int(pc.sum(lost).as_py() or 0)


def _places(
    files: Sequence[Sequence[Path]], records: pa.Table, stale: pa.StringArray
) -> Iterator[tuple[int, pa.ChunkedArray]]:
    """The number of rows of each fragment, and the places of those that count among the records."""
    none = records.slice(0, 0)
    parts = [read_table(paths, none.column_names).cast(none.schema) if paths else none for paths in files]
    rows = pa.concat_tables([none, *parts])
    # For all fragments at once: each search begins with a hash table of the records.
    places = pc.index_in(rows["run_id"], value_set=records["run_id"]).cast(pa.int64())
    same = pc.equal(records["record"].take(places), rows["record"])
    counts = pc.and_not(same, pc.is_in(rows["run_id"], value_set=stale))
    start = 0
    for part in parts:
        there = slice(start, start + part.num_rows)
        yield part.num_rows, places[there].filter(counts[there])
        start = there.stop


def _records(store: Store, points: pa.Table) -> pa.Table:
    """The identities of the records of the points' runs, in the order of the points."""
    ids = store.record_ids()
    rows = ids.columns.select(["run_id", "record"])
    ranks = pc.index_in(rows["run_id"], value_set=points["run_id"])
    rows, ranks = rows.filter(pc.is_valid(ranks)), ranks.drop_null()
    return rows.take(pc.sort_indices(ranks))


def _stale(storage: Storage, fragments: Sequence[Fragment], moved: set[str]) -> pa.StringArray:
    """The runs whose diagnostics name one of these files."""
    files = [fragment_files(storage, "diagnostics", each) or () for each in fragments if moved]
    rows = read_rows(list(chain.from_iterable(files)), ("run_id", "file"))
    return text_column({run_id for run_id, file in rows if file in moved})
