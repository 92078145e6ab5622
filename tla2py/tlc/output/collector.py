"""The collector of a message stream's contents: violations, other errors, traces, counts, coverage, diagnostics."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import replace

from tla2py.model.outcome import CoverageItem, Diagnostic, Outcome, Stats, Violation
from tla2py.model.result import Progress
from tla2py.tlc.output.codes import OUTCOMES, Code, meaning
from tla2py.tlc.output.messages import Level, Message, UserText
from tla2py.tlc.output.prints import MOST_PRINTS, PrintReader, asserted_value, read_progress
from tla2py.tlc.output.sany import SanyReader
from tla2py.tlc.output.states import UNASSIGNED, StateReader, find_location
from tla2py.tlc.output.statistics import read_coverage, read_stats
from tla2py.tlc.output.traces import INTRODUCTIONS, read_violations, split_initial_state
from tla2py.trace.trace import Trace, is_violation

_VERSION = re.compile(r"TLC2 Version (\S+)(?:.*\(rev: (\w+)\))?")
# The wording inside TLC's other messages, and the JVM's outside messages.
_OUT_OF_MEMORY = re.compile(r"java\.lang\.OutOfMemoryError|Java heap space|GC overhead limit exceeded")
_JVM_OUT_OF_MEMORY = re.compile(
    r"(?:Exception in thread .* |Caused by: |Terminating due to )?java\.lang\.OutOfMemoryError"
    r"|# There is insufficient memory for the Java Runtime|.*Could not reserve enough space for"
)
# The preamble of a general error, to be removed where the exception has a text of its own.
_WRAPPING = re.compile(
    r"\ATLC threw an unexpected exception\.\n(?:.*\n){1,3}The exception was an? "
    r"(?:java\.lang\.RuntimeException|tlc2\.tool\.\w+)\n: (?=\s*\S)"
)
# The kinds that TLC may give to a property's conjuncts.
_OF_PROPERTIES = frozenset({"invariant", "action_property", "temporal_property"})
# TLC checks assumptions before it computes the first initial state, postconditions after the last state.
_EXPLORING = frozenset(
    {
        Code.INITIAL_STATES_START,
        Code.INITIAL_STATES_PROGRESS,
        Code.INITIAL_STATES,
        Code.INITIAL_STATES_DISTINCT,
    }
)

# Earlier rolling releases than those of 2026 report a postcondition as an assumption.
_POSTCONDITIONS = {
    Code.ASSUMPTION_FALSE: Code.POSTCONDITION_FALSE,
    Code.ASSUMPTION_FAILED: Code.POSTCONDITION_FAILED,
}
# How many of the latest values printed are shown with a postcondition that fails.
_MOST_RECENT = 10
_COVERAGE_ENDS = frozenset({Code.COVERAGE_END, Code.COVERAGE_END_OVERHEAD})


class Collector:
    """The contents of a stream so far.

    ``violated`` is the outcome of the first violation, ``failures`` holds the outcomes of all other errors in order.
    ``candidates`` are the names checked, by the kind of violation they would be.
    """

    def __init__(self, candidates: Mapping[str, Sequence[str]]) -> None:
        self._candidates = candidates
        # As an ordered set, like the diagnostics.
        self.violations: dict[Violation, None] = {}
        self.violated: Outcome | None = None
        self.failures: list[Outcome] = []
        self.traces: list[Trace] = []
        # The traces that break off.
        self.cut_off: list[Trace] = []
        self.stats = Stats()
        self.coverage: list[CoverageItem] = []
        self.diagnostics: dict[Diagnostic, None] = {}
        self.version: str | None = None
        self.revision: str | None = None
        self.out_of_memory = self.succeeded = self.finished = self.simulated = self.depth_first = False
        self.prints: list[str] = []
        self.print_count = 0
        self.progress: list[Progress] = []
        self._print_reader = PrintReader()
        # Those since the last message.
        self._recent: deque[str] = deque(maxlen=_MOST_RECENT)
        self._exploring = False
        self._report: list[CoverageItem] = []
        self._sany: SanyReader | None = None
        self._trace_count = 0

    def take(self, item: Message | UserText | Trace) -> None:
        """Add the next item of the stream."""
        if (text := self._print_reader.read(None if isinstance(item, Trace) else item)) is not None:
            self._print(text)
        if isinstance(item, Trace):
            self._trace(item)
        elif isinstance(item, Message):
            self._message(item)
        elif self._sany is not None:
            self._sany.read(item.text)
        elif _JVM_OUT_OF_MEMORY.match(item.text) is not None:
            self.out_of_memory = True
        if not isinstance(item, UserText):
            self._recent.clear()

    def _print(self, text: str) -> None:
        if (progress := read_progress(text)) is not None:
            self.progress.append(progress)
            return
        self.print_count += 1
        self._recent.append(text)
        if self.print_count <= MOST_PRINTS:
            self.prints.append(text)

    def _trace(self, trace: Trace) -> None:
        self._trace_count += 1
        if trace.cut_off or not trace.states:
            text = f"Trace {self._trace_count} breaks off after {len(trace.states)} states."
            self.diagnose(Diagnostic(code=0, severity="warning", text=text))
        if is_violation(trace.kind):
            violation = self._attribute(Violation(kind=trace.kind, name=trace.name))
            trace = replace(trace, kind=violation.kind, name=violation.name)
        if trace.states:
            (self.cut_off if trace.cut_off else self.traces).append(trace)

    def _message(self, message: Message) -> None:
        if message.level in (Level.ERROR, Level.TLCBUG):
            self._error(message)
        elif message.code == Code.SANY_START:
            self._sany = SanyReader()
        elif message.code == Code.SANY_END:
            self.end()
        elif message.code == Code.COVERAGE_START:
            self._report = []
        elif message.code in _COVERAGE_ENDS:
            self.coverage = self._report
        elif (item := read_coverage(message)) is not None:
            self._report.append(item)
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
        code = message.code
        if self._exploring and code in _POSTCONDITIONS:
            message = self._postcondition(message)
        diagnostic = _diagnostic(message, "error")
        if message.code in _POSTCONDITIONS.values():
            diagnostic = replace(diagnostic, code=code, printed=tuple(self._recent))
        self.diagnose(diagnostic)
        if (asserted := asserted_value(message)) is not None:
            self._print(asserted)
        outcomes = [meaning(code).outcome for code in (message.code, *message.nested)]
        if Outcome.OUT_OF_MEMORY in outcomes or _OUT_OF_MEMORY.search(message.text) is not None:
            self.out_of_memory = True
        violations = read_violations(message)
        for violation in violations:
            self.violations.setdefault(self._attribute(violation))
        if violations:
            self.violated = self.violated or OUTCOMES[violations[0].kind]
        else:
            # A general error may hold a more specific one.
            self.failures.append(
                next((each for each in outcomes if each is not Outcome.ERROR), Outcome.ERROR)
            )

    def end(self) -> None:
        """Close SANY's output, which a crash leaves without an end."""
        if self._sany is not None:
            self._sany.end()
            for diagnostic in self._sany.diagnostics:
                self.diagnose(diagnostic)
            self._sany = None

    def _postcondition(self, message: Message) -> Message:
        """A message on an assumption as the one that newer releases print for a postcondition."""
        name = self._attribute(Violation(kind="postcondition")).name
        subject = f"ostcondition {name} at" if name else "ostcondition at"
        text = message.text.replace("Assumption", f"P{subject}", 1).replace("assumption", f"p{subject}", 1)
        return replace(message, code=_POSTCONDITIONS[Code(message.code)], text=text)

    def _attribute(self, violation: Violation) -> Violation:
        kind, name = violation.kind, violation.name
        properties = self._candidates.get("temporal_property", ())
        candidates = self._candidates.get(kind, ())
        if kind in _OF_PROPERTIES and name and name not in (*candidates, *properties):
            # TLC splits a property into conjuncts and reports a conjunct's name or place.
            candidates, name = properties, "" if properties else name
        return Violation(kind=kind, name=candidates[0] if not name and len(candidates) == 1 else name)

    def diagnose(self, diagnostic: Diagnostic) -> None:
        """Add a diagnostic unless it is there already."""
        self.diagnostics.setdefault(diagnostic)


def _diagnostic(message: Message, severity: str) -> Diagnostic:
    """A message as a diagnostic; a general error that wraps another becomes the other."""
    text, state = split_initial_state(message)
    code = message.nested[0] if message.code == Code.GENERAL and message.nested else message.code
    text = _WRAPPING.sub("", text).strip()
    if state is not None and (names := _unassigned(state)):
        text = f"The initial predicate assigns no value to {names}.\n{text}"
    return Diagnostic(code=code, severity=severity, text=text, location=find_location(text))


def _unassigned(state: str) -> str:
    """The variables without a value in an initial state, which TLC does not name."""
    values = StateReader().read_values(state, partial=True)
    return " and ".join(name for name, value in values.items() if value == UNASSIGNED)
