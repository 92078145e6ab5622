"""What the messages of one execution say together, and notes on what surrounded it."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

from tla2py.errors import Place
from tla2py.model.outcome import CoverageItem, Diagnostic, Outcome, Stats, Violation
from tla2py.model.run import Progress, RunRecord, RunResult
from tla2py.model.trace import Location, Trace, is_violation
from tla2py.text import listed
from tla2py.tlc.output import states
from tla2py.tlc.output.codes import OUTCOMES, POSTCONDITIONS, Code, meaning
from tla2py.tlc.output.messages import Message, MessageLevel, UserText
from tla2py.tlc.output.prints import MOST_PRINTS, PrintReader, asserted_value, read_progress

# The codes of notes; TLC's own are positive.
_HIDDEN = -1
_DROPPED = -2
REMARK = -4
"""The code of a remark on a line of the log that a run checks."""
_UNDEFINED = -9

_MOST_NAMES = 5
# Java's words for a file that is missing or denied, with its name, and for no network.
_FILE = re.compile(
    r"(?:NoSuchFileException|AccessDeniedException): ([^\s:]+)"
    r"|(?:FileNotFoundException: )?([^\s:]+) \((?:No such file[^)]*|Permission denied)\)"
)
_NETWORK = re.compile(r"Network is unreachable|(?:Socket|Connect)Exception: Operation not permitted")
# TLC's error for a name that has no value where it is evaluated.
_NO_VALUE = re.compile(r"In evaluation, the identifier (\S+) is either undefined or not an operator")
# TLC's error for a field that a record lacks. Every run's environment has the variable LC_ALL.
_FIELD = re.compile(r"nonexistent (?:record )?field \"?(\w+)")
_ENVIRONMENT = "LC_ALL |->"


def with_notes(result: RunResult, record: RunRecord) -> RunResult:
    """The result with notes among its diagnostics, as warnings."""
    errors = [] if record.limits.trust else [d.text for d in result.diagnostics if d.severity == "error"]
    hidden = dict.fromkeys(_hidden(error, record) for error in errors)
    said = [(_HIDDEN, text) for text in hidden if text is not None]
    if record.dropped:
        names = listed(record.dropped, _MOST_NAMES)
        dropped = f"the run wrote {names}, dropped; a sweep keeps what [outputs] files declares"
        said.append((_DROPPED, dropped))
    notes = [Diagnostic(code=code, severity="warning", text=text) for code, text in said]
    diagnostics = result.diagnostics
    for remark in record.remarks:
        place = Place(file=remark.file, line=remark.line)
        severity = "error" if remark.refuses else "warning"
        notes.append(Diagnostic(code=REMARK, severity=severity, text=remark.text, place=place))
        # In place of the message that TLC did not start.
        diagnostics = () if remark.refuses else diagnostics
    return replace(result, diagnostics=(*diagnostics, *notes)) if notes else result


def note_text(code: int, text: str) -> str | None:
    """A message of a run as a note for people, None if it is not one.

    Notes are tla2py's own, and TLC's warning that steps which change a variable may count as stuttering.
    """
    if code == Code.SUBSCRIPT_INCOMPLETE:
        return f"TLC warns: {' '.join(text.split())}"
    return text if code < 0 else None


def notes_of(result: RunResult) -> list[str]:
    """The texts of a result's notes."""
    notes = (note_text(each.code, each.text) for each in result.diagnostics)
    return [note for note in notes if note is not None]


def _hidden(error: str, record: RunRecord) -> str | None:
    """What the sandbox hid from a run with this error, and how to declare it."""
    if _NETWORK.search(error):
        return "the sandbox gives runs no network; --trust does"
    field = _FIELD.search(error)
    if field is not None and _ENVIRONMENT in error:
        return (
            f"the sandbox hides your environment, so the run has no variable {field[1]}; declare it: "
            f"[environment] {field[1]} = ..., or --env {field[1]}=... for a check"
        )
    file = _FILE.search(error)
    name = (file[1] or file[2]) if file is not None else None
    if name is None or name in {each.path for each in record.inputs.files}:
        return None
    if name.startswith("/"):
        return (
            f"the sandbox hides {name}; read it by a relative path and declare it with [inputs] files, or "
            f"--input {name} for a check; --trust gives access to all files"
        )
    return f"the sandbox hides undeclared files, so the run has no {name}; declare it with [inputs] files, or --input {name} for a check"


