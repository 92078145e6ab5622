"""The stream that TLC prints with ``-tool``: numbered messages, and unframed text between them.

A message is framed as ``@!@!@STARTMSG code:class @!@!@``, a body of lines and ``@!@!@ENDMSG code @!@!@`` (see
``tlc2.output.MP.getMessage``). Messages nest: an exception's text may hold a whole framed message, which then starts
in the middle of a line. SANY, ``Print`` and the JVM print without frames.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from functools import lru_cache
from typing import NamedTuple

from tla2py.errors import Place
from tla2py.model.logs import LogContent, LogInput
from tla2py.model.outcome import Diagnostic, Outcome, Verdict, Violation
from tla2py.model.run import Progress, RunResult
from tla2py.text import counted, listed
from tla2py.tlc.output.codes import Code


class MessageLevel(IntEnum):
    """The class of a message as ``tlc2.output.MP`` numbers them."""

    NONE = 0
    ERROR = 1
    TLCBUG = 2
    WARNING = 3
    STATE = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One framed message.

    ``code`` is its number in ``tlc2.output.EC``; ``text`` is its body including nested messages, without frames and
    final line end; ``nested`` are the numbers of the messages inside it, in order; ``complete`` is False if the stream
    ends before the message does.
    """

    code: int
    level: MessageLevel
    text: str
    nested: tuple[int, ...] = ()
    complete: bool = True


@dataclass(frozen=True, slots=True)
class UserText:
    """One line outside all messages, without its line end, printed by the model, SANY or the JVM."""

    text: str


_DELIMITER = b"@!@!@"
# Anchored at the end of the line, so that a string value that spells a frame, and ends in a quote, does not match.
_START = re.compile(rb"@!@!@STARTMSG (-?\d{1,9})(?::(\d))? @!@!@\s*\Z")
_END = re.compile(rb"@!@!@ENDMSG (-?\d{1,9}) @!@!@")
# Most frames are on lines of their own, of which there are few different ones.
_start_of = lru_cache(maxsize=512)(_START.search)
_end_of = lru_cache(maxsize=512)(_END.search)


def iter_messages(lines: Iterable[bytes]) -> Iterator[Message | UserText]:
    """Messages and free text in order, read lazily; accepts any input.

    ``lines`` keep their line ends. Bytes that are not UTF-8 are replaced. Memory is bounded by one message.
    """
    reader = MessageReader()
    for line in lines:
        if (item := reader.read(line)) is not None:
            yield item
    if (item := reader.end()) is not None:
        yield item


class MessageReader:
    """Reads a stream line by line."""

    __slots__ = ("_level", "_nested", "_open_codes", "_parts")

    def __init__(self) -> None:
        # The numbers of all open messages, from outside in, and the body of the outermost so far.
        self._open_codes: list[int] = []
        self._nested: list[int] = []
        self._parts: list[bytes] = []
        self._level = MessageLevel.NONE

    def read(self, line: bytes) -> Message | UserText | None:
        """The item that a line completes."""
        if _DELIMITER in line:
            if (start := _start_of(line)) is not None:
                before = self._text(line[: start.start()])
                self._open(int(start[1]), int(start[2] or 0))
                return before
            if (end := _end_of(line)) is not None and self._is_end(int(end[1]), line[end.end() :]):
                return self._close(int(end[1]), line[: end.start()], line[end.end() :])
        return self._text(line, blank=True)

    def end(self) -> Message | None:
        """The message that the end of the stream leaves open."""
        return self._message(self._open_codes[0], complete=False) if self._open_codes else None

    def _text(self, text: bytes, *, blank: bool = False) -> UserText | None:
        """Text outside all messages; text inside one is added to it."""
        if self._open_codes:
            self._parts.append(text)
            return None
        return UserText(_decode(text)) if text or blank else None

    def _open(self, code: int, level: int) -> None:
        if self._open_codes:
            self._nested.append(code)
        else:
            # A class that TLC may add is read as an error, so that nothing it says is overlooked.
            known = level if level <= MessageLevel.STATE else MessageLevel.ERROR
            self._parts, self._nested, self._level = [], [], MessageLevel(known)
        self._open_codes.append(code)

    def _is_end(self, code: int, after: bytes) -> bool:
        """Whether a frame ends an open message; text may follow it only if the message is inside another."""
        return code in self._open_codes and (code != self._open_codes[0] or not after.strip())

    def _close(self, code: int, before: bytes, after: bytes) -> Message | None:
        self._parts.append(before)
        # Unclosed inner messages end here too.
        while self._open_codes.pop() != code:
            pass
        if not self._open_codes:
            return self._message(code, complete=True)
        self._parts.append(after)
        return None

    def _message(self, code: int, *, complete: bool) -> Message:
        text, nested = _decode(b"".join(self._parts)), tuple(self._nested)
        return Message(code=code, level=self._level, text=text, nested=nested, complete=complete)


