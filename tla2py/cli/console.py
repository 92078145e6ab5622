"""Where output goes: results to standard output, progress and errors to standard error."""

from __future__ import annotations

import contextlib
import json
import re
import secrets
import sys
from collections.abc import Iterable, Iterator

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from tla2py.errors import Tla2pyError
from tla2py.show.markup import printable

# A file or a pipe gets lines as wide as they are, not cut to a terminal that is not there.
_FILE_WIDTH = 4000
# JSON writes out all other control characters itself.
_UNWRITTEN = re.compile(r"[\x7f-\x9f\u2028-\u202e\u2066-\u2069]")


class _Console(Console):
    """A console that a text cannot command, whatever is in it: control characters are written out."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """What is to be printed, piece by piece."""
        for segment in super().render(renderable, options):
            yield segment if segment.control else segment._replace(text=harmless(segment.text))


def harmless(text: str) -> str:
    """A text with every control character written out but for the ends of lines."""
    return printable(text).replace("\r", "\\x0d")


def out() -> Console:
    """The console of results."""
    return _console(sys.stdout.isatty(), stderr=False)


def err() -> Console:
    """The console of progress."""
    return _console(sys.stderr.isatty(), stderr=True)


def _console(terminal: bool, *, stderr: bool) -> Console:
    # No markup: brackets in what is printed are TLA+.
    return _Console(
        stderr=stderr,
        highlight=False,
        markup=False,
        emoji=False,
        soft_wrap=not terminal,
        width=None if terminal else _FILE_WIDTH,
    )


def show(result: RenderableType) -> None:
    """Print a result."""
    out().print(result)


def show_json(result: object) -> None:
    """Print a result as JSON."""
    text = json.dumps(result, indent=2, ensure_ascii=False, default=str)
    sys.stdout.write(_UNWRITTEN.sub(lambda found: f"\\u{ord(found[0]):04x}", text) + "\n")


def show_text(text: str) -> None:
    """Print what is as likely to be read by a program: as it is, unless a terminal shows it."""
    sys.stdout.write(harmless(text) if sys.stdout.isatty() else text)


@contextlib.contextmanager
def shielded(github: bool) -> Iterator[None]:
    """Output that a job of GitHub does not take for commands, whatever a module has put into it."""
    if not github:
        yield
        return
    token = f"tla2py-{secrets.token_hex(16)}"
    print_commands([f"::stop-commands::{token}"])
    yield
    print_commands([f"::{token}::"])


def print_commands(lines: Iterable[str]) -> None:
    """Print commands to a job of GitHub, each on one line."""
    sys.stdout.writelines(f"{line}\n" for line in lines)
    sys.stdout.flush()


def print_error(error: Tla2pyError) -> None:
    """Print an error in one or two lines."""
    lines = str(error).split("\n", 1)
    console = err()
    console.print("error:", style="bold red", end=" ")
    console.print(lines[0].replace("\n", " "))
    if len(lines) > 1:
        console.print(f"  {' '.join(lines[1].split())}")
