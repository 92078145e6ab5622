"""The unexpected counterexamples of a gate by kind: of each kind one is shown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from tla2py.explain.kinds import by_kind
from tla2py.explore.view import LIKENESS
from tla2py.gate.decision import PointDecision
from tla2py.reports.evidence import Evidence


@dataclass(frozen=True, slots=True, kw_only=True)
class Surprise:
    """An unexpected counterexample of ``states`` states to ``name`` at a point; ``lead`` is the first point with one of its kind."""

    point: PointDecision
    name: str
    states: int
    lead: PointDecision

    @property
    def leads(self) -> bool:
        """Whether it is the one of its kind to show."""
        return self.point is self.lead


class _Told(NamedTuple):
    point: PointDecision
    name: str
    actions: tuple[str, ...]
    states: int


def surprises_by_kind(gate: Evidence) -> Mapping[int, Sequence[Surprise]]:
    """The unexpected counterexamples of each point, by its index; kinds are those of a store, points in their order."""
    found: dict[int, list[Surprise]] = {point.point.index: [] for point in gate.decision.points}
    for kind in by_kind(_told(gate), lambda told: (told.name, told.actions), LIKENESS):
        for point, name, _, states in kind:
            found[point.point.index].append(
                Surprise(point=point, name=name, states=states, lead=kind[0].point)
            )
    return found


def _told(gate: Evidence) -> Iterator[_Told]:
    for point in gate.decision.points:
        for one in gate.surprises(point):
            name = one.check.label
            trace = gate.trace(point, name)
            if trace is not None:
                actions = tuple(state.action for state in trace.states[1:] if state.action)
                yield _Told(point, name, actions, len(trace.states))
