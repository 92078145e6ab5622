"""Heatmaps: the points' verdicts, or a number, over two parameters."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TypeAlias

from tla2py.analysis.explanation import Explained, explain_store
from tla2py.analysis.minimal import minimal_violating
from tla2py.analysis.points import GridPoint, grid_points, number_text, value_order, varying
from tla2py.analysis.tables import StoreTables
from tla2py.model.outcome import Verdict
from tla2py.model.trace import Printed
from tla2py.text import printable

# A cell without violations has the colour of its points' worst verdict.
_WORST = (Verdict.BROKEN, Verdict.INCONCLUSIVE, Verdict.HOLDS, Verdict.EXCLUDED)
VERDICT = "verdict"
MOST_CELLS = 900
"""The cells of a heatmap that fits a page."""

Axis: TypeAlias = "str | Sequence[str] | None"
"""A parameter, several, or None for one that is chosen."""


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

    def _text(self, row: tuple[str, ...], column: tuple[str, ...]) -> str:
        points = self.cells.get((row, column), ())
        if self.value != VERDICT:
            return "; ".join(number_text(point.number(self.value)) for point in points)
        star = "*" if any(point.point in self.minimal for point in points) else ""
        return cell_text(points) + star


def make_heatmap(view: StoreTables, x: Axis = None, y: Axis = None, value: str = VERDICT) -> Heatmap:
    """The points' verdicts, or a column of ``runs``, over two parameters or two lists of parameters.

    The default are those that explain the verdicts best. Raises InputError (``unknown-parameter``,
    ``unknown-column``).
    """
    points = grid_points(view)
    if x is None or y is None:
        taken = {*_names(x or ()), *_names(y or ())}
        free = [name for name in best_axes(points, explain_store(view), axes_of(view)) if name not in taken]
        x = free[:1] if x is None else x
        y = [name for name in free if name not in _names(x)][:1] if y is None else y
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


def axes_of(view: StoreTables) -> frozenset[str]:
    """The parameters of a store that order its points: names of logs do not."""
    return frozenset(each.name for each in view.manifest.parameters if each.kind != "log")


def best_axes(
    points: Sequence[GridPoint], explained: Iterable[Explained], parameters: Collection[str]
) -> tuple[str, ...]:
    """The two of some parameters that explain the violations best; fewer if fewer vary.

    These are parameters that a whole law reads, preferably of a law that reads two. Where no law decides, the cells mix
    verdicts and violations the least. A heatmap that fits the page is preferred.
    """
    laws = [each.found.law.parameters for each in explained if each.violated and each.found.law]

    def rank(pair: tuple[str, ...]) -> tuple[bool, int, int, int]:
        cells: dict[tuple[str, ...], Counter[tuple[str, ...]]] = {}
        for point in points:
            answer = (point.verdict, *point.violations)
            cells.setdefault(_label(point, pair), Counter())[answer] += 1
        size = math.prod(len({point.parameters[name] for point in points}) for name in pair)
        mixed = sum(counts.total() - max(counts.values()) for counts in cells.values())
        return size > MOST_CELLS, -sum(len(law) for law in laws if law <= {*pair}), mixed, size

    names = [name for name in varying(points) if name in parameters]
    return min(combinations(names, 2), key=rank, default=tuple(names))


def cell_text(points: Collection[GridPoint]) -> str:
    """What several points violate: each name with its range of lengths and its share of the points, ``Safe 4-8 (3 of 5)``.

    Then what else there is to say of the points: verdicts, or only those without an answer if something is violated.
    """
    names = dict.fromkeys(name for point in points for name in point.violations)
    texts = []
    for name in names:
        lengths = [point.violations[name] for point in points if name in point.violations]
        known = sorted({length for length in lengths if length is not None})
        span = f" {known[0]}-{known[-1]}" if len(known) > 1 else f" {known[0]}" if known else ""
        total = sum(point.verdict is not Verdict.EXCLUDED for point in points)
        texts.append(f"{name}{span}" + (f" ({len(lengths)} of {total})" if len(lengths) < total else ""))
    answers = {Verdict.VIOLATED, Verdict.HOLDS, Verdict.EXCLUDED} if names else set()
    others = {point.verdict for point in points} - answers
    return "; ".join([*([", ".join(texts)] if texts else []), *sorted(others, key=_WORST.index)])


def minimal_points_of(points: Sequence[GridPoint]) -> frozenset[int]:
    """The numbers of the points that violate something no smaller point violates."""
    return frozenset(minimal_violating((point.run, point.parameters) for point in points))


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
