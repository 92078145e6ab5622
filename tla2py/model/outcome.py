"""What TLC said of one run: outcome, verdict, violations, statistics.

The names of outcomes are TLC's own exit statuses (``tlc2.output.EC.ExitStatus``) in lower case, plus those that TLC
cannot report of itself.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

from tla2py.errors import Place
from tla2py.trace.trace import Location, Trace


class Outcome(str, Enum):
    """The fine reading of a run; each has exactly one verdict, see ``VERDICTS``."""

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


class Verdict(str, Enum):
    """The coarse reading of an outcome, the one a gate compares with an expectation."""

    HOLDS = "holds"
    VIOLATED = "violated"
    INCONCLUSIVE = "inconclusive"
    BROKEN = "broken"
    EXCLUDED = "excluded"


VERDICTS: dict[Outcome, Verdict] = {
    Outcome.SUCCESS: Verdict.HOLDS,
    # An assumption that is false rejects the point, not the protocol; one that cannot be evaluated has no
    # violation and is reported as broken by the interpreter.
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


# For people, beside a verdict that is no answer.
OUTCOME_WORDS: dict[Outcome, str] = {
    Outcome.VIOLATION_ASSUMPTION: "an ASSUME cannot be evaluated",
    Outcome.VIOLATION_LIVENESS: "a property cannot be evaluated",
    Outcome.FAILURE_SPEC_EVAL: "a definition cannot be evaluated",
    Outcome.FAILURE_SAFETY_EVAL: "an invariant cannot be evaluated",
    Outcome.FAILURE_LIVENESS_EVAL: "a property cannot be evaluated",
    Outcome.ERROR_SPEC_PARSE: "a module cannot be parsed",
    Outcome.ERROR_CONFIG_PARSE: "TLC refuses the config",
    Outcome.ERROR: "an error of TLC",
    Outcome.NOT_STARTED: "TLC did not start",
    Outcome.BOUNDED_SUCCESS: "not all states",
    Outcome.TIMEOUT: "timeout",
    Outcome.OUT_OF_MEMORY: "out of memory",
    Outcome.OUT_OF_DISK: "out of disk",
    Outcome.KILLED: "killed",
}

_STOPPED = (Outcome.TIMEOUT, Outcome.OUT_OF_MEMORY, Outcome.OUT_OF_DISK, Outcome.KILLED)


def unfinished(outcome: Outcome, termination_reason: object) -> bool:
    """Whether TLC did not come to its end, so that its counts are those of its last line of progress.

    A run that found a violation before it was ended from outside has a ``termination_reason`` too.
    """
    return outcome in _STOPPED or termination_reason is not None


# How to get an answer after all; a run that may take more than when it ended so is run again.
REMEDIES: dict[Outcome, str] = {
    Outcome.TIMEOUT: "give it longer: --timeout, or timeout in the sweep file; it is then run again",
    Outcome.OUT_OF_MEMORY: "give it more memory: --memory, or memory in the sweep file; it is then run again",
    Outcome.OUT_OF_DISK: "make room, or give it more: disk in the sweep file; it is then run again",
    Outcome.KILLED: "the same command runs it again",
    Outcome.BOUNDED_SUCCESS: 'a simulation, or a search that was cut short; where that is meant, expect verdict = "inconclusive"',
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Violation:
    """One thing that was violated.

    ``kind`` is one of invariant, action_property, temporal_property, deadlock, assert, assumption, postcondition;
    ``name`` is the definition's name, or "" where TLC does not name it (deadlock, assert).
    """

    kind: str
    name: str = ""

    @property
    def label(self) -> str:
        """The definition's name, or the kind where TLC names none."""
        return self.name or self.kind


@dataclass(frozen=True, slots=True, kw_only=True)
class Stats:
    """Counts of states as TLC printed them last; None where it did not get so far.

    ``queue`` is the number of states left unexplored, ``depth`` the length of the longest shortest path.
    """

    generated: int | None = None
    distinct: int | None = None
    queue: int | None = None
    depth: int | None = None
    initial: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CoverageItem:
    """One line of TLC's last coverage report.

    ``kind`` is init, action, property, constraint or expression; ``distinct`` and ``generated`` are None where
    TLC gives no such count.
    """

    kind: str
    module: str
    name: str
    begin_line: int
    begin_column: int
    end_line: int
    end_column: int
    distinct: int | None = None
    generated: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnostic:
    """An error or warning TLC printed, by its message number in ``tlc2.output.EC`` (0 where it has none).

    ``severity`` is error or warning; ``location`` is the place in a module that the text names, if any, as TLC tells
    it; ``place`` is where that is in what the user wrote, see ``tla2py.sourcemap``.
    """

    code: int
    severity: str
    text: str
    location: Location | None = None
    place: Place | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckResult:
    """The interpretation of one execution of TLC; it can always be computed again from the raw record."""

    outcome: Outcome
    verdict: Verdict
    violations: tuple[Violation, ...] = ()
    traces: tuple[Trace, ...] = ()
    stats: Stats = field(default_factory=Stats)
    coverage: tuple[CoverageItem, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    tlc_version: str | None = None
    tlc_revision: str | None = None
