"""Counterexamples: states reached by actions, which may end in a lasso or in stuttering."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Literal, TypeAlias, TypeGuard, get_args

from tla2py.errors import InputError
from tla2py.trace.display import Displayed, Picture, views
from tla2py.values import Value

if TYPE_CHECKING:
    from tla2py.trace.alignment import Comparison
    from tla2py.trace.diff import Part

ViolationKind = Literal[
    "invariant",
    "action_property",
    "temporal_property",
    "deadlock",
    "assert",
    "assumption",
    "postcondition",
]
TraceKind: TypeAlias = ViolationKind | Literal["evaluation", "simulated", "unknown"]

EVALUATION: Final = "evaluation"
"""The kind of a trace to an expression that TLC could not evaluate; it violates nothing."""
SIMULATED: Final = "simulated"
"""The kind of a trace that a simulation wrote; it violates nothing."""
UNKNOWN: Final = "unknown"
"""The kind of a trace whose violation is unknown."""


def is_trace_kind(kind: object) -> TypeGuard[TraceKind]:
    """Whether a text is a kind of trace."""
    return is_violation(kind) or kind in (EVALUATION, SIMULATED, UNKNOWN)


def is_violation(kind: object) -> TypeGuard[ViolationKind]:
    """Whether a kind is that of a violation."""
    return kind in get_args(ViolationKind)


@dataclass(frozen=True, slots=True, kw_only=True)
class Location:
    """A location in a module as TLC prints it; lines and columns count from 1."""

    module: str
    begin_line: int
    begin_column: int
    end_line: int
    end_column: int


@dataclass(frozen=True, slots=True, kw_only=True)
class State(Displayed):
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
class StateDiff(Displayed):
    """The difference between two states, over one step or several."""

    before: State
    after: State

    @property
    def parts(self) -> tuple[Part, ...]:
        """The changed parts, in the order of the variables."""
        from tla2py.trace.diff import changed_parts

        return tuple(changed_parts(self.before.values, self.after.values))

    @property
    def unchanged(self) -> tuple[str, ...]:
        """The variables with the same value in both states."""
        changed = {part.variable for part in self.parts}
        return tuple(name for name in self.after.values if name not in changed)


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace(Displayed):
    """A counterexample: what it violates, its states, and how it continues for ever.

    ``loop_start`` is the index of the state that the last state steps back to, ``loop_action`` the action of
    that step if TLC names it. ``stuttering`` means that nothing happens after the last state. Safety violations have
    neither. ``cut_off`` means that the log ends before the last state. ``constants`` are the model's as TLA+ text, if
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
    constants: Mapping[str, str] = field(default_factory=dict, compare=False, repr=False)

    @property
    def label(self) -> str:
        """The name of what it violates, or the kind if TLC gives no name."""
        return self.name or self.kind

    def state(self, index: int) -> State:
        """The state with a number, from 1. Raises InputError (``no-state``)."""
        for state in self.states:
            if state.index == index:
                return state
        raise InputError(
            "no-state",
            f"the trace has no state {index}",
            hint=f"its states: {self.states[0].index} to {self.states[-1].index}" if self.states else None,
        )

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
            raise InputError(
                "no-state",
                f"the trace has no step {index}",
                hint=f"its steps: {steps[0]} to {steps[-1]}" if steps else "it has only one state",
            )
        return self.diff(index - 1, index)

    def diff(self, before: int, after: int) -> StateDiff:
        """The changes from one state to another. Raises InputError (``no-state``)."""
        return StateDiff(before=self.state(before), after=self.state(after))

    def compare(self, other: Trace) -> Comparison:
        """The comparison with another trace, aligned by action."""
        from tla2py.trace.alignment import compare_traces

        return compare_traces(self, other)

    def lanes(
        self,
        by: str | Iterable[str | Value] | None = None,
        *,
        messages: str | None = None,
        sender: str | None = None,
        receiver: str | None = None,
    ) -> Picture:
        """A picture of the steps with a lane per process, which also exports to SVG.

        ``by`` gives the processes: a constant of the model, a variable that is a function on them, several of these with
        commas between them, or the processes themselves; by default they are guessed: the keys that most variables share.
        ``messages`` names a variable that is a set, a bag or a sequence of messages, drawn as arrows; by default the one
        whose records name processes. ``sender`` and ``receiver`` name the fields of a message that hold its ends. Raises
        InputError (``no-processes``, ``no-messages``).
        """
        return views().lanes(self, by, messages=messages, sender=sender, receiver=receiver)
