"""Behaviours that a simulation wrote to files, read as one stream."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from tla2py.tlc.output.states import StateReader
from tla2py.trace.trace import SIMULATED, State, Trace

_STATE = re.compile(r"STATE_(\d+) ==")
_ACTION = re.compile(r"\\\* (<.*>)")


def iter_behaviours(lines: Iterable[bytes]) -> Iterator[Trace]:
    r"""The behaviours in files that TLC writes under ``-simulate file=...``, in memory bounded by one behaviour.

    Each is a module with a definition ``STATE_n`` per state; newer versions of TLC write the state's action before it
    as a comment, ``\* <Step line 1, col 2 to ...>``. Truncated behaviours are left out.
    """
    reader = StateReader()
    states: list[State] = []
    action, index, body = "", 0, list[str]()

    def close() -> None:
        if index:
            header = f"{index}: {action}" if action else f"{index}:"
            state = reader.read("\n".join([header, *body]).rstrip())
            if state is not None:
                states.append(state)

    pending = ""
    for raw in lines:
        line = raw.decode("utf-8", "replace").rstrip("\r\n")
        if line.startswith("----"):
            reader, states, index, body, pending = StateReader(), [], 0, [], ""
        elif line.startswith("===="):
            close()
            if states:
                yield Trace(kind=SIMULATED, name="", states=tuple(states))
            states, index, body, pending = [], 0, [], ""
        elif (found := _STATE.match(line)) is not None:
            close()
            action, index, body, pending = pending, int(found[1]), [], ""
        elif (comment := _ACTION.fullmatch(line)) is not None and not (body and body[-1]):
            pending = comment[1]
        elif index:
            body.append(line)
