"""The entry point: how errors and interrupts end a command."""

from __future__ import annotations

import contextlib
import os
import signal
import sys


def main() -> None:
    """Run the command line and exit with its code; 130 after an interrupt, as shells have it."""
    # A polite kill is an interrupt: the same cleaning up, the same words.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        # Imported in here so that an interrupt during the imports ends as quietly as any other.
        from tla2py.cli.app import run_app

        sys.exit(run_app())
    except KeyboardInterrupt:
        sys.exit(128 + signal.SIGINT)
    except BrokenPipeError:
        # The reader of our output went away; nothing is left to say.
        with contextlib.suppress(OSError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(128 + signal.SIGPIPE)
