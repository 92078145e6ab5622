"""Where output goes: results to standard output, progress and errors to standard error."""

from __future__ import annotations

import json
import sys

from rich.console import Console, RenderableType

from tla2py.errors import Tla2pyError

# A file or a pipe gets lines as wide as they are, not cut to a terminal that is not there.
_FILE_WIDTH = 4000


def out() -> Console:
    """The console of results."""
    return _console(sys.stdout.isatty(), stderr=False)


def err() -> Console:
    """The console of progress."""
    return _console(sys.stderr.isatty(), stderr=True)


def _console(terminal: bool, *, stderr: bool) -> Console:
    # No markup: brackets in what is printed are TLA+.
    return Console(
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
    sys.stdout.write(json.dumps(result, indent=2, ensure_ascii=False, default=str) + "\n")


def print_error(error: Tla2pyError) -> None:
    """Print an error in one or two lines."""
    lines = str(error).split("\n", 1)
    console = err()
    console.print("error:", style="bold red", end=" ")
    console.print(lines[0].replace("\n", " "))
    if len(lines) > 1:
        console.print(f"  {' '.join(lines[1].split())}")
