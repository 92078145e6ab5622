"""Counterexamples: states reached by actions, perhaps ending in a lasso or in stuttering."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tla2py.errors import InputError
from tla2py.trace.display import Displayed, Picture, Stepper, views
from tla2py.values import Value

if TYPE_CHECKING:
    from tla2py.trace.alignment import Comparison
    from tla2py.trace.diff import Part

UNKNOWN = "unknown"
"""The kind of a trace of which nobody says what it violates."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Location:
    """A place in a module as TLC prints it; lines and columns count from 1."""

    module: str
    begin_line: int
    begin_column: int
    end_line: int
    end_column: int


@dataclass(frozen=True, slots=True, kw_only=True)
class State(Displayed):
    """One state of a trace.

    ``index`` counts from 1 as TLC prints it. ``action`` is the action that led here (None for the initial
    state), ``action_args`` its arguments where the TLC at hand prints them, as TLA+ text. ``values`` maps variables
    to values in TLC's order. ``derived`` are (name, value as TLA+ text) of the action's parameters and quantifiers
    where they were asked for, see ``StoreView.trace``.
    """

    index: int
    action: str | None
    action_args: tuple[str, ...] | None
    location: Location | None
    values: Mapping[str, Value]
    derived: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class StateDiff(Displayed):
    """What changed from one state to another, of one step or of several."""

    before: State
    after: State

    @property
    def parts(self) -> tuple[Part, ...]:
        """The parts that differ, in the order of the variables."""
        from tla2py.trace.diff import changed_parts

        return tuple(changed_parts(self.before.values, self.after.values))

    @property
    def unchanged(self) -> tuple[str, ...]:
        """The variables that are the same in both states."""
        changed = {part.variable for part in self.parts}
        return tuple(name for name in self.after.values if name not in changed)


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace(Displayed):
    """A counterexample: what it violates, its states, and how it goes on for ever where it does.

    ``loop_start`` is the index of the state that the last state steps back to, and ``loop_action`` the action of that step,
    with its arguments, where it is told; ``stuttering`` says that nothing happens after the last state. All are unset for a
    safety violation. ``cut_off`` says that a log broke off before the last state was printed. ``kind`` is that of a ``Violation``, evaluation
    for a trace to what TLC could not evaluate, or ``UNKNOWN`` where a file made elsewhere does not tell. ``constants``
    are those of the model as TLA+ text, where they are known. In Jupyter a trace shows itself as a table of its steps,
    elsewhere ``print`` shows it as text.
    """

    kind: str
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
        """The name of what it violates, or the kind where TLC names none."""
        return self.name or self.kind

    def state(self, index: int) -> State:
        """The state of a number, from 1. Raises InputError (``no-state``)."""
        for state in self.states:
            if state.index == index:
                return state
        raise InputError(
            "no-state",
            f"the trace has no state {index}",
            hint=f"its states: {self.states[0].index} to {self.states[-1].index}" if self.states else None,
        )

    def in_loop(self, state: State) -> bool:
        """Whether a state of the trace recurs for ever."""
        start = self.loop_start or (len(self.states) if self.stuttering else None)
        return start is not None and state.index >= start

    def step(self, index: int) -> StateDiff:
        """What the step to a state changed, from 2. Raises InputError (``no-state``)."""
        steps = [state.index for state in self.states[1:]]
        if index not in steps:
            raise InputError(
                "no-state",
                f"the trace has no step {index}",
                hint=f"its steps: {steps[0]} to {steps[-1]}" if steps else "it has one state alone",
            )
        return self.diff(index - 1, index)

    def diff(self, before: int, after: int) -> StateDiff:
        """What changed from one state to another. Raises InputError (``no-state``)."""
        return StateDiff(before=self.state(before), after=self.state(after))

    def compare(self, other: Trace) -> Comparison:
        """This trace and another, aligned by action."""
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
        """The steps as a picture, a lane for each process, which also exports to SVG.

        ``by`` tells the processes: a constant of the model, a variable that is a function on them, or the processes
        themselves; unless told, the keys that most variables have in common. ``messages`` names a set or a bag of
        messages, drawn as arrows; ``sender`` and ``receiver`` name the fields of a message that hold them. Raises
        InputError (``no-processes``, ``no-messages``).
        """
        return views().lanes(self, by, messages=messages, sender=sender, receiver=receiver)

    def stepper(self) -> Stepper:
        """A widget for Jupyter that steps through the trace, with a slider and a button that plays it.

        Raises InputError (``extra-missing``) where the packages of the extra ``notebooks`` are not installed.
        """
        return views().stepper(self)
