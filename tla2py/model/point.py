"""The result at one point of a sweep."""

from __future__ import annotations

from dataclasses import dataclass

from tla2py.model.outcome import OUTCOME_WORDS, Outcome, Verdict, Violation, is_simulated, simulation_words


@dataclass(frozen=True, slots=True, kw_only=True)
class PointResult:
    """The result at a point, without its traces and diagnostics.

    ``undecided`` names the definitions that a further run under ``find = "each"`` could not decide. ``trace_length``
    counts the states of the shortest counterexample. Counts that TLC did not print are None.
    """

    point: int
    outcome: Outcome
    verdict: Verdict
    violated: tuple[Violation, ...] = ()
    undecided: tuple[str, ...] = ()
    generated: int | None = None
    distinct: int | None = None
    depth: int | None = None
    trace_length: int | None = None
    behaviours: int | None = None
    wall_seconds: float | None = None

    @property
    def simulated(self) -> bool:
        """Whether a simulation ended by its own budget without a violation."""
        return is_simulated(
            self.outcome, distinct=self.distinct, generated=self.generated, behaviours=self.behaviours
        )

    @property
    def unanswered(self) -> str:
        """The words for a verdict that is not an answer."""
        if self.simulated:
            return simulation_words(self.behaviours, self.generated)
        return f"{self.verdict.value}: {OUTCOME_WORDS[self.outcome]}"

    @property
    def violated_names(self) -> tuple[str, ...]:
        """The labels of the violations."""
        return tuple(violation.label for violation in self.violated)
