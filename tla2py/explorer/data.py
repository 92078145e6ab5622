"""The data of a store for the page: an overview, and the counterexamples in chunks."""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from tla2py import __version__
from tla2py.explore.compare import same_points
from tla2py.explore.contrast import find_nearest
from tla2py.explore.explanation import Explained, explain_store
from tla2py.explore.found import StoredTrace
from tla2py.explore.grid import GridPoint, grid_points, summary_line, varying
from tla2py.explore.heatmap import axes_of, best_axes
from tla2py.explore.kinds import Kind, kinds_of
from tla2py.explore.view import StoreView
from tla2py.explorer.counterexamples import Counterexamples, counterexamples, stored_counterexamples
from tla2py.explorer.mutants import mutant_changes
from tla2py.explorer.points import kind_rows, law_rows, parameter_rows, point_columns
from tla2py.explorer.traces import LaneOptions
from tla2py.text import value_shown

FORMAT = 1
"""The version of the data; the page's script refuses another."""

NUMBERS = ("trace_length", "generated", "distinct", "depth", "wall_seconds", "peak_memory_bytes")
"""The columns of ``runs`` that the map can show."""

# Lanes are laid out for so many counterexamples, the shortest of each kind first.
_MOST_LANES = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreData:
    """A store for the page: the overview, and its counterexamples, ``own``.

    ``points``, ``explained`` and ``kinds`` are what the overview was made from. ``other`` are the counterexamples of
    the store that it is compared with.
    """

    view: StoreView
    points: Sequence[GridPoint]
    explained: Sequence[Explained]
    kinds: Sequence[Kind]
    overview: Mapping[str, object]
    own: Counterexamples
    other: Counterexamples | None

    @property
    def size(self) -> int:
        """The number of chunks."""
        return len(self.own.parts) + (len(self.other.parts) if self.other is not None else 0)

    def chunk(self, number: int) -> Mapping[str, object]:
        """A chunk by its number; those of the other store are the last. Raises what ``Counterexamples.chunk`` raises."""
        ours = len(self.own.parts)
        if self.other is not None and number >= ours:
            return self.other.chunk(number - ours)
        return self.own.chunk(number)

    def chunks(self) -> Iterator[Mapping[str, object]]:
        """All chunks. Raises what ``Counterexamples.chunk`` raises."""
        yield from self.own.chunks()
        if self.other is not None:
            yield from self.other.chunks()


def store_data(
    view: StoreView,
    lanes: LaneOptions | None = None,
    definitions: Mapping[str, str] | None = None,
    *,
    other: StoreView | None = None,
) -> StoreData:
    """The data of a store, compared with ``other``; ``definitions`` are the texts of what is violated, by name."""
    points = grid_points(view)
    explained = list(explain_store(view))
    found = stored_counterexamples(view)
    numbers = {(one.point, one.trace): number for number, one in enumerate(found)}
    coarse, fine = kinds_of(found), kinds_of(found, fine=True)
    shortest = [numbers[kind.shortest.point, kind.shortest.trace] for kind in (*coarse, *fine)]
    first = list(dict.fromkeys((*shortest, *range(len(found)))))[:_MOST_LANES]
    lanes = lanes or LaneOptions()
    own = counterexamples(view, found, lanes, frozenset(first))
    others = counterexamples(other, stored_counterexamples(other), lanes) if other is not None else None
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
        "traces": own.rows(),
        "parts": [part.start for part in own.parts],
        "nearest": _nearest(view, points, found, first),
        "definitions": dict(definitions or {}),
        "mutants": mutant_changes(view),
        "other": _other(view.manifest.name, points, found, others),
    }
    return StoreData(
        view=view,
        points=points,
        explained=explained,
        kinds=coarse,
        overview=overview,
        own=own,
        other=others,
    )


def _nearest(
    view: StoreView, points: Sequence[GridPoint], found: Sequence[StoredTrace], numbers: Iterable[int]
) -> dict[str, object]:
    """For counterexamples by number, the nearest points that hold, and their differences: name, there, here."""
    nearest = find_nearest(view, points)
    by_number = {point.point: point for point in points}
    return {
        str(number): [
            {"point": each.point.point, "differs": [list(map(value_shown, one)) for one in each.differs]}
            for each in those
        ]
        for number in sorted(numbers)
        if (those := nearest(by_number[found[number].point], found[number].name))
    }


def _other(
    name: str, points: Sequence[GridPoint], found: Sequence[StoredTrace], others: Counterexamples | None
) -> dict[str, object] | None:
    """The other store: its counterexamples, and its point and verdict at each of our points that violate something."""
    if others is None:
        return None
    theirs = others.view.manifest.name
    wanted = {point for one in found for point in one.points}
    same = same_points([point for point in points if point.point in wanted], grid_points(others.view))
    return {
        # Two stores of one sweep differ in their folders.
        "name": theirs if theirs != name else str(others.view.store.path),
        "traces": others.rows(),
        "parts": [part.start for part in others.parts],
        "points": {
            str(ours.point): {"point": there.point, "text": there.verdict_text} for ours, there in same
        },
    }


def packed(data: Mapping[str, object]) -> str:
    """Data as the page unpacks them: JSON, deflated, in base64."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    squeeze = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    return base64.b64encode(squeeze.compress(text.encode()) + squeeze.flush()).decode()
