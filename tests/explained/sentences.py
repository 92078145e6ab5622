"""Whether a sentence of ``--why`` is true: each form has its reader, and another form is false."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tests.explained.meaning import (
    STATES,
    Context,
    State,
    UnknownMeaningError,
    bindings,
    changes,
    evaluate,
    read_expression,
    unfold,
)
from tla2py.model.cause import Cause
from tla2py.model.trace import Trace
from tla2py.tla.module import Expression


class FalseSentenceError(Exception):
    """A sentence that is not true, with what is wrong with it."""


@dataclass(frozen=True, kw_only=True)
class Behaviour:
    """A counterexample: ``loop`` is the state that follows the last, None for a behaviour that ends."""

    states: Sequence[State]
    actions: Sequence[str | None]
    loop: int | None
    loop_action: str | None

    @classmethod
    def of_trace(cls, trace: Trace) -> Behaviour:
        """Return the behaviour that a trace shows."""
        loop = len(trace.states) if trace.stuttering else trace.loop_start
        return cls(
            states=[{name: int(str(each.values[name])) for name in ("x", "y")} for each in trace.states],
            actions=[each.action for each in trace.states],
            loop=loop,
            loop_action=trace.loop_action,
        )

    @property
    def recurring(self) -> range:
        """The numbers of the states of the loop."""
        assert self.loop is not None
        return range(self.loop, len(self.states) + 1)

    def state(self, number: int) -> State:
        """Return the state of a number, from 1."""
        return self.states[number - 1]

    def after(self, number: int) -> State | None:
        """Return the state that follows the one of a number, None after the last of a behaviour that ends."""
        if number < len(self.states):
            return self.states[number]
        return None if self.loop is None else self.state(self.loop)


def check_sentence(cause: Cause, behaviour: Behaviour, context: Context) -> str:
    """Return the form that a cause's sentence has. Raises FalseSentenceError."""
    for name, (pattern, read) in _FORMS.items():
        match = re.fullmatch(pattern, cause.says, re.DOTALL)
        if match is not None:
            _check_in_some_instance(read, match.groupdict(), cause, behaviour, context)
            return name
    raise FalseSentenceError("a sentence of an unknown form")


def _check_in_some_instance(
    read: Callable[..., None],
    parts: Mapping[str, str | None],
    cause: Cause,
    behaviour: Behaviour,
    context: Context,
) -> None:
    """Require that a sentence is true in the root module or in one instance: it does not name that."""
    problems = []
    instances = (None,) if cause.module == context.module else (None, "I", "J")
    for instance in instances:
        try:
            read(_Reader(cause=cause, behaviour=behaviour, root=context, instance=instance), **parts)
        except UnknownMeaningError as error:
            problems.append(f"the evaluator does not know {error}")
        except FalseSentenceError as error:
            problems.append(str(error))
        else:
            return
    raise FalseSentenceError("; ".join(problems))


def _numbers(text: str) -> list[int]:
    """Return the numbers of ``1, 3 to 5``."""
    numbers: list[int] = []
    for part in text.split(", "):
        first, _, last = part.partition(" to ")
        numbers += range(int(first), int(last or first) + 1)
    return numbers


def _bindings_in(text: str) -> dict[str, int]:
    """Return the names in ``i = 1, k = 0`` with their values."""
    values = {}
    for binding in text.split(", ") if text else ():
        name, _, value = binding.partition(" = ")
        values[name] = int(value)
    return values


def _require(holds: object, problem: str) -> None:
    if not holds:
        raise FalseSentenceError(problem)


