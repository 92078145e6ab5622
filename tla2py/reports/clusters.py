"""The unexpected counterexamples of a gate by kind; reports show one of each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from tla2py.explore.kinds import by_kind
from tla2py.gate.decision import PointDecision
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
    name: str
    actions: tuple[str, ...]
    states: int


def surprises_by_kind(points: Sequence[PointDecision], trace: FindTrace) -> Mapping[int, Sequence[Surprise]]:
    """The unexpected counterexamples of each point, by its index; kinds are those of a store, points in their order."""
    found: dict[int, list[Surprise]] = {point.point.index: [] for point in points}
    for kind in by_kind(_unexpected(points, trace)):
        for point, name, _, states in kind:
            found[point.point.index].append(
                Surprise(point=point, name=name, states=states, lead=kind[0].point)
            )
    return found


def _unexpected(points: Sequence[PointDecision], trace: FindTrace) -> Iterator[_Unexpected]:
    for point in points:
        for one in point.surprises:
            name = one.check.label
            found = trace(point, name)
            if found is not None:
                actions = tuple(state.action for state in found.states if state.action)
                yield _Unexpected(point, name, actions, len(found.states))
