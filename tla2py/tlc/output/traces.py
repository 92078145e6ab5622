"""The traces in a stream of messages, state by state."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from tla2py.model.outcome import Violation
from tla2py.tlc.output.codes import Code, meaning
from tla2py.tlc.output.messages import Level, Message, UserText
from tla2py.tlc.output.states import StateReader, with_ending
from tla2py.trace.trace import EVALUATION, State, Trace

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
_TEMPORAL = re.compile(r"Temporal propert(?:y|ies) (?P<names>\S.*?) (?:was|were) violated")
_SEPARATOR = re.compile(r",? and |, ")


def read_violations(message: Message) -> tuple[Violation, ...]:
    """The violations that an error message reports; empty for any other message."""
    if message.level not in (Level.ERROR, Level.TLCBUG):
        return ()
    kind = meaning(message.code).violation
    if kind is None:
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
    ending = _INITIAL_STATE.get(message.code)
    if ending is None:
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
            if message.code in INTRODUCTIONS or message.level in (Level.ERROR, Level.TLCBUG):
                yield from self._other(message)

    def _other(self, message: Message) -> Iterator[Trace]:
        if message.code in INTRODUCTIONS:
            self._start()
            return
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