# The depth and the time, which has colons, precede the counts. Digits and their grouping depend on the locale.
_PROGRESS = re.compile(
    r"(?:(?:Progress\(|Starting level )(?P<depth>[^):]*)[):])?(?:.*: )?(?P<generated>[^:]*?) states generated"
    r"(?: \([^)]*\))?(?:, (?P<distinct>.*?) distinct states found)?(?: \([^)]*\))?"
    r"(?:, (?P<queue>.*?) states left on queue)?"
)
# The depth's place holds the number of behaviours, and all other counts except the states generated are -1. Without
# -tool it differs; the rolling releases add the number of traces.
_SIMULATION = re.compile(
    r"Progress: (?P<generated>.*?) states checked(?:, (?P<behaviours>[\d,]+) traces generated)?"
    r"|(?:Progress\((?P<behaviours_>[^)]*)\))?(?:.*: )?(?P<generated_>[^:]*?) states generated"
)
# Rows of counts are shorter than this.
_LONGEST = 1000
_COLLISION = re.compile(r"(calculated \(optimistic\)|based on the actual fingerprints): +val = ([\d.E+-]+)")
_COUNTED: dict[int, re.Pattern[str]] = {
    **dict.fromkeys((Code.STATS, Code.STATS_DEPTH_FIRST, Code.PROGRESS), _PROGRESS),
    **dict.fromkeys((Code.PROGRESS_LEVEL, Code.PROGRESS_DEPTH_FIRST), _PROGRESS),
    Code.PROGRESS_SIMULATE: _SIMULATION,
    Code.STATS_SIMULATE: re.compile(r"The number of states generated: (?P<generated>.*)"),
    Code.DEPTH: re.compile(r"The depth of the complete state graph search is (?P<depth>[^:]*?)\.?\Z"),
    Code.INITIAL_STATES_PROGRESS: re.compile(r"Computed (?P<initial>[^:]*?) initial states"),
}

_COVERAGE_KINDS: dict[int, str] = {
    Code.COVERAGE_INIT: "init",
    Code.COVERAGE_ACTION: "action",
    Code.COVERAGE_PROPERTY: "property",
    Code.COVERAGE_CONSTRAINT: "constraint",
    Code.COVERAGE_VALUE: "expression",
    Code.COVERAGE_VALUE_COST: "expression",
}
_COVERED = re.compile(
    r"[ |]*<?(?P<name>.*?) ?line (?P<a>\d+), col (?P<b>\d+) to line (?P<c>\d+), col (?P<d>\d+) of module (?P<module>\w+)"
    r"(?: \([^)]*\))?>?"
)
_COUNTS = re.compile(r": ([^:]+)(?::([^:]+))?")


def latest_progress(line: bytes, *, simulation: bool = False) -> Stats | None:
    """The counts of a progress line, ``Progress(12) at …`` or ``Progress: …``; None for any other line."""
    if not line.startswith((b"Progress(", b"Progress: ")):
        return None
    text = line.decode("utf-8", "replace")
    stats = _with_counts(Stats(), _SIMULATION if simulation else _PROGRESS, text)
    return None if stats.generated is None else stats


def read_stats(message: Message, stats: Stats) -> Stats:
    """``stats`` updated with the counts of a message."""
    if message.code == Code.SUCCESS:
        # Newer releases print only the first estimate unless asked for the other.
        found = {which[0]: float(value) for which, value in _COLLISION.findall(message.text)}
        return replace(stats, collision_optimistic=found.get("c"), collision_observed=found.get("b"))
    pattern = _COUNTED.get(message.code)
    return stats if pattern is None else _with_counts(stats, pattern, message.text)


def _with_counts(stats: Stats, pattern: re.Pattern[str], text: str) -> Stats:
    found = pattern.match(text[:_LONGEST])
    counts = found.groupdict() if found is not None else {}
    numbers = ((name.rstrip("_"), _number(count)) for name, count in counts.items())
    return replace(stats, **{name: number for name, number in numbers if number is not None})


def _number(text: str | None) -> int | None:
    """The number, however its digits are grouped; TLC prints -1 for a count that it does not have."""
    if text is not None and len(text) < 18 and text.isascii() and text.isdigit():
        return int(text)
    digits = "".join(filter(str.isdecimal, text or ""))[:18]
    return int(digits) if digits and not (text or "").lstrip().startswith("-") else None


def read_coverage(message: Message) -> CoverageItem | None:
    """The coverage row of a message; None for any other message."""
    if (kind := _COVERAGE_KINDS.get(message.code)) is None:
        return None
    text = message.text
    end = text.rfind(": ")
    covered = _covered(text if end < 0 else text[:end])
    if covered is None:
        return None
    name, location = covered
    found = _COUNTS.match(text, end) if end >= 0 else None
    first, second = (None, None) if found is None else (_number(found[1]), _number(found[2]))
    # An expression's first count is its evaluations; the second, if any, is their cost.
    distinct, generated = (None, first) if kind == "expression" else (first, second)
    return CoverageItem(kind=kind, name=name, location=location, distinct=distinct, generated=generated)


