"""Logs that TLC prints without ``-tool``, read as the messages of a framed log.

Messages in a plain log have no numbers; each is recognized by its first words, as in ``tlc2.output.MP``. A model may
print the same words, so a plain log proves less than a framed one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from tla2py.tlc.output.codes import Code
from tla2py.tlc.output.messages import Level, Message, UserText

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
_LEVELS = {"Error: ": Level.ERROR, "TLC Bug: ": Level.TLCBUG, "Warning: ": Level.WARNING}
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
        self._level = Level.NONE
        # The code of the coverage report's next row with two counts; None outside a report.
        self._row: Code | None = None

    def read(self, line: str) -> Iterator[Message | UserText]:
        if (message := self._whole(line)) is not None:
            yield from self.end()
            yield message
            if message.code in _BANNERS:
                yield Message(code=Code.SANY_START, level=Level.NONE, text="")
        elif (state := _STATE.match(line)) is not None:
            yield from self.end()
            self._level, self._body = Level.STATE, [f"{state[1]}: {state[2] or ''}"]
        elif (prefix := _LEVEL.match(line)) is not None:
            yield from self.end()
            self._level, self._body = _LEVELS[prefix[0]], [line[prefix.end() :]]
        elif not self._body:
            yield UserText(line)
        elif self._level is Level.STATE and not line:
            yield from self.end()
        elif line != _NO_WARNING:
            self._body.append(line)

    def end(self, *, complete: bool = True) -> Iterator[Message]:
        """The open message, if any."""
        if not self._body:
            return
        text, self._body = "\n".join(self._body).rstrip("\n"), []
        code, nested = 0, tuple[int, ...]()
        if self._level is Level.STATE:
            code = Code.STATE
        elif self._level is not Level.WARNING:
            code = next((code for code, form in _COMPILED_ERRORS.items() if form.match(text)), Code.GENERAL)
            nested = tuple(
                inner for inner, form in _COMPILED_NESTED.items() if inner != code and form.search(text)
            )
        yield Message(
            code=code,
            level=self._level,
            text=text,
            nested=nested,
            complete=complete or code not in _IN_STATES,
        )

    def _whole(self, line: str) -> Message | None:
        """The message that consists of this line."""
        if (back := _BACK_TO_STATE.match(line)) is not None:
            text = f"{back[1]}: Back to state" + (f": {back[2]}" if back[2] else "")
            return Message(code=Code.BACK_TO_STATE, level=Level.STATE, text=text)
        if (stuttering := _STUTTERING.match(line)) is not None:
            return Message(code=Code.STUTTERING, level=Level.STATE, text=f"{stuttering[1]}: Stuttering")
        if self._row is not None and (row := self._coverage(line)) is not None:
            return Message(code=row, level=Level.NONE, text=line)
        if _ANY_FACT.match(line) is None:
            return None
        code = next(code for code, form in _COMPILED_FACTS.items() if form.match(line))
        if code in (Code.COVERAGE_START, Code.COVERAGE_END):
            self._row = Code.COVERAGE_INIT if code is Code.COVERAGE_START else None
        return Message(code=code, level=Level.NONE, text=line)

    def _coverage(self, line: str) -> Code | None:
        """The code of a coverage row: the report lists the initial predicate, actions, properties, then constraints."""
        if line.startswith("  "):
            return Code.COVERAGE_VALUE
        row = _COVERAGE.match(line)
        if row is None:
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
