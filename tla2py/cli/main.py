"""The entry point: how errors and interrupts end a command.

It imports little before signals are handled, because until then an interrupt shows a traceback of Python.
"""

from __future__ import annotations

import os
import signal
import sys

_INTERRUPTED = 128 + signal.SIGINT
_SIGNALS = (signal.SIGINT, signal.SIGTERM)
_AT_ONCE = b"\nstopped at once; recorded runs are kept\n"


def main() -> None:
    """Run the command line and exit with its code; 130 after an interrupt, as in shells."""
    _use_utf8_names()
    # While modules are imported there is nothing to clean up, and an exception might be caught or lost.
    for number in _SIGNALS:
        signal.signal(number, lambda *_: os._exit(_INTERRUPTED))
    from tla2py.cli.console import keep_streams

    keep_streams()
    # Arrow's own pools keep freed memory: tens of megabytes for thousands of points.
    os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")
    import logging

    # Py4J reports lost connections to the root logger, which would print their tracebacks.
    if not logging.getLogger().handlers:
        logging.getLogger().addHandler(logging.NullHandler())
    from tla2py.cli.app import import_command, run_app

    import_command(*sys.argv[1:2])
    try:
        # SIGTERM is handled like an interrupt.
        for number in _SIGNALS:
            signal.signal(number, _interrupt)
        sys.exit(run_app())
    except KeyboardInterrupt:
        sys.exit(_INTERRUPTED)
    except RuntimeError as error:
        # Before Python 3.12 an exception in a class body arrives wrapped.
        if not isinstance(error.__cause__, KeyboardInterrupt):
            raise
        sys.exit(_INTERRUPTED)


def _use_utf8_names() -> None:
    """Start the command anew in Python's UTF-8 mode where Python takes the names of files for ASCII.

    Names with other characters would be no text then, which Arrow and DuckDB refuse. The locale C asks for ASCII where
    PYTHONUTF8 and PYTHONCOERCECLOCALE are 0.
    """
    if sys.getfilesystemencoding() != "ascii":
        return
    arguments = [os.fsencode(argument) for argument in sys.orig_argv[1:]]
    environment = {**os.environb, b"PYTHONUTF8": b"1"}
    # An interpreter that ignores the environment reads the option.
    argv = [os.fsencode(sys.executable), b"-X", b"utf8", *arguments]
    os.execve(sys.executable, argv, environment)  # noqa: S606 - the same command


def _interrupt(*_: object) -> None:
    """Interrupt; a second signal ends the process at once."""
    for number in _SIGNALS:
        signal.signal(number, _at_once)
    raise KeyboardInterrupt


def _at_once(*_: object) -> None:
    """End without cleaning up: the guards of TLC's processes do that."""
    try:
        os.write(2, _AT_ONCE)
    finally:
        os._exit(_INTERRUPTED)
