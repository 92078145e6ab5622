"""Traces compared: aligned, told apart, followed in their course."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.tla.strategies import identifiers, values
from tests.unit.view.traces import P, Q, made
from tla2py.analysis.kinds import common_length, common_steps, course_of, folded, step_places
from tla2py.model.trace import Part, Trace, changed_parts, parts_of
from tla2py.tla.value import Function, Record, Value, format_value, same_value
from tla2py.tla.value_changes import changes

numbers = st.integers(-2, 2)
simple: st.SearchStrategy[Value] = st.recursive(
    numbers,
    lambda parts: st.one_of(
        st.dictionaries(identifiers, parts, max_size=3).map(Record),
        st.dictionaries(numbers, parts, max_size=3).map(Function),
        st.frozensets(numbers, max_size=4),
        st.lists(parts, max_size=3).map(tuple),
    ),
    max_leaves=8,
)


def told(before: Value, after: Value) -> list[str]:
    return [str(part) for part in parts_of("x", "", before, after)]


OF_FIELDS = ["x.f: 1 -> 2", "x.g - p", "x.g + q"]


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (1, 1, []),
        (1, 2, ["x: 1 -> 2"]),
        (1, True, ["x: 1 -> TRUE"]),
        (frozenset({1, 2}), frozenset({2, 3, 4}), ["x - 1", "x + 3, 4"]),
        ((1, 2), (1,), ["x[2] - 2"]),
        ((1,), (1, 2, 3), ["x[2] + 2", "x[3] + 3"]),
        ((1, 2, 3), (3, 4), ["x - 1, 2", "x + 4"]),
        (Function({P: (1, 2)}), Function({P: (2, (3,))}), ["x[p] - 1", "x[p] + <<3>>"]),
        ((), Function({(1, 2): 1, (2, 2): 1}), ["x + <<1, 2>>, <<2, 2>>"]),
        (Record({"f": 1, "g": frozenset({P})}), Record({"f": 2, "g": frozenset({Q})}), OF_FIELDS),
        (Function({P: ()}), Function({P: (1,), Q: ()}), ["x[p][1] + 1", "x[q] + <<>>"]),
        ((), frozenset(), ["x: <<>> -> {}"]),
    ],
)
def test_parts(before: Value, after: Value, expected: list[str]) -> None:
    assert told(before, after) == expected


def test_parts_of_a_place_and_of_all_variables() -> None:
    assert [str(part) for part in parts_of("x", "[p]", 1, 2)] == ["x[p]: 1 -> 2"]
    # A variable that is new is new as a whole.
    found = changed_parts({"a": 1, "b": 2, "c": 3}, {"c": 4, "b": 2, "d": 5})
    assert [str(part) for part in found] == ["c: 3 -> 4", "d + 5"]


@given(values, values)
def test_the_parts_hold_every_change_once(before: Value, after: Value) -> None:
    parts = list(parts_of("x", "", before, after))
    found = list(changes(before, after))
    for side in ("before", "after"):
        from_parts = [(part.path, format_value(v)) for part in parts for v in getattr(part, side)]
        sided = [(each.path, getattr(each, side)) for each in found if getattr(each, side) is not None]
        from_changes = [(path.removesuffix("{}").removesuffix("[]"), format_value(v)) for path, v in sided]
        assert from_parts == from_changes
    # A set, or a sequence that moved on, loses and gains at most one part each; any other place has one part.
    places = [(part.path, bool(part.before)) for part in parts]
    assert len(places) == len(set(places))


@given(st.dictionaries(identifiers, st.tuples(simple, simple, st.booleans()), max_size=4))
def test_the_changed_variables_are_those_that_differ(given: dict[str, tuple[Value, Value, bool]]) -> None:
    before = {name: old for name, (old, _, _) in given.items()}
    after = {name: old if stays else new for name, (old, new, stays) in given.items()}
    diff = made(("Init", before), ("Next", after)).diff(1, 2)
    differ = {name for name in before if not same_value(before[name], after[name])}
    assert {part.variable for part in diff.parts} == differ
    assert set(diff.unchanged) == set(before) - differ


@given(simple, simple)
def test_the_new_value_follows_from_the_old_one_and_the_parts(before: Value, after: Value) -> None:
    parts = [(_steps(part.path), part) for part in parts_of("x", "", before, after)]
    assert same_value(_applied(before, parts, after), after)


@given(st.lists(simple, max_size=5), st.integers(0, 5), st.integers(0, 3), st.booleans())
def test_neighbours_lost_or_gained(elements: list[Value], start: int, count: int, gained: bool) -> None:
    long, short = tuple(elements), (*elements[:start], *elements[start + count :])
    before, after = (short, long) if gained else (long, short)
    parts = [(_steps(part.path), part) for part in parts_of("x", "", before, after)]
    assert same_value(_applied(before, parts, after), after)


def _steps(path: str) -> tuple[str | int, ...]:
    return tuple(name or int(key) for name, key in re.findall(r"\.(\w+)|\[(-?\d+)\]", path))


def _applied(value: Value, parts: list[tuple[tuple[str | int, ...], Part]], after: Value) -> Value:
    """A value after changes of its parts, each at its path; ``after`` decides whether it stays a sequence."""
    inner: dict[str | int, list[tuple[tuple[str | int, ...], Part]]] = {}
    for steps, part in parts:
        if steps:
            inner.setdefault(steps[0], []).append((steps[1:], part))
        elif isinstance(value, tuple) and not (part.before and part.after):
            assert value[: len(part.before)] == part.before
            value = (*value[len(part.before) :], *part.after)
        elif part.before and part.after:
            return part.after[0]
        else:
            assert isinstance(value, frozenset)
            value = value.difference(part.before).union(part.after)
    if not inner:
        return value
    sequence = isinstance(value, tuple) and isinstance(after, tuple)
    items, news = _items(value), _items(after)
    came: dict[int | str, Value] = {}
    for key, rest in inner.items():
        steps, first = rest[0]
        into = sequence and not steps and not first.before and not isinstance(items.get(key), frozenset)
        if key not in items or into:
            (came[key],) = first.after
        elif not steps and not first.after and same_value(first.before[0], items[key]):
            del items[key]
        else:
            items[key] = _applied(items[key], rest, news[key])
    if not sequence:
        return Function({**items, **came})
    # The later elements have moved.
    elements = list(items.values())
    for place in sorted(int(key) for key in came):
        elements.insert(place - 1, came[place])
    return tuple(elements)


def _items(value: Value) -> dict[int | str, Value]:
    return dict(enumerate(value, 1)) if isinstance(value, tuple) else dict(value)  # type: ignore[arg-type]


# Actions, some with an argument: a, b, c(1), c(2).
Action = tuple[str, str | None]
ACTIONS: list[Action] = [("a", None), ("b", None), ("c", "1"), ("c", "2")]
runs = st.lists(st.sampled_from(ACTIONS), max_size=8)


def trace(actions: list[Action], *, told: bool = True) -> Trace:
    steps = [(name, {"x": at}, (arg,) if told and arg else None) for at, (name, arg) in enumerate(actions, 2)]
    return made(("Init", {"x": 0}), *steps)


@given(runs, runs, st.booleans())
def test_every_step_is_there_once_and_in_order(ours: list[Action], theirs: list[Action], told: bool) -> None:
    left, right = trace(ours), trace(theirs, told=told)
    comparison = left.compare(right)
    assert tuple(step.left for step in comparison.steps if step.left) == left.states
    assert tuple(step.right for step in comparison.steps if step.right) == right.states
    assert all(step.left or step.right for step in comparison.steps)
    mine, others = comparison.missing
    both = [bool(step.left and step.right) for step in comparison.steps]
    assert sum(both) + len(mine) == len(left.states)
    assert sum(both) + len(others) == len(right.states)
    # They part at the first step that is not shared.
    assert comparison.parted == next((place for place, shared in enumerate(both) if not shared), None)
    # What both took is the same action. Arguments count only if both traces have some: some versions of TLC print none.
    told = all(any(state.action_args for state in one.states) for one in (left, right))
    for step in comparison.steps:
        if step.left and step.right:
            assert step.left.action == step.right.action
            assert not told or step.left.action_args == step.right.action_args


@given(runs, st.integers(0, 8), st.sampled_from(ACTIONS))
def test_a_step_more_is_the_only_one_that_is_missing(ours: list[Action], place: int, more: Action) -> None:
    place = min(place, len(ours))
    # Both traces have arguments.
    ours = [*ours, ("c", "1")]
    longer = [*ours[:place], more, *ours[place:]]
    mine, others = trace(ours).compare(trace(longer)).missing
    assert mine == ()
    assert [(state.action, *(state.action_args or (None,))) for state in others] == [more]


@pytest.mark.parametrize(("told", "parted"), [(True, 1), (False, None)])
def test_arguments_count_where_both_have_them(told: bool, parted: int | None) -> None:
    assert trace([("c", "1")]).compare(trace([("c", "2")], told=told)).parted == parted


END = made(name="P")
STEPS = st.text("ABC", max_size=7).map(tuple)


def within(part: Sequence[str], whole: Sequence[str]) -> bool:
    rest = iter(whole)
    return all(step in rest for step in part)


def longest(one: Sequence[str], other: Sequence[str]) -> int:
    """The length of a longest common subsequence, by trying all."""
    sizes = range(len(one), -1, -1)
    return next(size for size in sizes if any(within(part, other) for part in combinations(one, size)))


def test_the_course_of_a_counterexample() -> None:
    assert folded(["Grant", "Tick", "Tick", "Tick", "Grant"]) == ("Grant", "Tick", "Grant")
    assert folded([]) == ()
    ends = [END, replace(END, stuttering=True), replace(END, cut_off=True)]
    ends += [replace(END, loop_start=number) for number in (1, 2)]
    assert len({course_of("P", "", ["A", "B"], end) for end in ends}) == 5
    # The loop of a lasso is folded by itself: 1 -A-> 2 -B-> 3 -B-> 4, and back to 2 by C.
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
