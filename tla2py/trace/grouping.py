"""Counterexamples grouped by course, and by likeness of courses and last steps."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol, TypeVar

from tla2py.trace.course import Course, common_length, step_places

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