@dataclass(frozen=True, kw_only=True)
class _Reader:
    """The meaning of the texts in a sentence."""

    cause: Cause
    behaviour: Behaviour
    root: Context
    instance: str | None

    def contexts(self) -> Iterator[Context]:
        """Yield the context that a text of the cause is in."""
        names: dict[str, Any] = {**self.cause.args, **self.cause.values}
        bound = {name: value for name, value in names.items() if name.rstrip("'") not in ("x", "y", "c", "d")}
        if self.instance is not None:
            yield self.root.instance(self.instance).bind(bound)
        else:
            yield self.root.bind(bound)

    def values(self, text: str, state: State, after: State | None) -> set[bool]:
        """Return the values that a text has in a state or of a step, in the contexts in which it has one."""
        text, _, given = text.partition(" for ")
        names = _bindings_in(given)
        values = set()
        problem: UnknownMeaningError | None = None
        for context in self.contexts():
            try:
                values.add(bool(evaluate(read_expression(text), context.bind(names), state, after)))
            except UnknownMeaningError as error:
                problem = error
        if not values and problem is not None:
            raise problem
        return values

    def has_value(self, text: str, number: int, value: bool) -> None:
        """Require that a text has a value in the state of a number, or of the step from it."""
        behaviour = self.behaviour
        values = self.values(text, behaviour.state(number), behaviour.after(number))
        _require(value in values, f"{text} is {not value} in state {number}")

    def is_true_in(self, text: str, numbers: Sequence[int]) -> None:
        """Require that a text is TRUE in the states of some numbers and in no other."""
        for number in range(1, len(self.behaviour.states) + 1):
            self.has_value(text, number, number in numbers)

    def action(self, call: str) -> Callable[[State, State], bool]:
        """Return an action as a relation of states; ``call`` is it with its arguments."""
        call, _, chosen_in = call.partition(", as a step of ")
        expr = self.call(call)
        context = self.context_of(expr)

        def takes(state: State, after: State) -> bool:
            if chosen_in and not self._is_chosen(expr, chosen_in.rstrip(","), state):
                return False
            return bool(evaluate(expr, context, state, after))

        return takes

    def _is_chosen(self, call: Expression, definition: str, state: State) -> bool:
        """Return whether a quantifier of a definition gives a call its arguments in a state."""
        found = self.root.definition(definition)
        assert found is not None
        assert found.body is not None
        wanted = [evaluate(argument, self.root, state) for argument in call.arguments]
        for part in found.body.walk():
            if part.shape != "bind" or part.arguments[0].operator != call.operator:
                continue
            for context in bindings(part, self.root, state):
                arguments = [evaluate(each, context, state) for each in part.arguments[0].arguments]
                if arguments == wanted:
                    return True
        return False

    def context_of(self, expr: Expression) -> Context:
        """Return the context in which an action is named, which may be that of its use."""
        for context in (*self.contexts(), self.root.bind({**self.cause.args, **self.cause.values})):
            if _knows(expr, context):
                return context
        raise UnknownMeaningError(f"{expr.operator} in {self.instance or self.root.module}")

    def call(self, text: str) -> Expression:
        """Return the expression of an action with its arguments, as in ``Do(P(i)) for i = 1``."""
        text = text.partition(", as a step of ")[0]
        part = re.fullmatch(r"the part (?P<text>.*) of \w+", text)
        text, _, given = (part["text"] if part is not None else text).partition(" for ")
        for name, value in _bindings_in(given).items():
            text = re.sub(rf"\b{name}\b", str(value), text)
        return read_expression(text)

    def enabled(self, call: str, *, changing: str | None = None) -> list[int]:
        """Return the numbers of the states in which an action is enabled; ``changing`` is a subscript."""
        takes = self.action(call)
        changes = self.change(changing)
        return [
            number
            for number, state in enumerate(self.behaviour.states, 1)
            if any(takes(state, after) and changes(state, after) for after in STATES)
        ]

    def change(self, subscript: str | None) -> Callable[[State, State], bool]:
        """Return whether a step changes a subscript, as a relation of states."""
        if subscript is None:
            return lambda _state, _after: True
        expr = read_expression(subscript)
        context = self.root
        return lambda state, after: changes(expr, context, state, after)

    def taken(self, call: str, subscript: str) -> list[int]:
        """Return the numbers of the states of the loop from which an action that changes something is taken."""
        takes, changes = self.action(call), self.change(subscript)
        numbers = []
        for number in self.behaviour.recurring:
            state, after = self.behaviour.state(number), self.behaviour.after(number)
            assert after is not None
            if takes(state, after) and changes(state, after):
                numbers.append(number)
        return numbers

    def check_taken_action(self, name: str | None, number: int) -> None:
        """Require that TLC names the step to a state by an action."""
        names = {self.behaviour.actions[number - 1]}
        if number == self.behaviour.loop:
            names.add(self.behaviour.loop_action)
        _require(name in names, f"the step to state {number} is {names}")


def _knows(expr: Expression, context: Context) -> bool:
    """Return whether the names of an expression mean something in a context."""
    try:
        evaluate(expr, context, STATES[0], STATES[0])
    except (UnknownMeaningError, StopIteration):
        return False
    return True


