"""How a number of the runs grows along a parameter, and what the next size will cost."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tla2py.errors import InputError
from tla2py.explore.grid import GridPoint, grid_points, value_order
from tla2py.explore.view import StoreView
from tla2py.model.outcome import Verdict
from tla2py.show.charts import Curve, curves_svg
from tla2py.show.markup import Element, element, html_text, printable
from tla2py.text import parameter_text
from tla2py.trace.display import Printed
from tla2py.values import Interval, ValueTextError, parse_value


@dataclass(frozen=True, slots=True, kw_only=True)
class Prediction:
    """What a larger size is expected to have.

    ``likely`` goes on as the growth has changed so far; ``low`` goes on as a power of the size, ``high`` with the last
    ratio for ever.
    """

    size: str
    low: float
    likely: float
    high: float

    def error(self, measured: float) -> float:
        """By how much ``likely`` is off what was measured: 0.1 is ten percent too much."""
        return self.likely / measured - 1

    def __str__(self) -> str:
        return f"{self.size}: {self.likely:,.0f} ({self.low:,.0f} to {self.high:,.0f})"


@dataclass(frozen=True, slots=True, kw_only=True)
class Series:
    """The numbers along a parameter while the other parameters are ``fixed``; ``sizes`` are its values as numbers."""

    fixed: Mapping[str, str]
    values: tuple[str, ...]
    sizes: tuple[float, ...]
    numbers: tuple[float, ...]

    @property
    def label(self) -> str:
        """The fixed parameters in one line."""
        return printable(parameter_text(self.fixed))

    def predict(self, value: str | int) -> Prediction:
        """What a larger value of the parameter will have. Raises InputError (``no-prediction``)."""
        size = _size(str(value))
        apart = len(set(self.sizes))
        if len(self.sizes) < 2 or apart < len(self.sizes) or size is None or size <= self.sizes[-1]:
            raise InputError(
                "no-prediction",
                f"nothing to go on from for {value}: {len(self.sizes)} values of {apart} sizes, "
                f"the last {self.values[-1]}",
                hint="a prediction needs two sizes that hold, one value of each, and is of a larger one",
            )
        logs = [math.log(number) for number in self.numbers]
        steps = [
            (after - before) / (larger - smaller)
            for before, after, smaller, larger in zip(
                logs, logs[1:], self.sizes, self.sizes[1:], strict=False
            )
        ]
        ahead = size - self.sizes[-1]
        # Sizes counted from 1, so that a parameter which starts at 0 has a logarithm too.
        base = min(self.sizes[0], 1.0) - 1.0
        exponent = (logs[-1] - logs[-2]) / math.log((self.sizes[-1] - base) / (self.sizes[-2] - base))
        low = logs[-1] + exponent * math.log((size - base) / (self.sizes[-1] - base))
        high = logs[-1] + steps[-1] * ahead
        likely = (low + high) / 2
        if len(steps) > 1:
            # The parabola through the last three logarithms.
            bend = (steps[-1] - steps[-2]) / (self.sizes[-1] - self.sizes[-3])
            likely = high + bend * ahead * (size - self.sizes[-2])
        low, high = sorted((low, high))
        low, likely, high = (_exp(log) for log in (low, min(max(likely, low), high), high))
        return Prediction(size=str(value), low=low, likely=likely, high=high)


@dataclass(frozen=True, slots=True, kw_only=True)
class Growth(Printed):
    """The growth of a number of the runs that hold along a parameter, a series for each of the other parameters."""

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

    def _repr_html_(self) -> str:
        return html_text(growth_view(self))


def make_growth(view: StoreView, parameter: str, value: str) -> Growth:
    """The growth of a store along a parameter; only runs that searched everything count.

    Raises InputError (``unknown-parameter``, ``unknown-column``, ``no-sizes``).
    """
    points = grid_points(view)
    values = value_order(points, parameter)
    sizes = {text: _size(text) for text in values}
    if any(size is None for size in sizes.values()):
        raise InputError(
            "no-sizes",
            f"the values of {parameter} have no size: {', '.join(values)}",
            hint="name a parameter of numbers or of sets",
        )
    groups: dict[tuple[tuple[str, str], ...], list[GridPoint]] = {}
    for point in points:
        fixed = tuple((name, text) for name, text in point.parameters.items() if name != parameter)
        number = point.number(value)
        if point.verdict is Verdict.HOLDS and number is not None and number > 0:
            groups.setdefault(fixed, []).append(point)
    return Growth(
        parameter=parameter,
        value=value,
        series=tuple(_series(dict(fixed), group, parameter, value) for fixed, group in groups.items()),
    )


def _series(fixed: Mapping[str, str], group: Sequence[GridPoint], parameter: str, value: str) -> Series:
    found = sorted(
        (_size(text) or 0.0, text, point.number(value) or 0.0)
        for point in group
        for text in (point.parameters[parameter],)
    )
    return Series(
        fixed=fixed,
        values=tuple(text for _, text, _ in found),
        sizes=tuple(size for size, _, _ in found),
        numbers=tuple(number for _, _, number in found),
    )


def growth_view(growth: Growth, labels: Sequence[str] = ()) -> Element:
    """Growth as curves, each going on dashed to the next size where that can be told; ``labels`` are short names."""
    if not growth.series:
        return element("p", f"no run that holds tells how {growth.value} grows along {growth.parameter}")
    ticks = {size: value for one in growth.series for size, value in zip(one.sizes, one.values, strict=True)}
    curves = []
    for number, one in enumerate(growth.series):
        points = tuple(zip(one.sizes, one.numbers, strict=True))
        curves.append(Curve(label=labels[number] if labels else one.label, points=points))
        if len(points) > 1 and all(re.fullmatch(r"-?\d+", value) for value in one.values):
            after = round(2 * one.sizes[-1] - one.sizes[-2])
            prediction = one.predict(after)
            ticks[float(after)] = str(after)
            ahead = (points[-1], (float(after), prediction.likely))
            told = labels[number] if labels else "predicted"
            curves.append(Curve(label=f"{told} {prediction.likely:,.0f}", points=ahead, fit=True))
    title = f"{growth.value} by {growth.parameter}"
    return curves_svg(title, growth.parameter, dict(sorted(ticks.items())), curves)


def _exp(log: float) -> float:
    try:
        return math.exp(log)
    except OverflowError:
        return math.inf


def _size(text: str) -> float | None:
    """An integer itself, the number of elements of a set, None for anything else."""
    try:
        value = parse_value(text)
    except ValueTextError:
        return None
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return float(value)
    if isinstance(value, Interval):
        return float(value.size)
    return float(len(value)) if isinstance(value, frozenset) else None
