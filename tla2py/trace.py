"""Counterexamples: states reached by actions, perhaps ending in a lasso or in stuttering."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tla2py.values import Value

UNKNOWN = "unknown"
"""The kind of a trace of which nobody says what it violates."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Location:
    """A place in a module as TLC prints it; lines and columns count from 1."""

    module: str
    begin_line: int
    begin_column: int
    end_line: int
    end_column: int


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """One state of a trace.

    ``index`` counts from 1 as TLC prints it. ``action`` is the action that led here (None for the initial
    state), ``action_args`` its arguments where the TLC at hand prints them, as TLA+ text. ``values`` maps variables
    to values in TLC's order.
    """

    index: int
    action: str | None
    action_args: tuple[str, ...] | None
    location: Location | None
    values: Mapping[str, Value]


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace:
    """A counterexample: what it violates, its states, and how it goes on for ever where it does.

    ``loop_start`` is the index of the state that the last state steps back to; ``stuttering`` says that nothing
    happens after the last state. Both are unset for a safety violation. ``kind`` is that of a ``Violation``, evaluation
    for a trace to what TLC could not evaluate, or ``UNKNOWN`` where a file made elsewhere does not tell.
    """

    kind: str
    name: str
    states: tuple[State, ...]
    loop_start: int | None = None
    stuttering: bool = False
