"""The growth of states and time as pictures of curves over sizes."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from string import ascii_uppercase

from tla2py.analysis.growth import Growth, Series, make_growth
from tla2py.analysis.points import GridPoint, varying
from tla2py.analysis.view import StoreView
from tla2py.errors import InputError
from tla2py.text import counted
from tla2py.view.markup import Element, element, picture_text

# More curves cannot be told apart; longer names go into a legend.
_MOST_CURVES = 5
_LONGEST = 22


def growth_pictures(view: StoreView, points: Sequence[GridPoint]) -> Iterator[Element]:
    """The growth of states and time along each parameter whose values are numbers or sets."""
    for parameter in varying(points):
        for value in ("distinct", "wall_seconds"):
            try:
                growth = make_growth(view, parameter, value)
            except InputError:
                continue
            curves = [one for one in growth.series if len(one.numbers) > 1]
            if curves:
                yield _picture(growth, curves, varying(points))


def _picture(growth: Growth, found: Sequence[Series], parameters: Sequence[str]) -> Element:
    # The curves that reach the largest numbers.
    curves = sorted(found, key=lambda one: -one.numbers[-1])[:_MOST_CURVES]
    differ = [name for name in curves[0].fixed if len({one.fixed[name] for one in curves}) > 1]
    names = differ or [name for name in parameters if name != growth.parameter]
    named = tuple(replace(one, fixed={name: one.fixed[name] for name in names}) for one in curves)
    letters = max(len(one.label) for one in named) > _LONGEST
    picture = growth_view(replace(growth, series=named), ascii_uppercase[: len(named)] if letters else ())
    legend = element("ol", *(element("li", element("code", one.label)) for one in named)) if letters else None
    left = len(found) - len(curves)
    note = element("figcaption", f"{counted(left, 'curve')} with smaller numbers not shown") if left else None
    return element("div", picture, legend, note)


def growth_view(growth: Growth, labels: Sequence[str] = ()) -> Element:
    """The growth as curves; ``labels`` replace their names."""
    if not growth.series:
        return element("p", f"no run that holds has a value for {growth.value}")
    ticks = {size: value for one in growth.series for size, value in zip(one.sizes, one.values, strict=True)}
    names = labels or [one.label for one in growth.series]
    curves = [
        Curve(label=name, points=tuple(zip(one.sizes, one.numbers, strict=True)))
        for name, one in zip(names, growth.series, strict=True)
    ]
    title = f"{growth.value} by {growth.parameter}"
    return curves_svg(title, growth.parameter, dict(sorted(ticks.items())), curves)


_WIDTH, _HEIGHT = 640.0, 320.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 78.0, 170.0, 26.0, 44.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Curve:
    """A labelled curve; every y is greater than 0."""

    label: str
    points: tuple[tuple[float, float], ...]


def curves_svg(title: str, x_title: str, ticks: Mapping[float, str], curves: Sequence[Curve]) -> Element:
    """A chart with a logarithmic y axis; ``ticks`` maps positions on the x axis to labels."""
    ys = [y for curve in curves for _, y in curve.points]
    low, high = math.floor(math.log10(min(ys))), math.ceil(math.log10(max(ys)))
    high = max(high, low + 1)
    first, last = min(ticks), max(ticks)

    def place(x: float, y: float) -> tuple[float, float]:
        across = (x - first) / (last - first) if last > first else 0.5
        up = (math.log10(y) - low) / (high - low)
        return _LEFT + across * (_WIDTH - _LEFT - _RIGHT), _HEIGHT - _BOTTOM - up * (_HEIGHT - _TOP - _BOTTOM)

    picture = element(
        "svg",
        element("title", title),
        viewBox=f"0 0 {_WIDTH:.0f} {_HEIGHT:.0f}",
        width=_WIDTH,
        height=_HEIGHT,
        role="img",
        aria_label=title,
    )
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
    group = element("g", element("title", curve.label), element("path", d=path, class_="t2-curve"))
    for (x, y), (_, value) in zip(places, curve.points, strict=True):
        dot = element("circle", cx=x, cy=y, r=3.5, class_="t2-dot")
        dot.append(element("title", f"{curve.label}: {value:,.0f}"))
        group.append(dot)
    # Move overlapping labels apart.
    x, at = places[-1][0] + 10, places[-1][1] + 4
    while any(abs(at - other) < 13 and abs(x - beside) < _RIGHT for beside, other in ends):
        at += 13
    ends.append((x, at))
    group.append(picture_text(x, at, curve.label, "t2-small"))
    return group
