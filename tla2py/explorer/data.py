"""The data of a store for the page: an overview, and the counterexamples in chunks."""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from tla2py import __version__
from tla2py.explore.contrast import find_nearest
from tla2py.explore.explanation import Explained, explain_store
from tla2py.explore.found import StoredTrace, all_found
from tla2py.explore.grid import GridPoint, grid_points, summary_line, varying
from tla2py.explore.heatmap import axes_of, best_axes
from tla2py.explore.kinds import Kind, kinds_of
from tla2py.explore.traces import stored_constants
from tla2py.explore.view import StoreView
from tla2py.explorer.mutants import mutant_changes
from tla2py.explorer.points import kind_rows, law_rows, parameter_rows, point_columns, trace_rows
from tla2py.explorer.traces import LaneOptions, TraceWriter
from tla2py.tables.details import LogLine, state_lines, unmatched_lines
from tla2py.tables.files import table_files
from tla2py.tables.traces import States, states_of
from tla2py.trace.trace import SIMULATED, Trace

FORMAT = 1
"""The version of the data; the page's script refuses another."""

NUMBERS = ("trace_length", "generated", "distinct", "depth", "wall_seconds", "peak_memory_bytes")
"""The columns of ``runs`` that the map can show."""

# The states of a chunk, which the page unpacks as a whole.
_CHUNK_STATES = 2000
# Lanes are laid out for so many counterexamples, the shortest of each kind first.
_MOST_LANES = 300


class TraceLines(NamedTuple):
    """The lines of logs by run: those that lead to the states of a counterexample, and the one that nothing explains."""

    states: Mapping[str, Mapping[int, LogLine]]
    unexplained: Mapping[str, LogLine]


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreData:
    """A store for the page: the overview, and its counterexamples, ``found``, in ``parts`` of their numbers.

    ``points``, ``explained`` and ``kinds`` are what the overview was made from.
    """

    view: StoreView
    points: Sequence[GridPoint]
    explained: Sequence[Explained]
    kinds: Sequence[Kind]
    overview: Mapping[str, object]
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

    def _row(self, writer: TraceWriter, number: int, states: States | None) -> Mapping[str, object]:
        one, trace = self.found[number], self.trace(number, states)
        run_id = self.view.trace_list(one.point)[one.trace - 1].run_id
        lines, unexplained = self.logs.states.get(run_id), self.logs.unexplained.get(run_id)
        row = writer.row(trace, lanes=number in self.laned)
        return row if lines is None else row | writer.log_row(trace, lines, unexplained)

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


def store_data(
    view: StoreView, lanes: LaneOptions | None = None, definitions: Mapping[str, str] | None = None
) -> StoreData:
    """The data of a store; ``definitions`` are the texts of what is violated, by name."""
    points = grid_points(view)
    explained = list(explain_store(view))
    found = sorted(
        (one for one in all_found(view) if one.name != SIMULATED), key=lambda one: (one.point, one.trace)
    )
    numbers = {(one.point, one.trace): number for number, one in enumerate(found)}
    coarse, fine = kinds_of(found), kinds_of(found, fine=True)
    shortest = [numbers[kind.shortest.point, kind.shortest.trace] for kind in (*coarse, *fine)]
    first = list(dict.fromkeys((*shortest, *range(len(found)))))[:_MOST_LANES]
    parts = list(_parts(found))
    overview = {
        "format": FORMAT,
        "version": __version__,
        "name": view.manifest.name,
        "summary": summary_line(view, points),
        "parameters": parameter_rows(view, points),
        "points": point_columns(points, NUMBERS, axes_of(view)),
        "laws": law_rows(explained),
        "axes": list(best_axes(points, explained, axes_of(view))) if varying(points) else [],
        "kinds": {"coarse": kind_rows(coarse, numbers), "fine": kind_rows(fine, numbers)},
        "traces": trace_rows(found),
        "parts": [part.start for part in parts],
        "nearest": _nearest(view, points, found, first),
        "definitions": dict(definitions or {}),
        "mutants": mutant_changes(view),
    }
    return StoreData(
        view=view,
        points=points,
        explained=explained,
        kinds=coarse,
        overview=overview,
        found=found,
        parts=parts,
        logs=_log_lines(view),
        lanes=lanes or LaneOptions(),
        laned=frozenset(first),
    )


def _nearest(
    view: StoreView, points: Sequence[GridPoint], found: Sequence[StoredTrace], numbers: Iterable[int]
) -> dict[str, object]:
    """For counterexamples by number, the nearest points that hold, and their differences: name, there, here."""
    nearest = find_nearest(view, points)
    by_number = {point.point: point for point in points}
    return {
        str(number): [
            {"point": each.point.point, "differs": [list(one) for one in each.differs]} for each in those
        ]
        for number in sorted(numbers)
        if (those := nearest(by_number[found[number].point], found[number].name))
    }


def _log_lines(view: StoreView) -> TraceLines:
    lines = table_files(view.store, "log_lines")
    return TraceLines(state_lines(lines), unmatched_lines(table_files(view.store, "logs"), lines))


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


def packed(data: Mapping[str, object]) -> str:
    """Data as the page unpacks them: JSON, deflated, in base64."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    squeeze = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    return base64.b64encode(squeeze.compress(text.encode()) + squeeze.flush()).decode()
