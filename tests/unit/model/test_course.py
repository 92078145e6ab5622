"""The courses of counterexamples, and what they have in common."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from tla2py.analysis.kinds import common_length, common_steps, course_of, folded, step_places
from tla2py.model.trace import Trace

END = Trace(kind="invariant", name="P", states=())
STEPS = st.text("ABC", max_size=7).map(tuple)


def within(part: Sequence[str], whole: Sequence[str]) -> bool:
    rest = iter(whole)
    return all(step in rest for step in part)


def longest(one: Sequence[str], other: Sequence[str]) -> int:
    """The length of a longest common subsequence, by trying all."""
    sizes = range(len(one), -1, -1)
    return next(size for size in sizes if any(within(part, other) for part in combinations(one, size)))


def test_runs_of_one_action_count_once() -> None:
    assert folded(["Grant", "Tick", "Tick", "Tick", "Grant"]) == ("Grant", "Tick", "Grant")
    assert folded([]) == ()


def test_how_a_counterexample_ends_is_part_of_its_course() -> None:
    courses = {
        course_of("P", "", ["A", "B"], end)
        for end in (
            END,
            replace(END, stuttering=True),
            replace(END, cut_off=True),
            replace(END, loop_start=1),
            replace(END, loop_start=2),
        )
    }
    assert len(courses) == 5


def test_the_loop_of_a_lasso_is_folded_by_itself() -> None:
    # The states 1 -A-> 2 -B-> 3 -B-> 4, and back to 2 by C.
    course = course_of("P", "", ["A", "B", "B"], replace(END, loop_start=2, loop_action="C"))
    assert (course.ending, course.actions, course.loop) == ("lasso", ("A",), ("B", "C"))
    assert course.steps == ("A", "B", "C")


@given(STEPS, STEPS)
def test_the_longest_that_two_have_in_common(one: tuple[str, ...], other: tuple[str, ...]) -> None:
    common = common_steps([one, other])
    assert within(common, one)
    assert within(common, other)
    assert len(common) == longest(one, other)
    assert common_length(step_places(one), len(one), other) == len(common)
    assert common_length(step_places(other), len(other), one) == len(common)


@given(st.lists(STEPS, max_size=5))
def test_the_order_of_many_does_not_matter(sequences: list[tuple[str, ...]]) -> None:
    common = common_steps(sequences)
    assert common == common_steps(sequences[::-1]) == common_steps(sequences * 2)
    assert all(within(common, each) for each in sequences)
