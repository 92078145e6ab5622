"""A part of an open file, read as a file of its own."""

from __future__ import annotations

import io
import os
from collections.abc import Callable
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

# Parts up to this many bytes are read whole.
_WHOLE = 1 << 20


class _Window(io.RawIOBase):
    """``size`` bytes from ``offset``; ``read_at`` gets a number of bytes and where they start."""

    def __init__(
        self, read_at: Callable[[int, int], bytes], offset: int, size: int, close: Callable[[], None]
    ) -> None:
        super().__init__()
        self._read_at, self._offset, self._size, self._close = read_at, offset, size, close
        self._position = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._position

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        base = {os.SEEK_SET: 0, os.SEEK_CUR: self._position, os.SEEK_END: self._size}[whence]
        if base + offset < 0:
            raise OSError("a position before the start of the file")
        self._position = base + offset
        return self._position

    def readinto(self, buffer: WriteableBuffer) -> int:
        target = memoryview(buffer).cast("B")
        count = max(0, min(len(target), self._size - self._position))
        data = self._read_at(count, self._offset + self._position) if count else b""
        target[: len(data)] = data
        self._position += len(data)
        return len(data)

    def close(self) -> None:
        if not self.closed:
            self._close()
        super().close()


def open_window(
    read_at: Callable[[int, int], bytes], offset: int, size: int, close: Callable[[], None]
) -> IO[bytes]:
    """A part of a file for reading and seeking; a small one is held in memory. ``close`` is called at its end."""
    if size > _WHOLE:
        return io.BufferedReader(_Window(read_at, offset, size, close), _WHOLE)
    try:
        return io.BytesIO(read_at(size, offset))
    finally:
        close()
