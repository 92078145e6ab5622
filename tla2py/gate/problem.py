"""What makes a gate red: a reason by name, and the problem in words."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from tla2py.errors import ExitCode
from tla2py.gate.drift import Drift
from tla2py.model.finding import Finding
from tla2py.model.outcome import Verdict
from tla2py.sweep.judge import MismatchKind


class Reason(Enum):
    """Why a gate is red, by the name that reports use."""

    UNEXPECTED = "unexpected"
    FIGURES = "figures"
    COLLISION = "collision"
    BROKEN = "broken"
    INCONCLUSIVE = "inconclusive"
    UNDECIDED = "undecided"
    LAW_OPEN = "law-open"
    UNREAD = "unread"
    TRANSLATION = "translation"
    NOT_RUN = "not-run"
    NOTHING_RAN = "nothing-ran"
    ALL_EXCLUDED = "all-excluded"
    OTHER_INPUTS = "other-inputs"
    NOTHING_CHECKED = "nothing-checked"
    NOT_IN_CONFIG = "not-in-config"
    MODEL_VALUE = "model-value"
    SYMMETRY_LIVENESS = "symmetry-liveness"
    NO_STATES = "no-states"
    UNNAMED = "unnamed"
    PROPOSED = "proposed"
    NEVER_FIRED = "never-fired"
    NOT_COUNTED = "not-counted"
    DRIFT = "drift"
    FINDING = "finding"
    SECOND_DIFFERS = "second-differs"
    SECOND_BROKEN = "second-broken"
    SECOND_OPEN = "second-open"
    ERROR = "error"


# What the run of a point lacked to answer; TLC's message has nothing to add.
DOUBTS = {
    MismatchKind.NO_ANSWER: Reason.INCONCLUSIVE,
    MismatchKind.SIMULATED: Reason.INCONCLUSIVE,
    MismatchKind.UNNAMED: Reason.UNNAMED,
    MismatchKind.UNDECIDED: Reason.UNDECIDED,
    MismatchKind.NO_STATES: Reason.NO_STATES,
}
# The verdicts that are no answers.
UNANSWERED = {Verdict.BROKEN: Reason.BROKEN, Verdict.INCONCLUSIVE: Reason.INCONCLUSIVE}


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """A problem that makes a gate red, in words.

    ``point`` is the index of its point, None for the whole sweep. ``subject`` is the name of the definition or action
    that it concerns, ``where`` a place in a module. ``cause`` is the drift or the finding that it tells of.
    """

    reason: Reason
    text: str
    exit_code: ExitCode = ExitCode.NOT_RUN
    point: int | None = None
    subject: str | None = None
    where: str | None = None
    cause: Drift | Finding | None = None

    @classmethod
    def of_drift(cls, drift: Drift, point: int | None = None) -> Problem:
        """The problem that a point, or the sweep, differs from the lock."""
        return cls(
            reason=Reason.DRIFT, text=str(drift), exit_code=ExitCode.UNEXPECTED, point=point, cause=drift
        )