# The forms of sentences.


def _read_value_in_state(
    reader: _Reader, text: str, value: str, state: str, action: str | None = None, **_: str | None
) -> None:
    reader.has_value(text, int(state), value == "TRUE")
    if action is not None:
        reader.check_taken_action(action, int(state))


def _read_step_value(
    reader: _Reader, text: str, value: str, before: str, state: str, action: str | None
) -> None:
    behaviour = reader.behaviour
    values = reader.values(text, behaviour.state(int(before)), behaviour.state(int(state)))
    _require((value == "TRUE") in values, f"{text} is not {value} of the step from {before} to {state}")
    if action is not None:
        reader.check_taken_action(action, int(state))


def _read_blocked(
    reader: _Reader,
    call: str,
    text: str,
    since: str | None = None,
    action: str | None = None,
    changed: str | None = None,
    step: str | None = None,
    by: str | None = None,
) -> None:
    """Read that an action is not enabled in the last state, and which conjunct is FALSE in it."""
    _check_last_change(reader, changed, step, by, until=len(reader.behaviour.states))
    last = len(reader.behaviour.states)
    _require(last not in reader.enabled(call), f"{call} is enabled in state {last}")
    if not _is_step(text, reader):
        reader.has_value(text, last, False)
    if since is not None and action is not None:
        reader.check_taken_action(action, int(since))
        for number in range(int(since), last + 1):
            reader.has_value(text, number, False)
        reader.has_value(text, int(since) - 1, True)


def _is_step(text: str, reader: _Reader) -> bool:
    """Return whether a text has a value of a step only."""
    return _mentions_primes(read_expression(text), next(iter(reader.contexts())))


def _mentions_primes(expr: Expression, context: Context) -> bool:
    if expr.operator == "ENABLED":
        return False
    if expr.operator in ("'", "UNCHANGED"):
        return True
    stands_for = unfold(expr, context) if expr.shape == "apply" and expr.operator[:1].isalpha() else None
    if stands_for is not None and _mentions_primes(*stands_for):
        return True
    return any(_mentions_primes(each, context) for each in expr.children())


def _read_no_step(reader: _Reader, text: str, **_: str | None) -> None:
    """Read that there is no step from the last state, and which conjunct of a step without a name is FALSE."""
    last = len(reader.behaviour.states)
    _require(last not in reader.enabled("Next"), f"a step is possible from state {last}")
    if not _is_step(text, reader):
        reader.has_value(text, last, False)


def _read_not_allowed(
    reader: _Reader,
    text: str,
    changed: str | None = None,
    state: str | None = None,
    action: str | None = None,
) -> None:
    """Read that the property has a part that is FALSE of the last step."""
    before, after = reader.behaviour.states[-2:]
    _require(False in reader.values(text, before, after), f"{text} is TRUE of the step")
    _check_last_change(reader, changed, state, action)


def _read_other_step(
    reader: _Reader,
    call: str,
    text: str,
    changed: str | None = None,
    state: str | None = None,
    action: str | None = None,
) -> None:
    """Read that the last step is not one of an action, and which conjunct of it is FALSE."""
    before, after = reader.behaviour.states[-2:]
    _require(not reader.action(call)(before, after), f"the step is one of {call}")
    _require(False in reader.values(text, before, after), f"{text} is TRUE of the step")
    _check_last_change(reader, changed, state, action)


def _check_last_change(
    reader: _Reader,
    changed: str | None = None,
    state: str | None = None,
    action: str | None = None,
    *,
    until: int | None = None,
) -> None:
    """Read which step changed some variables for the last time, up to the state ``until`` or the last but one."""
    if changed is None or state is None:
        return
    states = reader.behaviour.states
    reader.check_taken_action(action, int(state))
    for name in changed.split(", "):
        differs = states[int(state) - 2][name] != states[int(state) - 1][name]
        _require(differs, f"{name} does not change in state {state}")
        later = {each[name] for each in states[int(state) - 1 : until or len(states) - 1]}
        _require(len(later) == 1, f"{name} changes after state {state}")


def _read_last_step(reader: _Reader, state: str, action: str) -> None:
    reader.check_taken_action(action, int(state))


