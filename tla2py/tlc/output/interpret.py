"""From what TLC printed and how it ended to what that means: outcome, verdict, violations, traces, counts.

The outcome is named as TLC names its exit status; the verdict follows what was said. Neither the messages nor the
exit status suffices: under ``-continue`` TLC ends with 0 and "No error has been found" after violations, a killed
process may have reported one, and a cut-off stream looks like success up to its end.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from tla2py.model.outcome import VERDICTS, Diagnostic, Outcome, Stats, Verdict, Violation
from tla2py.model.result import RunResult
from tla2py.model.run import Mode, TerminationReason
from tla2py.tlc.output.codes import EXIT_STATUSES
from tla2py.tlc.output.collector import Reading
from tla2py.tlc.output.messages import Message, UserText, iter_messages
from tla2py.tlc.output.traces import iter_with_traces

_VACUOUS = "There is no initial state, so that everything that was checked holds of nothing."
_TERMINATIONS = {"timeout": Outcome.TIMEOUT, "memory": Outcome.OUT_OF_MEMORY, "disk": Outcome.OUT_OF_DISK}
# SIGHUP, SIGINT, SIGKILL and SIGTERM, as subprocess tells them and as the JVM or a shell exits on them; other signals
# are the JVM's own crash.
_KILLED = frozenset(status for signal in (1, 2, 9, 15) for status in (-signal, 128 + signal))


def interpret(
    lines: Iterable[bytes],
    *,
    exit_code: int | None,
    termination_reason: TerminationReason | None,
    mode: Mode = "check",
    invariants: Sequence[str] = (),
    properties: Sequence[str] = (),
    postconditions: Sequence[str] = (),
    stop_after: bool = False,
) -> RunResult:
    """The meaning of one execution of TLC with ``-tool``; no input whatever is an error.

    ``exit_code`` is the process's, negative for a signal, None when it was never started; ``termination_reason`` is
    None when it ended by itself;
    ``stop_after`` tells that the search was bounded in time by TLC itself. ``invariants``, ``properties`` and
    ``postconditions`` are those checked: where TLC does not name what was violated and there is one candidate, that
    is it.
    """
    return interpret_messages(
        iter_messages(lines),
        exit_code=exit_code,
        termination_reason=termination_reason,
        bounded=stop_after or mode != "check",
        candidates={
            "invariant": invariants,
            "temporal_property": properties,
            "postcondition": postconditions,
        },
    )


def interpret_messages(
    messages: Iterable[Message | UserText],
    *,
    exit_code: int | None,
    termination_reason: TerminationReason | None,
    bounded: bool,
    candidates: Mapping[str, Sequence[str]],
) -> RunResult:
    """The meaning of a stream of messages, see ``interpret``.

    ``bounded`` tells that the search did not cover all states even if it found nothing; ``candidates`` are the names
    checked, by the kind of violation they would be.
    """
    reading = _read(messages, candidates)
    outcome = _outcome(reading, exit_code, termination_reason, bounded=bounded or reading.simulated)
    if outcome is Outcome.SUCCESS and reading.stats.generated == 0 and any(candidates.values()):
        reading.diagnose(Diagnostic(code=0, severity="warning", text=_VACUOUS))
    return _result(reading, outcome)


def interpret_log(messages: Iterable[Message | UserText]) -> RunResult:
    """The meaning of a log that somebody kept, of whose process nothing is known but what it printed.

    A log that breaks off is one of a process that was killed, which is among the diagnostics; the trace within which it
    does is told as far as it goes.
    """
    reading = _read(messages, {})
    outcome = _success(reading, bounded=reading.simulated)
    if reading.violated is not None:
        outcome = reading.violated
    elif reading.out_of_memory:
        outcome = Outcome.OUT_OF_MEMORY
    elif reading.failures:
        outcome = next((said for said in reading.failures if said is not Outcome.ERROR), Outcome.ERROR)
    elif not reading.finished:
        outcome = Outcome.KILLED
    if outcome is Outcome.KILLED:
        reading.diagnose(_cut("so there is no verdict", reading.stats))
    elif reading.violated is not None and not (reading.finished or reading.traces or reading.cut_off):
        reading.diagnose(_cut("and has no counterexample", reading.stats))
    result = _result(reading, outcome)
    return replace(result, traces=(*result.traces, *reading.cut_off))


def _cut(lacking: str, stats: Stats) -> Diagnostic:
    """That a log breaks off, and how far TLC had come by its last line of progress."""
    told = {"states generated": stats.generated, "distinct": stats.distinct, "left on queue": stats.queue}
    figures = ", ".join(f"{count:,} {what}" for what, count in told.items() if count is not None)
    text = f"The log ends before TLC had finished, {lacking}."
    return Diagnostic(
        code=0, severity="error", text=f"{text} Its last figures: {figures}." if figures else text
    )


def _read(messages: Iterable[Message | UserText], candidates: Mapping[str, Sequence[str]]) -> Reading:
    reading = Reading(candidates)
    for item in iter_with_traces(messages):
        reading.take(item)
    reading.end()
    return reading


def _result(reading: Reading, outcome: Outcome) -> RunResult:
    return RunResult(
        outcome=outcome,
        verdict=_verdict(outcome, reading.violations),
        violations=tuple(reading.violations),
        traces=tuple(reading.traces),
        stats=reading.stats,
        coverage=tuple(reading.coverage),
        diagnostics=tuple(reading.diagnostics),
        tlc_version=reading.version,
        tlc_revision=reading.revision,
    )


def _outcome(
    reading: Reading, exit_code: int | None, termination_reason: TerminationReason | None, *, bounded: bool
) -> Outcome:
    if exit_code is None:
        return Outcome.KILLED if termination_reason == "killed" else Outcome.NOT_STARTED
    if reading.violated is not None:
        return reading.violated
    if termination_reason is not None:
        return _TERMINATIONS.get(termination_reason, Outcome.KILLED)
    if exit_code == 0:
        return _success(reading, bounded=bounded)
    if reading.out_of_memory:
        return Outcome.OUT_OF_MEMORY
    if exit_code in _KILLED:
        return Outcome.KILLED
    status = EXIT_STATUSES.get(exit_code, Outcome.ERROR)
    if status is Outcome.ERROR:
        return _unnamed_error(reading)
    if status in _VIOLATIONS and status not in reading.failures:
        # The status of a violation that was never reported: what was printed is not all there was.
        return Outcome.ERROR
    return status


def _success(reading: Reading, *, bounded: bool) -> Outcome:
    if reading.failures:
        return reading.failures[0]
    if not reading.finished:
        return Outcome.ERROR
    if bounded:
        return Outcome.BOUNDED_SUCCESS
    if reading.depth_first:
        # It has no queue; at its depth bound it ends without a word on success.
        return Outcome.SUCCESS if reading.succeeded else Outcome.BOUNDED_SUCCESS
    if not reading.succeeded or reading.stats.queue is None:
        return Outcome.ERROR
    return Outcome.BOUNDED_SUCCESS if reading.stats.queue else Outcome.SUCCESS


def _unnamed_error(reading: Reading) -> Outcome:
    """The outcome under a status that TLC has for every other error, where its messages say which one it was."""
    if Outcome.ERROR_CONFIG_PARSE in reading.failures:
        return Outcome.ERROR_CONFIG_PARSE
    # TLC 2.15 ends with 75 when an action cannot be evaluated, later ones also with 255; their last error is the same.
    last = reading.failures[-1] if reading.failures else Outcome.ERROR
    return Outcome.FAILURE_SPEC_EVAL if last is Outcome.FAILURE_SPEC_EVAL else Outcome.ERROR


_VIOLATIONS = frozenset(outcome for outcome in Outcome if outcome.value.startswith("violation_"))


def _verdict(outcome: Outcome, violations: Iterable[Violation]) -> Verdict:
    """The verdict of an outcome by ``VERDICTS``, but where TLC's exit status says less than its messages.

    A postcondition that is false ends as an assumption does; what was violated decides. An assumption, postcondition
    or action property that cannot be evaluated ends like one that is false; without a violation it is broken.
    """
    kinds = {violation.kind for violation in violations}
    if kinds:
        return Verdict.EXCLUDED if kinds == {"assumption"} else Verdict.VIOLATED
    return Verdict.BROKEN if outcome in _VIOLATIONS else VERDICTS[outcome]
