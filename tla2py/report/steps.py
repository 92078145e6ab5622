"""A counterexample as plain lines, for reports that have no colours."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tla2py.report.text import action_text
from tla2py.trace import State, Trace
from tla2py.values import changes, format_value

# What XML cannot hold, and what a terminal would obey.
_CONTROL = re.compile(r"[^\t\n\r\x20-\x7e\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def printable(text: str) -> str:
    """A text in which every control character is written out, as in ``\\x1b``."""
    return _CONTROL.sub(lambda found: f"\\x{ord(found[0]):02x}", text)


def trace_lines(trace: Trace) -> list[str]:
    """The steps of a counterexample: each with what it changed, the first with the whole state."""
    lines = []
    before: State | None = None
    for state in trace.states:
        lines.append(f"{state.index}. {action_text(state)}")
        lines += [f"     {part}" for part in step_changes(before, state)] or ["     nothing changes"]
        before = state
    if end := trace_end(trace):
        lines.append(end)
    return [printable(line) for line in lines]


def trace_end(trace: Trace) -> str:
    """How a behaviour goes on after its last state, empty for one that ends there."""
    if trace.loop_start is not None:
        return f"and back to state {trace.loop_start}, for ever"
    return "and nothing happens any more (stuttering)" if trace.stuttering else ""


def step_changes(before: State | None, state: State) -> Iterator[str]:
    """What a step changed, a line each; without a state before it, the values of all variables."""
    for variable, value in state.values.items():
        if before is None or variable not in before.values:
            yield f"{variable} = {format_value(value)}"
            continue
        for change in changes(before.values[variable], value):
            path = variable + change.path
            if change.before is None and change.after is not None:
                yield f"{path} + {format_value(change.after)}"
            elif change.after is None and change.before is not None:
                yield f"{path} - {format_value(change.before)}"
            elif change.before is not None and change.after is not None:
                yield f"{path}: {format_value(change.before)} -> {format_value(change.after)}"
