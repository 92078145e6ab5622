"""Which logs an execution of their own asks about."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import IO, NamedTuple

from tla2py.logs.formats import JsonValue, plain_json
from tla2py.logs.probe import PROBE, STEP, TAG, LogProbe, log_probe
from tla2py.model.logs import LogPart
from tla2py.model.outcome import Verdict
from tla2py.model.run import Run, RunRecord, RunResult
from tla2py.model.trace import State, Trace
from tla2py.tla.instrument import Binding, bound, printed_tuples
from tla2py.tla.value import Function, Interval, ModelValue, Record, Value, format_value
from tla2py.tlc.output.codes import Code
from tla2py.tlc.output.messages import UNEXPLAINED, Message, MessageReader, UserText, is_complete, with_log
from tla2py.tlc.output.states import iter_with_traces

MOST_GENERATED = 50_000
"""The most generated states of a run that is executed again to learn about its log."""


def probe_of(run: Run, sources: Mapping[str, str], result: RunResult, *, enabled: bool) -> LogProbe | None:
    """The execution that asks how TLC takes the lines of a run's log, after one with this result; None for no question.

    A log that no behaviour explains is asked about, and with ``coverage`` any other, unless the search is large or the log
    an edited one. ``enabled`` is that of ``log_probe``.
    """
    log, result = run.inputs.log, with_log(result, run.inputs.log)
    verdict = result.verdict
    unexplained = verdict is Verdict.VIOLATED and is_complete(result)
    asked = unexplained or (verdict is Verdict.HOLDS and run.options.coverage)
    if log is None or log.edit is not None or log.position is None or not result.progress or not asked:
        return None
    if (result.stats.generated or 0) > MOST_GENERATED or run.options.mode != "check":
        return None
    modules = tuple((name, sources[sha256]) for name, sha256 in run.modules)
    found = log_probe(run.main, modules, run.config_text, log.position, log.entries, enabled=enabled)
    last = result.progress[-1].position if verdict is Verdict.VIOLATED else None
    return None if found is None else found.until(last)


class Difference(NamedTuple):
    """What a line says and what a step has: the field, and both values as text."""

    field: str
    line: str
    step: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LogStep:
    """A step that the specification allows: its action, the values bound, the state after it, and how it differs."""

    action: str
    binding: Binding
    values: Mapping[str, Value]
    differences: tuple[Difference, ...] = ()


def nearest_of(steps: Sequence[LogStep], line: str, action: str, binding: Binding) -> LogStep | None:
    """The step that differs least from a line.

    ``action`` and ``binding`` are those that the line stands for. A line of the form ``{"action": .., "args": .., "state":
    ..}`` is compared field by field, of any other one only the action and its arguments.
    """
    fields = plain_json(line)
    compared = [
        replace(step, differences=tuple(_differences(step, fields, action, binding))) for step in steps
    ]
    args = fields.get("args") if isinstance(fields, dict) else None
    said = {*args} if isinstance(args, dict) else {name for name, _ in binding}
    # Of several, one whose values occur in the line.
    return min(
        compared,
        key=lambda step: (
            len(step.differences) + len(said - {name for name, _ in step.binding}),
            step.action != action,
            sum(value.strip('"') not in line for _, value in step.binding),
        ),
        default=None,
    )


def _differences(step: LogStep, fields: JsonValue, action: str, binding: Binding) -> Iterator[Difference]:
    found = dict(step.binding)
    if step.action != action:
        yield Difference("action", action, step.action)
    args = fields.get("args") if isinstance(fields, dict) else None
    state = fields.get("state") if isinstance(fields, dict) else None
    if isinstance(args, dict):
        for name, value in args.items():
            text = value if isinstance(value, str) else json.dumps(value)
            if name in found and found[name].strip('"') != text:
                yield Difference(name, json.dumps(value), found[name])
    else:
        for name, text in binding:
            if name in found and found[name] != text:
                yield Difference(name, text, found[name])
    for name, value in state.items() if isinstance(state, dict) else ():
        if name in step.values:
            yield from _unequal(step.values[name], value, name)


def _unequal(value: Value, said: JsonValue, path: str) -> Iterator[Difference]:
    """The parts of a value that differ from what a line says of it."""
    if isinstance(said, dict) and isinstance(value, (Record, Function)):
        named = {key if isinstance(key, str) else format_value(key): item for key, item in value.items()}
        for name, part in said.items():
            if name in named:
                yield from _unequal(named[name], part, f"{path}.{name}")
            else:
                yield Difference(f"{path}.{name}", json.dumps(part), "nothing")
    elif not _agrees(value, said):
        yield Difference(path, json.dumps(said), format_value(value))


def _agrees(value: Value, said: JsonValue) -> bool:
    if isinstance(said, list):
        if isinstance(value, tuple):
            return len(value) == len(said) and all(map(_agrees, value, said))
        if isinstance(value, (frozenset, Interval)):
            elements = list(value)
            return all(any(_agrees(each, part) for part in said) for each in elements) and all(
                any(_agrees(each, part) for each in elements) for part in said
            )
        return False
    if isinstance(said, dict):
        return not any(_unequal(value, said, "")) if isinstance(value, (Record, Function)) else not said
    # A string may stand for a model value; the value of null is not known here.
    plain = value.name if isinstance(value, ModelValue) else value
    return said is None or (plain == said and isinstance(plain, bool) == isinstance(said, bool))


BOTH = " /\\ "
"""Between the names of several actions that a step takes at once."""

_FURTHEST = (Code.INVARIANT, Code.INVARIANT_INITIAL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """A way through the next-state relation that TLC tried in vain: its conjuncts, the last one FALSE.

    ``binding`` are the arguments of its action, ``bound`` all values bound.
    """

    parts: tuple[LogPart, ...]
    binding: Binding = ()
    bound: Binding = ()

    @property
    def false(self) -> LogPart:
        """The first conjunct that is FALSE."""
        return self.parts[-1]

    @property
    def action(self) -> str:
        """The action of the specification that it is a way to, otherwise the innermost definition."""
        named = [part.action for part in self.parts if part.action is not None]
        return named[-1] if named else _shown(self.false.path)[-1]

    @property
    def rank(self) -> tuple[bool, int]:
        """How well it fits the line: whether it gets beyond the tests of the line, and how many of these are TRUE."""
        return self.false.kind != "line", sum(part.kind == "line" for part in self.parts[:-1])


@dataclass(frozen=True, slots=True, kw_only=True)
class LogState:
    """A state before the line: the variables of the specification, the ways tried, and the steps that it allows."""

    values: Mapping[str, Value]
    attempts: tuple[Attempt, ...]
    steps: tuple[LogStep, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Blame:
    """A conjunct that is FALSE in some of the states before a line, with the values bound in the first of them."""

    attempt: Attempt
    state: LogState
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LogWhy:
    """What TLC printed on a log.

    ``counts`` are the numbers of distinct states by position, ``actions`` the actions that lead on from there. ``states``
    are those at the furthest position, at most twenty, ``trace`` is a behaviour that gets there. ``known`` are the first
    conjuncts of the actions of the specification that the next-state relation may take, ``position`` is the expression that counts lines.
    """

    counts: Mapping[int, int]
    actions: Mapping[int, tuple[str, ...]]
    states: tuple[LogState, ...] = ()
    trace: Trace | None = None
    known: tuple[LogPart, ...] = ()
    position: str = ""

    def blamed(self, line: str) -> list[Blame]:
        """The conjuncts to blame, that of the most states first; several if it cannot be decided which action a line names."""
        found: dict[LogPart, list[tuple[Attempt, LogState]]] = {}
        for state in self.states:
            for attempt in _chosen(state.attempts, line):
                found.setdefault(attempt.false, []).append((attempt, state))
        blames = [Blame(attempt=each[0][0], state=each[0][1], count=len(each)) for each in found.values()]
        return sorted(blames, key=lambda each: -each.count)

    def nearest(self, line: str) -> LogStep | None:
        """The step of the specification from one of the states that differs least from a line."""
        blamed = self.blamed(line)
        if not blamed:
            return None
        steps = [step for state in self.states for step in state.steps]
        if blamed[0].attempt.rank[0]:
            return nearest_of(steps, line, blamed[0].attempt.action, blamed[0].attempt.binding)
        # The line names an action, with arguments that it does not take.
        fields = plain_json(line)
        named = fields.get("action") if isinstance(fields, dict) else None
        known = isinstance(named, str) and named in {each.action for each in steps}
        return nearest_of(steps, line, str(named), ()) if known else None

    @property
    def enabled(self) -> tuple[str, ...]:
        """The actions of the specification that some state before the line allows."""
        return tuple(dict.fromkeys(step.action for state in self.states for step in state.steps))


def _chosen(attempts: Sequence[Attempt], line: str) -> list[Attempt]:
    """The attempts at the action that a line names, the furthest first; one of each action if that is undecided."""
    best = max((each.rank for each in attempts), default=None)
    furthest: dict[str, Attempt] = {}
    for each in attempts:
        if each.rank == best and (
            each.action not in furthest or len(each.parts) > len(furthest[each.action].parts)
        ):
            furthest[each.action] = each
    words, pending = set[str](), [plain_json(line)]
    while pending:
        value = pending.pop()
        if isinstance(value, str):
            words.add(value)
        elif isinstance(value, dict):
            pending += value.values()
        elif isinstance(value, list):
            pending += value
    named = [
        each
        for each in furthest.values()
        if words & {each.action, *(name for part in each.parts for name in part.path)}
    ]
    return sorted(named or furthest.values(), key=lambda each: -len(each.parts))


def _shown(path: tuple[str, ...]) -> tuple[str, ...]:
    """The definitions of a path that are the user's."""
    return tuple(name for name in path if not name.startswith(PROBE)) or path


