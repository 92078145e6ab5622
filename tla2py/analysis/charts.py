"""Points over their parameters: heatmaps of verdicts or numbers, and the growth of a number along one parameter."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TypeAlias

from tla2py.analysis.explanation import PropertyLaw, explain_store
from tla2py.analysis.points import (
    GridPoint,
    grid_points,
    minimal_violating,
    number_text,
    value_order,
    varying,
)
from tla2py.analysis.tables import StoreTables
from tla2py.errors import InputError
from tla2py.model.display import PrintMixin
from tla2py.model.outcome import Verdict
from tla2py.sweep.grid import comparable
from tla2py.text import parameter_text, printable
from tla2py.tla.value import Interval

# A cell without violations has the colour of its points' worst verdict.
_WORST = (Verdict.BROKEN, Verdict.INCONCLUSIVE, Verdict.HOLDS, Verdict.EXCLUDED)
VERDICT = "verdict"
MOST_CELLS = 900
"""The cells of a heatmap that fits a page."""

Axis: TypeAlias = "str | Sequence[str] | None"
"""A parameter, several, or None for one that is chosen."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Heatmap(PrintMixin):
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
    column_labels, row_labels = _sorted(points, columns), _sorted(points, rows)
    cells: dict[tuple[tuple[str, ...], tuple[str, ...]], tuple[GridPoint, ...]] = {}
    for point in points:
        if value != VERDICT:
            point.number(value)
        key = (_label(point, rows), _label(point, columns))
        cells[key] = (*cells.get(key, ()), point)
    return Heatmap(
        rows=rows,
        columns=columns,
        row_labels=row_labels,
        column_labels=column_labels,
        value=value,
        cells=cells,
        minimal=minimal_points_of(points),
    )


def axes_of(view: StoreTables) -> frozenset[str]:
    """The parameters of a store that order its points: names of logs do not."""
    return frozenset(each.name for each in view.manifest.parameters if each.kind != "log")


def best_axes(
    points: Sequence[GridPoint], explained: Iterable[PropertyLaw], parameters: Collection[str]
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Prediction:
    """The bounds of a number at a larger size: polynomial growth from the last two sizes, and their ratio repeated."""

    size: str
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.size}: {self.low:,.0f} to {self.high:,.0f}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Series:
    """The numbers along a parameter with the other parameters ``fixed``; ``sizes`` are its values as numbers."""

    fixed: Mapping[str, str]
    values: tuple[str, ...]
    sizes: tuple[float, ...]
    numbers: tuple[float, ...]

    @property
    def label(self) -> str:
        """The fixed parameters in one line."""
        return printable(parameter_text(self.fixed))

    def predict(self, value: str | int) -> Prediction:
        """The bounds at a larger value of the parameter. Raises InputError (``no-prediction``)."""
        size = _size(str(value))
        apart = len(set(self.sizes))
        if size is None or size <= self.sizes[-1]:
            message = f"cannot predict {value}: {self.values[-1]} is the largest size that holds"
            raise InputError("no-prediction", message, hint="predict a larger size")
        if apart < max(2, len(self.sizes)):
            raise InputError(
                "no-prediction",
                f"cannot predict {value} from {len(self.sizes)} values at {apart} sizes",
                hint="a prediction needs at least two sizes that hold, with one value each",
            )
        from tla2py.execution.schedule import growth_bounds

        low, high = growth_bounds(self.sizes, self.numbers, size)
        return Prediction(size=str(value), low=low, high=high)


@dataclass(frozen=True, slots=True, kw_only=True)
class Growth(PrintMixin):
    """The growth of a number along a parameter over the runs that hold; a series per values of the other parameters."""

    parameter: str
    value: str
    series: tuple[Series, ...]

    def __str__(self) -> str:
        lines = [f"{self.value} by {self.parameter}"]
        for one in self.series:
            numbers = zip(one.values, one.numbers, strict=True)
            shown = ", ".join(f"{value}: {number:,.10g}" for value, number in numbers)
            lines.append(f"    {one.label}: {shown}")
        return "\n".join(lines)


def make_growth(view: StoreTables, parameter: str, value: str = "distinct") -> Growth:
    """The growth of a column of ``runs`` along a parameter, over the points that hold; predicts larger sizes.

    Raises InputError (``unknown-parameter``, ``unknown-column``, ``no-sizes``).
    """
    points = grid_points(view)
    values = value_order(points, parameter)
    sizes = {text: _size(text) for text in values}
    if any(size is None for size in sizes.values()):
        message = f"the values of {parameter} are neither numbers nor sets: {', '.join(values)}"
        raise InputError("no-sizes", message, hint="name a parameter whose values are numbers or sets")
    groups: dict[tuple[tuple[str, str], ...], list[tuple[float, str, float]]] = {}
    for point in points:
        fixed = tuple((name, text) for name, text in point.parameters.items() if name != parameter)
        number, text = point.number(value), point.parameters[parameter]
        if point.verdict is Verdict.HOLDS and number is not None and number > 0:
            groups.setdefault(fixed, []).append((sizes[text] or 0.0, text, number))
    series = []
    for fixed, found in groups.items():
        ordered, texts, numbers = zip(*sorted(found), strict=True)
        series.append(Series(fixed=dict(fixed), values=texts, sizes=ordered, numbers=numbers))
    return Growth(parameter=parameter, value=value, series=tuple(series))


def _size(text: str) -> float | None:
    """An integer's value or a set's cardinality, None for anything else."""
    value = comparable(text)
    if isinstance(value, (frozenset, Interval)):
        return float(value.size if isinstance(value, Interval) else len(value))
    return float(value) if isinstance(value, int) and not isinstance(value, bool) else None
