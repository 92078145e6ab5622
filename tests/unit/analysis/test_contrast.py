"""Points that differ in one parameter, and the smallest that break."""

from __future__ import annotations

import itertools
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.raising import raises
from tests.unit.analysis.stores import grid_point, view_of
from tla2py.analysis.contrast import find_nearest
from tla2py.analysis.points import GridPoint, _size, minimal_points
from tla2py.analysis.view import StoreView
from tla2py.errors import InputError
from tla2py.model.outcome import Verdict


def grid(*rows: Sequence[str]) -> list[GridPoint]:
    return [grid_point(number, verdict, N=n, M=m) for number, (verdict, n, m) in enumerate(rows, 1)]


@pytest.mark.parametrize(
    ("rows", "nearest"),
    [
        # Three positions apart in one parameter is nearer than one position in each of two.
        ("holds 1 1, broken 2 2, broken 3 3, holds 4 2, broken 5 2, violated 2 2", [4]),
        ("holds a x, broken b y, broken c y, broken d y, holds e y, violated b y", [5]),
        ("holds 1 1, holds 9 9, violated 2 1", [1]),
        # Positions count in the order of the grid, whatever the values.
        ("holds a x, holds b x, violated c x", [2]),
        ("holds 9 x, holds 1 x, violated 8 x", [2]),
        # All that are as near.
        ("violated 1 x, holds 2 y, holds 1 y, violated 2 x", [2]),
        ("violated 1 x, holds 2 y, holds 1 y, violated 2 x, holds 1 x, violated 2 x", [2, 5]),
        ("holds 1 x, broken 2 x, holds 3 x, violated 2 x", [1, 3]),
        # Those that differ in several parameters, if none is nearer.
        ("holds 1 x, holds 2 y, violated 1 z, violated 3 x, violated 3 z", [2]),
    ],
)
def test_fewest_parameters_come_first_then_fewest_places(rows: str, nearest: list[int]) -> None:
    points = grid(*(row.split() for row in rows.split(", ")))
    found = find_nearest(points, ["N", "M"], [])(points[-1], "Safe")
    assert [each.point.point for each in found] == nearest


def made(
    number: int, names: Sequence[str] = ("Safe",), held: Sequence[str] = (), **parameters: str
) -> GridPoint:
    """A point that checks these names, some of which hold."""
    point = grid_point(number, "holds" if held == names else "violated", **parameters)
    return replace(point, run=replace(point.run, checked=tuple(names), held=tuple(held)))


def test_the_property_has_to_be_checked_there() -> None:
    points = [
        made(1, ["Other"], ["Other"], N="1", invariants="Other"),
        made(2, ["Safe", "Other"], ["Safe"], N="4", invariants="Safe, Other"),
        made(3, ["Safe"], N="1", invariants="Safe"),
    ]
    (only,) = find_nearest(points, ["N"], [])(points[2], "Safe")
    # What a point checks is no difference.
    assert (only.point.point, only.differs) == (2, (("N", "4", "1"),))


def test_a_module_is_no_distance() -> None:
    points = [
        made(1, held=["Safe"], N="1", module="Old"),
        made(2, N="2", module="Old"),
        made(3, N="3", module="Old"),
        made(4, held=["Safe"], N="3", module="New"),
        made(5, held=["Safe"], N="2", module="New"),
        made(6, N="3", module="Worst"),
    ]
    nearest = find_nearest(points, ["N"], ["module"])

    def at(number: int) -> list[tuple[int, tuple[tuple[str, str, str], ...]]]:
        return [(each.point.point, each.differs) for each in nearest(points[number - 1], "Safe")]

    assert at(3) == [(1, (("N", "1", "3"),)), (4, (("module", "New", "Old"),))]
    assert at(6) == [(4, (("module", "New", "Worst"),))]
    # One that is farther away is not named.
    points = [
        made(1, held=["Safe"], N="1", M="1", module="Old"),
        made(2, N="2", M="1", module="Old"),
        made(3, held=["Safe"], N="3", M="2", module="New"),
    ]
    (near,) = find_nearest(points, ["N", "M"], ["module"])(points[1], "Safe")
    assert near.point.point == 1


