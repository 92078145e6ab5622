"""Properties of the alignment of two traces by action."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tla2py.model.trace import Comparison, State, Trace

# Actions, some with an argument: a, b, c(1), c(2).
ACTIONS = [("a", None), ("b", None), ("c", "1"), ("c", "2")]
runs = st.lists(st.sampled_from(ACTIONS), max_size=8)


def trace(actions: list[tuple[str, str | None]], *, told: bool = True) -> Trace:
    states = [State(index=1, action=None, action_args=None, location=None, values={"x": 0})]
    for index, (name, arg) in enumerate(actions, 2):
        args = (arg,) if told and arg else None
        states.append(State(index=index, action=name, action_args=args, location=None, values={"x": index}))
    return Trace(kind="invariant", name="Inv", states=tuple(states))


def aligned(comparison: Comparison) -> list[str]:
    return [
        "both" if step.left and step.right else "left" if step.left else "right" for step in comparison.steps
    ]


@given(runs, runs, st.booleans())
def test_every_step_is_there_once_and_in_order(
    ours: list[tuple[str, str | None]], theirs: list[tuple[str, str | None]], told: bool
) -> None:
    left, right = trace(ours), trace(theirs, told=told)
    comparison = left.compare(right)
    assert tuple(step.left for step in comparison.steps if step.left) == left.states
    assert tuple(step.right for step in comparison.steps if step.right) == right.states
    assert all(step.left or step.right for step in comparison.steps)
    mine, others = comparison.missing
    both = [step for step in comparison.steps if step.left and step.right]
    assert len(both) + len(mine) == len(left.states)
    assert len(both) + len(others) == len(right.states)


@given(runs, runs)
def test_what_both_took_is_the_same_action(
    ours: list[tuple[str, str | None]], theirs: list[tuple[str, str | None]]
) -> None:
    left, right = trace(ours), trace(theirs)
    # Arguments count only if both traces have some: some versions of TLC print none.
    told = all(any(state.action_args for state in one.states) for one in (left, right))
    for step in left.compare(right).steps:
        if step.left and step.right:
            assert step.left.action == step.right.action
            assert not told or step.left.action_args == step.right.action_args


@given(runs, runs)
def test_they_part_at_the_first_step_that_is_not_shared(
    ours: list[tuple[str, str | None]], theirs: list[tuple[str, str | None]]
) -> None:
    comparison = trace(ours).compare(trace(theirs))
    sides = aligned(comparison)
    alone = [place for place, side in enumerate(sides) if side != "both"]
    assert comparison.parted == (alone[0] if alone else None)


@given(runs)
def test_a_trace_is_aligned_with_itself(ours: list[tuple[str, str | None]]) -> None:
    comparison = trace(ours).compare(trace(ours))
    assert set(aligned(comparison)) == {"both"}
    assert comparison.parted is None
    assert comparison.missing == ((), ())


@given(runs, st.integers(0, 8), st.sampled_from(ACTIONS))
def test_a_step_more_is_the_only_one_that_is_missing(
    ours: list[tuple[str, str | None]], place: int, more: tuple[str, str | None]
) -> None:
    place = min(place, len(ours))
    # Both traces have arguments.
    ours = [*ours, ("c", "1")]
    longer = [*ours[:place], more, *ours[place:]]
    mine, others = trace(ours).compare(trace(longer)).missing
    assert mine == ()
    assert [(state.action, *(state.action_args or (None,))) for state in others] == [more]


@pytest.mark.parametrize(("told", "parted"), [(True, 1), (False, None)])
def test_arguments_count_where_both_have_them(told: bool, parted: int | None) -> None:
    comparison = trace([("c", "1")]).compare(trace([("c", "2")], told=told))
    assert comparison.parted == parted
