"""The outcome, verdict, violations, traces and counts of one execution, from TLC's output and its exit status.

Outcomes have the names of TLC's exit statuses; the verdict follows the messages. Neither messages nor exit status are
enough: under ``-continue`` TLC ends with 0 and "No error has been found" after violations, a killed process may have
reported one, and a truncated stream looks like success up to its end.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from tla2py.model.outcome import VERDICTS, Diagnostic, Outcome, Stats, Verdict, Violation
from tla2py.model.result import RunResult
from tla2py.model.run import TerminationReason
from tla2py.tlc.output.codes import EXIT_STATUSES
from tla2py.tlc.output.collector import Collector
from tla2py.tlc.output.messages import Message, UserText
from tla2py.tlc.output.traces import iter_with_traces

_VACUOUS = "There are no initial states, so everything that was checked holds vacuously."
_TERMINATIONS = {"timeout": Outcome.TIMEOUT, "memory": Outcome.OUT_OF_MEMORY, "disk": Outcome.OUT_OF_DISK}
# SIGHUP, SIGINT, SIGKILL and SIGTERM, as subprocess reports them and as the JVM or a shell exits on them; any other
# signal means that the JVM crashed.
_KILLED = frozenset(status for signal in (1, 2, 9, 15) for status in (-signal, 128 + signal))


def interpret(
    messages: Iterable[Message | UserText],
    *,
    exit_code: int | None,
    termination_reason: TerminationReason | None,
    bounded: bool = False,
    candidates: Mapping[str, Sequence[str]] = MappingProxyType({}),
) -> RunResult:
    """The result of one execution of TLC; accepts any input.

    ``exit_code`` is negative for a signal, None if the process never started; ``termination_reason`` is None if it
    ended on its own. ``bounded`` means that the search did not cover all states even if it found nothing.
    ``candidates`` are the names checked, by the kind of violation they would be: a violation that TLC does not name
    gets the name of the only candidate.
    """
    read = _read(messages, candidates)
    outcome = _outcome(read, exit_code, termination_reason, bounded=bounded or read.simulated)
    if outcome is Outcome.SUCCESS and read.stats.generated == 0 and any(candidates.values()):
        read.diagnose(Diagnostic(code=0, severity="warning", text=_VACUOUS))
    return _result(read, outcome)


def interpret_log(messages: Iterable[Message | UserText]) -> RunResult:
    """The result of a stored log, without exit status and names checked.

    A log that breaks off counts as a killed process, and a diagnostic says so; the trace that breaks off is kept.
    """
    read = _read(messages, {})
    outcome = _success(read, bounded=read.simulated)
    if read.violated is not None:
        outcome = read.violated
    elif read.out_of_memory:
        outcome = Outcome.OUT_OF_MEMORY
    elif read.failures:
        outcome = next((each for each in read.failures if each is not Outcome.ERROR), Outcome.ERROR)
    elif not read.finished:
        outcome = Outcome.KILLED
    if outcome is Outcome.KILLED:
        read.diagnose(_broken_off("so there is no verdict", read.stats))
    elif read.violated is not None and not (read.finished or read.traces or read.cut_off):
        read.diagnose(_broken_off("and has no counterexample", read.stats))
    result = _result(read, outcome)
    return replace(result, traces=(*result.traces, *read.cut_off))


def _broken_off(consequence: str, stats: Stats) -> Diagnostic:
    """The diagnostic for a log that breaks off, with the counts of its last progress line."""
    counts = {"states generated": stats.generated, "distinct": stats.distinct, "left on queue": stats.queue}
    figures = ", ".join(f"{count:,} {noun}" for noun, count in counts.items() if count is not None)
    text = f"The log ends before TLC had finished, {consequence}."
    return Diagnostic(code=0, severity="error", text=f"{text} Last counts: {figures}." if figures else text)


def _read(messages: Iterable[Message | UserText], candidates: Mapping[str, Sequence[str]]) -> Collector:
    read = Collector(candidates)
    for item in iter_with_traces(messages):
        read.take(item)
    read.end()
    return read


def _result(read: Collector, outcome: Outcome) -> RunResult:
    return RunResult(
        outcome=outcome,
        verdict=_verdict(outcome, read.violations),
        violations=tuple(read.violations),
        traces=tuple(read.traces),
        stats=read.stats,
        coverage=tuple(read.coverage),
        diagnostics=tuple(read.diagnostics),
        tlc_version=read.version,
        tlc_revision=read.revision,
        prints=tuple(read.prints),
        print_count=read.print_count,
        progress=tuple(read.progress),
    )


def _outcome(
    read: Collector, exit_code: int | None, termination_reason: TerminationReason | None, *, bounded: bool
) -> Outcome:
    if termination_reason is not None:
        # There is no exit code if the command had not begun.
        return read.violated or _TERMINATIONS.get(termination_reason, Outcome.KILLED)
    if exit_code is None:
        return Outcome.NOT_STARTED
    if read.violated is not None:
        return read.violated
    if exit_code == 0:
        return _success(read, bounded=bounded)
    if read.out_of_memory:
        return Outcome.OUT_OF_MEMORY
    if exit_code in _KILLED:
        return Outcome.KILLED
    status = EXIT_STATUSES.get(exit_code, Outcome.ERROR)
    if status is Outcome.ERROR:
        return _unnamed_error(read)
    if status in _VIOLATIONS and status not in read.failures:
        # A violation that was never reported: the output is incomplete.
        return Outcome.ERROR
    return status


def _success(read: Collector, *, bounded: bool) -> Outcome:
    if read.failures:
        return read.failures[0]
    if not read.finished or read.traces:
        # A counterexample to nothing: the message that says what it violates is missing.
        return Outcome.ERROR
    if bounded:
        return Outcome.BOUNDED_SUCCESS
    if read.depth_first:
        # Depth-first search has no queue, and prints no success message if it reached its depth bound.
        return Outcome.SUCCESS if read.succeeded else Outcome.BOUNDED_SUCCESS
    if not read.succeeded or read.stats.queue is None:
        return Outcome.ERROR
    return Outcome.BOUNDED_SUCCESS if read.stats.queue else Outcome.SUCCESS


def _unnamed_error(read: Collector) -> Outcome:
    """The outcome under TLC's general error status, as specific as its messages are."""
    if Outcome.ERROR_CONFIG_PARSE in read.failures:
        return Outcome.ERROR_CONFIG_PARSE
    # If an action cannot be evaluated, TLC 2.15 ends with 75, later versions also with 255; their last error is the same.
    last = read.failures[-1] if read.failures else Outcome.ERROR
    return Outcome.FAILURE_SPEC_EVAL if last is Outcome.FAILURE_SPEC_EVAL else Outcome.ERROR


_VIOLATIONS = frozenset(outcome for outcome in Outcome if outcome.value.startswith("violation_"))


def _verdict(outcome: Outcome, violations: Iterable[Violation]) -> Verdict:
    """The verdict of an outcome by ``VERDICTS``, except where TLC's exit status is less specific than its messages.

    A false postcondition has the outcome of a false assumption; the violation decides. An assumption, postcondition or
    action property that cannot be evaluated has the outcome of a false one; without a violation it is broken.
    """
    kinds = {violation.kind for violation in violations}
    if kinds:
        return Verdict.EXCLUDED if kinds == {"assumption"} else Verdict.VIOLATED
    return Verdict.BROKEN if outcome in _VIOLATIONS else VERDICTS[outcome]