def test_a_model_of_another_module_is_not_near() -> None:
    points = [
        made(1, held=["Safe"], module="Old", config="a.cfg"),
        made(2, held=["Safe"], module="New", config="b.cfg"),
        made(3, module="Old", config="c.cfg"),
    ]
    near = find_nearest(points, [], ["module", "config"])(points[2], "Safe")
    assert [each.point.point for each in near] == [1]


VALUE = st.sampled_from("12345")


@given(st.lists(st.tuples(st.sampled_from(["holds", "violated"]), VALUE, VALUE), min_size=1, max_size=9))
def test_no_holding_point_differs_in_less(rows: list[tuple[str, str, str]]) -> None:
    points = grid(*rows)
    holding = [point for point in points if point.verdict is Verdict.HOLDS]
    nearest = find_nearest(points, ["N", "M"], [])
    for here in points:
        there = nearest(here, "Safe")
        assert bool(there) == bool(holding)
        for each in there:
            assert each.point in holding
            least = min(sum(one.parameters[n] != here.parameters[n] for n in "NM") for one in holding)
            assert len(each.differs) == least
            assert all(each.point.parameters[n] == a != b == here.parameters[n] for n, a, b in each.differs)


@pytest.fixture(scope="module")
def view(tmp_path_factory: pytest.TempPathFactory) -> StoreView:
    return view_of(
        tmp_path_factory.mktemp("neighbour"),
        ({"N": "1", "M": "x"}, "success"),
        ({"N": "2", "M": "x"}, "continue"),
        ({"N": "3", "M": "x"}, "postcondition-false"),
        ({"N": "4", "M": "x"}, None),
    )


def test_the_contrasts_of_a_point(view: StoreView) -> None:
    contrasts = view.neighbour(2)
    assert [contrast.name for contrast in contrasts] == ["NeverOne", "Small"]
    contrast = contrasts["Small"]
    assert contrast.violating.point == 2
    assert [(each.point.point, each.differs) for each in contrast.nearest] == [(1, (("N", "1", "2"),))]
    # The shortest of four counterexamples to Small.
    assert contrast.trace is not None
    assert (contrast.trace.name, len(contrast.trace.states)) == ("Small", 3)
    said = "point 2 violates Small 3"
    differs = ["    N: 1 holds, 2 does not", "    distinct: 8 there, 8 here"]
    assert str(contrast).splitlines()[:4] == [said, "point 1 holds", *differs]
    assert said in str(contrasts)
    assert "NeverOne" in str(contrasts)
    assert raises(InputError, contrasts.__getitem__, "Larger").code == "not-violated"
    for point, code in ((1, "not-violated"), (4, "no-point"), (5, "no-point")):
        assert raises(InputError, view.neighbour, point).code == code
    # A property that holds nowhere, and a violation without a trace.
    nowhere = [said, "no point of this store satisfies Small"]
    assert str(replace(contrast, nearest=(), trace=None)).splitlines() == nowhere
    (untraced,) = view.neighbour(3)
    assert untraced.trace is None
    assert "steps:" not in str(untraced)


def at_most(left: Mapping[str, str], right: Mapping[str, str]) -> bool:
    """Whether a point is at most as large as another in every parameter."""
    sizes = ((_size(text), _size(right[name])) for name, text in left.items())
    return all(kind == other and rank <= most for (kind, rank), (other, most) in sizes)


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


VALUES = [
    *["0", "1", "2", "-1", "TRUE", "FALSE", "{}", "{a}", "{b}", "{1}", "<<1>>", "a", "b"],
    "{a, b}",
    "1 .. 0",
]


@given(st.lists(st.tuples(st.sampled_from(VALUES), st.sampled_from(VALUES)), max_size=12))
def test_minimal_points_are_those_no_other_is_below(rows: list[tuple[str, str]]) -> None:
    points = [{"P": p, "Q": q} for p, q in rows]
    above = [any(at_most(b, a) and not at_most(a, b) for b in points) for a in points]
    assert minimal_points(points) == [here for here, is_above in enumerate(above) if not is_above]


def test_ten_thousand_points_are_compared_in_no_time() -> None:
    # The worst case: above the middle of a cube with many parameters, hardly any point is below another.
    cube = [{str(n): str(x) for n, x in enumerate(row)} for row in itertools.product((0, 1), repeat=14)]
    points = [point for point in cube if list(point.values()).count("1") >= 7]
    assert len(points) > 9000
    begin = time.process_time()
    found = minimal_points(points)
    assert time.process_time() - begin < 10
    assert len(found) == 3432
