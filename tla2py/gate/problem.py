"""What makes a gate red: a reason by name, and the problem in words."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from pathlib import Path
from typing import Self

from tla2py.errors import ExitCode
from tla2py.gate.drift import Drift
from tla2py.model.finding import Finding
from tla2py.model.outcome import Verdict


class Reason(Enum):
    """Why a gate is red: the name that reports use, and what it means."""

    meaning: str

    def __new__(cls, name: str, meaning: str = "") -> Self:
        """A reason whose value is its name."""
        self = object.__new__(cls)
        self._value_, self.meaning = name, meaning
        return self

    UNEXPECTED = "unexpected", "The verdict, or what was violated, is not what the sweep file expects."
    FIGURES = (
        "figures",
        "A count of states or the length of a counterexample is not what the sweep file expects.",
    )
    COLLISION = (
        "collision",
        "The probability of a fingerprint collision is larger than the sweep file allows.",
    )
    BROKEN = "broken", "The model could not be evaluated, or TLC did not run."
    INCONCLUSIVE = "inconclusive", "The run ended without an answer."
    UNDECIDED = "undecided", "A property was left without an answer."
    LAW_OPEN = "law-open", "The search ended before the expected law was settled."
    UNREAD = "unread", "A config below a folder could not be read, so TLC never saw it."
    TRANSLATION = "translation", "The checked translation differs, or may differ, from the PlusCal algorithm."
    NOT_RUN = "not-run", "The point has no result."
    NOTHING_RAN = "nothing-ran", "No point has a result."
    ALL_EXCLUDED = "all-excluded", "No point is left to be checked."
    OTHER_INPUTS = "other-inputs", "The store was made from other inputs than the sweep file."
    NOTHING_CHECKED = "nothing-checked", "Neither an invariant nor a property nor deadlock is checked."
    NOT_IN_CONFIG = "not-in-config", "The config does not check what the sweep file lists."
    MODEL_VALUE = "model-value", "The config makes a model value of a name that the module declares."
    SYMMETRY_LIVENESS = (
        "symmetry-liveness",
        "With symmetry TLC replaces states by symmetric ones, so it misjudges temporal properties.",
    )
    NO_STATES = "no-states", "No state satisfies the initial predicate, so everything holds vacuously."
    UNNAMED = "unnamed", "A violation is expected without naming what is violated."
    PROPOSED = "proposed", "Nobody has confirmed the expectation that a gate proposed."
    NEVER_FIRED = "never-fired", "An action that is expected to fire never did."
    NOT_COUNTED = "not-counted", "TLC did not count the actions that have to fire."
    DRIFT = "drift", "The point differs from the lock."
    FINDING = "finding", "The result may mean less than it seems to."
    SECOND_DIFFERS = "second-differs", "A second TLC gives another answer."
    SECOND_BROKEN = "second-broken", "A second TLC cannot run the model."
    SECOND_OPEN = "second-open", "A second TLC has no answer."
    SELF_TEST = "self-test", "No mutant shows that the gate can be red for a property."
    ERROR = "error", "The gate could not be run."


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
            reason=Reason.DRIFT, text=drift.text, exit_code=ExitCode.UNEXPECTED, point=point, cause=drift
        )

    @classmethod
    def of_finding(cls, finding: Finding) -> Problem:
        """The problem that nobody accepted a finding."""
        place = replace(finding.place, file=Path(finding.place.file).name)
        return cls(
            reason=Reason.FINDING,
            text=f"{place}: {finding}",
            exit_code=ExitCode.UNEXPECTED,
            subject=finding.name,
            where=str(finding.place),
            cause=finding,
        )
