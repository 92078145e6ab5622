"""A store as HTML: its points, where it starts to break, and the actions that never fired."""

from __future__ import annotations

from tla2py.explore.action_counts import disabled_actions
from tla2py.explore.grid import GridPoint, grid_points, number_text, summary_line
from tla2py.explore.heatmap import minimal_points_of
from tla2py.explore.view import StoreView
from tla2py.model.outcome import Verdict
from tla2py.show.markup import Element, Piece, element, html_text, number_cell, number_title, row, table
from tla2py.text import value_shown

_MOST_ROWS = 200
_NUMBERS = ("generated", "distinct", "depth")


def store_html(view: StoreView) -> str:
    """The store as Jupyter shows it."""
    points = grid_points(view)
    dead = [f"{count.module}!{count.name}" for count in disabled_actions(view) if count.never_enabled]
    never = element("p", element("span", "never fired", class_="t2-bad"), f": {', '.join(dead)}")
    return html_text(
        element("h3", view.manifest.name),
        element("p", summary_line(view, points)),
        _table(points),
        never if dead else None,
    )


def _table(points: list[GridPoint]) -> Element:
    minimal = minimal_points_of(points)
    names = list(points[0].parameters) if points else []
    # In a large grid, readers look for what breaks.
    shown = (
        sorted(points, key=lambda point: point.verdict is Verdict.HOLDS)
        if len(points) > _MOST_ROWS
        else points
    )
    titles = map(number_title, (*_NUMBERS, "seconds"))
    head: list[Piece] = [number_title("point"), *names, "verdict", *titles]
    rows = []
    for point in shown[:_MOST_ROWS]:
        star = "★ " if point.point in minimal else ""
        seconds = point.number("wall_seconds")
        numbers = [point.least(name) + number_text(point.number(name)) for name in _NUMBERS] + [
            "-" if seconds is None else f"{seconds:.1f}"
        ]
        rows.append(
            row(
                number_cell(str(point.point)),
                *(element("code", value_shown(text)) for text in point.parameters.values()),
                element("td", star + point.verdict_text, class_=point.style),
                *map(number_cell, numbers),
            )
        )
    left = len(points) - _MOST_ROWS
    notes = ["★ no smaller point violates the same"] * bool(minimal)
    notes += [f"{left} more points are not shown"] * (left > 0)
    note = element("p", "; ".join(notes), class_="t2-dim") if notes else None
    return element("div", table(None, head, rows), note)
