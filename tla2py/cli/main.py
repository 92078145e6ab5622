"""The entry point: how errors and interrupts end a command."""

from __future__ import annotations

import contextlib
import logging
import os
import signal
import sys
from types import FrameType

from tla2py.cli.console import keep_streams

_INTERRUPTED = 128 + signal.SIGINT
_AT_ONCE = b"\nstopped at once; recorded runs are kept\n"


def main() -> None:
    """Run the command line and exit with its code; 130 after an interrupt, as in shells."""
    keep_streams()
    # Arrow's own pools keep freed memory: tens of megabytes for thousands of points.
    os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")
    # Py4J reports lost connections to the root logger, which would print their tracebacks.
    if not logging.getLogger().handlers:
        logging.getLogger().addHandler(logging.NullHandler())
    # SIGTERM is handled like an interrupt.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _interrupt)
    try:
        # Imported here so that an interrupt during imports is handled too.
        from tla2py.cli.app import run_app

        sys.exit(run_app())
    except KeyboardInterrupt:
        sys.exit(_INTERRUPTED)
    except RuntimeError as error:
        # Before Python 3.12 an exception in a class body arrives wrapped.
        if not isinstance(error.__cause__, KeyboardInterrupt):
            raise
        sys.exit(_INTERRUPTED)


def _interrupt(_number: int, _frame: FrameType | None) -> None:
    """Interrupt; a second signal ends the process at once."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _at_once)
    raise KeyboardInterrupt


def _at_once(_number: int, _frame: FrameType | None) -> None:
    """End without cleaning up: the guards of TLC's processes do that."""
    with contextlib.suppress(OSError):
        os.write(2, _AT_ONCE)
    os._exit(_INTERRUPTED)
