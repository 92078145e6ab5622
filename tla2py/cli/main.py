"""The entry point: how errors and interrupts end a command."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from types import FrameType

_INTERRUPTED = 128 + signal.SIGINT
_AT_ONCE = b"\nstopped at once; what is recorded stays\n"


def main() -> None:
    """Run the command line and exit with its code; 130 after an interrupt, as shells have it."""
    # Arrow's own pools keep what a table took: tens of megabytes where thousands of points are shown.
    os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")
    # A polite kill is an interrupt: the same cleaning up, the same words.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _interrupt)
    try:
        # Imported in here so that an interrupt during the imports ends as quietly as any other.
        from tla2py.cli.app import run_app

        sys.exit(run_app())
    except KeyboardInterrupt:
        sys.exit(_INTERRUPTED)
    except RuntimeError as error:
        # Before Python 3.12 what is raised while a class is made comes wrapped.
        if not isinstance(error.__cause__, KeyboardInterrupt):
            raise
        sys.exit(_INTERRUPTED)
    except BrokenPipeError:
        # The reader of our output went away; nothing is left to say.
        with contextlib.suppress(OSError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(128 + signal.SIGPIPE)


def _interrupt(_number: int, _frame: FrameType | None) -> None:
    """Stop, and the next time at once."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _at_once)
    raise KeyboardInterrupt


def _at_once(_number: int, _frame: FrameType | None) -> None:
    """End without cleaning up: the guards of TLC's processes do that when we are gone."""
    with contextlib.suppress(OSError):
        os.write(2, _AT_ONCE)
    os._exit(_INTERRUPTED)