def _decode(raw: bytes) -> str:
    return raw.decode("utf-8", "replace").replace("\r\n", "\n").rstrip("\n")


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


def is_empty(progress: Sequence[Progress]) -> bool:
    """Return whether a log has no entry as the module reads it, such as one that takes lines by their content."""
    return bool(progress) and progress[-1].length == 0


def is_complete(result: RunResult) -> bool:
    """Whether TLC saw everything: nothing is left on its queue, and nothing that it found stopped it before."""
    stopping = {each.kind for each in result.violations} - {"postcondition", "temporal_property"}
    return result.violations == (UNEXPLAINED,) or (result.stats.queue == 0 and not stopping)


def is_ended(result: RunResult, log: LogInput) -> bool:
    """Whether TLC stopped at the end of a log, at an invariant that only the end violates."""
    found = {(each.kind, each.name) for each in result.violations}
    ended = bool(found) and found <= {("invariant", name) for name in log.endings}
    return ended and is_through(log, result.progress)


def with_log(result: RunResult, log: LogInput | None, content: LogContent | None = None) -> RunResult:
    """Return the result with the verdict on its log; ``content`` is how much the lines of the log say, if known.

    There is none if too many lines that say nothing were explained, or if nothing in the log was read.
    """
    if log is None:
        return result
    answered = _with_explanation(result, log)
    reason = _lack_of_content(answered, log, content)
    return answered if reason is None else _inconclusive(answered, reason.text, reason.place)


# Of the fields of a log, in a message.
_MOST_FIELDS = 8


class _Reason(NamedTuple):
    """Why there is no verdict on a log, and the place of a line."""

    text: str
    place: Place | None


def _lack_of_content(result: RunResult, log: LogInput, content: LogContent | None) -> _Reason | None:
    """Return why the answer on a log is none for what the log does not say, None if it is one.

    A log that no behaviour explains up to the first line that says nothing is violated whatever that line means.
    """
    # A changed log is compared with one that says enough.
    if log.edit is not None or result.verdict not in (Verdict.HOLDS, Verdict.VIOLATED):
        return None
    if log.observed is not None:
        return None if content is None else _silent_lines(result, log, content, log.observed.silent)
    if result.verdict is Verdict.VIOLATED:
        return None
    if is_empty(result.progress):
        text = "The module takes none of the lines of the log, so nothing was compared."
        return _Reason(text, Place(file=log.path))
    if log.unread:
        text = (
            f"The module names none of the fields of the log, which are {listed(log.unread, _MOST_FIELDS)}.\n"
            "Rename them in the module; or, if it reads the lines without naming fields, write silent = 1 under [logs]."
        )
        return _Reason(text, Place(file=log.path))
    return None


def _silent_lines(result: RunResult, log: LogInput, content: LogContent, allowed: float) -> _Reason | None:
    """Return why the answer rests on lines that say nothing, None if it does not or if so many are allowed."""
    first = content.first_silent_entry
    if first is None or content.allows(allowed) or explained(log, result.progress) < first - 1:
        return None
    lines = counted(content.said + content.silent, "line")
    text = (
        "The line names no action, argument or part of the state, so any step explains it: "
        f"{content.silent:,} of {lines} say nothing, and [logs] silent is {allowed:g}.\n"
        "Map their fields or drop the lines under [logs.map], or write silent = "
        f"{content.share} under [logs]."
    )
    return _Reason(text, Place.parse(content.first_silent or log.path))


