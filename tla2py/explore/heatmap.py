"""Heatmaps: the points' verdicts, or a number, over two parameters."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from tla2py.explore.grid import GridPoint, grid_points, number_text, value_order
from tla2py.explore.minimal import minimal_violating
from tla2py.explore.view import StoreView
from tla2py.show.markup import Element, element, html_text, number_cell, printable, row, table
from tla2py.trace.display import Printed

# A cell shows the worst verdict of its points.
_WORST = ("violated", "broken", "inconclusive", "holds", "excluded")
VERDICT = "verdict"


@dataclass(frozen=True, slots=True, kw_only=True)
class Heatmap(Printed):
    """A table of points over two parameters, or two lists of parameters.

    ``cells`` maps each pair of a row and a column to its points. ``minimal`` are the points that violate something no
    smaller point violates. ``value`` is ``verdict`` or a column of ``runs``.
    """

    rows: tuple[str, ...]
    columns: tuple[str, ...]
    row_labels: tuple[tuple[str, ...], ...]
    column_labels: tuple[tuple[str, ...], ...]
    value: str
    cells: dict[tuple[tuple[str, ...], tuple[str, ...]], tuple[GridPoint, ...]]
    minimal: frozenset[int]

    def __str__(self) -> str:
        head = ["", *(", ".join(label) for label in self.column_labels)]
        lines = [head] + [
            [", ".join(row), *(self._text(row, column) for column in self.column_labels)]
            for row in self.row_labels
        ]
        widths = [max(len(line[place]) for line in lines) for place in range(len(head))]
        return "\n".join(
            printable("  ".join(text.ljust(width) for text, width in zip(line, widths, strict=True)).rstrip())
            for line in lines
        )

    def _repr_html_(self) -> str:
        return html_text(heatmap_view(self))

    def _text(self, row: tuple[str, ...], column: tuple[str, ...]) -> str:
        points = self.cells.get((row, column), ())
        if self.value != VERDICT:
            return "; ".join(number_text(point.number(self.value)) for point in points)
        star = "*" if any(point.point in self.minimal for point in points) else ""
        return "; ".join(dict.fromkeys(point.summary for point in points)) + star


def make_heatmap(view: StoreView, x: str | Sequence[str], y: str | Sequence[str], value: str) -> Heatmap:
    """A store's heatmap. Raises InputError (``unknown-parameter``, ``unknown-column``)."""
    points = grid_points(view)
    columns, rows = _names(x), _names(y)
    for name in (*columns, *rows):
        value_order(points, name)
    cells: dict[tuple[tuple[str, ...], tuple[str, ...]], tuple[GridPoint, ...]] = {}
    for point in points:
        if value != VERDICT:
            point.number(value)
        key = (_label(point, rows), _label(point, columns))
        cells[key] = (*cells.get(key, ()), point)
    return Heatmap(
        rows=rows,
        columns=columns,
        row_labels=_sorted(points, rows),
        column_labels=_sorted(points, columns),
        value=value,
        cells=cells,
        minimal=minimal_points_of(points),
    )


def minimal_points_of(points: Sequence[GridPoint]) -> frozenset[int]:
    """The numbers of the points that violate something no smaller point violates."""
    return frozenset(minimal_violating((point.run, point.parameters) for point in points))


def heatmap_view(heatmap: Heatmap) -> Element:
    """A heatmap as a table."""
    what = "verdicts" if heatmap.value == VERDICT else heatmap.value
    caption = f"{what}: {', '.join(heatmap.rows)} by {', '.join(heatmap.columns)}"
    titles = map(", ".join, (heatmap.rows, *heatmap.column_labels))
    shown = [point for points in heatmap.cells.values() for point in points if heatmap.value != VERDICT]
    largest = max((point.number(heatmap.value) or 0.0 for point in shown), default=0.0)
    rows = (
        row(
            element("th", ", ".join(label), scope="row"),
            *(
                _cell(heatmap, heatmap.cells.get((label, other), ()), largest)
                for other in heatmap.column_labels
            ),
        )
        for label in heatmap.row_labels
    )
    note = "★ a smallest violating point; a number after a name is the length of the shortest counterexample"
    return element(
        "div",
        table(caption, titles, rows),
        element("p", note, class_="t2-dim") if heatmap.value == VERDICT and heatmap.minimal else None,
    )


def _cell(heatmap: Heatmap, points: Sequence[GridPoint], largest: float) -> Element:
    if not points:
        return element("td", "", class_="t2-none", title="not in the grid")
    title = ", ".join(f"point {point.point}" for point in points)
    if heatmap.value == VERDICT:
        worst = min(points, key=lambda point: _WORST.index(point.verdict))
        summaries = dict.fromkeys(point.summary for point in points)
        star = "★ " if any(point.point in heatmap.minimal for point in points) else ""
        return element("td", star + "; ".join(summaries), class_=worst.style, title=title)
    most = max((point.number(heatmap.value) or 0.0 for point in points), default=0.0)
    shade = math.log1p(most) / math.log1p(largest) if most > 0 else 0.0
    return number_cell(
        "; ".join(number_text(point.number(heatmap.value)) for point in points),
        style=f"background:rgba(56,139,253,{0.04 + 0.5 * shade:.2f})",
        title=title,
    )


def _names(names: str | Sequence[str]) -> tuple[str, ...]:
    return (names,) if isinstance(names, str) else tuple(names)


def _label(point: GridPoint, names: Sequence[str]) -> tuple[str, ...]:
    return tuple(point.parameters[name] for name in names)


def _sorted(points: Sequence[GridPoint], names: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    orders = [value_order(points, name) for name in names]
    labels = dict.fromkeys(_label(point, names) for point in points)
    return tuple(
        sorted(labels, key=lambda label: [o.index(text) for o, text in zip(orders, label, strict=True)])
    )
