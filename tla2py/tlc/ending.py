"""TLC's exit status, read from its output before the process ends.

After TLC's last message its JVM waits 0.3 seconds for idle threads. If the messages leave no doubt about the exit
status, that wait is unnecessary.
"""

from __future__ import annotations

import mmap
import re
from contextlib import closing
from pathlib import Path

from tla2py.model.run import TlcOptions
from tla2py.tlc.output.codes import Code

# TLC's last message; by then it has written all its files.
_LAST = b"@!@!@ENDMSG 2186 @!@!@\n"
_HEAD = re.compile(rb"@!@!@STARTMSG (\d+):(\d) @!@!@")
# The errors that report a violation, and its exit status; for all other errors the process's exit status counts.
_STATUSES: dict[frozenset[int], int] = {
    frozenset({Code.INVARIANT, Code.BEHAVIOR}): 12,
    frozenset({Code.INVARIANT_INITIAL}): 12,
    frozenset({Code.DEADLOCK, Code.BEHAVIOR}): 11,
    frozenset({Code.TEMPORAL_PROPERTY, Code.COUNTEREXAMPLE}): 13,
}
# The classes of messages that are no errors: none, warning and state.
_HARMLESS = (b"0", b"3", b"4")


def ends_predictably(options: TlcOptions) -> bool:
    """Whether ``exit_status`` is reliable: TLC writes only messages, and stops at the first violation."""
    plain = not (options.options or options.java_options or options.graph or options.behaviours)
    return plain and options.mode == "check"


def exit_status(file: Path) -> int | None:
    """The exit status of a check whose output in ``file`` is complete, None if it is incomplete or inconclusive."""
    with file.open("rb") as stream:
        if stream.seek(0, 2) < len(_LAST):
            return None
        stream.seek(-len(_LAST), 2)
        if stream.read() != _LAST:
            return None
        with closing(mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ)) as text:
            heads = {(int(found[1]), found[2]) for found in _HEAD.finditer(text)}
    errors = frozenset(code for code, level in heads if level not in _HARMLESS)
    if errors:
        return _STATUSES.get(errors)
    return 0 if any(code == Code.SUCCESS for code, _ in heads) else None
