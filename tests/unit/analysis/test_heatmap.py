"""Heatmaps: points over their parameters, and the minimal ones."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import product

import pytest

from tests.unit.analysis.stores import grid_point, view_of
from tla2py.analysis.charts import (
    best_axes,
    cell_text,
    minimal_points_of,
)
from tla2py.analysis.points import GridPoint, grid_points, number_text, value_order
from tla2py.analysis.view import StoreView
from tla2py.errors import InputError


@pytest.fixture(scope="module")
def view(tmp_path_factory: pytest.TempPathFactory) -> StoreView:
    return view_of(
        tmp_path_factory.mktemp("grid"),
        ({"N": "2", "S": "{a}", "K": "-1"}, "success"),
        ({"N": "2", "S": "{a, b}", "K": "-1"}, "invariant"),
        ({"N": "10", "S": "{a}", "K": "-1"}, "deadlock"),
        ({"N": "10", "S": "{a, b}", "K": "-1"}, "continue"),
        ({"N": "3", "S": "{a}", "K": "-1"}, "parse-error"),
        ({"N": "3", "S": "{a, b}", "K": "2"}, "assumption-false"),
        ({"N": "4", "S": "{a}", "K": "2"}, None),
    )


def test_the_points_that_were_run(view: StoreView) -> None:
    points = grid_points(view)
    assert [(point.point, point.verdict, point.summary) for point in points] == [
        (1, "holds", "holds"),
        (2, "violated", "Small 3"),
        (3, "violated", "deadlock 3"),
        (4, "violated", "NeverOne 1, Small 3"),
        (5, "broken", "broken"),
        (6, "excluded", "excluded"),
    ]
    assert value_order(points, "N") == ["2", "10", "3"]
    assert (points[0].number("distinct"), points[4].number("distinct")) == (8.0, None)


@pytest.mark.parametrize("column", ["nothing", "outcome", "violated", "started_at"])
def test_a_column_without_numbers(view: StoreView, column: str) -> None:
    with pytest.raises(InputError, match=column) as error:
        view.heatmap("N", "S", column)
    assert error.value.code == "unknown-column"
    assert "distinct" in str(error.value.hint)


def test_a_parameter_that_there_is_not(view: StoreView) -> None:
    with pytest.raises(InputError, match="M") as error:
        view.heatmap("N", ["S", "M"])
    assert error.value.code == "unknown-parameter"
    assert "N, S, K" in str(error.value.hint)


def test_as_text(view: StoreView) -> None:
    assert str(view.heatmap("N", "S")).splitlines() == [
        "        2         10                    3",
        "{a}     holds     deadlock 3*           broken",
        "{a, b}  Small 3*  NeverOne 1, Small 3*  excluded",
    ]
    assert str(view.heatmap("N", ["S", "K"], "distinct")).splitlines() == [
        "            2  10  3",
        "{a}, -1     8  3   -",
        "{a, b}, -1  5  8",
        "{a, b}, 2          -",
    ]
    # Points that differ only in parameters not shown share a cell.
    assert str(view.heatmap("K", "S")).splitlines()[2] == "{a, b}  Small 3, NeverOne 1 (1 of 2)*  excluded"


def test_points_of_a_cell() -> None:
    def found(number: int, length: int) -> GridPoint:
        return replace(grid_point(number, "violated", "Safe", N="1"), lengths={"Safe": length})

    assert cell_text([grid_point(1), grid_point(2)]) == "holds"
    assert cell_text([found(1, 8), found(2, 4), found(3, 5)]) == "Safe 4-8"
    assert cell_text([found(1, 4), grid_point(2), grid_point(3, "excluded")]) == "Safe 4 (1 of 2)"
    assert (
        cell_text([grid_point(1, "excluded"), grid_point(2), grid_point(3, "broken")])
        == "broken; holds; excluded"
    )


def lease_points(size: int) -> list[GridPoint]:
    """Points of a lease, which breaks where a client is later than the grace, after a time that the term decides."""
    values = [str(number) for number in range(size)]
    return [
        replace(
            grid_point(
                number,
                *(("violated", "Exclusive") if late > grace else ()),
                Term=term,
                Late=late,
                Grace=grace,
            ),
            lengths={"Exclusive": int(term) + 4},
        )
        for number, (term, late, grace) in enumerate(product(values, values, values), 1)
    ]


def test_axes_are_those_that_separate_the_verdicts() -> None:
    points = lease_points(3)
    # Term decides the lengths of traces, but no verdict.
    assert best_axes(points, [], {"Term", "Late", "Grace"}) == ("Late", "Grace")
    assert best_axes(points[:3], [], {"Term", "Late", "Grace"}) == ("Grace",)
    assert best_axes(points[:1], [], {"Term", "Late", "Grace"}) == ()


def test_minimal_points_of_points() -> None:
    points = [
        grid_point(1, "holds", N="1", M="1"),
        grid_point(2, "violated", "A", N="2", M="1"),
        grid_point(3, "violated", "A", "B", N="3", M="1"),
        grid_point(4, "violated", "A", N="1", M="2"),
        grid_point(5, "violated", "B", N="4", M="1"),
        # A point that violates an ASSUME is not an instance of the protocol.
        grid_point(6, "excluded", "assumption", N="1", M="1"),
    ]
    assert minimal_points_of(points) == {2, 3, 4}
    assert minimal_points_of([]) == frozenset()


def test_a_store_shows_itself(view: StoreView) -> None:
    assert "7 points: 1 holds, 3 violated, 1 broken, 1 excluded, 1 not run yet" in str(view)
    # The smallest points that violate something, each with its parameters; the laws have a test of their own.
    violating = [line for line in str(view).splitlines() if " violates " in line]
    assert 0 < len(violating) <= 3
    assert all(re.fullmatch(r"  point \d+ violates \w+(, \w+)*: \w+ = .*", line) for line in violating)


@pytest.mark.parametrize(
    ("number", "text"), [(None, "-"), (0.0, "0"), (1234567.0, "1,234,567"), (1.5, "1.50"), (-2.0, "-2")]
)
def test_numbers(number: float | None, text: str) -> None:
    assert number_text(number) == text
