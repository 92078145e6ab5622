"""Outcomes, verdicts, violations and statistics of runs."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum

from tla2py.errors import Place
from tla2py.model.trace import Location, ViolationKind, label_of
from tla2py.text import counted


class Outcome(StrEnum):
    """How a run ended; ``VERDICTS`` has the verdict of each.

    These are TLC's exit statuses (``tlc2.output.EC.ExitStatus``) in lower case, and those that TLC cannot report itself.
    """

    SUCCESS = "success"
    VIOLATION_ASSUMPTION = "violation_assumption"
    VIOLATION_DEADLOCK = "violation_deadlock"
    VIOLATION_SAFETY = "violation_safety"
    VIOLATION_LIVENESS = "violation_liveness"
    VIOLATION_ASSERT = "violation_assert"
    FAILURE_SPEC_EVAL = "failure_spec_eval"
    FAILURE_SAFETY_EVAL = "failure_safety_eval"
    FAILURE_LIVENESS_EVAL = "failure_liveness_eval"
    ERROR_SPEC_PARSE = "error_spec_parse"
    ERROR_CONFIG_PARSE = "error_config_parse"
    ERROR = "error"
    BOUNDED_SUCCESS = "bounded_success"
    TIMEOUT = "timeout"
    OUT_OF_MEMORY = "out_of_memory"
    OUT_OF_DISK = "out_of_disk"
    KILLED = "killed"
    NOT_STARTED = "not_started"


class Verdict(StrEnum):
    """The answer of a run, which a gate compares with the expectation."""

    HOLDS = "holds"
    VIOLATED = "violated"
    INCONCLUSIVE = "inconclusive"
    BROKEN = "broken"
    EXCLUDED = "excluded"


VERDICTS: dict[Outcome, Verdict] = {
    Outcome.SUCCESS: Verdict.HOLDS,
    # A false assumption rejects the point, not the protocol. One that cannot be evaluated is no violation; the
    # interpreter reports it as broken.
    Outcome.VIOLATION_ASSUMPTION: Verdict.EXCLUDED,
    Outcome.VIOLATION_DEADLOCK: Verdict.VIOLATED,
    Outcome.VIOLATION_SAFETY: Verdict.VIOLATED,
    Outcome.VIOLATION_LIVENESS: Verdict.VIOLATED,
    Outcome.VIOLATION_ASSERT: Verdict.VIOLATED,
    Outcome.FAILURE_SPEC_EVAL: Verdict.BROKEN,
    Outcome.FAILURE_SAFETY_EVAL: Verdict.BROKEN,
    Outcome.FAILURE_LIVENESS_EVAL: Verdict.BROKEN,
    Outcome.ERROR_SPEC_PARSE: Verdict.BROKEN,
    Outcome.ERROR_CONFIG_PARSE: Verdict.BROKEN,
    Outcome.ERROR: Verdict.BROKEN,
    Outcome.BOUNDED_SUCCESS: Verdict.INCONCLUSIVE,
    Outcome.TIMEOUT: Verdict.INCONCLUSIVE,
    Outcome.OUT_OF_MEMORY: Verdict.INCONCLUSIVE,
    Outcome.OUT_OF_DISK: Verdict.INCONCLUSIVE,
    Outcome.KILLED: Verdict.INCONCLUSIVE,
    Outcome.NOT_STARTED: Verdict.BROKEN,
}

# The words beside a verdict that is not an answer.
OUTCOME_WORDS: dict[Outcome, str] = {
    Outcome.VIOLATION_ASSUMPTION: "an ASSUME or a postcondition cannot be evaluated",
    Outcome.VIOLATION_LIVENESS: "a property cannot be evaluated",
    Outcome.FAILURE_SPEC_EVAL: "a definition cannot be evaluated",
    Outcome.FAILURE_SAFETY_EVAL: "an invariant cannot be evaluated",
    Outcome.FAILURE_LIVENESS_EVAL: "a property cannot be evaluated",
    Outcome.ERROR_SPEC_PARSE: "a module cannot be parsed",
    Outcome.ERROR_CONFIG_PARSE: "TLC refuses the config",
    Outcome.ERROR: "TLC error",
    Outcome.NOT_STARTED: "TLC did not start",
    Outcome.BOUNDED_SUCCESS: "not all states",
    Outcome.TIMEOUT: "timeout",
    Outcome.OUT_OF_MEMORY: "out of memory",
    Outcome.OUT_OF_DISK: "out of disk",
    Outcome.KILLED: "killed",
}


def is_simulated(
    outcome: Outcome, distinct: int | None, generated: int | None, behaviours: int | None
) -> bool:
    """Whether a simulation ended by its own budget without a violation; only then TLC counts no distinct states."""
    return outcome is Outcome.BOUNDED_SUCCESS and distinct is None and bool(generated or behaviours)


def simulation_words(behaviours: int | None, generated: int | None) -> str:
    """The result of such a simulation; TLC 2.15 does not count behaviours."""
    seen = counted(generated or 0, "state") if behaviours is None else counted(behaviours, "behaviour")
    return f"no violation in {seen}"


_STOPPED = (Outcome.TIMEOUT, Outcome.OUT_OF_MEMORY, Outcome.OUT_OF_DISK, Outcome.KILLED)


def unfinished(outcome: Outcome, termination_reason: object) -> bool:
    """Whether TLC was stopped, so that its counts are those of its last progress line.

    A run that found a violation and was stopped afterwards also has a ``termination_reason``.
    """
    return outcome in _STOPPED or termination_reason is not None


# How to get an answer. A run with higher limits than before is run again.
REMEDIES: dict[Outcome, str] = {
    Outcome.TIMEOUT: "give it more time: --timeout, or timeout in the sweep file; then it runs again",
    Outcome.OUT_OF_MEMORY: "give it more memory: --memory, or memory in the sweep file; then it runs again",
    Outcome.OUT_OF_DISK: "free disk space, or allow it more: disk in the sweep file; then it runs again",
    Outcome.KILLED: "the same command runs it again",
    Outcome.BOUNDED_SUCCESS: 'the search was cut short; if intended, expect verdict = "inconclusive"',
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Violation:
    """A violation; ``name`` is the violated definition or the name of an ``Assertion``, "" if there is none (deadlock)."""

    kind: ViolationKind
    name: str = ""

    @property
    def label(self) -> str:
        """The name, ``assert: NAME`` for an assertion, or the kind of what has no name."""
        return label_of(self.kind, self.name)


@dataclass(frozen=True, slots=True, kw_only=True)
class Stats:
    """State counts as TLC printed them last, None if it printed none.

    ``queue`` counts unexplored states, ``depth`` is the length of the longest shortest path.
    ``behaviours`` counts those of a simulation, ``initial`` the initial states that it starts from. ``collision_optimistic``
    and ``collision_observed`` are TLC's estimates of the probability that two states had one fingerprint, by their number
    and by the distance of the fingerprints found.
    """

    generated: int | None = None
    distinct: int | None = None
    queue: int | None = None
    depth: int | None = None
    behaviours: int | None = None
    initial: int | None = None
    collision_optimistic: float | None = None
    collision_observed: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CoverageItem:
    """A line of TLC's last coverage report.

    ``kind`` is init, action, property, constraint or expression; ``distinct`` and ``generated`` are None if TLC prints
    no such count.
    """

    kind: str
    name: str
    location: Location
    distinct: int | None = None
    generated: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnostic:
    """An error or warning that TLC printed.

    code: its message number in ``tlc2.output.EC``, 0 without one.
    severity: error or warning.
    location: the place in a module that the text mentions, as TLC prints it.
    place: the same place in the user's files.
    printed: the latest values that TLC printed before a postcondition failed.
    """

    code: int
    severity: str
    text: str
    location: Location | None = None
    place: Place | None = None
    printed: tuple[str, ...] = ()

    @property
    def full_text(self) -> str:
        """The text with the printed values."""
        head = ["TLC printed before:"] if self.printed else []
        return "\n".join([self.text.strip(), *head, *self.printed])


def left_open(
    found: Collection[str], checked: Collection[str], undecided: Collection[str], find: str
) -> set[str]:
    """The checks without an answer, of a run that found these violations.

    An assertion has one only after a whole search. With ``find = "each"`` the last search is whole if it had something
    left to check and found nothing.
    """
    assertions = {name for name in checked if is_expected(name, ("assert",))}
    others = {*checked} - assertions
    # The search ended at its first violation. With "each" it goes on, unless one, such as an assertion, cannot be left out.
    if found and (find != "each" or not {*found} <= others):
        return {*checked}.difference(found)
    whole = not found or (not undecided and not others <= {*found})
    return {*undecided, *(() if whole else assertions.difference(found))}


def is_expected(label: str, expected: Collection[str]) -> bool:
    """Whether an expectation names what is violated.

    ``assert`` is any assertion, ``assert: TEXT`` each with this text; ``assumption`` is any assumption.
    """
    if label.startswith("assumption: "):
        return label in expected or "assumption" in expected
    if not label.startswith("assert: "):
        return label in expected
    text = re.sub(r" \(\w+:\d+(:\d+)?\)$", "", label)
    return not {"assert", label, text}.isdisjoint(expected)
