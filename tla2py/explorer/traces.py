"""Counterexamples as the page reads them: states as numbers of values, changes and lanes as numbers of texts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from tla2py.errors import InputError
from tla2py.explorer.nodes import Nodes
from tla2py.show.lanes import Lanes, trace_lanes
from tla2py.show.plain import action_text, closing_step, derived, trace_end
from tla2py.tables.details import LogLine
from tla2py.trace.diff import Part
from tla2py.trace.trace import State, StateDiff, Trace
from tla2py.values import Value, format_value


@dataclass(frozen=True, slots=True, kw_only=True)
class LaneOptions:
    """The arguments of ``Trace.lanes``."""

    by: str | None = None
    messages: str | None = None
    sender: str | None = None
    receiver: str | None = None

    @property
    def requested(self) -> bool:
        """Whether a trace without processes or messages is an error."""
        return bool(self.by or self.messages)


class TraceWriter:
    """Writes the traces of one chunk of data, which share their ``nodes``."""

    def __init__(self, options: LaneOptions) -> None:
        self.nodes = Nodes()
        self._options = options

    def row(self, trace: Trace, *, lanes: bool = True) -> dict[str, object]:
        """A trace: its variables, and lists with an entry for each state.

        ``states`` are the numbers of the values, ``actions`` and ``places`` of texts; ``changes`` those of the step that
        led there: variable and path, what was removed, what was added. ``closing`` are the changes of the step that closes
        a lasso. Raises InputError (``no-processes``, ``no-messages``) if lanes were requested.
        """
        variables = list(dict.fromkeys(name for state in trace.states for name in state.values))
        steps = [StateDiff(before=before, after=after) for before, after in pairwise(trace.states)]
        closing = closing_step(trace)
        return {
            "variables": variables,
            "states": [
                [self.nodes.value(state.values[name]) if name in state.values else -1 for name in variables]
                for state in trace.states
            ],
            "actions": [self.nodes.text(action_text(state)) for state in trace.states],
            "names": [self.nodes.text(state.action or "") for state in trace.states],
            "places": [self.nodes.text(_place(state)) for state in trace.states],
            "changes": [[], *(self._changes(step.parts) for step in steps)],
            "closing": self._changes(closing.parts) if closing else [],
            "loop": trace.loop_start,
            "end": trace_end(trace),
            "lanes": self._lanes(trace) if lanes else None,
        }

    def log_row(
        self, trace: Trace, lines: Mapping[int, LogLine], unexplained: LogLine | None
    ) -> dict[str, object]:
        """What a log says of its trace: ``lines``, numbers of texts, with -1 for a state that no line leads to.

        ``unexplained`` is the line after the last state.
        """
        found = [lines.get(state.index) for state in trace.states]
        return {
            "lines": [-1 if line is None else self.nodes.text(line.numbered) for line in found],
            "unexplained": -1 if unexplained is None else self.nodes.text(unexplained.numbered),
        }

    def _changes(self, parts: Iterable[Part]) -> list[list[int]]:
        return [[self.nodes.text(text) for text in (part.place, *part.texts)] for part in parts]

    def _lanes(self, trace: Trace) -> dict[str, object] | None:
        asked = self._options
        try:
            found = trace_lanes(
                trace, asked.by, messages=asked.messages, sender=asked.sender, receiver=asked.receiver
            )
        except InputError:
            # A trace need not have processes, unless they were requested.
            if asked.requested:
                raise
            return None
        return self._lanes_row(found, _caption(trace, found))

    def _lanes_row(self, lanes: Lanes, caption: str) -> dict[str, object]:
        number: Mapping[Value, int] = {one: at for at, one in enumerate(lanes.processes)}

        def texts(found: Sequence[str]) -> list[int]:
            return [self.nodes.text(text) for text in found]

        return {
            "processes": [format_value(one) for one in lanes.processes],
            "caption": caption,
            "note": lanes.note,
            "cells": [[[number[one], *texts(cell)] for one, cell in row.cells.items()] for row in lanes.rows],
            "shared": [texts(row.shared) for row in lanes.rows],
            "who": [[number[one] for one in row.who] for row in lanes.rows],
            "messages": [
                [
                    self.nodes.text(arrow.text),
                    -1 if arrow.sender is None else number[arrow.sender],
                    -1 if arrow.receiver is None else number[arrow.receiver],
                    arrow.sent,
                    -1 if arrow.received is None else arrow.received,
                    -1 if arrow.again is None else arrow.again,
                ]
                for arrow in lanes.arrows
            ],
        }


def _caption(trace: Trace, lanes: Lanes) -> str:
    caption = "By process, time going down" + "; arrows are messages" * bool(lanes.arrows)
    if any(row.derived for row in lanes.rows):
        # An argument names the acting process if that process's part of the state changed.
        caption += "; the acting process is derived from " + "arguments, or from " * derived(trace)
        caption += "the part of the state that changed"
    return caption


def _place(state: State) -> str:
    at = state.location
    return f"{at.module}.tla:{at.begin_line}:{at.begin_column}" if at else ""
