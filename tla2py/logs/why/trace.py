"""The behaviour that gets furthest through a log, as a counterexample, and the lines that its steps take."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

from tla2py.logs.why.answer import LogWhy
from tla2py.tlc.output.log import UNEXPLAINED
from tla2py.trace.trace import State, Trace


class LogTrace(NamedTuple):
    """A behaviour of the specification to the state before the first line that no behaviour explains.

    ``lines`` are the states that lines lead to, by line.
    """

    trace: Trace
    lines: Mapping[int, int]


def log_trace(why: LogWhy, numbers: Mapping[int, int]) -> LogTrace | None:
    """The behaviour that an execution about a log found; ``numbers`` are the lines by position. None if it found none."""
    if why.trace is None:
        return None
    own = why.states[0].values.keys() if why.states else ()
    states, lines = [why.trace.states[0]], {}
    first = _position(why, states[0])
    # A first line may show the initial state.
    if first is not None and (shown := numbers.get(first - 1)) is not None:
        lines[shown] = states[0].index
    for before, after in pairwise(why.trace.states):
        position = _position(why, before)
        taken = None if position is None else why.actions.get(position)
        states.append(
            replace(after, action=" or ".join(taken) if taken else None, action_args=None, location=None)
        )
        if position is not None and position != _position(why, after) and position in numbers:
            lines[numbers[position]] = after.index
    kept = tuple(
        replace(each, values={name: value for name, value in each.values.items() if not own or name in own})
        for each in states
    )
    return LogTrace(Trace(kind=UNEXPLAINED.kind, name=UNEXPLAINED.name, states=kept), lines)


def _position(why: LogWhy, state: State) -> int | None:
    found = state.values.get(why.position)
    return found if isinstance(found, int) else None
