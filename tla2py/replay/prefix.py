"""The shortest beginning of a behaviour that violates a property, however the behaviour goes on."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from tla2py.model.cause import Cause
from tla2py.model.trace import Trace
from tla2py.replay.parts import FormulaPart
from tla2py.replay.query import TraceQuery
from tla2py.tla.levels import Level


class _Decided(NamedTuple):
    """A leaf of a formula that has a value in a state, or for the step from it; states are counted as if the loop went on."""

    part: FormulaPart
    state: int
    value: bool


@dataclass(slots=True)
class _Prefix:
    """A beginning of a behaviour: its first ``length`` states.

    ``count`` is the number of different states, ``loop`` the one that follows the last of them. ``actions`` are the leaves
    that have a value for a step only, by id.
    """

    length: int
    count: int
    loop: int
    actions: frozenset[int]
    _values: dict[tuple[int, int], bool | None] = field(default_factory=dict)

    def index(self, state: int) -> int:
        """Return the number that a state has in the trace."""
        if state <= self.count:
            return state
        return self.loop + (state - self.loop) % (self.count - self.loop + 1)

    def value(self, part: FormulaPart, at: int) -> bool | None:
        """Return whether a part is TRUE or FALSE from a state on, however the behaviour goes on; None if that decides."""
        key = (id(part), at)
        if key not in self._values:
            self._values[key] = self._decide(part, at)
        return self._values[key]

    def _decide(self, part: FormulaPart, at: int) -> bool | None:
        match part.formula.operator:
            case "":
                # The step from the last state is not part of it.
                if id(part) in self.actions and at == self.length:
                    return None
                return part.facts[self.index(at) - 1][0]
            case "/\\" | "\\A":
                return _conjunction([self.value(each, at) for each in part.parts])
            case "\\/" | "\\E":
                return _denial(_conjunction([_denial(self.value(each, at)) for each in part.parts]))
            case "=>":
                condition, consequent = part.parts
                denied = _conjunction([self.value(condition, at), _denial(self.value(consequent, at))])
                return _denial(denied)
            case "<=>":
                left, right = (self.value(each, at) for each in part.parts)
                return None if left is None or right is None else left is right
            case "~":
                return _denial(self.value(part.parts[0], at))
            case "[]":
                return False if self._first(part.parts[0], at, value=False) else None
            case "<>":
                return True if self._first(part.parts[0], at, value=True) else None
        # Neither ~> nor fairness is decided by a beginning.
        return None

    def _first(self, part: FormulaPart, at: int, *, value: bool) -> int | None:
        """Return the first state, from one on, in which a part has a value."""
        states = range(at, self.length + 1)
        return next((state for state in states if self.value(part, state) is value), None)

    def deciding(self, part: FormulaPart, at: int) -> Iterator[_Decided]:
        """Yield the leaves that give a part its value, which it must have."""
        value, operator = self.value(part, at), part.formula.operator
        assert value is not None
        match operator:
            case "":
                yield _Decided(part, at, value)
            case "/\\" | "\\A" | "\\/" | "\\E":
                alike = [each for each in part.parts if self.value(each, at) is value]
                # One part that is FALSE decides a conjunction, one that is TRUE a disjunction.
                one_decides = value is (operator in ("\\/", "\\E"))
                for each in alike[:1] if one_decides else alike:
                    yield from self.deciding(each, at)
            case "=>" if value:
                condition, consequent = part.parts
                decides = consequent if self.value(consequent, at) else condition
                yield from self.deciding(decides, at)
            case "[]" | "<>":
                state = self._first(part.parts[0], at, value=value)
                assert state is not None
                yield from self.deciding(part.parts[0], state)
            case _:
                for each in part.parts:
                    yield from self.deciding(each, at)


def _denial(value: bool | None) -> bool | None:
    return None if value is None else not value


def _conjunction(values: list[bool | None]) -> bool | None:
    if False in values:
        return False
    return None if None in values else True


def prefix_causes(whole: FormulaPart, trace: Trace, query: TraceQuery) -> list[Cause]:
    """Return what makes a property FALSE in the shortest beginning of a trace that violates it, the last first.

    The list is empty if no beginning of the trace violates the property, however it goes on.
    """
    count = len(trace.states)
    goes_on = trace.loop_start is not None or trace.stuttering
    loop = count if trace.loop_start is None else trace.loop_start
    # A part below so many temporal operators may turn FALSE in as many rounds of the loop.
    rounds = _depth(whole) + 1 if goes_on else 0
    longest = count + rounds * (count - loop + 1)
    actions = frozenset(_actions(whole, query))

    def beginning(length: int) -> _Prefix:
        return _Prefix(length=length, count=count, loop=loop, actions=actions)

    # What a beginning violates each longer one violates too.
    lengths = range(1, longest + 1)
    shortest = bisect_left(lengths, True, key=lambda length: beginning(length).value(whole, 1) is False) + 1
    if shortest > longest:
        return []
    prefix = beginning(shortest)
    decided = sorted(prefix.deciding(whole, 1), key=lambda each: (-each.state, each.value))
    return [_cause(each, prefix, trace) for each in decided]


def _depth(part: FormulaPart) -> int:
    """Return how many temporal operators are around the deepest leaf of a part."""
    below = max(map(_depth, part.parts), default=0)
    return below + (part.formula.operator in ("[]", "<>", "~>"))


def _actions(part: FormulaPart, query: TraceQuery) -> Iterator[int]:
    """Yield the ids of the leaves that have a value for a step only."""
    for each in part.parts:
        yield from _actions(each, query)
    if part.formula.operator == "":
        unit = part.unit
        bound = frozenset(unit.place.names)
        if query.levels.of_expression(unit.expr, unit.place.scope, bound) > Level.STATE:
            yield id(part)


def _cause(decided: _Decided, prefix: _Prefix, trace: Trace) -> Cause:
    """Return a leaf as a cause, with the step after which it has its value."""
    part = decided.part
    is_step = id(part) in prefix.actions
    state = decided.state + is_step
    index = prefix.index(state)
    comes_back = state > prefix.count and index == prefix.loop
    action = trace.loop_action if comes_back else trace.states[index - 1].action
    value = "TRUE" if decided.value else "FALSE"
    if is_step:
        says = f"{part.text} is {value} of the step from state {prefix.index(decided.state)} to state {index}"
    else:
        says = f"{part.text} is {value} in state {index}"
    # What comes last is what this step made so.
    turns = action is not None and state == prefix.length
    if turns:
        says += f", by {action}" if is_step else f", after {action}"
    return Cause.at(
        part.unit.conjunct,
        "part",
        says,
        action=action if turns else None,
        value=decided.value,
        values=part.names,
        state=index,
        states=tuple(number for number, facts in enumerate(part.facts, 1) if facts[0]),
    )
