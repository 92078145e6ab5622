"""The unexpected counterexamples of a gate by kind: of each kind one is shown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tla2py.decision import PointDecision
from tla2py.explore import LIKENESS
from tla2py.explorer.kinds import alike
from tla2py.report.evidence import Evidence


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


def surprises_by_kind(gate: Evidence) -> Mapping[int, tuple[Surprise, ...]]:
    """The unexpected counterexamples of each point, by its index; kinds are those of a store, points in their order."""
    leads: list[tuple[str, tuple[str, ...], PointDecision]] = []
    # Most points have the very actions of an earlier one, which is told at less cost than likeness.
    same: dict[tuple[str, tuple[str, ...]], PointDecision] = {}
    found: dict[int, tuple[Surprise, ...]] = {}
    for point in gate.decision.points:
        here = []
        for one in gate.surprises(point):
            name = one.check.label
            trace = gate.trace(point, name)
            if trace is None:
                continue
            key = name, tuple(state.action for state in trace.states[1:] if state.action)
            if key not in same:
                kin = (p for led, actions, p in leads if led == name and alike(actions, key[1], LIKENESS))
                same[key] = next(kin, point)
                if same[key] is point:
                    leads.append((*key, point))
            here.append(Surprise(point=point, name=name, states=len(trace.states), lead=same[key]))
        found[point.point.index] = tuple(here)
    return found
