"""A store's counterexamples by kind."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.analysis.stores import view_of
from tla2py.analysis.kinds import Course, Kinds, StoredTrace, all_found, make_kind, make_kinds
from tla2py.analysis.view import StoreView
from tla2py.errors import InputError


@pytest.fixture(scope="module")
def view(tmp_path_factory: pytest.TempPathFactory) -> StoreView:
    return view_of(
        tmp_path_factory.mktemp("kinds"),
        ({"N": "1"}, "continue"),
        ({"N": "2"}, "invariant"),
        ({"N": "3"}, 2),
        ({"N": "4"}, "liveness-lasso"),
        ({"N": "5"}, "success"),
        ({"N": "6"}, "deadlock"),
        ({"N": "7"}, None),
    )


def test_every_counterexample_is_found_once(view: StoreView) -> None:
    found = [(one.point, one.trace, one.name, one.length) for one in all_found(view)]
    # Point 3 shares the run of point 2.
    assert sorted(found) == [
        (1, 1, "NeverOne", 1),
        (1, 2, "NeverOne", 2),
        (1, 3, "Small", 3),
        (1, 4, "Small", 3),
        (1, 5, "Small", 4),
        (1, 6, "Small", 4),
        (2, 1, "Small", 3),
        (4, 1, "Reaches", 8),
        (6, 1, "deadlock", 3),
    ]
    for one in all_found(view):
        trace = view.trace(one.point, one.trace)
        assert one.actions == tuple(state.action for state in trace.states[1:])
        assert one.length == len(trace.states)
        if one.length > 1:
            step = trace.diff(one.length - 1, one.length)
            assert one.changed == {part.variable for part in step.parts}
    assert [one.points for one in all_found(view) if one.point == 2] == [(2, 3)]


@pytest.mark.parametrize("fine", [False, True])
def test_the_kinds_hold_every_counterexample_once(view: StoreView, fine: bool) -> None:
    kinds = make_kinds(view, fine)
    members = [(one.point, one.trace) for kind in kinds.kinds for one in kind.members]
    assert sorted(members) == sorted((one.point, one.trace) for one in all_found(view))
    for kind in kinds.kinds:
        assert {one.name for one in kind.members} == {kind.shortest.name}
        assert kind.shortest.length == min(one.length for one in kind.members)
    sizes = [len(kind.members) for kind in kinds.kinds]
    assert sizes == sorted(sizes, reverse=True)
    assert len(kinds) == len(sizes)


def test_both_levels(view: StoreView) -> None:
    for fine in (False, True):
        kinds = view.kinds(fine).kinds
        assert [(kind.name, len(kind.members), kind.steps) for kind in kinds] == [
            ("Small", 5, "Up+"),
            ("NeverOne", 1, ""),
            ("NeverOne", 1, "Up"),
            ("Reaches", 1, "Up+ > Reset > Up+ > Reset (in a loop)"),
            ("deadlock", 1, "Next+"),
        ]


def test_the_trace_of_a_kind(view: StoreView) -> None:
    kinds = view.kinds()
    assert kinds.trace(1).name == "Small"
    assert len(kinds.trace(1).states) == 3
    for number in (0, -1, len(kinds) + 1):
        with pytest.raises(InputError, match=str(number)) as error:
            kinds.trace(number)
        assert error.value.code == "no-kind"


def test_as_text_and_as_a_table(view: StoreView) -> None:
    kinds = view.kinds()
    lines = str(kinds).splitlines()
    assert lines[:2] == [
        "1. Small: 5 counterexamples of 3 to 4 states, shortest: point 1, trace 3",
        "     Up+",
    ]
    assert "2. NeverOne: 1 counterexample of 1 state, shortest: point 1, trace 1" in lines


def test_traces_without_actions_are_told_apart_by_their_length(view: StoreView) -> None:
    members = [
        StoredTrace(points=(1,), trace=number, length=length, actions=(), course=Course(name="Small"))
        for number, length in ((1, 5), (2, 9))
    ]
    kinds = Kinds(view=view, kinds=(make_kind(members),))
    assert str(kinds) == "1. Small: 2 counterexamples of 5 to 9 states, shortest: point 1, trace 1"


def test_a_file_made_elsewhere_has_a_kind_too(tmp_path: Path) -> None:
    from tla2py.analysis.view import open_view

    path = tmp_path / "trace.itf.json"
    path.write_text('{"vars": ["x"], "states": [{"x": 1}, {"x": 2}, {"x": 3}]}')
    (found,) = all_found(open_view(path))
    assert (found.length, found.actions) == (3, ())


def test_one_is_called_one(tmp_path: Path) -> None:
    view = view_of(tmp_path, ({"N": "1"}, "invariant"))
    assert "1 counterexample of 3 states" in str(view.kinds())
    assert repr(view).endswith(" 1 point>")
    assert "1 point: 1 violated" in str(view)
