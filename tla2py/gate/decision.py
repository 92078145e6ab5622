"""Decisions of a gate: the problems of a sweep and of its points, and their words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from pathlib import Path
from typing import TypeAlias

from tla2py.errors import ExitCode
from tla2py.gate.drift import Drift
from tla2py.gate.lock import LockedPoint
from tla2py.lint.finding import Finding
from tla2py.model.outcome import Verdict
from tla2py.model.run import Run
from tla2py.sweep.checks import ConfigProblem
from tla2py.sweep.entries import Unread
from tla2py.sweep.judge import ALL_EXCLUDED, FIGURES, CheckAnswer, Mismatch, MismatchKind, worst
from tla2py.sweep.points import Point
from tla2py.sweep.sections import Expectation
from tla2py.syntax import Remark
from tla2py.tables.details import LogLine
from tla2py.tables.runs import RunRow
from tla2py.text import parameter_text


class Reason(Enum):
    """Why a gate is red, by the name that reports use."""

    UNEXPECTED = "unexpected"
    FIGURES = "figures"
    BROKEN = "broken"
    INCONCLUSIVE = "inconclusive"
    UNDECIDED = "undecided"
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
    ERROR = "error"


# What the run of a point lacked to answer; TLC's message has nothing to add.
DOUBTS = {
    MismatchKind.NO_ANSWER: Reason.INCONCLUSIVE,
    MismatchKind.SIMULATED: Reason.INCONCLUSIVE,
    MismatchKind.UNNAMED: Reason.UNNAMED,
    MismatchKind.UNDECIDED: Reason.UNDECIDED,
    MismatchKind.NO_STATES: Reason.NO_STATES,
}
_TEXTS = {
    Reason.NOT_RUN: "the point has no result",
    Reason.NOTHING_RAN: "nothing ran: no point has a result",
    Reason.ALL_EXCLUDED: ALL_EXCLUDED,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class RunMismatch:
    """A mismatch, the row of the run it is about, and the line of its log that is the reason."""

    mismatch: Mismatch
    row: RunRow
    line: LogLine | None = None

    def __str__(self) -> str:
        if self.mismatch.kind in DOUBTS or self.mismatch.kind in FIGURES:
            return str(self.mismatch)
        if self.line is not None:
            return f"{self.mismatch}; {self.line}"
        row = self.row
        answered = row.verdict not in (Verdict.BROKEN, Verdict.INCONCLUSIVE)
        place = f"{row.message_place}: " if row.message_place is not None else ""
        message = f": {' '.join(f'{place}{row.message}'.split())[:300]}" if row.message else ""
        return self.mismatch.text(None if answered else row.outcome) + message


@dataclass(frozen=True, slots=True, kw_only=True)
class NotCounted:
    """Actions that TLC did not count, and those it did."""

    actions: Sequence[str]
    counted: Sequence[str]

    def __str__(self) -> str:
        why = f"TLC counts {', '.join(self.counted)}" if self.counted else "TLC printed no coverage"
        return f"cannot tell whether {', '.join(self.actions)} fired: {why}"


@dataclass(frozen=True, slots=True, kw_only=True)
class NeverFired:
    """An action that was expected to fire and never did."""

    action: str

    def __str__(self) -> str:
        return f"action {self.action} never fired, expected to"


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposedRow:
    """A row of expectations that nobody has confirmed, with its place and why it was proposed."""

    where: str
    why: str

    def __str__(self) -> str:
        return (
            f"the row at {self.where} is a proposal ({self.why}); if it is right, remove its line `proposed`"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class OtherInputs:
    """A store made from inputs other than those of its sweep file: the ``changes``, and the command that catches up."""

    store: str
    sweep_file: str
    changes: Sequence[str]
    command: str

    def __str__(self) -> str:
        changes = "; ".join(self.changes) or "the difference is unknown"
        return (
            f"{self.store} was made from other inputs than {self.sweep_file}: {changes}; "
            f"run '{self.command}' to execute the missing runs"
        )


Cause: TypeAlias = (
    RunMismatch
    | ConfigProblem
    | Drift
    | NotCounted
    | NeverFired
    | ProposedRow
    | OtherInputs
    | Finding
    | Remark
    | Unread
    | None
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """A problem that makes a gate red.

    ``point`` is the index of its point, None for the whole sweep. ``subject`` is the name of the definition or action
    that it concerns, ``where`` a place in a module.
    """

    reason: Reason
    cause: Cause = None
    exit_code: ExitCode = ExitCode.NOT_RUN
    point: int | None = None
    subject: str | None = None
    where: str | None = None

    @property
    def text(self) -> str:
        """The problem in words."""
        match self.cause:
            case None:
                return _TEXTS[self.reason]
            case Remark() as remark:
                return remark_text(remark)
            case Finding(place=place) as finding:
                return f"{replace(place, file=Path(place.file).name)}: {finding}"
            case cause:
                return str(cause)


def remark_text(remark: Remark) -> str:
    """A remark on PlusCal, with the file's name only: the same text wherever the repository is."""
    return f"{Path(remark.where).name}: {remark.text}"


