"""Two traces or two stores side by side."""

from __future__ import annotations

from io import StringIO

from rich.console import Console

from tests.pages import Page
from tests.unit.view.traces import made
from tla2py.model.trace import State, Trace
from tla2py.model.trace_text import differences
from tla2py.tla.value import Value
from tla2py.view.traces import comparison_text


def trace(actions: str, *values: Value, **ends: int) -> Trace:
    """A trace whose actions are these letters, and whose variable x has these values."""
    steps = zip("." + actions, values, strict=True)
    return made(*((action, {"x": value, "same": "s"}) for action, value in steps), **ends)


def shown(left: Trace, right: Trace) -> list[str]:
    console = Console(file=StringIO(), width=120)
    console.print(comparison_text(left.compare(right), ("point 1", "point 2")))
    return [line.rstrip() for line in console.file.getvalue().splitlines()]  # type: ignore[attr-defined]


def test_text() -> None:
    assert shown(trace("ab", 1, 7, 3), trace("ac", 1, 2, 3, loop_start=2)) == [
        "< point 1: Safe, 3 states",
        "> point 2: Safe, 3 states",
        "    1   1  initial state",
        "    2   2  a",
        "           x: 7 | 2",
        "the traces diverge here",
        "<   3      b",
        ">       3  c",
        "> and back to state 2, for ever",
    ]


def test_a_difference_is_told_once() -> None:
    lines = shown(trace("ab", 0, 0, 0), trace("ab", 5, 5, 6))
    assert [line.strip() for line in lines if "|" in line] == ["x: 0 | 5", "x: 0 | 6"]
    assert lines[-1] == "both take the same steps"


LEFT_STEPS = (("Init", 0), ("Up", 1), ("Skip", 2), ("Skip", 3), ("Down", 0))
LEFT = made(*((action, {"x": x, "y": 0}) for action, x in LEFT_STEPS))
RIGHT_STEPS = (("Init", 0, 7), ("Up", 1, 7), ("Down", 5, 7), ("Stop", 5, 8))
RIGHT = made(*((action, {"x": x, "y": y}) for action, x, y in RIGHT_STEPS))


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
    # What Jupyter shows says the same.
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
    # Of many the first are said.
    left, right = _state(x=tuple(range(20))), _state(x=tuple(range(20, 40)))
    found = list(differences(left, right, None))
    assert found[:12] == [f"x[{n}]: {n - 1} | {n + 19}" for n in range(1, 13)]
    assert found[12:] == ["and 8 more differences"]
