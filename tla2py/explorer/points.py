"""The points of a store as the page reads them, with their laws and kinds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set

from tla2py.explore.explanation import Explained
from tla2py.explore.grid import GridPoint, value_order, varying
from tla2py.explore.heatmap import minimal_points_of
from tla2py.explore.kinds import Kind
from tla2py.explore.view import StoreView
from tla2py.text import value_shown

TraceNumbers = Mapping[tuple[int, int], int]
"""The number of each counterexample, by its first point and its number there."""


def parameter_rows(view: StoreView, points: Sequence[GridPoint]) -> list[dict[str, object]]:
    """The parameters with their kinds and values, in grid order."""
    kinds = {each.name: each.kind for each in view.manifest.parameters}
    names = points[0].parameters if points else {}
    return [
        {
            "name": name,
            "kind": kinds[name],
            "values": [value_shown(text) for text in value_order(points, name)],
        }
        for name in names
    ]


def point_columns(points: Sequence[GridPoint], numbers: Sequence[str], axes: Set[str]) -> dict[str, object]:
    """The points by column; ``values`` has for each parameter the place of each point's value in its row of values.

    The parameters ``axes`` order the points; where others vary, none is smaller than another.
    ``violated`` are pairs of a name and the length of its shortest trace, or null.
    """
    ordered = axes >= {*varying(points)}
    minimal = minimal_points_of(points) if ordered else frozenset[int]()
    names = list(points[0].parameters) if points else []
    places = {name: {text: place for place, text in enumerate(value_order(points, name))} for name in names}
    return {
        "point": [point.point for point in points],
        "verdict": [point.verdict.value for point in points],
        "text": [point.verdict_text for point in points],
        "values": [[places[name][point.parameters[name]] for point in points] for name in names],
        "violated": [list(map(list, point.violations.items())) for point in points],
        "minimal": [point.point in minimal for point in points],
        "message": [_message(point) for point in points],
        "numbers": {name: [point.number(name) for point in points] for name in numbers},
        "least": [point.run.unfinished for point in points],
    }


def _message(point: GridPoint) -> str | None:
    text = point.run.message or point.run.termination_reason
    return f"{point.run.message_place}: {text}" if text and point.run.message_place else text


def law_rows(explained: Iterable[Explained]) -> list[dict[str, object]]:
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


def kind_rows(kinds: Iterable[Kind], numbers: TraceNumbers) -> list[dict[str, object]]:
    """The kinds with the numbers of their counterexamples, the shortest first."""
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
