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
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import IO, Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from tla2py.store.index import SCHEMA, Pack, RecordIndex, identity, integer_column, pack_name, text_column
from tla2py.store.record import EPOCH, is_whole, record_name
from tla2py.store.storage import Part, Storage

# A pack is closed once it has so many bytes or records; such packs are not merged.
_BYTES = 256 << 20
_RECORDS = 16_384
# So many packs of a tier become one of the next, with up to eight times as many records.
_TIER = 8


class PackedRecord(NamedTuple):
    """A record for a pack."""

    run_id: str
    generation: int
    stream: IO[bytes]


def pack_loose(storage: Storage, run_ids: Iterable[str], generation: int) -> dict[str, str]:
    """Move loose records into packs; damaged ones stay where they are. Returns the identities by run id.

    Raises StoreError (``store-unwritable``).
    """
    identities: dict[str, str] = {}
    for packed in write_packs(storage, _loose(storage, sorted(run_ids), generation)):
        storage.remove(map(record_name, packed))
        identities |= packed
    return identities


def merge_packs(storage: Storage, index: RecordIndex) -> bool:
    """Merge the packs of each tier that has many; returns whether any was merged. The store must be locked."""
    tiers: dict[int, list[Pack]] = defaultdict(list)
    for pack in index.packs:
        if pack.size < _BYTES and pack.entries.num_rows < _RECORDS:
            tiers[(max(1, pack.entries.num_rows).bit_length() - 1) // 3].append(pack)
    groups = [
        packs[first : first + _TIER]
        for packs in tiers.values()
        for first in range(0, len(packs) - _TIER + 1, _TIER)
    ]
    for group in groups:
        rewrite_packs(storage, index, group)
    return bool(groups)


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
    # A pack without an index does not count.
    storage.remove(f"records/{pack.name}.parquet" for pack in packs)
    storage.remove(f"records/{pack.name}.zip" for pack in packs)


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
                yield Part(files[pack], offset, size), *more

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
        name = pack_name(first.generation, uuid.uuid4().hex[:12])
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
