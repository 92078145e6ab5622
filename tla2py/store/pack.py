"""Packs: many records in one archive, with an index of what is where.

A pack is a zip of the records' archives, stored as they are. Its index is written after it, and the files that it
replaces are removed after that: at any moment every record is in a place that counts.
"""

from __future__ import annotations

import bisect
import contextlib
import re
import shutil
import struct
import uuid
import zipfile
import zlib
from array import array
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import chain
from typing import IO, Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from tla2py.store.record import EPOCH, is_whole, record_name
from tla2py.store.storage import FilePart, Storage


def text_column(texts: Iterable[str]) -> pa.StringArray:
    """The texts as a column."""
    data, ends = bytearray(), array("q", [0])
    for text in texts:
        data += text.encode()
        ends.append(len(data))
    wide = pa.LargeStringArray.from_buffers(len(ends) - 1, pa.py_buffer(ends), pa.py_buffer(data))
    return wide.cast(pa.string())


def integer_column(numbers: Iterable[int]) -> pa.Int64Array:
    """The numbers as a column."""
    values = array("q", numbers)
    return pa.Array.from_buffers(pa.int64(), len(values), [None, pa.py_buffer(values)])


def release_memory() -> None:
    """Return what Arrow has freed to the system; otherwise it keeps it for the next large table."""
    pa.default_memory_pool().release_unused()


# The index of a pack. ``record`` is the identity of a record: its size and CRC.
_NUMBERS = ("offset", "size", "crc32", "generation")
_SCHEMA = pa.schema(
    [("run_id", pa.string()), *((name, pa.int64()) for name in _NUMBERS), ("record", pa.string())]
)
# Loose records are named by run ids, which have no hyphen. Of several records of a run the one with the highest
# generation counts, which is the number of the pack that it was first put into.
_PACK = re.compile(r"pack-[0-9]+-[0-9a-f]+\.zip")
_ORDER = [("run_id", "ascending"), ("generation", "descending"), ("pack", "descending")]


class Pack(NamedTuple):
    """A pack: its name, the bytes of its file, and its index, which may be ``lost``: then it was made from the pack."""

    name: str
    size: int
    entries: pa.Table
    lost: bool = False


class RecordIndex:
    """What is where among a store's records.

    ``columns`` has a row per packed record that counts, sorted by ``run_id``, with ``record`` its identity. ``loose`` are
    the runs whose records are not packed yet.
    """

    def __init__(self, columns: pa.Table, packs: tuple[Pack, ...], loose: frozenset[str]) -> None:
        self.columns, self.packs, self.loose = columns, packs, loose
        # An array is indexed faster than a table's column, which may have several parts.
        self._run_ids = columns["run_id"].combine_chunks()

    def place(self, run_id: str) -> tuple[str | FilePart, int | None]:
        """The file of a record, or the part of a pack and its CRC; a record that the index lacks would be loose."""
        row = bisect.bisect_left(self._run_ids, run_id, key=pa.StringScalar.as_py)
        if row == len(self._run_ids) or self._run_ids[row].as_py() != run_id:
            return record_name(run_id), None
        pack, offset, size, crc32 = (
            int(self.columns[name][row].as_py()) for name in ("pack", "offset", "size", "crc32")
        )
        return FilePart(f"records/{self.packs[pack].name}.zip", offset, size), crc32

    def generation(self) -> int:
        """The highest generation of a record, 0 without any."""
        return max((pc.max(pack.entries["generation"]).as_py() or 0 for pack in self.packs), default=0)


def identity(size: int, crc32: int) -> str:
    """The identity of a record: the size and the CRC of its archive."""
    return f"{size}-{crc32:08x}"


_Entry = tuple[str, int, int, int, int]


def _entries(rows: Sequence[_Entry]) -> pa.Table:
    """The index of records, each given by its run id and its numbers."""
    run_ids, *numbers = zip(*rows, strict=True) if rows else [()] * 5
    records = text_column(identity(size, crc32) for _, _, size, crc32, _ in rows)
    columns = [text_column(run_ids), *map(integer_column, numbers), records]
    return pa.Table.from_arrays(columns, schema=_SCHEMA)


def read_index(storage: Storage, known: RecordIndex | None = None) -> RecordIndex:
    """The index of a store's records; ``known`` is one that was read before.

    A pack whose index is lost is read itself. The records that a truncated pack has lost do not count.
    """
    files = storage.stamps("records")
    sizes = {name[:-4]: stamp.size for name, stamp in files.items() if _PACK.fullmatch(name)}
    loose = frozenset(name[:-4] for name in files if name.endswith(".zip")) - sizes.keys()
    read = {pack.name: pack for pack in known.packs if sizes.get(pack.name) == pack.size} if known else {}
    storage.prefetch(f"records/{name}.parquet" for name in sorted(sizes.keys() - read.keys()))
    found = (read.get(name) or _read_pack(storage, name, sizes[name]) for name in sorted(sizes))
    packs = tuple(pack for pack in found if pack is not None)
    if known is not None and (known.packs, known.loose) == (packs, loose):
        return known
    return RecordIndex(_counting(packs, loose), packs, loose)


