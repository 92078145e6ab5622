"""Curves over sizes, and distributions side by side."""

from __future__ import annotations

import statistics
from itertools import pairwise
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.show.traces import marks
from tla2py.show.charts import Curve, curves_svg, distributions, distributions_svg
from tla2py.show.markup import Element, svg_text

NUMBERS = st.lists(st.integers(-1000, 10**6).map(float), min_size=1, max_size=12)


def styled(picture: Element, style: str) -> list[Element]:
    return [found for found in picture.iter() if style in found.get("class", "").split()]


def number(element: Element, name: str) -> float:
    return float(element.get(name, ""))


def curve(*points: tuple[float, float], label: str = "a", fit: bool = False, cross: bool = False) -> Curve:
    return Curve(label=label, points=points, fit=fit, cross=cross)


def labels(picture: Element) -> list[Element]:
    return [text for text in picture.iter("text") if text.get("text-anchor") is None]


def test_a_factor_of_ten_is_the_same_height_everywhere() -> None:
    picture = curves_svg("t", "n", {1: "1", 2: "2", 3: "3"}, [curve((1, 1), (2, 10), (3, 100))])
    dots = styled(picture, "t2-dot")
    (x1, y1), (x2, y2), (x3, y3) = ((number(dot, "cx"), number(dot, "cy")) for dot in dots)
    assert y1 - y2 == pytest.approx(y2 - y3, abs=0.02)
    assert x2 - x1 == pytest.approx(x3 - x2, abs=0.02)
    assert y1 > y3
    assert [marks(dot, "title") for dot in dots] == [["a: 1"], ["a: 10"], ["a: 100"]]
    assert {"1", "10", "100", "2", "3", "n", "t", "a"} == set(marks(picture, "text"))


def test_one_point_is_a_picture_too() -> None:
    (dot,) = styled(curves_svg("t", "n", {7: "7"}, [curve((7, 10))]), "t2-dot")
    assert 78 < number(dot, "cx") < 470
    assert 26 < number(dot, "cy") < 276.5


def test_what_was_predicted_and_what_was_measured_look_otherwise() -> None:
    picture = curves_svg(
        "t", "n", {1: "1", 2: "2"}, [curve((1, 1), (2, 5), fit=True), curve((2, 4), cross=True)]
    )
    assert len(styled(picture, "t2-fit")) == 1
    assert len(styled(picture, "t2-cross")) == 1
    assert styled(picture, "t2-curve") == []


@given(st.lists(st.floats(1, 100), min_size=1, max_size=8))
def test_labels_do_not_lie_on_one_another(ends: list[float]) -> None:
    picture = curves_svg("t", "n", {1: "1", 2: "2"}, [curve((1, 1), (2, end)) for end in ends])
    heights = sorted(number(text, "y") for text in labels(picture)[1:])
    assert len(heights) == len(ends)
    assert all(after - before >= 12.9 for before, after in pairwise(heights))


def test_distributions_say_their_numbers() -> None:
    chart = distributions("depth", {"two": [15, 18, 21], 3: [22], "none": []})
    assert str(chart).splitlines() == [
        "depth",
        "two: median 18, max 21, n 3",
        "3: median 22, max 22, n 1",
    ]
    root = ET.fromstring(chart.svg())
    assert root.get("aria-label") == "depth"
    assert "two: median 18, max 21, n 3" in marks(root, "{http://www.w3.org/2000/svg}title")
    assert "<svg" in chart._repr_html_()


def test_no_numbers_are_a_picture_without_rows() -> None:
    picture = distributions_svg(distributions("depth", {"none": []}))
    assert styled(picture, "t2-bar") == []
    assert "<title>depth</title>" in svg_text(picture)


@given(NUMBERS)
def test_a_bar_goes_from_quartile_to_quartile(numbers: list[float]) -> None:
    least, most = -2000.0, 2e6
    picture = distributions_svg(distributions("t", {"a": [least, *numbers, most]}))
    (bar,) = styled(picture, "t2-bar")
    (middle,) = styled(picture, "t2-cross")
    dots = styled(picture, "t2-dot")
    assert len(dots) == len(set(numbers)) + 2
    left, right = number(dots[0], "cx"), number(dots[-1], "cx")
    places = [
        left + (quartile - least) / (most - least) * (right - left)
        for quartile in statistics.quantiles([least, *numbers, most], method="inclusive")
    ]
    assert number(bar, "x") == pytest.approx(places[0], abs=0.1)
    assert number(bar, "width") == pytest.approx(max(places[2] - places[0], 1.5), abs=0.1)
    assert number(middle, "x1") == pytest.approx(places[1], abs=0.1)


@given(NUMBERS)
def test_the_axis_has_some_round_numbers_in_its_range(numbers: list[float]) -> None:
    picture = distributions_svg(distributions("t", {"a": numbers}))
    axis = [float(text.text or "") for text in picture.iter("text") if text.get("text-anchor") == "middle"]
    assert len(axis) <= 11
    assert all(min(0, *numbers) - 0.1 <= tick <= max(0, *numbers) + 0.1 for tick in axis)
    steps = {f"{after - before:.1e}" for before, after in pairwise(axis)}
    assert len(steps) <= 1
    assert all(step[:3] in ("1.0", "2.0", "5.0") for step in steps)
