"""Counterexamples as the explorer reads them: in chunks, with each value and text stored once, as a number."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from types import MappingProxyType
from typing import TypeAlias

from tla2py.analysis.kinds import StoredTrace, all_found
from tla2py.analysis.view import StoreView
from tla2py.errors import InputError
from tla2py.model.trace import SIMULATED, Part, State, StateDiff, Trace
from tla2py.model.trace_text import action_text, closing_step, derived, trace_end
from tla2py.store.read import States, StoredLine, state_lines, states_of, unmatched_lines, with_states
from tla2py.store.refresh import table_files
from tla2py.tla import value as tla_value
from tla2py.tla.value import Value, format_form, format_value
from tla2py.view.lanes import Lanes, trace_lanes

SET, SEQUENCE, RECORD, FUNCTION = range(4)
"""The first number of a composite node."""

Node: TypeAlias = "str | list[int]"

# What is nested deeper stays text.
_DEEPEST = 50


class Nodes:
    """The distinct values of several traces; a value's number is its place in ``rows``.

    A row is the TLA+ text of a scalar, or a list: the kind, then the numbers of the parts. A set and a sequence have
    elements; a record has the numbers of field names and values in turn, a function those of keys and values.
    """

    def __init__(self) -> None:
        self.rows: list[Node] = []
        self._known: dict[tuple[int, ...] | str, int] = {}
        # By identity: neighbouring states share what no step changed. The value is held, so that its id stays its own.
        self._seen: dict[int, tuple[Value, int]] = {}

    def text(self, text: str) -> int:
        """The number of a text."""
        return self._number(text, text)

    def value(self, value: Value) -> int:
        """The number of a value."""
        if id(value) not in self._seen:
            self._seen[id(value)] = (value, self._form(tla_value.canonical(value), 0))
        return self._seen[id(value)][1]

    def _form(self, form: tla_value.Form, depth: int) -> int:
        below = depth + 1
        match form:
            case _ if depth > _DEEPEST:
                pass
            case (tla_value.SET | tla_value.SEQUENCE as rank, _, elements) if elements[-1:] != (
                tla_value.CONSECUTIVE,
            ):
                kind = SET if rank == tla_value.SET else SEQUENCE
                return self._composite(kind, *(self._form(each, below) for each in elements))
            case (tla_value.RECORD, count, names, values) if count:
                pairs = zip(map(self.text, names), (self._form(each, below) for each in values), strict=True)
                return self._composite(RECORD, *(number for pair in pairs for number in pair))
            case (tla_value.FUNCTION, count, keys, values) if count:
                both = zip(keys, values, strict=True)
                return self._composite(FUNCTION, *(self._form(each, below) for pair in both for each in pair))
        return self.text(format_form(form))

    def _composite(self, *row: int) -> int:
        return self._number(row, list(row))

    def _number(self, key: tuple[int, ...] | str, row: Node) -> int:
        number = self._known.get(key)
        if number is None:
            number = self._known[key] = len(self.rows)
            self.rows.append(row)
        return number


LaneOptions: TypeAlias = Mapping[str, str | None]
"""Arguments of ``Trace.lanes`` by name."""
NO_LANES: LaneOptions = MappingProxyType({})


class TraceWriter:
    """Writes the traces of one chunk of data, which share their ``nodes``."""

    def __init__(self, options: LaneOptions) -> None:
        self.nodes = Nodes()
        self._options = options

    def row(self, trace: Trace, *, lanes: bool) -> dict[str, object]:
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

    def _changes(self, parts: Iterable[Part]) -> list[list[int]]:
        return [[self.nodes.text(text) for text in (part.place, *part.texts)] for part in parts]

    def _lanes(self, trace: Trace) -> dict[str, object] | None:
        try:
            lanes = trace_lanes(trace, **self._options)
        except InputError:
            # A trace need not have processes or messages, unless they were requested.
            if self._options.get("by") or self._options.get("messages"):
                raise
            return None
        number: Mapping[Value, int] = {one: at for at, one in enumerate(lanes.processes)}

        def texts(found: Sequence[str]) -> list[int]:
            return [self.nodes.text(text) for text in found]

        return {
            "processes": [format_value(one) for one in lanes.processes],
            "caption": _caption(lanes),
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


def _caption(lanes: Lanes) -> str:
    caption = "By process, time going down" + "; arrows are messages" * bool(lanes.arrows)
    if any(row.derived for row in lanes.rows):
        # An argument names the acting process if that process's part of the state changed.
        caption += "; the acting process is derived from " + "arguments, or from " * derived(lanes.trace)
        caption += "the part of the state that changed"
    return caption


def _place(state: State) -> str:
    at = state.location
    return f"{at.module}.tla:{at.begin_line}:{at.begin_column}" if at else ""


# The states of a chunk, which is made and unpacked as a whole: more make a smaller report and a slower opening.
_CHUNK_STATES = 250


@dataclass(frozen=True, slots=True, kw_only=True)
class Counterexamples:
    """The counterexamples of a store by their numbers, places in ``found``; ``parts`` has those of each chunk.

    Those whose numbers are ``laned`` have lanes, laid out by ``lanes``. By run, ``lines`` are the lines of logs that lead
    to the states of a counterexample, and ``unexplained`` is the one that nothing explains.
    """

    view: StoreView
    found: Sequence[StoredTrace]
    parts: Sequence[range]
    lines: Mapping[str, Mapping[int, StoredLine]]
    unexplained: Mapping[str, StoredLine]
    lanes: LaneOptions
    laned: frozenset[int]

    def chunk(self, number: int, states: States | None = None) -> Mapping[str, object]:
        """A part of the counterexamples with their states, which are read one by one unless they are given.

        Raises InputError as ``Trace.lanes`` does, if lanes or messages were requested.
        """
        writer = TraceWriter(self.lanes)
        text, rows = writer.nodes.text, []
        for each in self.parts[number]:
            one, trace = self.found[each], self.trace(each, states)
            run_id = self.view.trace_list(one.point)[one.trace - 1].run_id
            row = writer.row(trace, lanes=each in self.laned)
            ends = (trace_end(trace), self.view.why_line(one.point, one.trace))
            row["end"] = "; ".join(filter(None, ends))
            if (lines := self.lines.get(run_id)) is not None:
                # Of a log: -1 for a state that no line leads to, and the line after the last state.
                found = [lines.get(state.index) for state in trace.states]
                after = self.unexplained.get(run_id)
                row["lines"] = [-1 if line is None else text(line.numbered) for line in found]
                row["unexplained"] = -1 if after is None else text(after.numbered)
            rows.append(row)
        return {"nodes": writer.nodes.rows, "traces": rows}

    def chunks(self) -> Iterator[Mapping[str, object]]:
        """All parts. The states are read in one pass, unless something is asked about each. Raises what ``chunk`` raises."""
        states = None if self.view.asks else states_of(table_files(self.view.store, "states"))
        yield from (self.chunk(number, states) for number in range(len(self.parts)))

    def trace(self, number: int, states: States | None = None) -> Trace:
        """A counterexample by its number."""
        one = self.found[number]
        if states is None:
            return self.view.trace(one.point, one.trace)
        row = self.view.trace_list(one.point)[one.trace - 1]
        # Only lanes need them, and each is in a record of its own.
        constants = self.view.constants(one.point) if number in self.laned else {}
        return with_states(row, states.get((row.run_id, row.trace), ()), constants)

    def rows(self) -> list[dict[str, object]]:
        """The counterexamples without their states, in the order of their numbers."""
        return [
            {
                "points": list(one.points),
                "trace": one.trace,
                "name": one.name,
                "length": one.length,
                "actions": list(one.actions),
            }
            for one in self.found
        ]


def stored_counterexamples(view: StoreView) -> list[StoredTrace]:
    """The counterexamples of a store in the order of their numbers."""
    found = (one for one in all_found(view) if one.name != SIMULATED)
    return sorted(found, key=lambda one: (one.point, one.trace))


def counterexamples(
    view: StoreView, found: Sequence[StoredTrace], lanes: LaneOptions, laned: frozenset[int] = frozenset()
) -> Counterexamples:
    """The counterexamples ``found`` in a store, in parts."""
    files = table_files(view.store, "log_lines")
    return Counterexamples(
        view=view,
        found=found,
        parts=list(_parts(found)),
        lines=state_lines(files),
        unexplained=unmatched_lines(table_files(view.store, "logs"), files),
        lanes=lanes,
        laned=laned,
    )


def _parts(found: Sequence[StoredTrace]) -> Iterator[range]:
    """The numbers of counterexamples that a chunk has."""
    start, size = 0, 0
    for number, one in enumerate(found):
        if number > start and size + one.length > _CHUNK_STATES:
            yield range(start, number)
            start, size = number, 0
        size += one.length
    if start < len(found):
        yield range(start, len(found))
