"""What a run answers about a mutant."""

from __future__ import annotations

from collections.abc import Iterable

from tla2py.model.outcome import Outcome, Verdict, Violation
from tla2py.model.point import PointResult
from tla2py.mutation.row import Killer, Status

_STILLBORN = (Outcome.ERROR_SPEC_PARSE, Outcome.ERROR_CONFIG_PARSE)


def status_of(result: PointResult, budget: int) -> Status | None:
    """The status that a run with a budget of states gives its mutant; None if it holds there."""
    cut_off = (result.distinct or 0) >= budget
    if result.outcome in _STILLBORN:
        return "stillborn"
    if result.outcome is Outcome.NOT_STARTED:
        return "unknown"
    match result.verdict:
        case Verdict.HOLDS:
            # TLC found no initial state.
            return "unknown" if cut_off else "stillborn" if result.distinct == 0 else None
        case Verdict.INCONCLUSIVE:
            return "unknown"
        case Verdict.VIOLATED if cut_off and {each.kind for each in result.violated} == {"temporal_property"}:
            # A behaviour may leave the part of the graph that TLC saw.
            return "unknown"
    return "killed"


def killers_of(result: PointResult) -> tuple[Killer, ...]:
    """What notices the mutant: the checks that are violated, an assumption, or an error of evaluation."""
    if result.verdict is Verdict.BROKEN:
        return (Killer("evaluation", ""),)
    return killers(result.violated) or (Killer("assumption", ""),)


def killers(violated: Iterable[Violation]) -> tuple[Killer, ...]:
    """Violations as killers."""
    return tuple(Killer(each.kind, each.name) for each in violated)