def _read_pack(storage: Storage, name: str, size: int) -> Pack | None:
    try:
        with (
            storage.open(f"records/{name}.parquet") as source,
            pq.ParquetFile(pa.BufferReader(source.read()), page_checksum_verification=True) as file,
        ):
            entries = file.read(use_threads=False).select(_SCHEMA.names).cast(_SCHEMA)
    except (OSError, KeyError, ValueError, pa.ArrowException):
        return _indexed_anew(storage, name, size)
    ends = pc.add(entries["offset"], entries["size"])
    return Pack(name, size, entries.filter(pc.less_equal(ends, integer_column([size])[0])))


def _indexed_anew(storage: Storage, name: str, size: int) -> Pack | None:
    """A pack with an index from the pack itself; None if that is damaged too."""
    rows = []
    try:
        with storage.open(f"records/{name}.zip") as stream, zipfile.ZipFile(stream) as pack:
            for entry in pack.infolist():
                # The lengths of a name and of what follows it precede the record.
                stream.seek(entry.header_offset + 26)
                lengths = sum(struct.unpack("<HH", stream.read(4)))
                offset = entry.header_offset + 30 + lengths
                run_id = entry.filename.removesuffix(".zip")
                rows.append((run_id, offset, entry.file_size, entry.CRC, int(entry.comment)))
    except (OSError, ValueError, zipfile.BadZipFile, struct.error):
        return None
    return Pack(name, size, _entries(rows), lost=True)


def _counting(packs: tuple[Pack, ...], loose: frozenset[str]) -> pa.Table:
    """The rows of the records that count, sorted by run id."""
    tables = [
        pack.entries.append_column("pack", integer_column([number] * pack.entries.num_rows))
        for number, pack in enumerate(packs)
    ]
    rows = pa.concat_tables(tables or [_entries(()).append_column("pack", integer_column(()))])
    if loose:
        rows = rows.filter(pc.invert(pc.is_in(rows["run_id"], value_set=text_column(sorted(loose)))))
    # By their places: each step on the rows themselves would copy them.
    order = pc.sort_indices(rows, _ORDER)
    run_ids = rows["run_id"].take(order)
    if len(packs) > 1 and rows.num_rows:
        others = pc.not_equal(run_ids[1:], run_ids[:-1]).combine_chunks()
        order = pa.concat_arrays([order[:1], order[1:].filter(others)])
    rows = rows.take(order).combine_chunks()
    del run_ids, order
    release_memory()
    return rows


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


def copy_records(storage: Storage, index: RecordIndex, target: Storage, run_ids: Iterable[str]) -> None:
    """Write copies of the packed records of some runs into another storage; a damaged one is left out."""
    rows = index.columns.filter(pc.is_in(index.columns["run_id"], value_set=text_column(run_ids)))
    for _ in write_packs(target, _packed(storage, index, rows)):
        pass


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


def write_packs(storage: Storage, records: Iterator[PackedRecord]) -> Iterator[list[str]]:
    """The runs of the records in each pack that was written with its index."""
    for first in records:
        rows = list[_Entry]()
        name = f"records/pack-{first.generation:06}-{uuid.uuid4().hex[:12]}"
        storage.write({f"{name}.zip": partial(_write_pack, chain([first], records), rows)})
        write_index = partial(pq.write_table, _entries(rows), compression="zstd", write_page_checksum=True)
        storage.write({f"{name}.parquet": write_index})
        yield [run_id for run_id, *_ in rows]


def _write_pack(records: Iterable[PackedRecord], rows: list[_Entry], sink: IO[bytes]) -> None:
    """Write records into a pack until it is large; ``rows`` gets what its index says of them."""
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_STORED) as archive:
        for record in records:
            info = zipfile.ZipInfo(f"{record.run_id}.zip", EPOCH)
            # The size decides how the entry's header is written.
            info.file_size = record.stream.seek(0, 2)
            # With it a lost index can be made again.
            info.comment = str(record.generation).encode()
            record.stream.seek(0)
            with archive.open(info, "w") as entry:
                offset = sink.tell()
                shutil.copyfileobj(record.stream, entry, 1 << 20)
            rows.append((record.run_id, offset, info.file_size, info.CRC, record.generation))
            if sink.tell() >= _BYTES or len(rows) >= _RECORDS:
                break
