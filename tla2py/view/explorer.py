"""A store as the explorer reads it: points, laws, kinds, counterexamples, definitions and mutants, as JSON."""

from __future__ import annotations

import base64
import contextlib
import json
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tla2py.analysis.charts import axes_of, best_axes, minimal_points_of
from tla2py.analysis.contrast import find_nearest, same_points
from tla2py.analysis.explanation import PropertyLaw, explain_store
from tla2py.analysis.kinds import Kind, StoredTrace, kinds_of
from tla2py.analysis.points import (
    GridPoint,
    grid_points,
    law_parameters,
    scope_parameters,
    summary_line,
    varying,
)
from tla2py.analysis.view import StoreView
from tla2py.errors import Tla2pyError
from tla2py.model.mutant import one_line
from tla2py.store.refresh import missing_points
from tla2py.text import value_shown
from tla2py.tla.parse import read_text
from tla2py.version import __version__
from tla2py.view.counterexamples import (
    NO_LANES,
    Counterexamples,
    LaneOptions,
    counterexamples,
    stored_counterexamples,
)


def _definitions(view: StoreView) -> dict[str, str]:
    """The texts of what a store's points violate, each after its comment, by name; those of main modules go first."""
    names = {row.name for row in view.trace_rows if row.name}
    mains = {Path(module).stem for module in view.manifest.modules}
    files = sorted(view.manifest.files.items(), key=lambda entry: Path(entry[1]).stem not in mains)
    found: dict[str, str] = {}
    for sha256, _ in files if names else ():
        with contextlib.suppress(OSError, Tla2pyError):
            for each in read_text(view.store.source(sha256)).definitions:
                if each.name in names:
                    comment = f"\\* {each.comment}\n" if each.comment else ""
                    found.setdefault(each.name, comment + each.text)
    return found


Places = Mapping[str, Mapping[str, int]]
"""For each parameter its values, each with its place in grid order."""


def value_places(view: StoreView) -> Places:
    """The places of the parameters' values, also of those at which no point ran."""
    places: dict[str, dict[str, int]] = {}
    for point in view.points:
        for name, text in point.parameters.items():
            known = places.setdefault(name, {})
            known.setdefault(text, len(known))
    return places


def unrun_columns(view: StoreView, explained: Iterable[PropertyLaw], places: Places) -> dict[str, object]:
    """The points that did not run; ``would`` is what the laws of a search predict as violated, None without such laws."""
    laws = [each for each in explained if each.searched is not None]
    known = bool(laws) and all(each.scope is None and each.found.law is not None for each in laws)
    violated = [(each.name, frozenset(each.predicted)) for each in laws]
    rest = view.points.some(missing_points(view.store))
    return {
        "point": list(rest),
        "values": [[at[each.parameters[name]] for each in rest.values()] for name, at in places.items()],
        "would": [[name for name, points in violated if each in points] if known else None for each in rest],
    }


# Why a search for laws ran a point.
_CHOSEN = {
    "corner": ", a corner",
    "refute": ", chosen to refute a law",
    "draw": ", drawn at random",
    "smallest": ", the smallest that a law says is violated",
}


def point_columns(
    points: Sequence[GridPoint], numbers: Sequence[str], axes: Set[str], places: Places
) -> dict[str, object]:
    """The points that ran by column; ``values`` has for each parameter the place of each point's value.

    The parameters ``axes`` order the points; where others vary, none is smaller than another.
    ``violated`` are pairs of a name and the length of its shortest trace, or null.
    """
    ordered = axes >= {*varying(points)}
    minimal = minimal_points_of(points) if ordered else frozenset[int]()
    return {
        "point": [point.point for point in points],
        "verdict": [point.verdict.value for point in points],
        "text": [point.verdict_text + _CHOSEN.get(point.run.chosen_for or "", "") for point in points],
        "values": [[at[point.parameters[name]] for point in points] for name, at in places.items()],
        "violated": [list(map(list, point.violations.items())) for point in points],
        "minimal": [point.point in minimal for point in points],
        "message": [_message(point) for point in points],
        "numbers": {name: [point.number(name) for point in points] for name in numbers},
        "least": [point.run.unfinished for point in points],
        "chosen": [point.run.chosen_for for point in points],
    }


def _message(point: GridPoint) -> str | None:
    text = point.run.message or point.run.termination_reason
    return f"{point.run.message_place}: {text}" if text and point.run.message_place else text