def _with_explanation(result: RunResult, log: LogInput) -> RunResult:
    """Return the result with the verdict on its log, whatever its lines say.

    It is TLC's own if what TLC checks states whether the log is accepted, or if TLC found another violation or gave no
    answer. Otherwise the log must be explained to its end, where the violation of an invariant which only the end
    violates is none. A module may also end the search there; before, what is false of the states seen tells nothing.
    """
    if log.numbers and result.verdict in (Verdict.HOLDS, Verdict.VIOLATED):
        number = log.numbers[0]
        place = Place(file=number.file, line=number.line, column=number.column)
        return _inconclusive(result, f"log-number {number.field}: {number.message}", place)
    through = is_through(log, result.progress)
    endings = [each for each in result.violations if each.kind == "invariant" and each.name in log.endings]
    if through and endings:
        # Properties were checked without these invariants.
        rest = tuple(each for each in result.violations if each not in endings)
        traces = tuple(each for each in result.traces if each.name not in log.endings)
        kept = replace(result, violations=rest, traces=traces)
        if rest:
            return kept
        if result.undecided:
            text = f"TLC stopped at the end of the log, and gave no answer on {', '.join(result.undecided)} there."
            return _inconclusive(kept, text)
        return replace(kept, outcome=Outcome.SUCCESS, verdict=Verdict.HOLDS)
    if result.outcome is Outcome.BOUNDED_SUCCESS and through:
        return replace(result, outcome=Outcome.SUCCESS, verdict=Verdict.HOLDS)
    if log.stated:
        cut = bool(result.stats.queue) and {each.kind for each in result.violations} == {"postcondition"}
        if not cut or through:
            return result
        names = ", ".join(each.name for each in result.violations)
        text = f"The search ended with {result.stats.queue:,} states left, so that {names} is FALSE tells nothing of the log."
        return _inconclusive(result, text)
    if result.outcome is not Outcome.SUCCESS or through:
        return result
    if log.counted:
        outcome = Outcome.VIOLATION_ASSUMPTION
        return replace(result, outcome=outcome, verdict=Verdict.VIOLATED, violations=(UNEXPLAINED,))
    text = (
        "Nothing that TLC checks depends on the log, and no expression that counts its lines is known, so there is no "
        "verdict. Name one: position under [logs]."
    )
    return _inconclusive(result, text)


def _inconclusive(result: RunResult, text: str, place: Place | None = None) -> RunResult:
    said = Diagnostic(code=_UNKNOWN, severity="error", text=text, place=place)
    return replace(
        result,
        outcome=Outcome.BOUNDED_SUCCESS,
        verdict=Verdict.INCONCLUSIVE,
        violations=(),
        traces=(),
        diagnostics=(said, *result.diagnostics),
    )


