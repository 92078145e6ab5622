"""The growth of a numeric column of ``runs`` along a parameter, and its bounds at the next size."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tla2py.analysis.points import grid_points, value_order
from tla2py.analysis.tables import StoreTables
from tla2py.errors import InputError
from tla2py.model.outcome import Verdict
from tla2py.model.trace import Printed
from tla2py.sweep.grid import comparable
from tla2py.text import parameter_text, printable
from tla2py.tla.value import Interval


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
            raise InputError(
                "no-prediction",
                f"cannot predict {value}: {self.values[-1]} is the largest size that holds",
                hint="predict a larger size",
            )
        if apart < max(2, len(self.sizes)):
            raise InputError(
                "no-prediction",
                f"cannot predict {value} from {len(self.sizes)} values at {apart} sizes",
                hint="a prediction needs at least two sizes that hold, with one value each",
            )
        from tla2py.execution.durations import growth_bounds

        low, high = growth_bounds(self.sizes, self.numbers, size)
        return Prediction(size=str(value), low=low, high=high)


@dataclass(frozen=True, slots=True, kw_only=True)
class Growth(Printed):
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
        raise InputError(
            "no-sizes",
            f"the values of {parameter} are neither numbers nor sets: {', '.join(values)}",
            hint="name a parameter whose values are numbers or sets",
        )
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
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return float(value)
    if isinstance(value, Interval):
        return float(value.size)
    return float(len(value)) if isinstance(value, frozenset) else None