def read_log_why(record: RunRecord, stdout: Callable[[int], IO[bytes]]) -> LogWhy | None:
    """What the execution about a record's log printed, if there is one; ``stdout(n)`` opens the output of execution n."""
    last, log = record.executions[-1], record.inputs.log
    if last.purpose != "log" or log is None or log.position is None:
        return None
    steps = {} if log.observed is None else log.observed.vocabulary.steps
    parts = [_named(part, steps) for part in last.parts]
    reader = MessageReader()
    with closing(stdout(len(record.executions))) as lines:
        items = [each for line in lines if (each := reader.read(line)) is not None]
    known: dict[str, LogPart] = {}
    for part in parts:
        if part.action is not None and f"{PROBE}_Takes" in part.path:
            known.setdefault(part.action, part)
    trace = next((each for each in iter_with_traces(items) if isinstance(each, Trace)), None)
    found = _Reading(parts=parts).read(_explored(items))
    return replace(found, trace=trace, known=tuple(known.values()), position=log.position)


def _named(part: LogPart, steps: Mapping[str, str]) -> LogPart:
    """A part with the action of the step that tla2py wrote for a line, if it is in no action otherwise."""
    written = next((steps[name] for each in part.path if (name := STEP.sub("", each)) in steps), None)
    if written is None or part.kind == "line" or written.rpartition("!")[2] == part.action:
        return part
    return part._replace(action=written)


