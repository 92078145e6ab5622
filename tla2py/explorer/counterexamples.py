"""The counterexamples of a store for the page, in chunks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from tla2py.explore.found import StoredTrace, all_found
from tla2py.explore.traces import stored_constants
from tla2py.explore.view import StoreView
from tla2py.explorer.traces import LaneOptions, TraceWriter
from tla2py.tables.details import LogLine, state_lines, unmatched_lines
from tla2py.tables.files import table_files
from tla2py.tables.traces import States, states_of
from tla2py.trace.trace import SIMULATED, Trace

# The states of a chunk, which is made and unpacked as a whole: more make a smaller report and a slower opening.
_CHUNK_STATES = 250


class TraceLines(NamedTuple):
    """The lines of logs by run: those that lead to the states of a counterexample, and the one that nothing explains."""

    states: Mapping[str, Mapping[int, LogLine]]
    unexplained: Mapping[str, LogLine]


@dataclass(frozen=True, slots=True, kw_only=True)
class Counterexamples:
    """The counterexamples of a store by their numbers, places in ``found``; ``parts`` has those of each chunk.

    Those whose numbers are ``laned`` have lanes, laid out by ``lanes``.
    """

    view: StoreView
    found: Sequence[StoredTrace]
    parts: Sequence[range]
    logs: TraceLines
    lanes: LaneOptions
    laned: frozenset[int]

    def chunk(self, number: int, states: States | None = None) -> Mapping[str, object]:
        """A part of the counterexamples with their states, which are read one by one unless they are given.

        Raises InputError as ``Trace.lanes`` does, if lanes or messages were requested.
        """
        writer = TraceWriter(self.lanes)
        rows = [self._row(writer, each, states) for each in self.parts[number]]
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
        constants = stored_constants(self.view, one.point) if number in self.laned else {}
        return row.with_states(states.get((row.run_id, row.trace), ()), constants)

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

    def _row(self, writer: TraceWriter, number: int, states: States | None) -> Mapping[str, object]:
        one, trace = self.found[number], self.trace(number, states)
        run_id = self.view.trace_list(one.point)[one.trace - 1].run_id
        lines, unexplained = self.logs.states.get(run_id), self.logs.unexplained.get(run_id)
        row = writer.row(trace, lanes=number in self.laned)
        return row if lines is None else row | writer.log_row(trace, lines, unexplained)


def stored_counterexamples(view: StoreView) -> list[StoredTrace]:
    """The counterexamples of a store in the order of their numbers."""
    found = (one for one in all_found(view) if one.name != SIMULATED)
    return sorted(found, key=lambda one: (one.point, one.trace))


def counterexamples(
    view: StoreView, found: Sequence[StoredTrace], lanes: LaneOptions, laned: frozenset[int] = frozenset()
) -> Counterexamples:
    """The counterexamples ``found`` in a store, in parts."""
    lines = table_files(view.store, "log_lines")
    logs = TraceLines(state_lines(lines), unmatched_lines(table_files(view.store, "logs"), lines))
    return Counterexamples(
        view=view, found=found, parts=list(_parts(found)), logs=logs, lanes=lanes, laned=laned
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
