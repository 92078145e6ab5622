"""Arrow columns made from Python values. ``pyarrow.array`` would do, but imports pandas; so does ``pyarrow.scalar``."""

from __future__ import annotations

import bisect
import re
import struct
import zipfile
from array import array
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from tla2py.store.record import record_name
from tla2py.store.storage import FilePart, Storage

_PART = 10_000


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


def coded_column(texts: Iterable[str], codes: Iterable[int]) -> pa.DictionaryArray:
    """A column of texts, given by their numbers among different ones."""
    numbers = array("i", codes)
    places = pa.Array.from_buffers(pa.int32(), len(numbers), [None, pa.py_buffer(numbers)])
    return pa.DictionaryArray.from_arrays(places, text_column(texts))


def places_among(
    texts: pa.Array | pa.ChunkedArray, others: pa.Array | pa.ChunkedArray
) -> Iterator[int | None]:
    """The first place of each text among others; None if it is not there."""
    places = pc.index_in(texts, value_set=others)
    # Not all as objects at once.
    for start in range(0, len(places), _PART):
        yield from places[start : start + _PART].to_pylist()


def release_memory() -> None:
    """Return what Arrow has freed to the system; otherwise it keeps it for the next large table."""
    pa.default_memory_pool().release_unused()


# The index of a pack. ``record`` is the identity of a record: its size and CRC.
SCHEMA = pa.schema(
    [
        ("run_id", pa.string()),
        ("offset", pa.int64()),
        ("size", pa.int64()),
        ("crc32", pa.int64()),
        ("generation", pa.int64()),
        ("record", pa.string()),
    ]
)
# Loose records are named by run ids, which have no hyphen. Of several records of a run the one with the highest
# generation counts, which is the number of the pack that it was first put into.
_PACK = re.compile(r"pack-[0-9]+-[0-9a-f]+\.zip")
_ORDER = [("run_id", "ascending"), ("generation", "descending"), ("pack", "descending")]


class RecordPlace(NamedTuple):
    """Where a record is: its file, or the part of a pack and its CRC."""

    file: str | FilePart
    crc32: int | None = None


class Pack(NamedTuple):
    """A pack: its name, the bytes of its file, and its index, which may be ``lost``: then it was made from the pack."""

    name: str
    size: int
    entries: pa.Table
    lost: bool = False


class RecordIndex(Mapping[str, str]):
    """The identities of the packed records that count, by run id.

    Membership is a binary search in a column; make a set for many of them. ``columns`` has a row per record, sorted by
    ``run_id``, with ``record`` its identity. ``loose`` are the runs whose records are not packed yet.
    """

    def __init__(self, columns: pa.Table, packs: tuple[Pack, ...], loose: frozenset[str]) -> None:
        self.columns, self.packs, self.loose = columns, packs, loose
        # An array is indexed faster than a table's column, which may have several parts.
        self._run_ids = columns["run_id"].combine_chunks()

    def __len__(self) -> int:
        return int(self.columns.num_rows)

    def __iter__(self) -> Iterator[str]:
        for batch in self.columns.select(["run_id"]).to_batches(max_chunksize=10_000):
            yield from batch.column(0).to_pylist()

    def __getitem__(self, run_id: str) -> str:
        return str(self.columns["record"][self._row(run_id)].as_py())

    def place(self, run_id: str) -> RecordPlace:
        """Where a record is; a record that the index lacks would be loose."""
        if run_id not in self:
            return RecordPlace(record_name(run_id))
        row = self._row(run_id)
        pack, offset, size, crc32 = (
            int(self.columns[name][row].as_py()) for name in ("pack", "offset", "size", "crc32")
        )
        return RecordPlace(FilePart(f"records/{self.packs[pack].name}.zip", offset, size), crc32)

    def generation(self) -> int:
        """The highest generation of a record, 0 without any."""
        return max((pc.max(pack.entries["generation"]).as_py() or 0 for pack in self.packs), default=0)

    def _row(self, run_id: str) -> int:
        row = bisect.bisect_left(self._run_ids, run_id, key=pa.StringScalar.as_py)
        if row == len(self._run_ids) or self._run_ids[row].as_py() != run_id:
            raise KeyError(run_id)
        return row


def identity(size: int, crc32: int) -> str:
    """The identity of a record: the size and the CRC of its archive."""
    return f"{size}-{crc32:08x}"


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
            entries = file.read(use_threads=False).select(SCHEMA.names).cast(SCHEMA)
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
                row = (entry.filename.removesuffix(".zip"), offset, entry.file_size, entry.CRC)
                rows.append((*row, int(entry.comment), identity(entry.file_size, entry.CRC)))
    except (OSError, ValueError, zipfile.BadZipFile, struct.error):
        return None
    entries = pa.Table.from_pylist([dict(zip(SCHEMA.names, row, strict=True)) for row in rows], schema=SCHEMA)
    return Pack(name, size, entries, lost=True)


def _counting(packs: tuple[Pack, ...], loose: frozenset[str]) -> pa.Table:
    """The rows of the records that count, sorted by run id."""
    tables = [
        pack.entries.append_column("pack", integer_column([number] * pack.entries.num_rows))
        for number, pack in enumerate(packs)
    ]
    if not tables:
        texts = {"run_id": text_column([]), "record": text_column([])}
        return pa.table(dict.fromkeys([*SCHEMA.names, "pack"], integer_column([])) | texts)
    rows = pa.concat_tables(tables)
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