def _explored(items: Sequence[Message | UserText]) -> Iterator[Value]:
    """The tuples printed while TLC explored: for a trace it evaluates the steps once more."""
    messages = [(index, each.code) for index, each in enumerate(items) if isinstance(each, Message)]
    begin = next((index for index, code in messages if code in _FURTHEST), len(items))
    end = max((index for index, code in messages if code == Code.STATE), default=begin)
    explored = (each for index, each in enumerate(items) if not begin < index < end)
    return printed_tuples("\n".join(each.text for each in explored if isinstance(each, UserText)), f'{TAG}"')


@dataclass(slots=True, kw_only=True)
class _Reading:
    """What was read so far; ``path`` holds the numbers of the conjuncts tried, each with the values bound.

    ``called`` are the actions around these, each with the number of conjuncts before it and its arguments.
    """

    parts: Sequence[LogPart]
    counts: Counter[int] = field(default_factory=Counter)
    actions: dict[int, dict[str, None]] = field(default_factory=dict)
    states: list[LogState] = field(default_factory=list)
    called: list[tuple[int, str, Binding]] = field(default_factory=list)
    path: list[tuple[int, Binding]] = field(default_factory=list)
    succeeded: bool = False

    def read(self, printed: Iterable[Value]) -> LogWhy:
        for each in printed:
            match each:
                case (_, "at", int(position)):
                    self._leave(())
                    self.succeeded = False
                    self.counts[position] += 1
                case (_, "state", Record() as values):
                    self.states.append(LogState(values=dict(values), attempts=(), steps=()))
                case (_, "step", int(position), tuple(numbers)):
                    self.succeeded = True
                    found = self.actions.setdefault(position, {})
                    found.setdefault(
                        self._action([self.parts[number] for number in numbers if isinstance(number, int)])
                    )
                case (_, "can", Record() as values):
                    self.succeeded = True
                    if self.states:
                        action = self._action([self.parts[number] for number, _ in self.path])
                        step = LogStep(action=action, binding=self._binding(action), values=dict(values))
                        state = self.states[-1]
                        self.states[-1] = replace(state, steps=(*state.steps, step))
                case (_, "args", int(depth), str(name), tuple(names), tuple(values)):
                    kept = [each for each in self.called if each[0] < depth]
                    self.called = [*kept, (depth, name, bound(names, values))]
                case (_, str(event), int(number), tuple(names), tuple(values)):
                    self._tried(event, number, bound(names, values))
        self._leave(())
        return LogWhy(
            counts=self.counts,
            actions={position: tuple(names) for position, names in self.actions.items()},
            states=tuple(self.states),
        )

    def _tried(self, event: str, number: int, binding: Binding) -> None:
        depth = self.parts[number].depth
        kept = [each for each in self.path if self.parts[each[0]].depth < depth]
        self.called = [each for each in self.called if each[0] <= depth]
        # A quantifier that binds its first value has not failed.
        if not (event == "bound" and self.path and self.path[-1][0] == number):
            self._leave(kept)
        self.path = [*kept, (number, binding)]

    def _leave(self, kept: Sequence[tuple[int, Binding]]) -> None:
        """Keep the path as an attempt, if TLC goes back on it without success."""
        parts = [self.parts[number] for number, _ in self.path]
        own = parts and parts[-1].module != PROBE and f"{PROBE}_Takes" in parts[-1].path
        if own and not self.succeeded and len(kept) < len(self.path) and self.states:
            bound = {name: value for _, binding in self.path for name, value in binding}
            attempt = Attempt(parts=tuple(parts), bound=tuple(bound.items()))
            attempt = replace(attempt, binding=self._binding(attempt.action))
            state = self.states[-1]
            self.states[-1] = replace(state, attempts=(*state.attempts, attempt))
        self.path, self.succeeded = [*kept], self.succeeded and len(kept) == len(self.path)

    def _binding(self, action: str) -> Binding:
        """The arguments of an action: those it was called with, or what its innermost definition binds, or is bound around it."""
        names = action.split(BOTH)
        called = {name: binding for _, name, binding in self.called if name in names}
        if len(called) == len(names):
            return tuple(pair for name in names for pair in called[name])
        printed = [(self.parts[number].path, binding) for number, binding in self.path if binding]
        own = [each for each in printed if each[0][-1] in names or STEP.search(each[0][-1])]
        depth = max((len(path) for path, _ in own), default=0)
        around = [each for each in printed if not {*names} & {*each[0]}]
        found = [each for each in own if len(each[0]) == depth] or around
        return tuple({name: value for _, binding in found for name, value in binding}.items())

    def _action(self, parts: Sequence[LogPart]) -> str:
        """The actions of the specification on a path, otherwise the innermost definition."""
        named = dict.fromkeys(part.action for part in parts if part.action is not None)
        paths = [path for part in parts for path in [_shown(part.path)] if part.module != PROBE]
        return BOTH.join(named) if named else max(paths, key=len, default=("Next",))[-1]


