"""States as TLC prints them: the action that led to each, and the values of its variables."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from tla2py.model.outcome import Diagnostic, Violation
from tla2py.model.trace import EVALUATION, Location, State, Trace, ViolationKind
from tla2py.tla.value import Opaque, Value
from tla2py.tla.value_text import ValueTextError, parse_value
from tla2py.tlc.output.codes import Code, meaning
from tla2py.tlc.output.messages import Message, MessageLevel, UserText

_PLACE = r"line (\d+), col (\d+) to line (\d+), col (\d+) of module (\w+)"
LOCATION = re.compile(_PLACE)
"""A place as TLC and SANY print it."""
# An entry of the call stack in message 2103.
CALL = re.compile(r"Line (\d+), column (\d+) to line (\d+), column (\d+) in (\w+)")
# `<Deliver(p1,"a > b") line 1, col 2 to line 3, col 4 of module M>`; the end anchors the name, which may hold anything.
_ACTION = re.compile(rf"<(?P<name>.*?)(?: (?P<place>{_PLACE}|In module \w+|Unknown location))?>")
_HEADER = re.compile(r"(?P<index>\d+):(?: (?P<rest>.*))?")
_BACK_TO_STATE = "Back to state"
_STUTTERING = "Stuttering"
_INITIAL = "Initial predicate"
# Names that begin with # are reserved in ITF and do not exist in TLA+.
_ASSIGNMENT = re.compile(r"^/\\ ([^\s#]\S*) = ", re.MULTILINE)
_ONLY_ASSIGNMENT = re.compile(r"(\w+) = ")
_FINGERPRINT = re.compile(r"\n?fp: -?\d+\Z")
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|<<|>>|[(\[{]|[)\]}]|,')

VIEW = "VIEW"
"""The variable that holds a state's view where TLC prints the view instead of the variables."""

UNASSIGNED = Opaque("null")
"""The value of a variable without a value, as TLC prints it."""
# The most characters of value texts remembered within a trace; states seldom have more.
_REMEMBERED = 1 << 20


def find_location(text: str) -> Location | None:
    """The first ``line 1, col 2 to line 3, col 4 of module M`` in ``text``, or the place of its innermost call."""
    if (found := LOCATION.search(text)) is not None:
        return location_of(found.groups())
    calls = CALL.findall(text)
    return location_of(calls[-1]) if calls else None


def location_of(groups: Sequence[str]) -> Location:
    """The place with the groups of ``LOCATION``: begin line, begin column, end line, end column, module."""
    return Location(groups[4], *(int(group[:9]) for group in groups[:4]))


def split_action(text: str) -> tuple[str, tuple[str, ...] | None]:
    """The name and the arguments of an action such as ``Deliver(p1,<<1, 2>>)``; None for no arguments."""
    name, bracket, rest = text.partition("(")
    if not bracket or not rest.endswith(")"):
        return text, None
    arguments, depth, start, end = [], 0, 0, len(rest) - 1
    for token in _TOKEN.finditer(rest, 0, end):
        if token[0] in ("<<", "(", "[", "{"):
            depth += 1
        elif token[0] in (">>", ")", "]", "}"):
            depth -= 1
        elif token[0] == "," and depth == 0:
            arguments.append(rest[start : token.start()].strip())
            start = token.end()
        if depth < 0:
            return text, None
    arguments.append(rest[start:end].strip())
    return (name, tuple(arguments)) if depth == 0 else (text, None)


class StateReader:
    """A reader of the states of one trace; equal texts become the identical value.

    Memory is bounded by two states and a fixed amount of text from earlier states.
    """

    def __init__(self) -> None:
        self._values: dict[str, Value] = {}
        self._size = 0
        self._parts: dict[str, Value] = {}
        self._previous: dict[str, Value] = {}

    def read(self, text: str, *, partial: bool = False) -> State | None:
        """The state of a message ``N: <Action …>`` with assignments; None if ``text`` does not have this form.

        In a ``partial`` state TLC prints ``null`` for a variable without a value, which is kept as ``Opaque``.
        """
        head, _, body = text.partition("\n")
        header = _HEADER.fullmatch(head.rstrip())
        if header is None:
            return None
        action, arguments, location = _step(header["rest"] or "")
        index = int(header["index"][:9])
        return State(
            index=index,
            action=action if index > 1 else None,
            action_args=arguments if index > 1 else None,
            location=location,
            values=self.read_values(body, partial=partial),
        )

    def read_values(self, body: str, *, partial: bool = False) -> dict[str, Value]:
        """The variables and values, in TLC's order, of a state's text without its header.

        A variable that TLC leaves out, as under ``-difftrace``, keeps the value of the previous state.
        """
        texts = dict(_assignments(_FINGERPRINT.sub("", body.rstrip())))
        values = {
            name: UNASSIGNED if partial and text == UNASSIGNED.text else self._value(text)
            for name, text in texts.items()
        }
        if self._size > _REMEMBERED:
            self._values = {text: values[name] for name, text in texts.items()}
            self._size = sum(map(len, self._values))
            self._parts.clear()
        if values.keys() < self._previous.keys():
            values = {name: values.get(name, value) for name, value in self._previous.items()}
        self._previous = values
        return values

    def _value(self, text: str) -> Value:
        if (known := self._values.get(text)) is not None:
            return known
        try:
            value = parse_value(text, known=self._parts)
        except ValueTextError:
            value = Opaque(text)
        self._values[text] = value
        self._size += len(text)
        return value