def _read_mapping(reader: _Reader, name: str, before: str | None, after: str) -> None:
    instances = [reader.root.instance("I"), reader.root.instance("J")]
    states = reader.behaviour.states
    expr = read_expression(name)
    pairs = {(evaluate(expr, each, states[-2]), evaluate(expr, each, states[-1])) for each in instances}
    expected = (int(before if before is not None else after), int(after))
    _require(expected in pairs, f"{name} goes through {pairs}")


def _read_never(reader: _Reader, text: str) -> None:
    reader.is_true_in(text, [])


def _read_false_from(reader: _Reader, text: str, states: str, state: str) -> None:
    reader.is_true_in(text, _numbers(states))
    first = min(int(state), reader.behaviour.loop or int(state))
    _require(first == int(state), f"state {state} is in the loop, which begins at {first}")
    for number in range(first, len(reader.behaviour.states) + 1):
        reader.has_value(text, number, False)


def _read_value_and_states(reader: _Reader, text: str, value: str, state: str, states: str) -> None:
    reader.has_value(text, int(state), value == "TRUE")
    reader.is_true_in(text, _numbers(states))


def _read_unfair(reader: _Reader, written: str, action: str, subscript: str, states: str) -> None:
    """Read that the loop violates a fairness condition of the property."""
    condition = _condition(written, reader)
    _require(
        condition.step == f"<<{action}>>_{subscript}", f"{written} is not about <<{action}>>_{subscript}"
    )
    _require(condition.enabled() == _numbers(states), f"it is enabled in {condition.enabled()}")
    _require(not condition.taken(), f"it is taken from {condition.taken()}")
    _require(not condition.is_met(), f"{written} is met")


def _read_fair(
    reader: _Reader,
    written: str,
    action: str,
    subscript: str,
    taken: str | None = None,
    disabled: str | None = None,
) -> None:
    """Read why the loop meets a fairness condition of the property."""
    condition = _condition(written, reader)
    _require(
        condition.step == f"<<{action}>>_{subscript}", f"{written} is not about <<{action}>>_{subscript}"
    )
    _require(condition.is_met(), f"{written} is not met")
    recurring = list(reader.behaviour.recurring)
    without = [number for number in recurring if number not in condition.enabled()]
    if taken is not None:
        _require(condition.taken() == _numbers(taken), f"it is taken from {condition.taken()}")
    elif disabled is not None:
        _require(without == _numbers(disabled), f"it is not enabled in {without}")
        _require(condition.kind == "WF" or without == recurring, "strong fairness asks for it")
    else:
        _require(without == recurring, f"it is not enabled in {without} only")


def _read_not_taken(reader: _Reader, call: str, where: str, fairness: str) -> None:
    """Read that an action is enabled in the loop and never taken, and what is known of its fairness."""
    recurring = reader.behaviour.recurring
    enabled = [number for number in reader.enabled(call, changing="<<x, y>>") if number in recurring]
    share = re.fullmatch(r"(\d+) of (\d+) states of the loop", where)
    only = re.fullmatch(r"state (\d+)(?:, reached by (?P<action>[\w!]+))?, which recurs for ever", where)
    if share is not None:
        expected = (len(enabled), len(recurring))
        _require((int(share[1]), int(share[2])) == expected, f"it is enabled in {enabled} of {recurring}")
    else:
        assert only is not None
        _require(enabled == [int(only[1])] == list(recurring), f"it is enabled in {enabled} of {recurring}")
        if only["action"] is not None:
            reached_by = reader.behaviour.actions[int(only[1]) - 1]
            _require(reached_by == only["action"], f"state {only[1]} is reached by {reached_by}")
    _require(not reader.taken(call, "<<x, y>>"), f"{call} is taken")
    _check_fairness(reader, call, fairness, enabled)


