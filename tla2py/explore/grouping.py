"""Counterexamples grouped by course, and by likeness of courses and last steps."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple, Protocol, TypeVar

from tla2py.explore.course import Course, common_length

LIKENESS = 0.7
"""The likeness, from 0 to 1, from which two courses are of one coarse kind."""
# The last step, which breaks an invariant, counts as so many.
_LAST = 2


class Happened(Protocol):
    """A counterexample: its course and its last step."""

    @property
    def course(self) -> Course:
        """The course."""

    @property
    def changed(self) -> frozenset[str]:
        """The variables that the last step changes."""


Item = TypeVar("Item", bound=Happened)


class _Fine(NamedTuple):
    course: Course
    last: frozenset[str]


def fine_kinds(items: Iterable[Item]) -> list[list[Item]]:
    """The items of each course, in their order; the kinds in the order of their first items."""
    kinds: dict[Course, list[Item]] = {}
    for item in items:
        kinds.setdefault(item.course, []).append(item)
    return list(kinds.values())


def coarse_kinds(items: Iterable[Item]) -> list[list[Item]]:
    """The items of courses that are alike, in their order; the kinds in the order of their first items.

    From the shortest course on, each joins the course that it is most like and that started a kind, or starts a kind.
    What comes of it does not depend on the order of the items.
    """
    items = list(items)
    fine = {kind[0].course: _Fine(kind[0].course, _last_step(kind)) for kind in fine_kinds(items)}
    leaders: dict[tuple[str, str, str], list[_Fine]] = {}
    led: dict[Course, Course] = {}
    for course, each in sorted(fine.items(), key=lambda pair: (len(pair[0].steps), pair[0])):
        here = leaders.setdefault((course.name, course.module, course.ending), [])
        best = max(here, key=lambda leader: likeness(leader, each), default=None)
        if best is None or likeness(best, each) < LIKENESS:
            here.append(best := each)
        led[course] = best.course
    kinds: dict[Course, list[Item]] = {}
    for item in items:
        kinds.setdefault(led[item.course], []).append(item)
    return list(kinds.values())


def likeness(one: _Fine, other: _Fine) -> float:
    """The share of steps that two courses have in common, in order, from 0 to 1."""
    steps, others = one.course.steps, other.course.steps
    last = _LAST if not one.course.ending else 0
    total = len(steps) + len(others) + 2 * last
    # Most courses differ too much in length for anything else to matter.
    if 2 * (min(len(steps), len(others)) + last) < LIKENESS * total:
        return 0.0
    same = len(one.last & other.last) / max(1, len(one.last | other.last))
    return 2 * (common_length(steps, others) + last * same) / max(1, total)


def _last_step(kind: Iterable[Happened]) -> frozenset[str]:
    """The last action and the variables that it changes in all of a course's counterexamples."""
    items = list(kind)
    changed = frozenset.intersection(*(item.changed for item in items))
    return changed.union(items[0].course.steps[-1:])
