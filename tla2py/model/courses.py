"""The courses of counterexamples, which decide their kinds: actions with runs folded, and how they end."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import reduce
from itertools import groupby
from typing import Literal, Protocol, TypeVar

from tla2py.model.trace import Displayed, State, Trace

Ending = Literal["", "lasso", "stuttering", "cut off"]


class EndedCourse(Protocol):
    """How a behaviour ends, see ``Trace``."""

    @property
    def loop_start(self) -> int | None:
        """The index of the state that a lasso returns to."""

    @property
    def loop_action(self) -> str | None:
        """The action of the step that closes a lasso."""

    @property
    def stuttering(self) -> bool:
        """Whether nothing happens after the last state."""

    @property
    def cut_off(self) -> bool:
        """Whether the log ends before the last state."""


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Course:
    """What a counterexample violates, in which module, by which actions, and how it ends.

    ``actions`` and ``loop``, the actions that a lasso repeats, are folded: a run of one action counts once. ``module``
    is empty unless the store has points of several modules.
    """

    name: str
    module: str = ""
    ending: Ending = ""
    actions: tuple[str, ...] = ()
    loop: tuple[str, ...] = ()

    @property
    def steps(self) -> tuple[str, ...]:
        """The actions, then those of the loop."""
        return self.actions + self.loop


def folded(actions: Sequence[str]) -> tuple[str, ...]:
    """The actions, each run of one as one: ``Grant Tick Tick Grant`` becomes ``Grant Tick Grant``."""
    return tuple(name for name, _ in groupby(actions))


def course_of(name: str, module: str, actions: Sequence[str], end: EndedCourse) -> Course:
    """The course of a counterexample with these actions, one for each state after the first."""
    ending: Ending = (
        "lasso"
        if end.loop_start is not None
        else "stuttering"
        if end.stuttering
        else "cut off"
        if end.cut_off
        else ""
    )
    before = len(actions) if end.loop_start is None else end.loop_start - 1
    closing = [end.loop_action] if end.loop_action else []
    return Course(
        name=name,
        module=module,
        ending=ending,
        actions=folded(actions[:before]),
        loop=folded([*actions[before:], *closing]),
    )


def step_places(steps: Sequence[str]) -> Mapping[str, int]:
    """The places of each step in a sequence, as a set of bits."""
    places: dict[str, int] = {}
    for place, step in enumerate(steps):
        places[step] = places.get(step, 0) | 1 << place
    return places


def common_length(places: Mapping[str, int], length: int, other: Sequence[str]) -> int:
    """The length of the longest common subsequence of a sequence of this ``length`` with these places, and another."""
    everything = free = (1 << length) - 1
    for step in other:
        taken = free & places.get(step, 0)
        free = ((free + taken) | (free - taken)) & everything
    return length - free.bit_count()


def common_steps(sequences: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    """A longest common subsequence of two sequences; of more, what pairs leave of each other, shortest first.

    The order of the sequences does not matter.
    """
    ordered = sorted(set(sequences), key=lambda each: (len(each), each))
    return reduce(_common, ordered) if ordered else ()


def _common(one: tuple[str, ...], other: tuple[str, ...]) -> tuple[str, ...]:
    rest = iter(other)
    if all(step in rest for step in one):
        return one
    # longest[i][j]: the length for one[i:] and other[j:].
    longest = [[0] * (len(other) + 1) for _ in range(len(one) + 1)]
    for i in reversed(range(len(one))):
        for j in reversed(range(len(other))):
            longest[i][j] = (
                longest[i + 1][j + 1] + 1 if one[i] == other[j] else max(longest[i + 1][j], longest[i][j + 1])
            )
    found, i, j = [], 0, 0
    while i < len(one) and j < len(other):
        if one[i] == other[j]:
            found.append(one[i])
            i, j = i + 1, j + 1
        elif longest[i + 1][j] >= longest[i][j + 1]:
            i += 1
        else:
            j += 1
    return tuple(found)


LIKENESS = 0.7
"""The likeness, from 0 to 1, above which two courses are of one coarse kind."""
# The last step counts as so many more.
_LAST = 2
# Of one violation, so many kinds are compared with. Ten thousand courses that have little in common would take minutes.
_MOST_LEADERS = 100


class Happened(Protocol):
    """A counterexample: its course and its last step."""

    @property
    def course(self) -> Course:
        """The course."""

    @property
    def changed(self) -> frozenset[str]:
        """The variables that the last step changes."""


Item = TypeVar("Item", bound=Happened)


def fine_kinds(items: Iterable[Item]) -> list[list[Item]]:
    """The items of each course, in their order; the kinds in the order of their first items."""
    kinds: dict[Course, list[Item]] = {}
    for item in items:
        kinds.setdefault(item.course, []).append(item)
    return list(kinds.values())


def coarse_kinds(items: Iterable[Item]) -> list[list[Item]]:
    """The items of courses that are alike, in their order; the kinds in the order of their first items.

    The likeness of two courses is the share of steps that they have in common, in order; the last step, which breaks an
    invariant, counts as two more. From the shortest course on, each joins the kind whose first course it is most like, or
    starts a kind. The kinds do not depend on the order of the items.
    """
    items = list(items)
    fine = {kind[0].course: kind for kind in fine_kinds(items)}
    leaders: dict[tuple[str, str, str], list[_Leader]] = {}
    led: dict[Course, Course] = {}
    for course in sorted(fine, key=lambda each: (len(each.steps), each)):
        each = _Leader(course, _last_step(fine[course]))
        here = leaders.setdefault((course.name, course.module, course.ending), [])
        best = each.most_like(here[:_MOST_LEADERS])
        if best is None:
            here.append(best := each)
        led[course] = best.course
    kinds: dict[Course, list[Item]] = {}
    for item in items:
        kinds.setdefault(led[item.course], []).append(item)
    return list(kinds.values())


class _Leader:
    """A course that started a kind, or may: ``last`` is its last action and the variables that this one changes."""

    __slots__ = ("course", "last", "places", "steps")

    def __init__(self, course: Course, last: frozenset[str]) -> None:
        self.course = course
        self.last = last
        self.steps = course.steps
        self.places = step_places(self.steps)

    def most_like(self, leaders: Iterable[_Leader]) -> _Leader | None:
        """The first of the leaders that are most like this course; None if none is like it."""
        weight = 0 if self.course.ending else _LAST
        best, found = LIKENESS, None
        for other in leaders:
            total = len(self.steps) + len(other.steps) + 2 * weight
            last = weight * len(self.last & other.last) / max(1, len(self.last | other.last))
            # Most differ too much in length for their steps to matter.
            if 2 * (min(len(self.steps), len(other.steps)) + last) <= best * total:
                continue
            common = common_length(other.places, len(other.steps), self.steps)
            if 2 * (common + last) > best * total:
                best, found = 2 * (common + last) / total, other
        return found


def _last_step(kind: Sequence[Happened]) -> frozenset[str]:
    """The last action of a course, and the variables that it changes in all of the counterexamples."""
    changed = frozenset.intersection(*(item.changed for item in kind))
    return changed.union(kind[0].course.steps[-1:])


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """A step of one trace, or of both; None for the trace without it."""

    left: State | None
    right: State | None

    @property
    def state(self) -> State:
        """The state after the step, of the left trace if it took it."""
        state = self.left or self.right
        assert state is not None
        return state


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison(Displayed):
    """Two aligned traces. ``parted`` is the position in ``steps`` of the first step that only one trace took."""

    left: Trace
    right: Trace
    steps: tuple[Step, ...]
    parted: int | None

    @property
    def missing(self) -> tuple[tuple[State, ...], tuple[State, ...]]:
        """The steps that only the left trace took, and those that only the right trace took."""
        return (
            tuple(step.left for step in self.steps if step.left is not None and step.right is None),
            tuple(step.right for step in self.steps if step.right is not None and step.left is None),
        )


def compare_traces(left: Trace, right: Trace) -> Comparison:
    """The steps of two traces aligned by action, with arguments where both traces have them."""
    with_arguments = all(any(state.action_args for state in trace.states) for trace in (left, right))
    ours, theirs = ([_label(state, with_arguments) for state in trace.states] for trace in (left, right))
    steps: list[Step] = []
    parted = None
    # The common prefix is aligned one to one, the rest by longest common runs.
    start = next(
        (place for place, (one, other) in enumerate(zip(ours, theirs, strict=False)) if one != other),
        min(len(ours), len(theirs)),
    )
    steps += [Step(left=left.states[place], right=right.states[place]) for place in range(start)]
    if start < max(len(ours), len(theirs)):
        parted = start
    matcher = SequenceMatcher(None, ours[start:], theirs[start:], autojunk=False)
    for kind, i, j, k, m in matcher.get_opcodes():
        one, other = left.states[start + i : start + j], right.states[start + k : start + m]
        if kind == "equal":
            steps += [Step(left=a, right=b) for a, b in zip(one, other, strict=True)]
        else:
            steps += [Step(left=state, right=None) for state in one]
            steps += [Step(left=None, right=state) for state in other]
    return Comparison(left=left, right=right, steps=tuple(steps), parted=parted)


def _label(state: State, with_arguments: bool) -> tuple[str, tuple[str, ...]]:
    return state.action or "", (state.action_args or ()) if with_arguments else ()
