"""A store as HTML: its points, where it starts to break, and what never fired."""

from __future__ import annotations

from tla2py.explore.action_counts import never_fired
from tla2py.explore.grid import GridPoint, grid_points, number_text
from tla2py.explore.heatmap import minimal_points_of
from tla2py.explore.view import StoreView
from tla2py.model.outcome import Verdict
from tla2py.show.markup import Element, element, html_text
from tla2py.text import counted, value_shown

_MOST_ROWS = 200
_NUMBERS = ("generated", "distinct", "depth")


def store_html(view: StoreView) -> str:
    """What Jupyter shows of a store."""
    points = grid_points(view)
    missing = len(view.manifest.points) - len(points)
    dead = [f"{one.module}!{one.name}" for one in never_fired(view) if one.everywhere]
    return html_text(
        element("h3", view.manifest.name),
        element("p", _said(points) + (f"; {missing} not run yet" if missing else "")),
        _table(points),
        element("p", element("span", "never fired", class_="t2-bad"), f": {', '.join(dead)}")
        if dead
        else None,
    )


def _said(points: list[GridPoint]) -> str:
    verdicts = dict.fromkeys(point.verdict for point in points)
    counts = (f"{sum(point.verdict is verdict for point in points)} {verdict.value}" for verdict in verdicts)
    return f"{counted(len(points), 'point')}: {', '.join(counts)}" if points else "no point was run"


def _table(points: list[GridPoint]) -> Element:
    minimal = minimal_points_of(points)
    names = list(points[0].parameters) if points else []
    # Of a large grid, what breaks is what its reader looks for.
    shown = (
        sorted(points, key=lambda point: point.verdict is Verdict.HOLDS)
        if len(points) > _MOST_ROWS
        else points
    )
    head = [element("th", "point", scope="col", class_="t2-n")]
    head += [element("th", name, scope="col") for name in (*names, "verdict")]
    head += [element("th", name, scope="col", class_="t2-n") for name in (*_NUMBERS, "seconds")]
    body = element("tbody")
    for point in shown[:_MOST_ROWS]:
        star = "★ " if point.point in minimal else ""
        seconds = point.number("wall_seconds")
        numbers = [point.least(name) + number_text(point.number(name)) for name in _NUMBERS] + [
            "-" if seconds is None else f"{seconds:.1f}"
        ]
        body.append(
            element(
                "tr",
                element("td", str(point.point), class_="t2-n"),
                *(element("td", element("code", value_shown(text))) for text in point.parameters.values()),
                element("td", f"{star}{_verdict(point)}", class_=point.style),
                *(element("td", number, class_="t2-n") for number in numbers),
            )
        )
    left = len(points) - _MOST_ROWS
    notes = ["★ no smaller point violates the same"] * bool(minimal)
    notes += [f"{left} more points are not shown"] * (left > 0)
    note = element("p", "; ".join(notes), class_="t2-dim") if notes else None
    return element("div", element("table", element("thead", element("tr", *head)), body), note)


def _verdict(point: GridPoint) -> str:
    return f"violated: {point.said}" if point.verdict is Verdict.VIOLATED else point.said
