"""Charts of curves over sizes."""

from __future__ import annotations

from itertools import pairwise
from typing import Any
from xml.etree import ElementTree as ET
from xml.etree.ElementTree import Element

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.view.traces import marks
from tla2py.analysis.charts import Series
from tla2py.view.markup import templates
from tla2py.view.page import curves_chart


def styled(picture: Element, style: str) -> list[Element]:
    return [found for found in picture.iter() if style in found.get("class", "").split()]


def number(element: Element, name: str) -> float:
    return float(element.get(name, ""))


def picture_of(*curves: tuple[tuple[float, float], ...]) -> Element:
    """The picture of curves a, b and so on."""
    made = {}
    for label, points in zip("abcdefgh", curves, strict=False):
        sizes, numbers = zip(*points, strict=True)
        values = tuple(f"{size:g}" for size in sizes)
        made[label] = Series(fixed={}, values=values, sizes=sizes, numbers=numbers)
    template: Any = templates().get_template("pictures.svg.j2").module
    return ET.fromstring(template.growth({"title": "t", "parameter": "n", **curves_chart(made)}))


def labels(picture: Element) -> list[Element]:
    return [text for text in picture.iter("text") if text.get("text-anchor") is None]


def test_a_factor_of_ten_is_the_same_height_everywhere() -> None:
    picture = picture_of(((1, 1), (2, 10), (3, 100)))
    dots = styled(picture, "t2-dot")
    (x1, y1), (x2, y2), (x3, y3) = ((number(dot, "cx"), number(dot, "cy")) for dot in dots)
    assert y1 - y2 == pytest.approx(y2 - y3, abs=0.02)
    assert x2 - x1 == pytest.approx(x3 - x2, abs=0.02)
    assert y1 > y3
    assert [marks(dot, "title") for dot in dots] == [["a: 1"], ["a: 10"], ["a: 100"]]
    assert {"1", "10", "100", "2", "3", "n", "t", "a"} == set(marks(picture, "text"))


def test_one_point_is_a_picture_too() -> None:
    (dot,) = styled(picture_of(((7, 10),)), "t2-dot")
    assert 0 < number(dot, "cx") < 392
    assert 0 <= number(dot, "cy") <= 250


@given(st.lists(st.floats(1, 100), min_size=1, max_size=8))
def test_labels_do_not_lie_on_one_another(ends: list[float]) -> None:
    picture = picture_of(*(((1, 1), (2, end)) for end in ends))
    heights = sorted(number(text, "y") for text in labels(picture)[1:])
    assert len(heights) == len(ends)
    assert all(after - before >= 12.9 for before, after in pairwise(heights))