def _check_fairness(reader: _Reader, call: str, fairness: str, enabled: list[int]) -> None:
    recurring = reader.behaviour.recurring
    conditions = list(_conditions(reader))
    if fairness == "the specification has no fairness for it":
        for each in conditions:
            same = _same_name(each, call, reader)
            _require(not same, f"it has {each.written}")
        return
    wider = re.fullmatch(r"it is fair only by (?P<written>.*)", fairness)
    nothing = re.fullmatch(
        r"(?P<written>.*) asks for nothing there: no step of it changes (?P<subscript>.*)", fairness
    )
    disabled = re.fullmatch(r"(?P<written>.*), and it is disabled at (?P<states>[\d, to]+)", fairness)
    unchanged = re.fullmatch(
        r"(?P<written>.*), and no step of it changes (?P<subscript>.*) at (?P<states>[\d, to]+)", fairness
    )
    form = wider or nothing or disabled or unchanged
    condition = _condition(form["written"] if form is not None else fairness, reader)
    _require(
        any(condition.is_same(each) for each in conditions), f"the specification has no {condition.written}"
    )
    possible = [number for number in condition.enabled() if number in recurring]
    if wider is not None:
        return
    if nothing is not None:
        _require(not possible, f"it asks for something at {possible}")
    elif disabled is not None:
        able = [number for number in recurring if number not in _numbers(disabled["states"])]
        _require(able == possible, f"it is enabled at {possible}")
        _require(able == enabled, f"the action is enabled at {enabled}")
    elif unchanged is not None:
        able = [number for number in recurring if number not in _numbers(unchanged["states"])]
        _require(able == possible, f"it is enabled at {possible}")
    else:
        _require(possible == list(recurring), f"it is enabled at {possible} only")


@dataclass(frozen=True, kw_only=True)
class _Condition:
    """A fairness condition, with the contexts of its action and of its subscript."""

    kind: str
    action: Expression
    subscript: Expression
    context: Context
    reader: _Reader
    written: str
    step: str = ""

    def _takes(self, state: State, after: State) -> bool:
        changes = evaluate(self.subscript, self.context, state) != evaluate(
            self.subscript, self.context, after
        )
        return bool(changes and evaluate(self.action, self.context, state, after))

    def enabled(self) -> list[int]:
        """Return the numbers of the states in which it asks for something."""
        states = enumerate(self.reader.behaviour.states, 1)
        return [number for number, state in states if any(self._takes(state, after) for after in STATES)]

    def taken(self) -> list[int]:
        """Return the numbers of the states of the loop from which the next step is one that it asks for."""
        numbers = []
        for number in self.reader.behaviour.recurring:
            after = self.reader.behaviour.after(number)
            assert after is not None
            if self._takes(self.reader.behaviour.state(number), after):
                numbers.append(number)
        return numbers

    def is_met(self) -> bool:
        """Return whether the behaviour satisfies it."""
        recurring = self.reader.behaviour.recurring
        enabled = [number in self.enabled() for number in recurring]
        asks = all(enabled) if self.kind == "WF" else any(enabled)
        return not asks or bool(self.taken())

    def relation(self) -> frozenset[tuple[int, int]]:
        """Return the steps that it asks for."""
        return frozenset(
            (before, after)
            for before, state in enumerate(STATES)
            for after, other in enumerate(STATES)
            if self._takes(state, other)
        )

    def is_same(self, other: _Condition) -> bool:
        """Return whether both ask for the same steps in the same way."""
        return self.kind == other.kind and self.relation() == other.relation()


def _condition(written: str, reader: _Reader) -> _Condition:
    """Return a fairness condition as a sentence writes it, ``WF_x(A(i)) for i = 1``."""
    text, _, given = written.partition(" for ")
    names = _bindings_in(given)
    expr = read_expression(text)
    subscript, action = expr.arguments
    # A sentence names no instance: the one that the specification or the property uses counts.
    contexts = [reader.root, reader.root.instance("I"), reader.root.instance("J")]
    if reader.instance is not None:
        contexts = [reader.root.instance(reader.instance)]
    for context in contexts:
        inside = context.bind({**reader.cause.values, **names} if context is reader.root else names)
        if _knows(action, inside) and _knows(subscript, inside):
            condition = _make_condition(expr, inside, reader, written)
            wanted = [each for each in _conditions(reader, "Spec", "Check") if each.written == text]
            if not wanted or any(condition.is_same(each) for each in wanted):
                return condition
    raise UnknownMeaningError(written)


def _make_condition(expr: Expression, context: Context, reader: _Reader, written: str) -> _Condition:
    subscript, action = expr.arguments
    match = re.fullmatch(r"[WS]F_(.*?)\((.*)\)", written.partition(" for ")[0])
    assert match is not None
    return _Condition(
        kind=expr.operator[:2],
        action=action,
        subscript=subscript,
        context=context,
        reader=reader,
        written=written,
        step=f"<<{match[2]}>>_{match[1]}",
    )


def _conditions(reader: _Reader, *roots: str) -> Iterator[_Condition]:
    """Yield the fairness conditions of the specification."""
    for root in roots or ("Spec",):
        definition = reader.root.definition(root)
        if definition is not None and definition.body is not None:
            yield from _conditions_in(definition.body, reader.root, reader)