def _assignments(body: str) -> Iterator[tuple[str, str]]:
    if not body:
        return
    if not body.startswith("/\\ "):
        only = _ONLY_ASSIGNMENT.match(body)
        yield (VIEW, body) if only is None else (only[1], body[only.end() :].strip())
        return
    name, start, seen = None, 0, set[str]()
    for found in _ASSIGNMENT.finditer(body):
        # A repeated name is part of an expression, which TLC prints as written.
        if found[1] in seen:
            continue
        if name is not None:
            yield name, body[start : found.start()].strip()
        name, start = found[1], found.end()
        seen.add(name)
    if name is None:
        yield VIEW, body
    else:
        yield name, body[start:].strip()


def with_ending(trace: Trace, text: str) -> Trace:
    """The trace with its infinite end: a step back to an earlier state, or stuttering.

    ``text`` is that of message 2122, ``N: Back to state: <Action …>``, or 2218, ``N: Stuttering``.
    """
    header = _HEADER.match(text)
    rest = header["rest"] or "" if header is not None else ""
    if header is None or not rest.startswith(_BACK_TO_STATE):
        return replace(trace, stuttering=rest.startswith(_STUTTERING))
    action, arguments, _ = _step(rest.partition(": ")[2])
    return replace(trace, loop_start=int(header["index"][:9]), loop_action=action, loop_action_args=arguments)


def _step(text: str) -> tuple[str | None, tuple[str, ...] | None, Location | None]:
    """The action of ``<Action …>``, its arguments and its place, each None where TLC does not print it."""
    action, arguments, location = None, None, None
    if (described := _ACTION.fullmatch(text)) is not None:
        if described["name"] != _INITIAL:
            action, arguments = split_action(described["name"])
        if (place := LOCATION.fullmatch(described["place"] or "")) is not None:
            location = location_of(place.groups())
    return action, arguments, location


_PARSING = re.compile(r"Parsing file (?:.*[/\\])?(\w+)\.tla")
_PARSE_ERROR = "***Parse Error***"
# SANY prints the brace.
_LEXICAL_ERROR = re.compile(r"Lexical (?:\{error: |error at line \d+, column \d+)")
_POSITION = re.compile(r"(?:at|around) line (\d+)(?:, column (\d+))?")
_SECTION = re.compile(r"\*\*\* (Errors|Warnings|Abort messages): \d+")
_SANY_PLACE = re.compile(rf"{_PLACE}|Unknown location|In module \w+")
# SANY adds this after a parse error; it says less.
_FOLLOWS_PARSE_ERROR = re.compile(r"Could not parse module \w+ from file")


class SanyReader:
    """A collector of SANY's errors and warnings, fed line by line."""

    def __init__(self) -> None:
        self.diagnostics: list[Diagnostic] = []
        self._module = ""
        self._severity = ""
        self._place = ""
        self._text: list[str] | None = None
        self._unparsed = False

    def read(self, line: str) -> None:
        """Read one line."""
        text = line.strip()
        if (parsing := _PARSING.match(text)) is not None:
            self._module = parsing[1]
        elif text == _PARSE_ERROR or _LEXICAL_ERROR.match(text) is not None:
            self.end()
            self._unparsed = True
            self._severity, self._place = "error", ""
            self._text = [] if text == _PARSE_ERROR else [text]
        elif (section := _SECTION.match(text)) is not None:
            self.end()
            self._severity = "warning" if section[1] == "Warnings" else "error"
        elif self._severity and _SANY_PLACE.fullmatch(text) is not None:
            self.end()
            self._place, self._text = text, []
        elif self._text is not None:
            if text:
                self._text.append(text)
            elif self._text:
                self.end()

    def end(self) -> None:
        """Close the open diagnostic, if any."""
        if not self._text:
            return
        text, self._text = "\n".join(self._text), None
        if self._unparsed and _FOLLOWS_PARSE_ERROR.match(text) is not None:
            return
        location = find_location(self._place) or self._position(text)
        diagnostic = Diagnostic(code=0, severity=self._severity, text=text, location=location)
        if diagnostic not in self.diagnostics:
            self.diagnostics.append(diagnostic)

    def _position(self, text: str) -> Location | None:
        position = None if self._place else _POSITION.search(text)
        if position is None:
            return None
        line, column = int(position[1][:9]), int((position[2] or "1")[:9])
        return Location(self._module, line, column, line, column)


