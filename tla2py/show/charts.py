"""SVG charts of curves over sizes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tla2py.show.markup import Element, element, picture_text

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