# Each report counts the same, and so do the runs of a sweep.
@lru_cache(maxsize=4096)
def _covered(text: str) -> tuple[str, Location] | None:
    """What a row of a coverage report counts: the name and the place."""
    if (found := _COVERED.match(text)) is None:
        return None
    return found["name"], states.location_of(found.group("a", "b", "c", "d", "module"))


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
_EXPLORING = frozenset(code for code in Code if code.name.startswith("INITIAL_STATES"))
_CAUSES_OF_UNDEFINED = (
    "It does so for a primed variable that no conjunct before assigns, and for fairness or ENABLED, written outside of an "
    "instance, of one of the instance's actions where a variable is substituted by an expression (tlaplus#748); write such "
    "fairness in the instanced module and name it from outside, as in Inner!Fairness"
)
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
        # Whether the last line on progress has a longer queue than the one before.
        self.growing = False
        self.out_of_memory = False
        # The codes of messages that are neither errors nor warnings.
        self.said: set[int] = set()
        self.prints: list[str] = []
        self.print_count = 0
        self.progress: list[Progress] = []
        self._print_reader = PrintReader()
        # Those since the last message.
        self._recent: deque[str] = deque(maxlen=_MOST_RECENT)
        self._report: list[CoverageItem] = []
        self._sany: states.SanyReader | None = None
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
        if message.level in (MessageLevel.ERROR, MessageLevel.TLCBUG):
            self._error(message)
        elif message.code == Code.SANY_START:
            self._sany = states.SanyReader()
        elif message.code == Code.SANY_END:
            self.end()
        elif message.code == Code.COVERAGE_START:
            self._report = []
        elif message.code in _COVERAGE_ENDS:
            self.coverage = self._report
        elif (item := read_coverage(message)) is not None:
            self._report.append(item)
        elif message.level is MessageLevel.WARNING:
            self.diagnose(_diagnostic(message, "warning"))
        elif message.complete:
            self.said.add(message.code)
            before, self.stats = self.stats.queue, read_stats(message, self.stats)
            if message.code == Code.PROGRESS:
                self.growing = before is not None and (self.stats.queue or 0) > before
            elif message.code == Code.VERSION and (version := _VERSION.match(message.text)) is not None:
                self.version, self.revision = version[1], version[2]

    def _error(self, message: Message) -> None:
        if message.code in states.INTRODUCTIONS:
            return
        code = message.code
        if code in POSTCONDITIONS and self._explores:
            # As newer releases print it for a postcondition.
            name = self._attribute(Violation(kind="postcondition")).name
            subject = f"ostcondition {name} at" if name else "ostcondition at"
            text = message.text.replace("Assumption", f"P{subject}", 1)
            text = text.replace("assumption", f"p{subject}", 1)
            message = replace(message, code=POSTCONDITIONS[Code(code)], text=text)
        diagnostic = _diagnostic(message, "error")
        if message.code in POSTCONDITIONS.values():
            diagnostic = replace(diagnostic, code=code, printed=tuple(self._recent))
        self.diagnose(diagnostic)
        if (asserted := asserted_value(message.text)) is not None:
            self._print(asserted)
        outcomes = [meaning(code).outcome for code in (message.code, *message.nested)]
        if Outcome.OUT_OF_MEMORY in outcomes or _OUT_OF_MEMORY.search(message.text) is not None:
            self.out_of_memory = True
        violations = states.read_violations(message)
        for violation in violations:
            self.violations.setdefault(self._attribute(violation))
        if violations:
            self.violated = self.violated or OUTCOMES[violations[0].kind]
        else:
            # A general error may hold a more specific one.
            failure = next((each for each in outcomes if each is not Outcome.ERROR), Outcome.ERROR)
            if failure is Outcome.ERROR_CONFIG_PARSE and self._explores:
                # TLC took the config; the number is also that of a name without a value.
                failure = Outcome.FAILURE_SPEC_EVAL
            self.failures.append(failure)
            self._note_undefined(message.text)

    @property
    def _explores(self) -> bool:
        """Whether TLC has begun to compute states."""
        return not self.said.isdisjoint(_EXPLORING)

    def _note_undefined(self, error: str) -> None:
        """Add a note on the causes of an error that calls a name undefined while TLC computes states."""
        undefined = _NO_VALUE.search(error)
        if undefined is not None and self._explores:
            text = f"TLC calls {undefined[1]} undefined. {_CAUSES_OF_UNDEFINED}"
            self.diagnose(Diagnostic(code=_UNDEFINED, severity="warning", text=text))

    def end(self) -> None:
        """Close SANY's output, which a crash leaves without an end."""
        if self._sany is not None:
            self._sany.end()
            for diagnostic in self._sany.diagnostics:
                self.diagnose(diagnostic)
            self._sany = None

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


# The other frames, a thousand where a definition never ends, are in the record.
_MORE_FRAMES = re.compile(r"((?:\n[ \t]+at \S+\(.*\)){3})(?:\n[ \t]+at \S+\(.*\))+")


def _diagnostic(message: Message, severity: str) -> Diagnostic:
    """A message as a diagnostic; a general error that wraps another becomes the other."""
    text, state = states.split_initial_state(message)
    code = message.nested[0] if message.code == Code.GENERAL and message.nested else message.code
    text = _MORE_FRAMES.sub(r"\1\n\t...", _WRAPPING.sub("", text).strip())
    # TLC does not name the variables without a value.
    values = {} if state is None else states.StateReader().read_values(state, partial=True)
    if names := " and ".join(name for name, value in values.items() if value == states.UNASSIGNED):
        text = f"The initial predicate assigns no value to {names}.\n{text}"
    return Diagnostic(code=code, severity=severity, text=text, location=states.find_location(text))