@dataclass(frozen=True, slots=True, kw_only=True)
class PointDecision:
    """The decision on a point: what it checked, what was found and its problems.

    ``line`` is the first line of its log that no behaviour explains.
    """

    point: Point
    run: Run
    row: RunRow | None
    expected: Expectation
    checks: tuple[CheckAnswer, ...]
    problems: tuple[Problem, ...]
    locked: LockedPoint | None
    line: LogLine | None = None

    @property
    def shown(self) -> str:
        """The parameters as text."""
        return parameter_text(self.point.parameters)

    @property
    def surprises(self) -> tuple[CheckAnswer, ...]:
        """The unexpected violations."""
        return tuple(one for one in self.checks if one.status == "violated" and not one.as_expected)


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """The decision on a sweep.

    ``problems`` concern the sweep as a whole. ``findings`` and ``notices`` do not make it red; with ``--strict`` findings
    are problems.
    """

    name: str
    points: tuple[PointDecision, ...] = ()
    problems: tuple[Problem, ...] = ()
    findings: tuple[Finding, ...] = ()
    notices: tuple[str, ...] = ()

    @property
    def all_problems(self) -> tuple[Problem, ...]:
        """Every problem, those of the whole sweep first."""
        return (*self.problems, *(problem for point in self.points for problem in point.problems))

    @property
    def exit_code(self) -> ExitCode:
        """The exit code of the decision."""
        return worst([ExitCode.OK, *(problem.exit_code for problem in self.all_problems)])

    @property
    def acceptable(self) -> bool:
        """Whether drift is the only problem, so that a lock may be written."""
        return all(problem.reason is Reason.DRIFT for problem in self.all_problems)


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """The results in a store, by run id.

    ``fired`` and ``idle`` are the actions that fired and never fired, in runs that counted them; TLC counts an action
    within another as that one. ``lines`` are the first lines of logs that no behaviour explains. ``notes`` are those of tla2py on the runs. ``lengths`` are the states of the shortest counterexample by run id and name.
    """

    rows: Mapping[str, RunRow]
    fired: Mapping[str, Sequence[str]] = field(default_factory=dict)
    idle: Mapping[str, Sequence[str]] = field(default_factory=dict)
    lengths: Mapping[tuple[str, str], int] = field(default_factory=dict)
    lines: Mapping[str, LogLine] = field(default_factory=dict)
    other_inputs: OtherInputs | None = None
    notes: tuple[str, ...] = ()

    @property
    def tlc(self) -> str | None:
        """The version and revision of the TLC that ran most of the runs."""
        found = Counter(row.tlc for row in self.rows.values() if row.tlc is not None)
        return max(found, key=lambda tlc: (found[tlc], tlc), default=None)
