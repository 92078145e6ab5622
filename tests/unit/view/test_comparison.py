"""Comparisons of two traces as lines."""

from __future__ import annotations

from tests.pages import Page
from tests.unit.view.traces import made
from tla2py.model.trace import State
from tla2py.model.trace_text import differences
from tla2py.tla.value import Value

LEFT = made(
    ("Init", {"x": 0, "y": 0}),
    ("Up", {"x": 1, "y": 0}),
    ("Skip", {"x": 2, "y": 0}),
    ("Skip", {"x": 3, "y": 0}),
    ("Down", {"x": 0, "y": 0}),
)
RIGHT = made(
    ("Init", {"x": 0, "y": 7}),
    ("Up", {"x": 1, "y": 7}),
    ("Down", {"x": 5, "y": 7}),
    ("Stop", {"x": 5, "y": 8}),
)


def test_lines() -> None:
    assert str(LEFT.compare(RIGHT)).splitlines() == [
        "< left: Safe, 5 states",
        "> right: Safe, 4 states",
        "    1   1  initial state",
        "           y: 0 | 7",
        "    2   2  Up",
        "the traces diverge here",
        "<   3      Skip",
        "<   4      Skip",
        "    5   3  Down",
        "           x: 0 | 5",
        ">       4  Stop",
    ]


def test_traces_of_the_same_steps() -> None:
    assert str(LEFT.compare(LEFT)).splitlines()[-1] == "both take the same steps"
    assert "the traces diverge here" not in str(LEFT.compare(LEFT))


def test_what_jupyter_shows_says_the_same() -> None:
    words = Page(LEFT.compare(RIGHT)._repr_html_()).words
    assert "the traces diverge here" in words
    assert "<   3      Skip" in words


def _state(**values: Value) -> State:
    return made(("Init", values)).states[0]


def test_differences() -> None:
    left, right = _state(x=(1, 2), y=frozenset({1}), only=1), _state(x=(1, 3), y=frozenset({2}))
    assert list(differences(left, right, None)) == ["x[2]: 2 | 3", "y{}: 1 | -", "y{}: - | 2"]
    assert list(differences(left, left, None)) == []
    assert list(differences(left, right, (left, right))) == []
    before = (left, _state(x=(1, 3), y=frozenset({3})))
    assert list(differences(left, right, before)) == ["y{}: 1 | -", "y{}: - | 2"]


def test_of_many_differences_the_first_are_said() -> None:
    left, right = _state(x=tuple(range(20))), _state(x=tuple(range(20, 40)))
    found = list(differences(left, right, None))
    assert found[:12] == [f"x[{n}]: {n - 1} | {n + 19}" for n in range(1, 13)]
    assert found[12:] == ["and 8 more differences"]
