"""From what TLC printed and how it ended to what that means: outcome, verdict, violations, traces, counts.

The outcome is named as TLC names its exit status; the verdict follows what was said. Neither the messages nor the
exit status suffices: under ``-continue`` TLC ends with 0 and "No error has been found" after violations, a killed
process may have reported one, and a cut-off stream looks like success up to its end.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from tla2py.outcome import VERDICTS, CheckResult, CoverageItem, Diagnostic, Outcome, Stats, Verdict, Violation
from tla2py.tlc.codes import EXIT_STATUSES, OUTCOMES, Code, meaning
from tla2py.tlc.messages import Level, Message, UserText, iter_messages
from tla2py.tlc.sany import SanyReader
from tla2py.tlc.states import find_location
from tla2py.tlc.statistics import read_coverage, read_stats
from tla2py.tlc.traces import (
    INTRODUCTIONS,
    TraceEnd,
    TraceItem,
    TraceStart,
    iter_with_traces,
    read_violations,
    split_initial_state,
)
from tla2py.trace import State, Trace

_VERSION = re.compile(r"TLC2 Version (\S+)(?:.*\(rev: (\w+)\))?")
# As TLC words it in messages about other things, and as the JVM does outside messages.
_OUT_OF_MEMORY = re.compile(r"java\.lang\.OutOfMemoryError|Java heap space|GC overhead limit exceeded")
_JVM_OUT_OF_MEMORY = re.compile(
    r"(?:Exception in thread .* |Caused by: |Terminating due to )?java\.lang\.OutOfMemoryError"
    r"|# There is insufficient memory for the Java Runtime|.*Could not reserve enough space for"
)
# What a general error says before the exception's own text, unless the exception itself tells something.
_WRAPPING = re.compile(
    r"\ATLC threw an unexpected exception\.\n(?:.*\n){1,3}The exception was an? "
    r"(?:java\.lang\.RuntimeException|tlc2\.tool\.\w+)\n: (?=\s*\S)"
)
_VACUOUS = "There is no initial state, so that everything that was checked holds of nothing."
_TERMINATIONS = {"timeout": Outcome.TIMEOUT, "memory": Outcome.OUT_OF_MEMORY}
# SIGHUP, SIGINT, SIGKILL and SIGTERM, as subprocess tells them and as the JVM or a shell exits on them; other signals
# are the JVM's own crash.
_KILLED = frozenset(status for signal in (1, 2, 9, 15) for status in (-signal, 128 + signal))
# Assumptions are checked before the first initial state is computed, postconditions after the last state.
_EXPLORING = frozenset(
    {
        Code.INITIAL_STATES_START,
        Code.INITIAL_STATES_PROGRESS,
        Code.INITIAL_STATES,
        Code.INITIAL_STATES_DISTINCT,
    }
)


def interpret(
    lines: Iterable[bytes],
    *,
    exit_code: int | None,
    termination_reason: str | None,
    mode: str = "check",
    invariants: Sequence[str] = (),
    properties: Sequence[str] = (),
    postconditions: Sequence[str] = (),
    stop_after: bool = False,
) -> CheckResult:
    """The meaning of one execution of TLC with ``-tool``; no input whatever is an error.

    ``exit_code`` is the process's, negative for a signal, None when it was never started; ``termination_reason`` is
    None when it ended by itself, else timeout, memory, output or killed. ``mode`` is check or simulate;
    ``stop_after`` tells that the search was bounded in time by TLC itself. ``invariants``, ``properties`` and
    ``postconditions`` are those checked: where TLC does not name what was violated and there is one candidate, that
    is it.
    """
    candidates = {"invariant": invariants, "temporal_property": properties, "postcondition": postconditions}
    reading = _Reading(candidates)
    for item in iter_with_traces(iter_messages(lines)):
        reading.take(item)
    bounded = stop_after or mode != "check" or reading.simulated
    outcome = _outcome(reading, exit_code, termination_reason, bounded=bounded)
    if outcome is Outcome.SUCCESS and reading.stats.generated == 0 and (invariants or properties):
        reading.diagnose(Diagnostic(code=0, severity="warning", text=_VACUOUS))
    return CheckResult(
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
    reading: _Reading, exit_code: int | None, termination_reason: str | None, *, bounded: bool
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


def _success(reading: _Reading, *, bounded: bool) -> Outcome:
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


def _unnamed_error(reading: _Reading) -> Outcome:
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


class _Reading:
    """What has been read of a stream so far."""

    def __init__(self, candidates: Mapping[str, Sequence[str]]) -> None:
        self._candidates = candidates
        # In order of first appearance, each once.
        self.violations: dict[Violation, None] = {}
        self.violated: Outcome | None = None
        self.failures: list[Outcome] = []
        self.traces: list[Trace] = []
        self.stats = Stats()
        self.coverage: list[CoverageItem] = []
        self.diagnostics: dict[Diagnostic, None] = {}
        self.version: str | None = None
        self.revision: str | None = None
        self.out_of_memory = self.succeeded = self.finished = self.simulated = self.depth_first = False
        self._exploring = False
        self._sany: SanyReader | None = None
        self._start: TraceStart | None = None
        self._states: list[State] = []

    def take(self, item: Message | UserText | TraceItem) -> None:
        """Take in the next item of the stream."""
        if isinstance(item, State):
            self._states.append(item)
        elif isinstance(item, Message):
            self._message(item)
        elif isinstance(item, UserText):
            if self._sany is not None:
                self._sany.read(item.text)
            elif _JVM_OUT_OF_MEMORY.match(item.text) is not None:
                self.out_of_memory = True
        elif isinstance(item, TraceStart):
            self._start, self._states = item, []
        else:
            self._end_trace(item)

    def _end_trace(self, end: TraceEnd) -> None:
        assert self._start is not None
        if not end.complete or not self._states:
            text = f"Trace {end.trace} is cut off after {len(self._states)} states."
            self.diagnose(Diagnostic(code=0, severity="warning", text=text))
            return
        subject = self._attribute(Violation(kind=self._start.kind, name=self._start.name))
        trace = Trace(
            kind=subject.kind,
            name=subject.name,
            states=tuple(self._states),
            loop_start=end.loop_start,
            stuttering=end.stuttering,
        )
        self.traces.append(trace)
        self._states = []

    def _message(self, message: Message) -> None:
        if message.code == Code.SANY_START:
            self._sany = SanyReader()
        elif message.code == Code.SANY_END:
            self._end_sany()
        elif message.code == Code.COVERAGE_START:
            self.coverage = []
        elif (item := read_coverage(message)) is not None:
            self.coverage.append(item)
        elif message.level in (Level.ERROR, Level.TLCBUG):
            self._error(message)
        elif message.level is Level.WARNING:
            self.diagnose(_diagnostic(message, "warning"))
        elif message.complete:
            self._fact(message)

    def _fact(self, message: Message) -> None:
        self.stats = read_stats(message, self.stats)
        if message.code == Code.SUCCESS:
            self.succeeded = True
        elif message.code == Code.FINISHED:
            self.finished = True
        elif message.code == Code.MODE_SIMULATE:
            self.simulated = True
        elif message.code == Code.MODE_DEPTH_FIRST:
            self.depth_first = True
        elif message.code in _EXPLORING:
            self._exploring = True
        elif message.code == Code.VERSION and (version := _VERSION.match(message.text)) is not None:
            self.version, self.revision = version[1], version[2]

    def _error(self, message: Message) -> None:
        if message.code in INTRODUCTIONS:
            return
        self.diagnose(_diagnostic(message, "error"))
        said = [meaning(code).outcome for code in (message.code, *message.nested)]
        if Outcome.OUT_OF_MEMORY in said or _OUT_OF_MEMORY.search(message.text) is not None:
            self.out_of_memory = True
        violations = read_violations(message)
        for violation in violations:
            self.violations.setdefault(self._attribute(violation))
        if violations:
            outcome = OUTCOMES[violations[0].kind]
            self.violated = self.violated or outcome
        else:
            # What a general error says in particular is told inside it.
            self.failures.append(
                next((outcome for outcome in said if outcome is not Outcome.ERROR), Outcome.ERROR)
            )

    def _end_sany(self) -> None:
        if self._sany is not None:
            self._sany.end()
            for diagnostic in self._sany.diagnostics:
                self.diagnose(diagnostic)
            self._sany = None

    def _attribute(self, violation: Violation) -> Violation:
        kind, name = violation.kind, violation.name
        if kind == "assumption" and self._exploring:
            # TLC has messages of their own for postconditions since 2026.
            kind = "postcondition"
        candidates = self._candidates.get(kind, ())
        return Violation(kind=kind, name=candidates[0] if not name and len(candidates) == 1 else name)

    def diagnose(self, diagnostic: Diagnostic) -> None:
        """Keep a diagnostic, each once, in order of first appearance."""
        self.diagnostics.setdefault(diagnostic)


def _diagnostic(message: Message, severity: str) -> Diagnostic:
    """A message as a diagnostic; a general error that wraps another is told as that one."""
    text, _ = split_initial_state(message)
    code = message.nested[0] if message.code == Code.GENERAL and message.nested else message.code
    text = _WRAPPING.sub("", text).strip()
    return Diagnostic(code=code, severity=severity, text=text, location=find_location(text))