def _conditions_in(expr: Expression, context: Context, reader: _Reader) -> Iterator[_Condition]:
    if expr.operator in ("WF_", "SF_"):
        text = reader.root.modules[context.module].excerpt(expr.span)
        yield _make_condition(expr, context, reader, text)
        return
    if expr.shape == "bind":
        for inside in bindings(expr, context, STATES[0]):
            yield from _conditions_in(expr.arguments[0], inside, reader)
        return
    stands_for = unfold(expr, context) if expr.shape == "apply" and expr.operator[:1].isalpha() else None
    if stands_for is not None:
        yield from _conditions_in(*stands_for, reader)
    for each in expr.arguments:
        yield from _conditions_in(each, context, reader)


def _same_name(condition: _Condition, call: str, reader: _Reader) -> bool:
    """Return whether a condition is on the action of a call: one of that name, with the same steps."""
    part = re.fullmatch(r"the part (?P<text>.*) of \w+", call)
    if part is not None and f"({part['text']})" not in condition.written:
        return False
    name = call.partition("(")[0].rpartition("!")[2]
    if part is None and condition.action.operator.rpartition("!")[2] != name:
        return False
    takes = reader.action(call)
    for state in STATES:
        for after in STATES:
            if takes(state, after) != bool(evaluate(condition.action, condition.context, state, after)):
                return False
    return True


def _read_idle(reader: _Reader, call: str, states: str, asks: str) -> None:
    numbers = _numbers(states)
    recurring = reader.behaviour.recurring
    enabled = [number for number in reader.enabled(call) if number in recurring]
    _require(enabled == numbers, f"it is enabled in {enabled}")
    changing = reader.enabled(call, changing="<<x, y>>")
    _require(not set(changing) & set(numbers), f"it may change something in {changing}")
    _check_asks(reader, asks)


def _read_never_enabled(reader: _Reader, call: str, asks: str) -> None:
    _require(not reader.enabled(call), f"it is enabled in {reader.enabled(call)}")
    _check_asks(reader, asks)


def _check_asks(reader: _Reader, asks: str) -> None:
    written = re.fullmatch(r"so (?P<written>.*) asks for nothing", asks)
    if written is None:
        _require(asks == "so its steps are stuttering", asks)
        return
    condition = _condition(written["written"], reader)
    recurring = reader.behaviour.recurring
    _require(any(condition.is_same(each) for each in _conditions(reader)), f"there is no {condition.written}")
    _require(not set(condition.enabled()) & set(recurring), f"it asks for something at {condition.enabled()}")


def _read_taken(reader: _Reader, call: str, variables: str) -> None:
    _require(reader.taken(call, "<<x, y>>"), f"{call} is not taken")
    _check_sets(reader, call, variables)


def _read_not_enabled(reader: _Reader, call: str, variables: str) -> None:
    recurring = reader.behaviour.recurring
    enabled = set(reader.enabled(call, changing="<<x, y>>")) & set(recurring)
    _require(not enabled, f"{call} is enabled in {enabled}")
    _check_sets(reader, call, variables)


def _check_sets(reader: _Reader, call: str, variables: str) -> None:
    """Require that an action mentions the next values of variables, other than to keep them."""
    expr = reader.call(call)
    set_there = set(_set_variables(expr, reader.context_of(expr)))
    _require(set(variables.split(", ")) <= set_there, f"{call} sets {set_there}")


def _set_variables(expr: Expression, context: Context) -> Iterator[str]:
    if expr.operator in ("ENABLED", "UNCHANGED"):
        return
    if expr.operator == "=" and expr.arguments[0].operator == "'":
        kept, value = expr.arguments[0].arguments[0], expr.arguments[1]
        if value.is_name() and value.operator == kept.operator:
            return
    if expr.operator == "'":
        stands_for = unfold(expr.arguments[0], context)
        yield expr.arguments[0].operator if stands_for is None else stands_for[0].operator
        return
    stands_for = unfold(expr, context) if expr.shape == "apply" and expr.operator[:1].isalpha() else None
    if stands_for is not None:
        yield from _set_variables(*stands_for)
    for part in expr.children():
        yield from _set_variables(part, context)


