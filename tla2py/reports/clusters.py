"""The unexpected counterexamples of a gate by kind; reports show one of each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from tla2py.gate.decision import PointDecision
from tla2py.trace.course import Course, course_of
from tla2py.trace.diff import changed_parts
from tla2py.trace.grouping import coarse_kinds
from tla2py.trace.trace import Trace

FindTrace = Callable[[PointDecision, str], Trace | None]
"""The counterexample of a point to a name, None without one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Surprise:
    """An unexpected counterexample of ``states`` states to ``name`` at a point; ``lead`` is the first point with one of its kind."""

    point: PointDecision
    name: str
    states: int
    lead: PointDecision

    @property
    def leads(self) -> bool:
        """Whether it is the one shown for its kind."""
        return self.point is self.lead


class _Unexpected(NamedTuple):
    point: PointDecision
    course: Course
    changed: frozenset[str]
    states: int


def surprises_by_kind(points: Sequence[PointDecision], trace: FindTrace) -> Mapping[int, Sequence[Surprise]]:
    """The unexpected counterexamples of each point, by its index; kinds are those of a store, points in their order."""
    found: dict[int, list[Surprise]] = {point.point.index: [] for point in points}
    for kind in coarse_kinds(_unexpected(points, trace)):
        for each in kind:
            found[each.point.point.index].append(
                Surprise(point=each.point, name=each.course.name, states=each.states, lead=kind[0].point)
            )
    return found


def _unexpected(points: Sequence[PointDecision], trace: FindTrace) -> Iterator[_Unexpected]:
    for point in points:
        for one in point.surprises:
            found = trace(point, one.check.label)
            if found is not None:
                actions = tuple(state.action for state in found.states if state.action)
                module = point.point.parameters.get("module", "")
                yield _Unexpected(
                    point=point,
                    course=course_of(one.check.label, module, actions, found),
                    changed=_last_changes(found),
                    states=len(found.states),
                )


def _last_changes(trace: Trace) -> frozenset[str]:
    """The variables that the last step of a trace changes."""
    if len(trace.states) < 2:
        return frozenset()
    before, after = trace.states[-2:]
    return frozenset(part.variable for part in changed_parts(before.values, after.values))
