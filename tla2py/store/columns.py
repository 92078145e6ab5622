"""Arrow columns made from Python values. ``pyarrow.array`` would do, but imports pandas; so does ``pyarrow.scalar``."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator

import pyarrow as pa
import pyarrow.compute as pc

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
