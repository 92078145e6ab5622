"""Traces, states, differences and comparisons."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from difflib import SequenceMatcher
from itertools import groupby, takewhile
from typing import Any, Final, Literal, NamedTuple, TypeAlias, TypeGuard, get_args

from tla2py.errors import InputError
from tla2py.model.display import DisplayMixin, show
from tla2py.text import did_you_mean
from tla2py.tla.value import Value, format_value
from tla2py.tla.value_changes import changes

ViolationKind = Literal[
    "invariant", "action_property", "temporal_property", "deadlock", "assert", "assumption", "postcondition"
]
TraceKind: TypeAlias = ViolationKind | Literal["evaluation", "simulated", "unknown"]

EVALUATION: Final = "evaluation"
"""The kind of a trace to an expression that TLC could not evaluate; it violates nothing."""
SIMULATED: Final = "simulated"
"""The kind of a trace that a simulation wrote; it violates nothing."""
UNKNOWN: Final = "unknown"
"""The kind of a trace whose violation is unknown."""

SUSPECT: Final = (
    "suspect: neither lasso nor stuttering; this TLC is known to make up such violations (tlaplus#1037)"
)
"""What is said of a violation that TLC may have made up."""


def is_trace_kind(kind: object) -> TypeGuard[TraceKind]:
    """Whether a text is a kind of trace."""
    return is_violation(kind) or kind in (EVALUATION, SIMULATED, UNKNOWN)


def is_violation(kind: object) -> TypeGuard[ViolationKind]:
    """Whether a kind is that of a violation."""
    return kind in get_args(ViolationKind)


def label_of(kind: str, name: str) -> str:
    """Return what a violation is called: the name, or the kind of what has no name.

    An assertion is called ``assert: NAME``, an assumption ``assumption: NAME``.
    """
    return f"{kind}: {name}" if kind in ("assert", "assumption") and name else name or kind


@dataclass(frozen=True, slots=True)
class Location:
    """A location in a module as TLC prints it; lines and columns count from 1."""

    module: str
    begin_line: int
    begin_column: int
    end_line: int
    end_column: int


@dataclass(frozen=True, slots=True, kw_only=True)
class State(DisplayMixin):
    """One state of a trace.

    ``index`` counts from 1 as TLC prints it. ``action`` is the action that led here, None for the initial state.
    ``action_args`` are its arguments as TLA+ text, if this TLC prints them. ``values`` maps variables to values in TLC's
    order. ``derived`` are names and values (as TLA+ text) of the action's parameters and quantifiers, on request, see
    ``StoreView.trace``; ``evaluated`` are expressions with their values as TLA+ text, see ``StoreView.eval``.
    """

    index: int
    action: str | None
    action_args: tuple[str, ...] | None
    location: Location | None
    values: Mapping[str, Value]
    derived: tuple[tuple[str, str], ...] = ()
    evaluated: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class StateDiff(DisplayMixin):
    """The difference between two states, over one step or several."""

    before: State
    after: State

    @property
    def parts(self) -> tuple[Part, ...]:
        """The changed parts, in the order of the variables."""
        return tuple(changed_parts(self.before.values, self.after.values))

    @property
    def unchanged(self) -> tuple[str, ...]:
        """The variables with the same value in both states."""
        changed = {part.variable for part in self.parts}
        return tuple(name for name in self.after.values if name not in changed)


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace(DisplayMixin):
    """A counterexample: what it violates, its states, and how it continues for ever.

    ``loop_start`` is the index of the state that the last state steps back to, ``loop_action`` the action of
    that step if TLC names it. ``stuttering`` means that nothing happens after the last state. Safety violations have
    neither. ``cut_off`` means that the log ends before the last state, ``suspect`` that TLC may have made up the violation:
    that of a temporal property without an end, which some releases report by mistake. ``constants`` are the model's as TLA+ text, if
    known. Jupyter shows a trace as a table of its steps, ``print`` as text.
    """

    kind: TraceKind
    name: str
    states: tuple[State, ...]
    loop_start: int | None = None
    loop_action: str | None = None
    loop_action_args: tuple[str, ...] | None = None
    stuttering: bool = False
    cut_off: bool = False
    suspect: bool = False
    constants: Mapping[str, str] = field(default_factory=dict, compare=False, repr=False)

    @property
    def label(self) -> str:
        """The name, ``assert: NAME`` for an assertion, or the kind of what has no name."""
        return label_of(self.kind, self.name)

    def state(self, index: int) -> State:
        """The state with a number, from 1. Raises InputError (``no-state``)."""
        for state in self.states:
            if state.index == index:
                return state
        hint = f"its states: {self.states[0].index} to {self.states[-1].index}" if self.states else None
        raise InputError("no-state", f"the trace has no state {index}", hint=hint)

    @property
    def terminated(self) -> bool:
        """Whether a deadlock is the end of a PlusCal algorithm: every process is at ``Done``."""
        if self.kind != "deadlock" or self.cut_off or not self.states:
            return False
        pc = self.states[-1].values.get("pc")
        labels = list(pc.values()) if isinstance(pc, Mapping) else pc if isinstance(pc, tuple) else [pc]
        return bool(labels) and all(label == "Done" for label in labels)

    def in_loop(self, state: State) -> bool:
        """Whether a state of the trace recurs for ever."""
        start = self.loop_start or (len(self.states) if self.stuttering else None)
        return start is not None and state.index >= start

    def step(self, index: int) -> StateDiff:
        """The changes of the step to a state, from 2. Raises InputError (``no-state``)."""
        steps = [state.index for state in self.states[1:]]
        if index not in steps:
            hint = f"its steps: {steps[0]} to {steps[-1]}" if steps else "it has only one state"
            raise InputError("no-state", f"the trace has no step {index}", hint=hint)
        return self.diff(index - 1, index)

    def diff(self, before: int, after: int) -> StateDiff:
        """The changes from one state to another. Raises InputError (``no-state``)."""
        return StateDiff(before=self.state(before), after=self.state(after))

    def compare(self, other: Trace) -> Comparison:
        """The comparison with another trace, aligned by action, with arguments where both traces have them."""
        with_arguments = all(any(state.action_args for state in trace.states) for trace in (self, other))
        ours, theirs = (
            [(each.action or "", (each.action_args or ()) if with_arguments else ()) for each in trace.states]
            for trace in (self, other)
        )
        # The common prefix is aligned one to one, the rest by longest common runs.
        start = len([*takewhile(lambda pair: pair[0] == pair[1], zip(ours, theirs, strict=False))])
        steps = list(map(Step, self.states[:start], other.states[:start]))
        matcher = SequenceMatcher(None, ours[start:], theirs[start:], autojunk=False)
        for kind, i, j, k, m in matcher.get_opcodes():
            mine, yours = self.states[start + i : start + j], other.states[start + k : start + m]
            if kind == "equal":
                steps += map(Step, mine, yours)
            else:
                steps += [Step(state, None) for state in mine] + [Step(None, state) for state in yours]
        parted = start if start < max(len(ours), len(theirs)) else None
        return Comparison(left=self, right=other, steps=tuple(steps), parted=parted)

    def lanes(
        self,
        by: str | Iterable[str | Value] | None = None,
        *,
        messages: str | None = None,
        sender: str | None = None,
        receiver: str | None = None,
    ) -> Any:
        """A picture of the steps with a lane per process, which also exports to SVG.

        ``by`` gives the processes: a constant of the model, a variable that is a function on them, several of these with
        commas between them, or the processes themselves; by default they are guessed: the keys that most variables share.
        ``messages`` names a variable that is a set, a bag or a sequence of messages, drawn as arrows; by default the one
        whose records name processes. ``sender`` and ``receiver`` name the fields of a message that hold its ends. Raises
        InputError (``no-processes``, ``no-messages``).
        """
        return show("lanes", self, by, messages=messages, sender=sender, receiver=receiver)


class Step(NamedTuple):
    """A step of one trace, or of both; None for the trace without it."""

    left: State | None
    right: State | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison(DisplayMixin):
    """Two aligned traces. ``parted`` is the position in ``steps`` of the first step that only one trace took."""

    left: Trace
    right: Trace
    steps: tuple[Step, ...]
    parted: int | None

    @property
    def missing(self) -> tuple[tuple[State, ...], tuple[State, ...]]:
        """The steps that only the left trace took, and those that only the right trace took."""
        return (
            tuple(left for left, right in self.steps if left is not None and right is None),
            tuple(right for left, right in self.steps if right is not None and left is None),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Variables:
    """A choice of variables: those in ``only``, or all if it is empty, without those in ``hide``."""

    only: Collection[str] = ()
    hide: Collection[str] = ()

    def of(self, trace: Trace) -> frozenset[str]:
        """The chosen variables of a trace. Raises InputError (``unknown-variable``)."""
        known = dict.fromkeys(name for state in trace.states for name in state.values)
        for name in (*self.only, *self.hide):
            if name not in known:
                every = f"variables: {', '.join(known) or 'none'}"
                message = f"not a variable of the trace: {name}"
                raise InputError("unknown-variable", message, hint=did_you_mean(name, list(known), every))
        return frozenset(self.only or known).difference(self.hide)

    def part_of(self, trace: Trace) -> Trace:
        """The trace with the chosen variables only. Raises InputError (``unknown-variable``)."""
        chosen = self.of(trace)
        states = (
            replace(state, values={name: value for name, value in state.values.items() if name in chosen})
            for state in trace.states
        )
        return replace(trace, states=tuple(states))


# Paths to elements of a set or bag, and of a sequence that moved on.
_ELEMENTS = ("{}", "[]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A changed part, at ``path`` inside ``variable``.

    ``before`` is empty if the part is new, ``after`` if it was removed. The elements that a set or a bag lost are one
    part, and those that it gained another; so are, in their order, those that left the front of a sequence and those that
    were appended. Any other part has at most one value on each side.
    """

    variable: str
    path: str
    before: tuple[Value, ...]
    after: tuple[Value, ...]

    def __str__(self) -> str:
        olds, news = self.texts
        if not self.before:
            return f"{self.place} + {news}"
        return f"{self.place} - {olds}" if not self.after else f"{self.place}: {olds} -> {news}"

    @property
    def place(self) -> str:
        """The variable and the path, as in ``queue["a"][1].epoch``."""
        return self.variable + self.path

    @property
    def texts(self) -> tuple[str, str]:
        """The values before and after as text, separated by commas."""
        return ", ".join(map(format_value, self.before)), ", ".join(map(format_value, self.after))


def changed_parts(before: Mapping[str, Value], after: Mapping[str, Value]) -> Iterator[Part]:
    """The parts in which a state differs from an earlier one; a new variable is one part."""
    for variable, value in after.items():
        if variable in before:
            yield from parts_of(variable, "", before[variable], value)
        else:  # an ALIAS may print more for some states
            yield Part(variable=variable, path="", before=(), after=(value,))


def parts_of(variable: str, path: str, before: Value, after: Value) -> Iterator[Part]:
    """The parts in which two values at a path of a variable differ."""
    groups = groupby(changes(before, after), key=lambda each: (each.path, each.before is None))
    for (place, _), group in groups:
        members = list(group)
        parts = [members] if place.endswith(_ELEMENTS) else [[member] for member in members]
        for part in parts:
            yield Part(
                variable=variable,
                path=path + (place[:-2] if place.endswith(_ELEMENTS) else place),
                before=tuple(change.before for change in part if change.before is not None),
                after=tuple(change.after for change in part if change.after is not None),
            )
