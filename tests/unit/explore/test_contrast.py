"""A violating point compared with the nearest holding point."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.pages import Page
from tests.unit.explore.stores import grid_point, view_of
from tla2py.errors import InputError
from tla2py.explore.contrast import differing, nearest
from tla2py.explore.grid import GridPoint
from tla2py.explore.view import StoreView


def grid(*rows: tuple[str, str, str]) -> list[GridPoint]:
    return [grid_point(number, verdict, N=n, M=m) for number, (verdict, n, m) in enumerate(rows, 1)]


def found(*rows: tuple[str, str, str]) -> int | None:
    points = grid(*rows)
    there = nearest(points, points[-1])
    return there.point if there else None


def test_fewest_parameters_come_first() -> None:
    # Three positions apart in one parameter is nearer than one position in each of two.
    rows = [("holds", "1", "1"), ("broken", "2", "2"), ("broken", "3", "3"), ("holds", "4", "2")]
    assert found(*rows, ("broken", "5", "2"), ("violated", "2", "2")) == 4
    rows = [("holds", "a", "x"), ("broken", "b", "y"), ("broken", "c", "y"), ("broken", "d", "y")]
    assert found(*rows, ("holds", "e", "y"), ("violated", "b", "y")) == 5
    assert found(("holds", "1", "1"), ("holds", "9", "9"), ("violated", "2", "1")) == 1


def test_then_fewest_places_in_the_order_of_the_grid() -> None:
    order = [("holds", "a", "x"), ("holds", "b", "x"), ("violated", "c", "x")]
    assert found(*order) == 2
    # Positions count in that order, whatever the values.
    assert found(("holds", "9", "x"), ("holds", "1", "x"), ("violated", "8", "x")) == 2


def test_then_the_first_of_the_grid() -> None:
    assert (
        found(("violated", "1", "x"), ("holds", "2", "y"), ("holds", "1", "y"), ("violated", "2", "x")) == 2
    )
    assert found(("holds", "1", "x"), ("broken", "2", "x"), ("holds", "3", "x"), ("violated", "2", "x")) == 1


def test_where_none_holds() -> None:
    assert found(("broken", "1", "x"), ("excluded", "1", "y"), ("violated", "2", "x")) is None


VALUE = st.sampled_from("12345")


@given(st.lists(st.tuples(st.sampled_from(["holds", "violated"]), VALUE, VALUE), min_size=1, max_size=9))
def test_no_holding_point_differs_in_less(rows: list[tuple[str, str, str]]) -> None:
    points = grid(*rows)
    holding = [point for point in points if point.verdict == "holds"]
    for here in points:
        there = nearest(points, here)
        assert (there is None) == (not holding)
        if there is not None:
            assert there in holding
            assert len(differing(there, here)) == min(len(differing(one, here)) for one in holding)
            assert all(
                there.parameters[n] == a != b == here.parameters[n] for n, a, b in differing(there, here)
            )


@pytest.fixture(scope="module")
def view(tmp_path_factory: pytest.TempPathFactory) -> StoreView:
    return view_of(
        tmp_path_factory.mktemp("neighbour"),
        ({"N": "1", "M": "x"}, "success"),
        ({"N": "2", "M": "x"}, "continue"),
        ({"N": "3", "M": "x"}, "postcondition-false"),
        ({"N": "4", "M": "x"}, None),
    )


def test_the_contrast(view: StoreView) -> None:
    contrast = view.neighbour(2)
    assert (contrast.violating.point, contrast.holding.point) == (2, 1)
    assert contrast.differs == (("N", "1", "2"),)
    # The shortest of the six counterexamples.
    assert contrast.trace is not None
    assert len(contrast.trace.states) == 1
    lines = str(contrast).splitlines()
    assert lines[:4] == [
        "N = 2, M = x",
        "point 2 violates NeverOne 1, Small 3",
        "point 1 holds",
        "    N: 1 holds, 2 does not",
    ]
    assert "    distinct: 8 there, 8 here" in lines
    words = " ".join(Page(contrast._repr_html_()).words.split())
    assert "the same in both: M = x" in words
    assert "point 2 violates NeverOne 1, Small 3" in words
    assert "NeverOne is violated, 1 state" in words


def test_a_violation_without_a_trace(view: StoreView) -> None:
    contrast = view.neighbour(3)
    assert contrast.trace is None
    assert "steps:" not in str(contrast)
    assert Page(contrast._repr_html_()).tables == [{"caption": False, "head": True}]


@pytest.mark.parametrize(("point", "code"), [(1, "not-violated"), (4, "no-point"), (5, "no-point")])
def test_what_has_no_neighbour(view: StoreView, point: int, code: str) -> None:
    with pytest.raises(InputError) as error:
        view.neighbour(point)
    assert error.value.code == code


def test_nothing_holds(tmp_path: Path) -> None:
    with pytest.raises(InputError) as error:
        view_of(tmp_path, ({"N": "1"}, "deadlock")).neighbour(1)
    assert error.value.code == "no-neighbour"
