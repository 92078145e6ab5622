"""States as TLC prints them: the action that led to each, and the values of its variables."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from tla2py.trace.trace import Location, State, Trace
from tla2py.values import Opaque, Value, ValueTextError, parse_value

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
    begin_line, begin_column, end_line, end_column = (int(group[:9]) for group in groups[:4])
    return Location(
        module=groups[4],
        begin_line=begin_line,
        begin_column=begin_column,
        end_line=end_line,
        end_column=end_column,
    )


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
        known = self._values.get(text)
        if known is not None:
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
