"""The minimal points."""

from __future__ import annotations

import itertools
import time
from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tla2py.analysis.points import _size, minimal_points


def at_most(left: Mapping[str, str], right: Mapping[str, str]) -> bool:
    """Whether a point is at most as large as another in every parameter."""
    sizes = ((_size(text), _size(right[name])) for name, text in left.items())
    return all(mine.kind == other.kind and mine.rank <= other.rank for mine, other in sizes)


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        ("2", "10", True),
        ("10", "2", False),
        ("-1", "0", True),
        ("3", "3", True),
        ("FALSE", "TRUE", True),
        ("TRUE", "FALSE", False),
        ("FALSE", "1", False),
        ("0", "TRUE", False),
        ("{a}", "{b, c}", True),
        ("{b, c}", "{a}", False),
        ("{a, b}", "{c, d}", True),
        ("{}", "{a}", True),
        ("{}", "1 .. 0", True),
        ("1..40", "1..50", True),
        ("1..50", "1..40", False),
        ("{a, b}", "5..99", True),
        ("{1}", "{1, 2}", True),
        ("{1, 2}", "{2, 1}", True),
        ("{{1}}", "{{1}, {2}}", False),
        ("a", "b", False),
        ("a", "a", True),
        ("<<1>>", "<<2>>", False),
        ("x + 1", "x  +  1", True),
        ("x + 1", "x + 2", False),
    ],
)
def test_how_values_compare(left: str, right: str, expected: bool) -> None:
    assert at_most({"P": left}, {"P": right}) is expected


def test_a_point_is_smaller_only_in_every_parameter() -> None:
    assert at_most({"A": "1", "B": "{x}"}, {"B": "{y, z}", "A": "2"})
    assert not at_most({"A": "1", "B": "{x, y}"}, {"A": "2", "B": "{z}"})


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ([], []),
        ([()], [0]),
        ([("3",), ("1",), ("2",)], [1]),
        ([("2", "{a}"), ("1", "{a, b}"), ("2", "{a, b}")], [0, 1]),
        ([("{a, b}",), ("{c, d}",), ("{a, b, c}",)], [0, 1]),
        ([("Old", "5"), ("New", "3"), ("Old", "4")], [1, 2]),
        ([("TRUE",), ("1",), ("FALSE",), ("0",)], [2, 3]),
    ],
)
def test_minimal_points(rows: Sequence[tuple[str, ...]], expected: list[int]) -> None:
    assert minimal_points([dict(zip("PQ", row, strict=False)) for row in rows]) == expected


VALUES = [
    "0",
    "1",
    "2",
    "-1",
    "TRUE",
    "FALSE",
    "{}",
    "{a}",
    "{b}",
    "{a, b}",
    "{1}",
    "<<1>>",
    "a",
    "b",
    "1 .. 0",
]


@given(st.lists(st.tuples(st.sampled_from(VALUES), st.sampled_from(VALUES)), max_size=12))
def test_minimal_points_are_those_no_other_is_below(rows: list[tuple[str, str]]) -> None:
    points = [{"P": p, "Q": q} for p, q in rows]
    assert minimal_points(points) == [
        here
        for here, point in enumerate(points)
        if not any(at_most(other, point) and not at_most(point, other) for other in points)
    ]


def test_ten_thousand_points_are_compared_in_no_time() -> None:
    # The worst case: above the middle of a cube with many parameters, hardly any point is below another.
    cube = [{str(n): str(x) for n, x in enumerate(row)} for row in itertools.product((0, 1), repeat=14)]
    points = [point for point in cube if list(point.values()).count("1") >= 7]
    assert len(points) > 9000
    begin = time.process_time()
    found = minimal_points(points)
    assert time.process_time() - begin < 10
    assert len(found) == 3432
