"""Arrow columns made from Python values. ``pyarrow.array`` would do, but imports pandas; so does ``pyarrow.scalar``."""

from __future__ import annotations

from array import array
from collections.abc import Iterable

import pyarrow as pa


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
