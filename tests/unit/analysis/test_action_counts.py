"""Action counts, and what changed from one store to another."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.analysis.stores import view_of
from tla2py.analysis.points import action_counts, disabled_actions
from tla2py.analysis.view import StoreView

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
    assert [(one.module, one.line, one.never_enabled) for one in action_counts(view)] == [
        ("Spec", 7, False),
        ("Spec", 8, False),
    ]
    assert [one.name for one in disabled_actions(view)] == ["Reset"]


def test_an_action_that_fired_nowhere_comes_first(tmp_path: Path) -> None:
    view = store(tmp_path, "a", "coverage", idle=(1,))
    (never,) = disabled_actions(view)
    assert (never.name, never.never_enabled, never.disabled) == ("Reset", True, (1,))


def test_disjuncts_of_an_action_are_one_action(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    twice = RESET + b"\n" + RESET.replace(b"0:2", b"1:3")
    view = view_of(tmp_path / "a", ({"N": "1"}, "coverage"), printed={1: (RESET, _message(twice))})
    assert counted(view)[1] == ("Reset", 5, 1, (1,), ())


def _message(lines: bytes) -> bytes:
    """Two lines of coverage as TLC prints them, each in its own message."""
    first, second = lines.split(b"\n")
    return first + b"\n@!@!@ENDMSG 2772 @!@!@\n@!@!@STARTMSG 2772:0 @!@!@\n" + second


def test_without_coverage_nothing_is_said(tmp_path: Path) -> None:
    view = store(tmp_path, "a", "success", "invariant")
    assert action_counts(view) == disabled_actions(view) == []


@pytest.fixture
def pair(tmp_path: Path) -> tuple[StoreView, StoreView]:
    return (
        store(tmp_path, "before", "success", "invariant", "coverage", "user-output"),
        store(tmp_path, "after", "success", "success", "coverage", None, "user-output", idle=(3,)),
    )


def test_what_changed(pair: tuple[StoreView, StoreView]) -> None:
    comparison = pair[0].compare(pair[1])
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


@pytest.mark.parametrize("side", [0, 1])
def test_a_store_does_not_differ_from_itself(pair: tuple[StoreView, StoreView], side: int) -> None:
    comparison = pair[side].compare(pair[side])
    assert comparison.changed == ()
    assert comparison.fired == ()
    assert len(comparison.pairs) == 4


def test_actions_are_compared_only_where_both_were_counted(tmp_path: Path) -> None:
    before, after = store(tmp_path, "a", "success"), store(tmp_path, "b", "coverage", idle=(1,))
    assert before.compare(after).fired == after.compare(before).fired == ()


def test_an_action_that_fires_more_often_is_not_another(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    more = {1: (UP, UP.replace(b"6:6", b"6:9"))}
    before = store(tmp_path, "a", "coverage")
    after = view_of(tmp_path / "b", ({"N": "1"}, "coverage"), printed=more)
    assert [one.generated for one in action_counts(after)] == [9, 2]
    assert before.compare(after).fired == ()


def test_an_action_that_is_gone(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    renamed = {1: (UP, UP.replace(b"Up", b"Upwards"))}
    before = store(tmp_path, "a", "coverage")
    after = view_of(tmp_path / "b", ({"N": "1"}, "coverage"), printed=renamed)
    assert before.compare(after).fired == (("Spec!Upwards", None, 6), ("Spec!Up", 6, None))
    assert "Spec!Up generated 6 states, now -" in str(before.compare(after))
