"""What a gate says of a sweep, its points and what they check."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum

from tla2py.errors import EXIT_OK
from tla2py.gate.lock import LockedPoint
from tla2py.model.run import Run
from tla2py.sweep.grid import Point
from tla2py.sweep.judge import CheckedOne, Expectation, worst
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
    NEVER_FIRED = "never-fired"
    NOT_COUNTED = "not-counted"
    DRIFT = "drift"
    ERROR = "error"


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One thing that makes a gate red; ``text`` says it to a person.

    ``subject`` the name of what was checked where it concerns one such thing,
    ``point`` the index of the point, None where it concerns the whole sweep; ``where`` is a place in a module that it
    concerns.
    """

    reason: Reason
    text: str
    exit_code: int
    point: int | None = None
    subject: str | None = None
    where: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PointDecision:
    """A point, what it checked and found, and what is wrong with that."""

    point: Point
    run: Run
    row: RunRow | None
    expected: Expectation
    checks: tuple[CheckedOne, ...]
    problems: tuple[Problem, ...]
    locked: LockedPoint | None

    @property
    def shown(self) -> str:
        """The parameters for a person."""
        return parameter_text(self.point.parameters)


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """What a gate says of a sweep. ``problems`` are those of no single point, ``notices`` are no reason to be red."""

    name: str
    points: tuple[PointDecision, ...] = ()
    problems: tuple[Problem, ...] = ()
    notices: tuple[str, ...] = ()

    @property
    def all_problems(self) -> tuple[Problem, ...]:
        """Every problem, those of the whole sweep first."""
        return (*self.problems, *(problem for point in self.points for problem in point.problems))

    @property
    def exit_code(self) -> int:
        """The exit code it calls for."""
        return worst([EXIT_OK, *(problem.exit_code for problem in self.all_problems)])

    @property
    def acceptable(self) -> bool:
        """Whether nothing but the lock stands against it, so that a lock of it may be written."""
        return all(problem.reason is Reason.DRIFT for problem in self.all_problems)


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What a store has to say: a row of ``runs`` by run id, and the actions that fired in runs that counted them.

    ``idle`` are those that such a run counted and that never fired; what is in neither TLC does not count by itself.
    ``lengths`` are the states of the shortest counterexample by run id and name; ``other_inputs`` says in words how
    the store's inputs are other ones.
    """

    rows: Mapping[str, RunRow]
    fired: Mapping[str, Sequence[str]] = field(default_factory=dict)
    idle: Mapping[str, Sequence[str]] = field(default_factory=dict)
    lengths: Mapping[tuple[str, str], int] = field(default_factory=dict)
    other_inputs: str | None = None
