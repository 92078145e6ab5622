"""Packs: many records in one archive, with an index of what is where.

A pack is a zip of the records' archives, stored as they are. Its index is written after it, and the files that it
replaces are removed after that: at any moment every record is in a place that counts.
"""

from __future__ import annotations

import contextlib
import shutil
import uuid
import zipfile
import zlib
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import IO, Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from tla2py.errors import StoreError
from tla2py.store.index import SCHEMA, Pack, RecordIndex, identity, integer_column, read_index, text_column
from tla2py.store.record import EPOCH, is_whole, record_name
from tla2py.store.storage import FilePart, Storage
from tla2py.store.store import Store
from tla2py.store.write import refresh_tables

# A pack is closed once it has so many bytes or records.
_BYTES = 256 << 20
_RECORDS = 16_384
# So many packs that are not full are written before all of them become one.
_MOST_PACKS = 32


class PackedRecord(NamedTuple):
    """A record for a pack."""

    run_id: str
    generation: int
    stream: IO[bytes]


def pack_records(storage: Storage, index: RecordIndex) -> None:
    """Move the loose records into a pack; damaged ones stay where they are. The store must be locked.

    Makes one of many packs, and an index that was lost anew. Raises StoreError (``store-unwritable``).
    """
    if index.loose:
        for packed in write_packs(storage, _loose(storage, sorted(index.loose), index.generation() + 1)):
            storage.remove(map(record_name, packed))
        index = read_index(storage, index)
    small = [pack for pack in index.packs if pack.size < _BYTES and pack.entries.num_rows < _RECORDS]
    if replaced := small if len(small) > _MOST_PACKS else [pack for pack in index.packs if pack.lost]:
        rewrite_packs(storage, index, replaced)


def rewrite_packs(
    storage: Storage, index: RecordIndex, packs: Sequence[Pack], keep: pa.StringArray | None = None
) -> None:
    """Replace packs by new ones with those of their records that count, or with those of them to ``keep``.

    A damaged record is left out. The store must be locked.
    """
    numbers = [index.packs.index(pack) for pack in packs]
    rows = index.columns.filter(pc.is_in(index.columns["pack"], value_set=integer_column(numbers)))
    if keep is not None:
        rows = rows.filter(pc.is_in(rows["run_id"], value_set=keep))
    for _ in write_packs(storage, _packed(storage, index, rows)):
        pass
    # A pack without an index is still read; an index without a pack would stay for ever.
    storage.remove(f"records/{pack.name}{suffix}" for suffix in (".parquet", ".zip") for pack in packs)


def _loose(storage: Storage, run_ids: Sequence[str], generation: int) -> Iterator[PackedRecord]:
    storage.prefetch(map(record_name, run_ids))
    for run_id in run_ids:
        with contextlib.suppress(OSError), storage.open(record_name(run_id)) as stream:
            if is_whole(stream):
                yield PackedRecord(run_id, generation, stream)


def _packed(storage: Storage, index: RecordIndex, rows: pa.Table) -> Iterator[PackedRecord]:
    rows = rows.sort_by([("pack", "ascending"), ("offset", "ascending")])
    files = [f"records/{pack.name}.zip" for pack in index.packs]

    def places(*others: str) -> Iterator[tuple[Any, ...]]:
        for batch in rows.select(["pack", "offset", "size", *others]).to_batches(max_chunksize=1000):
            values = (column.to_pylist() for column in batch.columns)
            for pack, offset, size, *more in zip(*values, strict=True):
                yield FilePart(files[pack], offset, size), *more

    storage.prefetch(part for (part,) in places())
    for part, crc32, run_id, generation in places("crc32", "run_id", "generation"):
        with storage.open(part) as stream:
            if _crc32(stream) == crc32:
                yield PackedRecord(run_id, generation, stream)


def _crc32(stream: IO[bytes]) -> int:
    crc32 = 0
    while block := stream.read(1 << 20):
        crc32 = zlib.crc32(block, crc32)
    return crc32


def write_packs(storage: Storage, records: Iterator[PackedRecord]) -> Iterator[dict[str, str]]:
    """The identities, by run id, of the records in each pack that was written with its index."""
    for first in records:
        pack = _PackWriter(chain([first], records))
        name = f"pack-{first.generation:06}-{uuid.uuid4().hex[:12]}"
        storage.write({f"records/{name}.zip": pack.write})
        storage.write({f"records/{name}.parquet": pack.write_index})
        yield pack.identities


class _PackWriter:
    """Writes records into a pack until it is large, then its index."""

    def __init__(self, records: Iterable[PackedRecord]) -> None:
        self._records = records
        self.identities: dict[str, str] = {}
        self._numbers = {name: array("q") for name in ("offset", "size", "crc32", "generation")}

    def write(self, sink: IO[bytes]) -> None:
        """Write the pack."""
        with zipfile.ZipFile(sink, "w", zipfile.ZIP_STORED) as archive:
            for record in self._records:
                info = zipfile.ZipInfo(f"{record.run_id}.zip", EPOCH)
                # The size decides how the entry's header is written.
                info.file_size = record.stream.seek(0, 2)
                # With it a lost index can be made again.
                info.comment = str(record.generation).encode()
                record.stream.seek(0)
                with archive.open(info, "w") as entry:
                    offset = sink.tell()
                    shutil.copyfileobj(record.stream, entry, 1 << 20)
                self.identities[record.run_id] = identity(info.file_size, info.CRC)
                row = {"offset": offset, "size": info.file_size, "crc32": info.CRC}
                for column, number in {**row, "generation": record.generation}.items():
                    self._numbers[column].append(number)
                if sink.tell() >= _BYTES or len(self.identities) >= _RECORDS:
                    break

    def write_index(self, sink: IO[bytes]) -> None:
        """Write the index."""
        columns = {name: integer_column(numbers) for name, numbers in self._numbers.items()}
        texts = {"run_id": text_column(self.identities), "record": text_column(self.identities.values())}
        table = pa.table({**texts, **columns}).select(SCHEMA.names)
        pq.write_table(table, sink, compression="zstd", write_page_checksum=True)


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
    others = store.recorded() - used if probes is None else probes
    used |= others
    tree = store.storage.tree
    live = index.columns.filter(pc.is_in(index.columns["run_id"], value_set=text_column(sorted(used))))
    living = [_count(live["pack"], number) for number in range(len(index.packs))]
    loose = {record_name(run_id) for run_id in index.loose - used}
    outputs = {name: size for name, size in tree("outputs").items() if name.split("/")[1] not in used}
    digests = _digests(store, used)
    named = {f"sources/{sha256}.tla" for sha256 in digests} | {f"inputs/{sha256}" for sha256 in digests}
    return Unused(
        files={
            "record": {name: size for name, size in tree("records").items() if name in loose},
            "output": outputs,
            "source": {name: size for name, size in tree("sources").items() if name not in named},
            "input": {name: size for name, size in tree("inputs").items() if name not in named},
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


def prune(store: Store, *, dry_run: bool = False) -> Unused:
    """What no point refers to, which is removed unless this is a ``dry_run``. Raises StoreError."""
    if dry_run:
        return find_unused(store)
    with store.lock():
        unused = find_unused(store)
        remove_unused(store, unused)
        # Drops the rows of the runs that are gone.
        refresh_tables(store)
    return unused
