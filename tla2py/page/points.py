"""A store's points: a table to sort and filter, and the verdicts over two parameters."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from tla2py.explore.explanation import Explained
from tla2py.explore.grid import GridPoint, value_order, varying
from tla2py.explore.heatmap import (
    MOST_CELLS,
    VERDICT,
    best_axes,
    cell_count,
    heatmap_view,
    make_heatmap,
    minimal_points_of,
)
from tla2py.explore.view import StoreView
from tla2py.show.markup import Element, element, number_cell, row, table
from tla2py.tables.runs import FIRST_COUNTS
from tla2py.text import value_shown

# Column of ``runs``, title, number format.
_NUMBERS = (
    ("trace_length", "trace", "{:,.0f}"),
    ("generated", "generated", "{:,.0f}"),
    ("distinct", "distinct", "{:,.0f}"),
    ("depth", "depth", "{:,.0f}"),
    ("wall_seconds", "seconds", "{:,.1f}"),
    ("peak_memory_bytes", "MiB", "{:,.0f}"),
)


def points_table(points: Sequence[GridPoint], traced: set[tuple[int, int]]) -> Element:
    """A row per point; a cell's ``data-value`` is its sort key, if that is not its text.

    ``traced`` holds point and number of each counterexample that the page shows.
    """
    minimal = minimal_points_of(points)
    names = varying(points)
    orders = {name: {text: place for place, text in enumerate(value_order(points, name))} for name in names}
    # The first of each point.
    links = dict(sorted(traced, reverse=True))
    head = [_head("point", "point", number=True)]
    head += [_head("verdict", "verdict", kind="verdict")]
    head += [_head(name, name, kind="parameter") for name in names]
    head += [_head(column, title, number=True) for column, title, _ in _NUMBERS]
    rows = []
    for point in points:
        star = "★ " if point.point in minimal else ""
        text = point.verdict_text
        trace = links.get(point.point)
        link = element("a", text, href=f"#point-{point.point}-trace-{trace}") if trace else text
        cells = (
            element("th", str(point.point), scope="row", class_="t2-n", data_value=point.point),
            element("td", star, link, class_=point.style, title=_message(point)),
            *(
                element("td", element("code", value_shown(text)), data_value=orders[name][text])
                for name in names
                for text in [point.parameters[name]]
            ),
            *(_number(point, column, form) for column, _, form in _NUMBERS),
        )
        rows.append(
            row(
                *cells,
                id=f"point-{point.point}",
                data_verdict=point.verdict.value,
                data_violations=json.dumps(dict(point.violations)),
                data_minimal="yes" if star else None,
            )
        )
    note = "; ★ no smaller point violates the same; a number after a name is the length of its shortest trace"
    first = f"; * {FIRST_COUNTS}" * any(point.run.counts_first for point in points)
    return table("Points" + note * bool(minimal) + first, head, rows, id="points")


def _head(key: str, title: str, *, number: bool = False, kind: str | None = None) -> Element:
    return element(
        "th",
        element("button", title, type="button"),
        scope="col",
        class_="t2-n" if number else None,
        aria_sort="none",
        data_key=key,
        data_kind=kind or ("number" if key != "point" else "point"),
    )


def _number(point: GridPoint, column: str, form: str) -> Element:
    value = point.number(column)
    shown = None if value is None else value / 2**20 if column == "peak_memory_bytes" else value
    text = "-" if shown is None else point.least(column) + form.format(shown) + point.first(column)
    return number_cell(text, data_value="" if shown is None else f"{shown:.10g}")


def _message(point: GridPoint) -> str | None:
    text = point.run.message or point.run.termination_reason
    return f"{point.run.message_place}: {text}" if text and point.run.message_place else text


def heatmap_section(
    view: StoreView, points: Sequence[GridPoint], explained: Iterable[Explained]
) -> Element | None:
    """The verdicts over the two parameters that explain them best; None if nothing varies."""
    axes = best_axes(points, explained)
    if not axes:
        return None
    block = element("div", id="heatmap", data_x=axes[0], data_y="".join(axes[1:]))
    if cell_count(points, axes) <= MOST_CELLS:
        block.append(heatmap_view(make_heatmap(view, axes[0], axes[1:], VERDICT)))
    return block
