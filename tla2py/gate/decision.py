"""What a gate says of a sweep, its points and what they check."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from tla2py.errors import EXIT_OK
from tla2py.gate.lock import LockedPoint
from tla2py.model.run import Run
from tla2py.sweep.checks import Check
from tla2py.sweep.file import ExpectPoint, ExpectSection
from tla2py.sweep.grid import Point
from tla2py.sweep.judge import worst
from tla2py.tables.runs import RunRow
from tla2py.text import parameter_text

# What each reason means, for a report that explains itself.
REASONS = {
    "unexpected": "The verdict, or what was violated, is not what the sweep file expects.",
    "figures": "A count of states or the length of a counterexample is not what the sweep file expects.",
    "broken": "The model could not be evaluated, or TLC did not run.",
    "inconclusive": "The run ended without an answer.",
    "undecided": "A property was left without an answer.",
    "unread": "A model of a manifest could not be read, so that TLC never saw it.",
    "translation": "What was checked is not, or may not be, what the PlusCal algorithm says.",
    "not-run": "The point has no result.",
    "nothing-ran": "No point has a result.",
    "all-excluded": "No point is left to be checked.",
    "other-inputs": "The store was made with other inputs than the sweep file at hand.",
    "nothing-checked": "Neither an invariant nor a property nor deadlock is checked.",
    "not-in-config": "The config does not check what the sweep file lists.",
    "model-value": "The config makes a model value of a name that the module declares.",
    "symmetry-liveness": "A property needs a behaviour's own states, and symmetry takes others of their kind for them.",
    "no-states": "No state was found, as no initial one is allowed, so that everything holds of nothing.",
    "unnamed": "A violation is expected, but not of what.",
    "never-fired": "An action that is expected to fire never did.",
    "not-counted": "What fires was not counted.",
    "drift": "The point is not as it was when the lock was accepted.",
    "error": "The gate could not be run.",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One thing that makes a gate red.

    ``reason`` is a key of ``REASONS``, ``subject`` the name of what was checked where it concerns one such thing,
    ``point`` the index of the point, None where it concerns the whole sweep; ``where`` is a place in a module that it
    concerns.
    """

    reason: str
    text: str
    exit_code: int
    point: int | None = None
    subject: str | None = None
    where: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedOne:
    """What became of one thing that a point checks.

    ``status`` is held, violated or undecided, ``length`` the states of the shortest counterexample if it has one,
    ``as_expected`` whether that is what was expected.
    """

    check: Check
    status: str
    as_expected: bool
    length: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PointDecision:
    """A point, what it checked and found, and what is wrong with that."""

    point: Point
    run: Run
    row: RunRow | None
    expected: ExpectPoint | ExpectSection
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
        return all(problem.reason == "drift" for problem in self.all_problems)


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
