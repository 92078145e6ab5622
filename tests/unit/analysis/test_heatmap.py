"""What figures of a grid show: heat maps, growth, and how often actions fired."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.raising import raises
from tests.unit.analysis.stores import grid_point, view_of
from tla2py.analysis.charts import Series, best_axes, cell_text, make_growth, minimal_points_of
from tla2py.analysis.points import (
    GridPoint,
    action_counts,
    disabled_actions,
    grid_points,
    number_text,
    value_order,
)
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
    # A store shows itself.
    assert "7 points: 1 holds, 3 violated, 1 broken, 1 excluded, 1 not run yet" in str(view)
    # The smallest points that violate something, each with its parameters; the laws have a test of their own.
    violating = [line for line in str(view).splitlines() if " violates " in line]
    assert 0 < len(violating) <= 3
    assert all(re.fullmatch(r"  point \d+ violates \w+(, \w+)*: \w+ = .*", line) for line in violating)


@pytest.mark.parametrize("column", ["nothing", "outcome", "violated", "started_at"])
def test_a_column_without_numbers(view: StoreView, column: str) -> None:
    error = raises(InputError, view.heatmap, "N", "S", column, match=column)
    assert error.code == "unknown-column"
    assert "distinct" in str(error.hint)


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
    mixed = [grid_point(1, "excluded"), grid_point(2), grid_point(3, "broken")]
    assert cell_text(mixed) == "broken; holds; excluded"


def lease_points(size: int) -> list[GridPoint]:
    """Points of a lease, which breaks where a client is later than the grace, after a time that the term decides."""
    points = []
    for number, (term, late, grace) in enumerate(product(map(str, range(size)), repeat=3), 1):
        verdict = ["violated", "Exclusive"] if late > grace else []
        point = grid_point(number, *verdict, Term=term, Late=late, Grace=grace)
        points.append(replace(point, lengths={"Exclusive": int(term) + 4}))
    return points


def test_axes_and_minimal_points() -> None:
    points = lease_points(3)
    # Term decides the lengths of traces, but no verdict.
    assert best_axes(points, [], {"Term", "Late", "Grace"}) == ("Late", "Grace")
    assert best_axes(points[:3], [], {"Term", "Late", "Grace"}) == ("Grace",)
    assert best_axes(points[:1], [], {"Term", "Late", "Grace"}) == ()
    # Minimal points.
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


def test_numbers() -> None:
    texts = [number_text(number) for number in (None, 0.0, 1234567.0, 1.5, -2.0)]
    assert texts == ["-", "0", "1,234,567", "1.50", "-2"]


SIZES = st.lists(st.integers(1, 9), min_size=2, max_size=5, unique=True).map(sorted)


def series(number_of: Callable[[float], float], *sizes: int) -> Series:
    numbers = tuple(number_of(size) for size in sizes)
    values, floats = tuple(map(str, sizes)), tuple(map(float, sizes))
    return Series(fixed={"M": "1"}, values=values, sizes=floats, numbers=numbers)


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


@pytest.mark.parametrize("first", [0, -3])
def test_sizes_may_begin_below_one(first: int) -> None:
    sizes = range(first, first + 4)
    assert series(lambda n: (n - first + 1) ** 2, *sizes).predict(first + 4).low == pytest.approx(25)


def test_a_prediction_shows_its_bounds() -> None:
    assert str(series(lambda n: 2.0**n, 1, 2).predict(3)) == "3: 6 to 8"
    assert series(lambda n: 10.0**n, 1, 2, 3).predict(1000).high == math.inf


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
    assert raises(InputError, told.predict, value, match=str(value)).code == "no-prediction"


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
    assert raises(InputError, make_growth, view, "K", "distinct").code == "unknown-parameter"


def test_sizes_are_in_order(tmp_path: Path) -> None:
    view = view_of(tmp_path, ({"N": "10"}, "success"), ({"N": "9"}, "user-output"))
    (told,) = view.growth("N").series
    assert (told.values, told.sizes, told.numbers) == (("9", "10"), (9.0, 10.0), (3.0, 8.0))
    assert told.label == "the model"


RESET = b"<Reset line 8, col 1 to line 8, col 5 of module Spec>: 0:2"
NO_RESET = RESET[:-3] + b"0:0"
UP = b"<Up line 7, col 1 to line 7, col 2 of module Spec>: 6:6"


def store(folder: Path, name: str, *cases: str | int | None, idle: tuple[int, ...] = ()) -> StoreView:
    """A store of points N = 1, 2, ...; those in ``idle`` never reset."""
    (folder / name).mkdir()
    points = [({"N": str(number)}, case) for number, case in enumerate(cases, 1)]
    return view_of(folder / name, *points, printed=dict.fromkeys(idle, (RESET, NO_RESET)))


def counted(view: StoreView) -> list[tuple[str, int, int, tuple[int, ...], tuple[int, ...]]]:
    return [(one.name, one.generated, one.distinct, one.points, one.disabled) for one in action_counts(view)]


def test_counts_are_added_over_all_runs(tmp_path: Path) -> None:
    view = store(tmp_path, "a", "coverage", "coverage", "success", 1, None, idle=(2,))
    # Point 4 shares the run of point 1, whose states count once.
    assert counted(view) == [("Up", 12, 12, (1, 2, 4), ()), ("Reset", 2, 0, (1, 2, 4), (2,))]
    places = [(one.module, one.line, one.never_enabled) for one in action_counts(view)]
    assert places == [("Spec", 7, False), ("Spec", 8, False)]
    assert [one.name for one in disabled_actions(view)] == ["Reset"]
    (never,) = disabled_actions(store(tmp_path, "b", "coverage", idle=(1,)))
    assert (never.name, never.never_enabled, never.disabled) == ("Reset", True, (1,))
    uncounted = store(tmp_path, "c", "success", "invariant")
    assert action_counts(uncounted) == disabled_actions(uncounted) == []


def test_disjuncts_of_an_action_are_one_action(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    # Each is a message of its own.
    twice = RESET + b"\n@!@!@ENDMSG 2772 @!@!@\n@!@!@STARTMSG 2772:0 @!@!@\n" + RESET.replace(b"0:2", b"1:3")
    view = view_of(tmp_path / "a", ({"N": "1"}, "coverage"), printed={1: (RESET, twice)})
    assert counted(view)[1] == ("Reset", 5, 1, (1,), ())


def test_what_changed(tmp_path: Path) -> None:
    before = store(tmp_path, "before", "success", "invariant", "coverage", "user-output")
    after = store(tmp_path, "after", "success", "success", "coverage", None, "user-output", idle=(3,))
    comparison = before.compare(after)
    assert [(one.parameters, one.changes) for one in comparison.pairs] == [
        ("N = 1", ()),
        ("N = 2", (("verdict", "Small 3", "holds"), ("distinct", "5", "8"), ("depth", "3", "4"))),
        ("N = 3", ()),
        ("N = 5", (("verdict", "no such point", "holds"),)),
        ("N = 4", (("verdict", "holds", "no such point"),)),
    ]
    assert [one.parameters for one in comparison.changed] == ["N = 2", "N = 5", "N = 4"]
    assert comparison.fired == (("Spec!Reset", 2, 0),)
    assert str(comparison).splitlines() == [
        "3 of 5 points differ from before to after",
        "N = 2",
        "    verdict: Small 3 -> holds",
        "    distinct: 5 -> 8",
        "    depth: 3 -> 4",
        "N = 5",
        "    verdict: no such point -> holds",
        "N = 4",
        "    verdict: holds -> no such point",
        "Spec!Reset generated 2 states, now 0",
    ]


def test_which_changes_of_actions_are_said(tmp_path: Path) -> None:
    uncounted, before = store(tmp_path, "a", "success"), store(tmp_path, "b", "coverage")
    assert before.compare(uncounted).fired == uncounted.compare(before).fired == ()

    def after(name: str, up: bytes) -> StoreView:
        (tmp_path / name).mkdir()
        return view_of(tmp_path / name, ({"N": "1"}, "coverage"), printed={1: (UP, up)})

    more = after("more", UP.replace(b"6:6", b"6:9"))
    assert [one.generated for one in action_counts(more)] == [9, 2]
    assert before.compare(more).fired == ()
    gone = before.compare(after("gone", UP.replace(b"Up", b"Upwards")))
    assert gone.fired == (("Spec!Upwards", None, 6), ("Spec!Up", 6, None))
    assert "Spec!Up generated 6 states, now -" in str(gone)
