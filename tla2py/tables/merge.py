"""Fragments made of others: without the rows of some runs, or several as one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from tla2py.store.storage import Storage
from tla2py.tables.fragments import FRAGMENT_TABLES, Fragment, fragment_files, fragment_of, new_id
from tla2py.tables.schema import arrow_schema

# So many fragments of a tier become one of the next, with up to eight times as many runs.
_TIER = 8
# A larger fragment stays as it is, so that none made of others is over 256 MiB.
_LARGE = 32 << 20
# The memory of the rows that become one row group.
_GROUP_BYTES = 4 << 20
_BATCH_ROWS = 4096

# For each fragment the runs whose rows are kept.
Kept = Mapping[str, pa.StringArray]


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


def merge(storage: Storage, fragments: Sequence[Fragment], kept: Kept | None = None) -> Fragment | None:
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