# Messages of one line, and the first line of messages whose other lines say nothing.
_FACTS: dict[Code, str] = {
    Code.VERSION: r"TLC2 Version ",
    Code.MODE_CHECK: r"Running breadth-first search Model-Checking ",
    Code.MODE_DEPTH_FIRST: r"Running depth-first search Model-Checking ",
    Code.MODE_SIMULATE: r"Running .*Simulation with seed ",
    # SANY is not announced: it prints between the banner and this line.
    Code.SANY_END: r"Starting\.\.\. \(",
    Code.INITIAL_STATES_START: r"Computing initial states\.\.\.\Z",
    Code.INITIAL_STATES: r"Finished computing initial states: ",
    Code.SUCCESS: r"Model checking completed\. No error has been found\.\Z",
    Code.PROGRESS: r"Progress\(.*\) at ",
    Code.PROGRESS_SIMULATE: r"Progress: [\d,]+ states checked",
    Code.STATS: r"\d+ states generated, \d+ distinct states found, \d+ states left on queue\.\Z",
    Code.STATS_DEPTH_FIRST: r"\d+ states generated, \d+ distinct states found\.\Z",
    Code.STATS_SIMULATE: r"The number of states generated: \d+\Z",
    Code.DEPTH: r"The depth of the complete state graph search is ",
    Code.COVERAGE_START: r"The coverage statistics at ",
    Code.COVERAGE_END: r"End of statistics",
    Code.FINISHED: r"Finished in .* at \(",
}
_BANNERS = frozenset({Code.MODE_CHECK, Code.MODE_DEPTH_FIRST, Code.MODE_SIMULATE})
# Errors by their first words; the first match counts.
_ERRORS: dict[Code, str] = {
    Code.BEHAVIOR: r"The behavior up to this point is:",
    Code.COUNTEREXAMPLE: r"The following behavior constitutes a counter-example:",
    Code.ASSUMPTION_FALSE: r"Assumption .* is false\.",
    Code.ASSUMPTION_FAILED: r"Evaluating assumption .* failed\.",
    Code.POSTCONDITION_FALSE: r"Postcondition .* is false\.",
    Code.POSTCONDITION_FAILED: r"Evaluating postcondition .* failed\.",
    Code.CONSTANT_VALUE: r"The (?:invariant|property|constraint|action constraint) of \S+ is equal to ",
    Code.INVARIANT_INITIAL: r"Invariant .* is violated by the initial state:",
    Code.PROPERTY_INITIAL: r"Property .* is violated by the initial state:",
    Code.INVARIANT: r"Invariant .* is violated\.",
    Code.ACTION_PROPERTY: r"Action property .* is violated\.",
    Code.TEMPORAL_PROPERTY: r"Temporal propert(?:y|ies) .*(?:was|were) violated\.",
    Code.DEADLOCK: r"Deadlock reached\.",
    Code.ASSERT: r"The first argument of Assert evaluated to FALSE",
    Code.INVARIANT_FAILED: r"Evaluating invariant .* failed\.",
    Code.ACTION_PROPERTY_FAILED: r"Evaluating action property .* failed\.",
    Code.NESTED_EXPRESSION: r"The error occurred when TLC was evaluating the nested\n",
    Code.SUCCESSOR_INCOMPLETE: r"Successor state is not completely specified",
    Code.FINGERPRINT_FAILED: r"TLC was unable to fingerprint\.",
    Code.PARSING_FAILED: r"Parsing or semantic analysis failed\.",
    Code.RECOVER_INITIAL_FAILED: r"Failed to recover the initial state from its fingerprint\.",
    Code.RECOVER_NEXT_FAILED: r"Failed to recover the next state from its fingerprint\.",
    Code.OUT_OF_MEMORY: r"Java ran out of memory\.",
    Code.OUT_OF_MEMORY_INITIAL: r"Out Of Memory\.",
    Code.INITIAL_STATE_FAILED: r"(?s:.*)^While working on the initial state:$",
    Code.STACK_OVERFLOW: r"This was a Java StackOverflowError\.",
}
# These end with a state, which a blank line closes: without it the message may be incomplete.
_IN_STATES = frozenset({Code.STATE, Code.INVARIANT_INITIAL, Code.PROPERTY_INITIAL, Code.INITIAL_STATE_FAILED})
# Messages that an exception's text may hold, each on a line of its own.
_NESTED: dict[Code, str] = {
    Code.ASSERT: r"^(?:: )?The first argument of Assert evaluated to FALSE; the second argument was:$",
    Code.CONFIG_GENERAL: r"^(?:: )?TLC found an error in the configuration file at line \d+$",
    Code.CONFIG_UNREADABLE: r"^(?:: )?TLC encountered the following error when trying to read the configuration file",
}
_COMPILED_FACTS = {code: re.compile(pattern) for code, pattern in _FACTS.items()}
_ANY_FACT = re.compile("|".join(_FACTS.values()))  # one match rules out most lines
_COMPILED_ERRORS = {code: re.compile(pattern, re.MULTILINE) for code, pattern in _ERRORS.items()}
_COMPILED_NESTED = {code: re.compile(pattern, re.MULTILINE) for code, pattern in _NESTED.items()}

_STATE = re.compile(r"State (\d+):(?: (<.*>)?)?\Z")
_STUTTERING = re.compile(r"State (\d+): Stuttering\Z")
_BACK_TO_STATE = re.compile(r"Back to state (\d+)(?:: (<.*>))?\Z")
_LEVELS = {"Error: ": MessageLevel.ERROR, "TLC Bug: ": MessageLevel.TLCBUG, "Warning: ": MessageLevel.WARNING}
_LEVEL = re.compile("|".join(_LEVELS))
_NO_WARNING = "(Use the -nowarning option to disable this warning.)"
_COVERAGE = re.compile(r"<.* of module \w+(?: \([^)]*\))?>(?P<first>: \d+(?P<second>:\d+)?)?\Z")


