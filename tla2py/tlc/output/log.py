"""The verdict on a log where TLC's own does not depend on it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tla2py.model.logs import LogInput
from tla2py.model.outcome import Diagnostic, Outcome, Verdict, Violation
from tla2py.model.result import Progress, RunResult

_UNKNOWN = -3
UNEXPLAINED = Violation(kind="postcondition", name="log")
"""The violation by a log that no behaviour explains."""


def explained(log: LogInput, progress: Sequence[Progress]) -> int:
    """How many entries of a log some behaviour explained: each moves the position by one."""
    if not progress:
        return 0
    # Where the length is known, the position is the number of the next entry. It may begin after a first line that is no
    # step: one of settings, or one that shows the initial state.
    known = log.observed is not None or progress[-1].length is not None
    first = 1 if known else progress[0].position
    return progress[-1].position - first


def is_through(log: LogInput, progress: Sequence[Progress]) -> bool:
    """Whether some behaviour explained every entry."""
    if not progress:
        return False
    length = progress[-1].length
    return explained(log, progress) >= (log.lines if length is None else length)


def with_log(result: RunResult, log: LogInput | None) -> RunResult:
    """The result with the verdict on its log.

    It is TLC's own if what TLC checks states whether the log is accepted, or if TLC found another violation or gave no
    answer. Otherwise the log must be explained to its end, where a deadlock is no violation, nor is that of an invariant
    which only the end violates. A module may also end the search there.
    """
    if log is None:
        return result
    through = is_through(log, result.progress)
    deadlock = [each.kind for each in result.violations] == ["deadlock"]
    if result.outcome is Outcome.BOUNDED_SUCCESS and through:
        return replace(result, outcome=Outcome.SUCCESS, verdict=Verdict.HOLDS)
    ending = bool(result.violations) and all(
        each.kind == "invariant" and each.name in log.endings for each in result.violations
    )
    if not (ending and through) and (log.stated or not (result.outcome is Outcome.SUCCESS or deadlock)):
        return result
    if through:
        outcome = Outcome.SUCCESS
        return replace(result, outcome=outcome, verdict=Verdict.HOLDS, violations=(), traces=())
    if deadlock:
        return result
    if log.counted:
        outcome = Outcome.VIOLATION_ASSUMPTION
        return replace(result, outcome=outcome, verdict=Verdict.VIOLATED, violations=(UNEXPLAINED,))
    text = (
        "Nothing that TLC checks depends on the log, and no expression that counts its lines is known, so there is no "
        "verdict. Name one: position under [logs]."
    )
    return replace(
        result,
        outcome=Outcome.BOUNDED_SUCCESS,
        verdict=Verdict.INCONCLUSIVE,
        diagnostics=(*result.diagnostics, Diagnostic(code=_UNKNOWN, severity="warning", text=text)),
    )