def law_rows(explained: Iterable[PropertyLaw]) -> list[dict[str, object]]:
    """The properties with their laws; ``asked`` are the points with an answer, ``predicted`` the law's answers there.

    ``terms`` are the law's conjunctions, each a list of conjuncts with their parameters.
    """
    rows: list[dict[str, object]] = []
    for each in explained:
        answered = each.answers.answered
        wrong = set(each.found.exceptions)
        law = each.found.law
        rows.append(
            {
                "title": each.title,
                "property": each.name,
                "scope": each.scope,
                "law": each.law,
                "breaks": each.answers.breaks,
                "support": each.support,
                "telling": each.telling,
                "rivals": [str(rival) for rival in each.found.rivals],
                "terms": [
                    [{"text": atom.text, "parameters": list(atom.parameters)} for atom in term]
                    for term in (law.terms if law is not None else ())
                ],
                "asked": [one.point for one in answered],
                "violated": sum(one.violated for one in answered),
                "exceptions": list(each.exceptions),
                "predicted": [
                    one.violated != (number in wrong) if law is not None else None
                    for number, one in enumerate(answered)
                ],
            }
        )
    return rows


def kind_rows(kinds: Iterable[Kind], numbers: Mapping[tuple[int, int], int]) -> list[dict[str, object]]:
    """The kinds with the numbers of their counterexamples, by point and number there, the shortest first."""
    return [
        {
            "name": kind.name,
            "module": kind.shortest.course.module,
            "members": [numbers[one.point, one.trace] for one in kind.members],
            "backbone": list(kind.backbone),
            "repeated": sorted(kind.repeated),
            "varies": list(kind.varies),
            "only": list(kind.only),
            "ending": kind.shortest.course.ending,
        }
        for kind in kinds
    ]


def mutant_changes(view: StoreView) -> dict[str, dict[str, str]]:
    """For each mutant of a store, by its id: where it is, the operator, and the text before and after."""
    report, line_of = view.store.mutants(), source_lines(view)
    found = {}
    for each in report.mutants if report is not None else ():
        line, start = line_of(each.module, each.line), each.column - 1
        before, after = each.before, each.after
        # Within its line, unless it spans several.
        if line[start:].startswith(before):
            before, after = line, f"{line[:start]}{after}{line[start + len(before) :]}"
        found[each.mutant] = {
            "place": f"{each.module}:{each.line}",
            "definition": each.definition,
            "operator": each.operator,
            "before": one_line(before),
            "after": one_line(after),
        }
    return found


def source_lines(view: StoreView) -> Callable[[str, int], str]:
    """A function from a module and a line to that line's text, "" if it is not known."""
    digests = {Path(path).stem: sha256 for sha256, path in view.manifest.files.items()}

    @cache
    def lines(module: str) -> list[str]:
        with contextlib.suppress(OSError, KeyError, Tla2pyError):
            return view.store.source(digests[module]).split("\n")
        return []

    def line_of(module: str, line: int) -> str:
        found = lines(module)
        return found[line - 1] if 1 <= line <= len(found) else ""

    return line_of


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
    explained: Sequence[PropertyLaw]
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
    view: StoreView, lanes: LaneOptions = NO_LANES, *, other: StoreView | None = None
) -> StoreData:
    """The data of a store, compared with ``other``; counterexamples are laid out by the arguments ``lanes``."""
    points = grid_points(view)
    explained = list(explain_store(view))
    places = value_places(view)
    kind_of = {each.name: each.kind for each in view.manifest.parameters}
    found = stored_counterexamples(view)
    numbers = {(one.point, one.trace): number for number, one in enumerate(found)}
    coarse, fine = kinds_of(found), kinds_of(found, fine=True)
    shortest = [numbers[kind.shortest.point, kind.shortest.trace] for kind in (*coarse, *fine)]
    first = list(dict.fromkeys((*shortest, *range(len(found)))))[:_MOST_LANES]
    own = counterexamples(view, found, lanes, frozenset(first))
    others = counterexamples(other, stored_counterexamples(other), lanes) if other is not None else None
    overview = {
        "format": FORMAT,
        "version": __version__,
        "name": view.manifest.name,
        "summary": summary_line(view, points),
        "parameters": [
            {"name": name, "kind": kind_of[name], "values": list(map(value_shown, values))}
            for name, values in places.items()
        ],
        "points": point_columns(points, NUMBERS, axes_of(view), places),
        "unrun": unrun_columns(view, explained, places),
        "laws": law_rows(explained),
        "axes": list(best_axes(points, explained, axes_of(view))) if varying(points) else [],
        "kinds": {"coarse": kind_rows(coarse, numbers), "fine": kind_rows(fine, numbers)},
        "traces": own.rows(),
        "parts": [part.start for part in own.parts],
        "nearest": _nearest(view, points, found, first),
        "definitions": _definitions(view),
        "mutants": mutant_changes(view),
        "other": _other(view.manifest.name, points, found, others),
    }
    return StoreData(
        view=view, points=points, explained=explained, kinds=coarse, overview=overview, own=own, other=others
    )


def _nearest(
    view: StoreView, points: Sequence[GridPoint], found: Sequence[StoredTrace], numbers: Iterable[int]
) -> dict[str, object]:
    """For counterexamples by number, the nearest points that hold, and their differences: name, there, here."""
    nearest = find_nearest(points, law_parameters(view), scope_parameters(view))
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
    return base64.b64encode(zlib.compress(text.encode(), 9, -zlib.MAX_WBITS)).decode()
