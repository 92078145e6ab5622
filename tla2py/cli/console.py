"""Standard streams: kept if closed or without a reader, escaped, with results and progress apart."""

from __future__ import annotations

import contextlib
import io
import itertools
import json
import os
import re
import sys
from collections.abc import Iterable, Iterator
from typing import Any, TextIO

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from tla2py.errors import Place, Tla2pyError
from tla2py.text import printable

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
        sys.stdout = _open_stream(1, sys.stdout, "strict")
    if sys.stderr is None or sys.stderr is sys.__stderr__:
        sys.stderr = _open_stream(2, sys.stderr, "backslashreplace")


def _open_stream(number: int, before: TextIO | None, errors: str) -> TextIO:
    buffered = io.BufferedWriter(_Output(number, "wb", closefd=False))
    return io.TextIOWrapper(
        buffered,
        encoding=before.encoding if before is not None else "utf-8",
        errors=before.errors if before is not None else errors,
        line_buffering=number == 2 or os.isatty(number),
    )


# Lines in a file or a pipe are not cut to a terminal's width.
_FILE_WIDTH = 4000
# Of what people read and programs get as JSON.
_WRAPPED_WIDTH = 180
# JSON escapes all other control characters itself.
_UNWRITTEN = re.compile(r"[\x7f-\x9f\u2028-\u202e\u2066-\u2069]")


class _Console(Console):
    """A console that escapes control characters, so that no text can command the terminal."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """The segments to print."""
        for segment in super().render(renderable, options):
            yield segment if segment.control else segment._replace(text=harmless(segment.text))


def harmless(text: str) -> str:
    """A text with every control character escaped except line ends."""
    return printable(text).replace("\r", "\\x0d")


def out() -> Console:
    """The console of results."""
    return _console(sys.stdout.isatty(), stderr=False)


def err() -> Console:
    """The console of progress."""
    return _console(sys.stderr.isatty(), stderr=True)


def _console(terminal: bool, *, stderr: bool, wrapped: bool = False) -> Console:
    # No markup: brackets are TLA+.
    return _Console(
        stderr=stderr,
        highlight=False,
        markup=False,
        emoji=False,
        soft_wrap=not (terminal or wrapped),
        width=None if terminal else _WRAPPED_WIDTH if wrapped else _FILE_WIDTH,
    )


def show(result: RenderableType, *, wrapped: bool = False) -> None:
    """Print a result; one that is ``wrapped`` also has a width in a file or a pipe."""
    _console(sys.stdout.isatty(), stderr=False, wrapped=wrapped).print(result, crop=False)


def show_json(result: object) -> None:
    """Print a result as JSON."""
    text = json.dumps(result, indent=2, ensure_ascii=False, default=str)
    sys.stdout.write(_UNWRITTEN.sub(lambda found: f"\\u{ord(found[0]):04x}", text) + "\n")


def show_text(text: str) -> None:
    """Print text that a program may read, at once, escaped only on a terminal."""
    sys.stdout.write(harmless(text) if sys.stdout.isatty() else text)
    sys.stdout.flush()


def show_lines(lines: Iterable[str]) -> None:
    """Print many lines, escaped."""
    rest = iter(lines)
    while not reader_gone() and (batch := list(itertools.islice(rest, 1000))):
        sys.stdout.write(harmless("\n".join(batch)) + "\n")
    sys.stdout.flush()


@contextlib.contextmanager
def shielded(github: bool) -> Iterator[None]:
    """A context in which GitHub Actions ignores workflow commands in the output."""
    if not github:
        yield
        return
    import secrets

    token = f"tla2py-{secrets.token_hex(16)}"
    print_commands([f"::stop-commands::{token}"])
    yield
    print_commands([f"::{token}::"])


def print_note(line: str) -> None:
    """Print a line of less weight on standard error."""
    err().print(line, style="dim", markup=False)


def print_commands(lines: Iterable[str]) -> None:
    """Print workflow commands of GitHub Actions, one per line."""
    sys.stdout.writelines(f"{line}\n" for line in lines)
    sys.stdout.flush()


def print_error(error: Tla2pyError) -> None:
    """Print an error in one or two lines; one of syntax with its source line."""
    lines = str(error).split("\n", 1)
    console = err()
    console.print("error:", style="bold red", end=" ")
    console.print(lines[0].replace("\n", " "))
    if error.where is not None and error.code.endswith("syntax"):
        # Imported on use: errors are rare, and the views take time to import.
        from tla2py.view.tools import source_line

        for line in source_line(Place.parse(error.where)):
            console.print(line)
    if len(lines) > 1:
        console.print(f"  {' '.join(lines[1].split())}")