def plain_to_messages(lines: Iterable[bytes]) -> Iterator[Message | UserText]:
    """The messages and free text of a plain log, as ``iter_messages`` yields those of a framed one.

    An error ends where the next message begins, a state at its blank line. An error whose number does not matter gets
    the general one, a warning gets 0.
    """
    reader = _Reader()
    for raw in lines:
        yield from reader.read(raw.decode("utf-8", "replace").rstrip("\r\n"))
    yield from reader.end(complete=False)


class _Reader:
    def __init__(self) -> None:
        self._body: list[str] = []
        self._level = MessageLevel.NONE
        # The code of the coverage report's next row with two counts; None outside a report.
        self._row: Code | None = None

    def read(self, line: str) -> Iterator[Message | UserText]:
        if (message := self._read_line(line)) is not None:
            yield from self.end()
            yield message
            if message.code in _BANNERS:
                yield Message(code=Code.SANY_START, level=MessageLevel.NONE, text="")
        elif (state := _STATE.match(line)) is not None:
            yield from self.end()
            self._level, self._body = MessageLevel.STATE, [f"{state[1]}: {state[2] or ''}"]
        elif (prefix := _LEVEL.match(line)) is not None:
            yield from self.end()
            self._level, self._body = _LEVELS[prefix[0]], [line[prefix.end() :]]
        elif not self._body:
            yield UserText(line)
        elif self._level is MessageLevel.STATE and not line:
            yield from self.end()
        elif line != _NO_WARNING:
            self._body.append(line)

    def end(self, *, complete: bool = True) -> Iterator[Message]:
        """The open message, if any."""
        if not self._body:
            return
        text, self._body = "\n".join(self._body).rstrip("\n"), []
        code, nested = 0, tuple[int, ...]()
        if self._level is MessageLevel.STATE:
            code = Code.STATE
        elif self._level is not MessageLevel.WARNING:
            code = next((code for code, form in _COMPILED_ERRORS.items() if form.match(text)), Code.GENERAL)
            nested = tuple(
                inner for inner, form in _COMPILED_NESTED.items() if inner != code and form.search(text)
            )
        complete = complete or code not in _IN_STATES
        yield Message(code=code, level=self._level, text=text, nested=nested, complete=complete)

    def _read_line(self, line: str) -> Message | None:
        """Return the message that consists of this line, None if it is no whole message."""
        if (back := _BACK_TO_STATE.match(line)) is not None:
            text = f"{back[1]}: Back to state" + (f": {back[2]}" if back[2] else "")
            return Message(code=Code.BACK_TO_STATE, level=MessageLevel.STATE, text=text)
        if (stuttering := _STUTTERING.match(line)) is not None:
            text = f"{stuttering[1]}: Stuttering"
            return Message(code=Code.STUTTERING, level=MessageLevel.STATE, text=text)
        if self._row is not None and (row := self._coverage(line)) is not None:
            return Message(code=row, level=MessageLevel.NONE, text=line)
        if _ANY_FACT.match(line) is None:
            return None
        code = next(code for code, form in _COMPILED_FACTS.items() if form.match(line))
        if code in (Code.COVERAGE_START, Code.COVERAGE_END):
            self._row = Code.COVERAGE_INIT if code is Code.COVERAGE_START else None
        return Message(code=code, level=MessageLevel.NONE, text=line)

    def _coverage(self, line: str) -> Code | None:
        """The code of a coverage row: the report lists the initial predicate, actions, properties, then constraints."""
        if line.startswith("  "):
            return Code.COVERAGE_VALUE
        if (row := _COVERAGE.match(line)) is None:
            return None
        if row["first"] is None:
            self._row = Code.COVERAGE_CONSTRAINT
            return Code.COVERAGE_PROPERTY
        if row["second"] is None:
            return Code.COVERAGE_VARIABLE
        code = self._row
        if code is Code.COVERAGE_INIT:
            self._row = Code.COVERAGE_ACTION
        return code
