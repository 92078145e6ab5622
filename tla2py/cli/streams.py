"""Standard streams that may be closed, or lose their reader, without any effect on a command."""

from __future__ import annotations

import io
import os
import sys
from typing import Any, TextIO

# Whether a reader of our output has gone; long output can then stop.
_gone = False


class _Output(io.FileIO):
    """A stream that goes on into nothing once its reader has gone."""

    def write(self, data: Any) -> int:
        """The number of bytes written, all of them if nobody reads them."""
        global _gone
        try:
            return super().write(data) or 0
        except BrokenPipeError:
            _gone = True
            null = os.open(os.devnull, os.O_WRONLY)
            os.dup2(null, self.fileno())
            os.close(null)
            return len(memoryview(data).cast("B"))


def reader_gone() -> bool:
    """Whether a reader of our output has gone."""
    return _gone


def keep_streams() -> None:
    """Make standard streams that are closed empty, and output to a broken pipe disappear.

    Otherwise the next file opened would become a standard stream, and the end of a reader our exit code.
    """
    for number, mode in enumerate((os.O_RDONLY, os.O_WRONLY, os.O_WRONLY)):
        try:
            os.fstat(number)
        except OSError:
            # The lowest free number.
            os.open(os.devnull, mode)
            os.set_inheritable(number, True)
    if sys.stdout is None or sys.stdout is sys.__stdout__:
        sys.stdout = _kept(1, sys.stdout, "strict")
    if sys.stderr is None or sys.stderr is sys.__stderr__:
        sys.stderr = _kept(2, sys.stderr, "backslashreplace")


def _kept(number: int, before: TextIO | None, errors: str) -> TextIO:
    buffered = io.BufferedWriter(_Output(number, "wb", closefd=False))
    return io.TextIOWrapper(
        buffered,
        encoding=before.encoding if before is not None else "utf-8",
        errors=before.errors if before is not None else errors,
        line_buffering=number == 2 or os.isatty(number),
    )