INTRODUCTIONS = frozenset({Code.BEHAVIOR, Code.COUNTEREXAMPLE})
_STATES = frozenset({Code.STATE, Code.STATE_WITHOUT_ACTION})
_ENDINGS = frozenset({Code.STUTTERING, Code.BACK_TO_STATE})
_FAILED = frozenset({Code.RECOVER_INITIAL_FAILED, Code.RECOVER_NEXT_FAILED})
# Messages that hold an initial state, and the end of the line before it.
_INITIAL_STATE: dict[int, str] = {
    Code.INVARIANT_INITIAL: "violated by the initial state:",
    Code.PROPERTY_INITIAL: "violated by the initial state:",
    Code.INITIAL_STATE_FAILED: "While working on the initial state:",
    Code.INITIAL_INCOMPLETE: "not completely specified by the initial predicate:",
}
_VIOLATED = re.compile(
    r"(?:Invariant|Property|Action property|Postcondition|Evaluating postcondition) (?P<name>(?!at line ).+?)"
    r"(?: at line .*)? (?:is violated|is false|failed)"
)
_CONSTANT_FALSE = re.compile(r"The (?P<kind>invariant|property) of (?P<name>\S+) is equal to FALSE")
_CONSTANT_KINDS: dict[str, ViolationKind] = {"invariant": "invariant", "property": "temporal_property"}
_TEMPORAL = re.compile(r"Temporal propert(?:y|ies) (?P<names>\S.*?) (?:was|were) violated")
_SEPARATOR = re.compile(r",? and |, ")


def read_violations(message: Message) -> tuple[Violation, ...]:
    """The violations that an error message reports; empty for any other message."""
    if message.level not in (MessageLevel.ERROR, MessageLevel.TLCBUG):
        return ()
    if message.code == Code.CONSTANT_VALUE and (constant := _CONSTANT_FALSE.match(message.text)) is not None:
        return (Violation(kind=_CONSTANT_KINDS[constant["kind"]], name=constant["name"]),)
    if (kind := meaning(message.code).violation) is None:
        # An Assert that fails in an invariant, or under an exception, comes inside another message. In an assumption
        # no behaviour reached it.
        if Code.ASSERT not in message.nested or message.code == Code.ASSUMPTION_FAILED:
            return ()
        kind = "postcondition" if message.code == Code.POSTCONDITION_FAILED else "assert"
    if (temporal := _TEMPORAL.match(message.text)) is not None:
        return tuple(Violation(kind=kind, name=name) for name in _SEPARATOR.split(temporal["names"]))
    named = _VIOLATED.match(message.text)
    return (Violation(kind=kind, name="" if named is None else named["name"]),)


def split_initial_state(message: Message) -> tuple[str, str | None]:
    """A message's text up to the initial state that it holds, and the state's text, None without a state."""
    if (ending := _INITIAL_STATE.get(message.code)) is None:
        return message.text, None
    text, found, body = message.text.partition(f"{ending}\n")
    return (f"{text}{ending}", body) if found else (message.text, None)


def iter_with_traces(items: Iterable[Message | UserText]) -> Iterator[Message | UserText | Trace]:
    """The items of a stream in order, with the messages of a trace's states replaced by the trace.

    A trace is cut off if the stream ends, or TLC gives up, before all its states are printed; it may have no states.
    """
    traces = _Traces()
    for item in items:
        if isinstance(item, Message):
            yield from traces.read(item)
        else:
            yield item
    yield from traces.end(cut_off=True)


class _Traces:
    def __init__(self) -> None:
        # The states of the open trace, None without one.
        self._states: list[State] | None = None
        self._violation: Violation | None = None
        self._reader = StateReader()

    def read(self, message: Message) -> Iterator[Message | Trace]:
        if message.code in _STATES and message.complete:
            state = self._reader.read(message.text, partial=self._violation is None)
            if state is None:
                yield message
                return
            if self._states and state.index <= self._states[-1].index:
                yield from self.end()
            states = self._start() if self._states is None else self._states
            states.append(state)
        elif message.code in _ENDINGS and self._states is not None and message.complete:
            yield from self.end(ending=message.text)
        else:
            if self._states is not None:
                yield from self.end(cut_off=not message.complete or message.code in _FAILED)
            yield message
            if message.code in INTRODUCTIONS:
                self._start()
            elif message.level in (MessageLevel.ERROR, MessageLevel.TLCBUG):
                yield from self._error(message)

    def _error(self, message: Message) -> Iterator[Trace]:
        if violations := read_violations(message):
            self._violation = violations[0]
        elif message.code != Code.NESTED_EXPRESSION:
            self._violation = None
        _, body = split_initial_state(message)
        if body is not None:
            states = self._start()
            if message.complete:
                values = self._reader.read_values(body, partial=self._violation is None)
                states.append(State(index=1, action=None, action_args=None, location=None, values=values))
            yield from self.end(cut_off=not message.complete)

    def _start(self) -> list[State]:
        self._states = []
        self._reader = StateReader()
        return self._states

    def end(self, *, ending: str = "", cut_off: bool = False) -> Iterator[Trace]:
        """The open trace, if any; ``ending`` is the message that says how it goes on."""
        if self._states is not None:
            trace = Trace(
                kind=self._violation.kind if self._violation else EVALUATION,
                name=self._violation.name if self._violation else "",
                states=tuple(self._states),
                cut_off=cut_off,
            )
            yield with_ending(trace, ending)
            self._states = None
