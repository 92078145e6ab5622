"""Small charts in SVG: curves over sizes, and distributions side by side."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from tla2py.show.markup import Element, element, html_text, picture_text, svg_text

_WIDTH, _HEIGHT = 640.0, 320.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 78.0, 170.0, 26.0, 44.0
_ROW = 30.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Curve:
    """Points over x, all y greater than 0; a ``fit`` is dashed, a ``cross`` marks what was measured afterwards."""

    label: str
    points: tuple[tuple[float, float], ...]
    fit: bool = False
    cross: bool = False


def curves_svg(title: str, x_title: str, ticks: Mapping[float, str], curves: Sequence[Curve]) -> Element:
    """Curves with a logarithmic y axis; ``ticks`` are the places on the x axis with their labels."""
    ys = [y for curve in curves for _, y in curve.points]
    low, high = math.floor(math.log10(min(ys))), math.ceil(math.log10(max(ys)))
    high = max(high, low + 1)
    first, last = min(ticks), max(ticks)

    def place(x: float, y: float) -> tuple[float, float]:
        across = (x - first) / (last - first) if last > first else 0.5
        up = (math.log10(y) - low) / (high - low)
        return _LEFT + across * (_WIDTH - _LEFT - _RIGHT), _HEIGHT - _BOTTOM - up * (_HEIGHT - _TOP - _BOTTOM)

    picture = _picture(_WIDTH, _HEIGHT, title)
    picture.append(picture_text(_LEFT, 15, title, "t2-head"))
    for power in range(low, high + 1):
        _, y = place(first, 10.0**power)
        picture.append(element("line", x1=_LEFT, x2=_WIDTH - _RIGHT, y1=y, y2=y, class_="t2-line"))
        picture.append(picture_text(_LEFT - 8, y + 4, f"{10.0**power:,.10g}", "t2-small", anchor="end"))
    for x, label in ticks.items():
        picture.append(
            picture_text(place(x, 10.0**low)[0], _HEIGHT - _BOTTOM + 18, label, "t2-small", anchor="middle")
        )
    picture.append(
        picture_text(
            (_LEFT + _WIDTH - _RIGHT) / 2, _HEIGHT - 6, x_title, "t2-small t2-faint", anchor="middle"
        )
    )
    ends: list[tuple[float, float]] = []
    for curve in curves:
        picture.append(_curve(curve, [place(x, y) for x, y in curve.points], ends))
    return picture


def _curve(curve: Curve, places: Sequence[tuple[float, float]], ends: list[tuple[float, float]]) -> Element:
    path = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in places)
    group = element("g", element("title", curve.label))
    if not curve.cross:
        group.append(element("path", d=path, class_="t2-fit" if curve.fit else "t2-curve"))
    for (x, y), (_, value) in zip(places, curve.points, strict=True):
        if curve.cross:
            dot = element("path", d=f"M{x - 5:.1f} {y - 5:.1f}l10 10m0 -10l-10 10", class_="t2-cross")
        else:
            dot = element("circle", cx=x, cy=y, r=3.5, class_="t2-dot")
        dot.append(element("title", f"{curve.label}: {value:,.0f}"))
        group.append(dot)
    # Labels that would lie on one another are moved apart.
    x, at = places[-1][0] + 10, places[-1][1] + 4
    while any(abs(at - other) < 13 and abs(x - beside) < _RIGHT for beside, other in ends):
        at += 13
    ends.append((x, at))
    group.append(picture_text(x, at, curve.label, "t2-small"))
    return group


@dataclass(frozen=True, slots=True, kw_only=True)
class Distributions:
    """Numbers by group: a row per group with a bar from the lower to the upper quartile, the median, every number."""

    title: str
    groups: Mapping[str, Sequence[float]]

    def svg(self) -> str:
        """The picture as the text of an SVG file."""
        return svg_text(distributions_svg(self))

    def _repr_html_(self) -> str:
        return html_text(distributions_svg(self))

    def __str__(self) -> str:
        return "\n".join(
            [self.title, *(f"{name}: {_summary(numbers)}" for name, numbers in self.groups.items())]
        )


def distributions(title: str, groups: Mapping[object, Sequence[float]]) -> Distributions:
    """The distributions of numbers by group, such as ``{n: list_of_numbers, ...}``; empty groups are left out."""
    found = {str(name): tuple(float(n) for n in numbers) for name, numbers in groups.items() if len(numbers)}
    return Distributions(title=title, groups=found)


def distributions_svg(chart: Distributions) -> Element:
    """The picture of some distributions."""
    most = max((max(numbers) for numbers in chart.groups.values()), default=1.0)
    least = min(0.0, *(min(numbers) for numbers in chart.groups.values())) if chart.groups else 0.0
    left = 20 + 7.3 * max(map(len, chart.groups), default=0)
    height = _TOP + _ROW * len(chart.groups) + _BOTTOM
    picture = _picture(_WIDTH, height, chart.title)
    picture.append(picture_text(8, 15, chart.title, "t2-head"))

    def at(number: float) -> float:
        return left + (number - least) / ((most - least) or 1.0) * (_WIDTH - left - _RIGHT)

    for number in _round_numbers(least, most):
        x = at(number)
        picture.append(element("line", x1=x, x2=x, y1=_TOP, y2=height - _BOTTOM, class_="t2-line"))
        picture.append(picture_text(x, height - _BOTTOM + 16, f"{number:g}", "t2-small", anchor="middle"))
    for row, (name, numbers) in enumerate(chart.groups.items()):
        y = _TOP + _ROW * (row + 0.5)
        low, high = _quantile(numbers, 0.25), _quantile(numbers, 0.75)
        group = element("g", element("title", f"{name}: {_summary(numbers)}"))
        group.append(picture_text(left - 10, y + 4, name, anchor="end"))
        bar = element(
            "rect", x=at(low), y=y - 8, width=max(at(high) - at(low), 1.5), height=16, class_="t2-bar"
        )
        group.append(bar)
        middle = at(median(numbers))
        for number, times in sorted(Counter(numbers).items()):
            # The more often a number comes, the larger its dot.
            size = 1.5 + 4 * math.sqrt(times / len(numbers))
            group.append(element("circle", cx=at(number), cy=y, r=size, class_="t2-dot"))
        group.append(element("line", x1=middle, x2=middle, y1=y - 11, y2=y + 11, class_="t2-cross"))
        group.append(picture_text(_WIDTH - _RIGHT + 12, y + 4, _summary(numbers), "t2-small"))
        picture.append(group)
    return picture


def _summary(numbers: Sequence[float]) -> str:
    return f"median {median(numbers):g}, max {max(numbers):g}, n {len(numbers)}"


def _quantile(numbers: Sequence[float], share: float) -> float:
    """The number below which that share of the numbers lies, between two of them where none does."""
    ordered = sorted(numbers)
    place = share * (len(ordered) - 1)
    below = int(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (place - below) * (ordered[above] - ordered[below])


def _round_numbers(least: float, most: float) -> list[float]:
    """Some four round numbers between two."""
    span = (most - least) or 1.0
    power = 10.0 ** math.floor(math.log10(span))
    step = next(part * power for part in (1.0, 0.5, 0.2, 0.1) if span / (part * power) >= 4)
    return [n * step for n in range(math.ceil(least / step), math.floor(most / step) + 1)]


def _picture(width: float, height: float, title: str) -> Element:
    box = f"0 0 {width:.0f} {height:.0f}"
    return element(
        "svg", element("title", title), viewBox=box, width=width, height=height, role="img", aria_label=title
    )