_Readers = Mapping[str, tuple[str, Callable[..., None]]]
_SINCE = r"(?:, since state (?P<since>\d+), after (?P<action>[\w!]+))?"
_LAST_CHANGE = r"(?:; (?P<changed>[xy, ]+) last changed in state (?P<state>\d+), by (?P<action>[\w!]+))?"
# A pattern has each name once.
_LAST_CHANGE_BEFORE = _LAST_CHANGE.replace("<state>", "<step>").replace("<action>", "<by>")
_FORMS: _Readers = {
    "fairness that is met": (
        (
            r"(?P<written>.*): the loop takes <<(?P<action>.*)>>_(?P<subscript>\S.*) from states? "
            r"(?P<taken>[\d, to]+), so the condition is TRUE"
        ),
        _read_fair,
    ),
    "fairness of what is disabled": (
        (
            r"(?P<written>.*): <<(?P<action>.*)>>_(?P<subscript>\S.*) is not enabled in states? "
            r"(?P<disabled>[\d, to]+) of the loop, so the condition is TRUE"
        ),
        _read_fair,
    ),
    "fairness of what is never enabled": (
        (
            r"(?P<written>.*): <<(?P<action>.*)>>_(?P<subscript>\S.*) is enabled in no state of the loop, "
            r"so the condition is TRUE"
        ),
        _read_fair,
    ),
    "no step": (
        rf"no step is possible: FALSE is (?P<text>.*?)(?:{_SINCE}|{_LAST_CHANGE_BEFORE})",
        _read_no_step,
    ),
    "not allowed": (
        rf"the property does not allow this step: FALSE is (?P<text>.*?){_LAST_CHANGE}",
        _read_not_allowed,
    ),
    "fairness of the property": (
        (
            r"(?P<written>.*): <<(?P<action>.*)>>_(?P<subscript>\S.*) is enabled in (?P<states>[\d, to]+) "
            r"and the loop never takes it"
        ),
        _read_unfair,
    ),
    "never taken": (
        (
            r"(?P<call>.*) is enabled in (?P<where>\d+ of \d+ states of the loop|state \d+[^;]*?, which recurs for ever), "
            r"and never taken there; (?P<fairness>.*)"
        ),
        _read_not_taken,
    ),
    "changes nothing": (
        r"(?P<call>.*) is enabled in states? (?P<states>[\d, to]+) of the loop and changes nothing, (?P<asks>.*)",
        _read_idle,
    ),
    "never enabled": (
        r"(?P<call>.*) is enabled in no state of the behaviour, (?P<asks>.*)",
        _read_never_enabled,
    ),
    "taken": (r"(?P<call>.*) is taken in the loop; it sets (?P<variables>.*)", _read_taken),
    "not enabled": (
        r"(?P<call>.*) is never enabled in the loop; it sets (?P<variables>.*)",
        _read_not_enabled,
    ),
    "blocked": (
        rf"(?P<call>.*) is not enabled: FALSE is (?P<text>.*?)(?:{_SINCE}|{_LAST_CHANGE_BEFORE})",
        _read_blocked,
    ),
    "other step": (
        rf"(?P<call>.*) is not this step: FALSE is (?P<text>.*?){_LAST_CHANGE}",
        _read_other_step,
    ),
    "last step": (r"the step to state (?P<state>\d+) is (?P<action>[\w!]+)", _read_last_step),
    "mapping": (r"(?P<name>\w+) (?:=|(?P<before>\d+) ->) (?P<after>\d+)", _read_mapping),
    "step": (
        (
            r"(?P<text>.*) is (?P<value>TRUE|FALSE) of the step from state (?P<before>\d+) to state (?P<state>\d+)"
            r"(?:, by (?P<action>[\w!]+))?"
        ),
        _read_step_value,
    ),
    "never": (r"(?P<text>.*) is never TRUE", _read_never),
    "FALSE from": (
        r"(?P<text>.*) is TRUE in (?P<states>[\d, to]+), and FALSE from state (?P<state>\d+) on",
        _read_false_from,
    ),
    "value and states": (
        r"(?P<text>.*) is (?P<value>TRUE|FALSE) in state (?P<state>\d+); it is TRUE in (?P<states>[\d, to]+)",
        _read_value_and_states,
    ),
    "value in a state": (
        r"(?P<text>.*) is (?P<value>TRUE|FALSE) in state (?P<state>\d+)(?:, after (?P<action>[\w!]+))?",
        _read_value_in_state,
    ),
}
