"""Comparisons of two counterexamples: steps aligned by action, and the first divergence."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import SequenceMatcher

from tla2py.trace.display import Displayed
from tla2py.trace.trace import State, Trace


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """A step of one trace, or of both; None for the trace without it."""

    left: State | None
    right: State | None

    @property
    def state(self) -> State:
        """The state after the step, of the left trace if it took it."""
        state = self.left or self.right
        assert state is not None
        return state


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison(Displayed):
    """Two aligned traces. ``parted`` is the position in ``steps`` of the first step that only one trace took."""

    left: Trace
    right: Trace
    steps: tuple[Step, ...]
    parted: int | None

    @property
    def missing(self) -> tuple[tuple[State, ...], tuple[State, ...]]:
        """The steps that only the left trace took, and those that only the right trace took."""
        return (
            tuple(step.left for step in self.steps if step.left is not None and step.right is None),
            tuple(step.right for step in self.steps if step.right is not None and step.left is None),
        )


def compare_traces(left: Trace, right: Trace) -> Comparison:
    """The steps of two traces aligned by action, with arguments where both traces have them."""
    with_arguments = all(any(state.action_args for state in trace.states) for trace in (left, right))
    ours, theirs = ([_label(state, with_arguments) for state in trace.states] for trace in (left, right))
    steps: list[Step] = []
    parted = None
    # The common prefix is aligned one to one, the rest by longest common runs.
    start = next(
        (place for place, (one, other) in enumerate(zip(ours, theirs, strict=False)) if one != other),
        min(len(ours), len(theirs)),
    )
    steps += [Step(left=left.states[place], right=right.states[place]) for place in range(start)]
    if start < max(len(ours), len(theirs)):
        parted = start
    matcher = SequenceMatcher(None, ours[start:], theirs[start:], autojunk=False)
    for kind, i, j, k, m in matcher.get_opcodes():
        one, other = left.states[start + i : start + j], right.states[start + k : start + m]
        if kind == "equal":
            steps += [Step(left=a, right=b) for a, b in zip(one, other, strict=True)]
        else:
            steps += [Step(left=state, right=None) for state in one]
            steps += [Step(left=None, right=state) for state in other]
    return Comparison(left=left, right=right, steps=tuple(steps), parted=parted)


def _label(state: State, with_arguments: bool) -> tuple[str, tuple[str, ...]]:
    return state.action or "", (state.action_args or ()) if with_arguments else ()
