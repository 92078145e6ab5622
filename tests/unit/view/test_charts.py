"""Charts of curves over sizes."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.view.traces import marks
from tla2py.view.markup import Element
from tla2py.view.page import Curve, curves_svg


def styled(picture: Element, style: str) -> list[Element]:
    return [found for found in picture.iter() if style in found.get("class", "").split()]


def number(element: Element, name: str) -> float:
    return float(element.get(name, ""))


def curve(*points: tuple[float, float], label: str = "a") -> Curve:
    return Curve(label=label, points=points)


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


@given(st.lists(st.floats(1, 100), min_size=1, max_size=8))
def test_labels_do_not_lie_on_one_another(ends: list[float]) -> None:
    picture = curves_svg("t", "n", {1: "1", 2: "2"}, [curve((1, 1), (2, end)) for end in ends])
    heights = sorted(number(text, "y") for text in labels(picture)[1:])
    assert len(heights) == len(ends)
    assert all(after - before >= 12.9 for before, after in pairwise(heights))