class LogTrace(NamedTuple):
    """A behaviour of the specification to the state before the first line that no behaviour explains.

    ``lines`` are the states that lines lead to, by line.
    """

    trace: Trace
    lines: Mapping[int, int]


def log_trace(why: LogWhy, numbers: Mapping[int, int]) -> LogTrace | None:
    """The behaviour that an execution about a log found; ``numbers`` are the lines by position. None if it found none."""
    if why.trace is None:
        return None
    own = why.states[0].values.keys() if why.states else ()
    states, lines = [why.trace.states[0]], {}
    first = _position(why, states[0])
    # A first line may show the initial state.
    if first is not None and (shown := numbers.get(first - 1)) is not None:
        lines[shown] = states[0].index
    for before, after in pairwise(why.trace.states):
        position = _position(why, before)
        taken = None if position is None else why.actions.get(position)
        states.append(
            replace(after, action=" or ".join(taken) if taken else None, action_args=None, location=None)
        )
        if position is not None and position != _position(why, after) and position in numbers:
            lines[numbers[position]] = after.index
    kept = tuple(
        replace(each, values={name: value for name, value in each.values.items() if not own or name in own})
        for each in states
    )
    return LogTrace(Trace(kind=UNEXPLAINED.kind, name=UNEXPLAINED.name, states=kept), lines)


def _position(why: LogWhy, state: State) -> int | None:
    found = state.values.get(why.position)
    return found if isinstance(found, int) else None
