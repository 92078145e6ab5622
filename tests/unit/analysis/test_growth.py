"""The growth of numbers along a parameter, and its predictions."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.analysis.stores import view_of
from tla2py.analysis.charts import Series, make_growth
from tla2py.errors import InputError

SIZES = st.lists(st.integers(1, 9), min_size=2, max_size=5, unique=True).map(sorted)


def series(number_of: Callable[[float], float], *sizes: int) -> Series:
    return Series(
        fixed={"M": "1"},
        values=tuple(map(str, sizes)),
        sizes=tuple(map(float, sizes)),
        numbers=tuple(number_of(size) for size in sizes),
    )


@given(SIZES, st.integers(1, 9), st.integers(1, 5))
def test_a_power_of_the_size_is_the_lower_bound(sizes: list[int], ahead: int, power: int) -> None:
    size = sizes[-1] + ahead
    told = series(lambda n: 3 * n**power, *sizes).predict(size)
    assert told.low == pytest.approx(3 * size**power)
    assert told.low <= told.high


@given(SIZES, st.integers(1, 9), st.integers(2, 9))
def test_a_constant_ratio_is_the_upper_bound(sizes: list[int], ahead: int, ratio: int) -> None:
    size = sizes[-1] + ahead
    told = series(lambda n: 5.0 * ratio**n, *sizes).predict(str(size))
    assert told.high == pytest.approx(5.0 * ratio**size)


def test_a_prediction_shows_its_bounds() -> None:
    assert str(series(lambda n: 2.0**n, 1, 2).predict(3)) == "3: 6 to 8"


@pytest.mark.parametrize("first", [0, -3])
def test_sizes_may_begin_below_one(first: int) -> None:
    sizes = range(first, first + 4)
    told = series(lambda n: (n - first + 1) ** 2, *sizes).predict(first + 4)
    assert told.low == pytest.approx(25)


@pytest.mark.parametrize(
    ("told", "value"),
    [
        (series(float, 1), 2),
        (series(float, 1, 2), 2),
        (series(float, 1, 2), 1),
        (series(float, 1, 2), "a"),
        (series(float, 1, 2), "TRUE"),
        (series(float, 1, 2, 2), 3),
    ],
)
def test_what_cannot_be_predicted(told: Series, value: str | int) -> None:
    with pytest.raises(InputError, match=str(value)) as error:
        told.predict(value)
    assert error.value.code == "no-prediction"


def test_more_than_can_be_counted() -> None:
    assert series(lambda n: 10.0**n, 1, 2, 3).predict(1000).high == math.inf


def test_of_a_store_the_points_that_hold_count(tmp_path: Path) -> None:
    view = view_of(
        tmp_path,
        ({"N": "3", "S": "{a}", "M": "x"}, "success"),
        ({"N": "2", "S": "{a, b}", "M": "x"}, "user-output"),
        ({"N": "1", "S": "{}", "M": "x"}, "invariant"),
        ({"N": "10", "S": "1..9", "M": "y"}, "depth-first"),
        ({"N": "11", "S": "1..9", "M": "y"}, None),
    )
    growth = view.growth("N")
    assert [(dict(one.fixed), one.values, one.numbers) for one in growth.series] == [
        ({"S": "{a}", "M": "x"}, ("3",), (8.0,)),
        ({"S": "{a, b}", "M": "x"}, ("2",), (3.0,)),
        ({"S": "1..9", "M": "y"}, ("10",), (8.0,)),
    ]
    assert str(growth).splitlines()[:2] == ["distinct by N", "    S = {a}, M = x: 3: 8"]
    # The size of a set, ranges included, is its number of elements.
    assert [one.sizes for one in make_growth(view, "S", "generated").series] == [(1.0,), (2.0,), (9.0,)]
    for parameter, value, code in (
        ("M", "distinct", "no-sizes"),
        ("K", "distinct", "unknown-parameter"),
        ("N", "nothing", "unknown-column"),
        ("N", "outcome", "unknown-column"),
    ):
        with pytest.raises(InputError) as error:
            make_growth(view, parameter, value)
        assert error.value.code == code


def test_sizes_are_in_order(tmp_path: Path) -> None:
    view = view_of(tmp_path, ({"N": "10"}, "success"), ({"N": "9"}, "user-output"))
    (told,) = view.growth("N").series
    assert (told.values, told.sizes, told.numbers) == (("9", "10"), (9.0, 10.0), (3.0, 8.0))
    assert told.label == "the model"
