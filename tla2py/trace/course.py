"""The courses of counterexamples, which decide their kinds: actions with runs folded, and how they end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import groupby
from typing import Literal, Protocol

Ending = Literal["", "lasso", "stuttering", "cut off"]


class Ended(Protocol):
    """How a behaviour ends, see ``Trace``."""

    @property
    def loop_start(self) -> int | None:
        """The index of the state that a lasso returns to."""

    @property
    def loop_action(self) -> str | None:
        """The action of the step that closes a lasso."""

    @property
    def stuttering(self) -> bool:
        """Whether nothing happens after the last state."""

    @property
    def cut_off(self) -> bool:
        """Whether the log ends before the last state."""


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Course:
    """What a counterexample violates, in which module, by which actions, and how it ends.

    ``actions`` and ``loop``, the actions that a lasso repeats, are folded: a run of one action counts once. ``module``
    is empty unless the store has points of several modules.
    """

    name: str
    module: str = ""
    ending: Ending = ""
    actions: tuple[str, ...] = ()
    loop: tuple[str, ...] = ()

    @property
    def steps(self) -> tuple[str, ...]:
        """The actions, then those of the loop."""
        return self.actions + self.loop


def folded(actions: Sequence[str]) -> tuple[str, ...]:
    """The actions, each run of one as one: ``Grant Tick Tick Grant`` becomes ``Grant Tick Grant``."""
    return tuple(name for name, _ in groupby(actions))


def course_of(name: str, module: str, actions: Sequence[str], end: Ended) -> Course:
    """The course of a counterexample with these actions, one for each state after the first."""
    ending: Ending = (
        "lasso"
        if end.loop_start is not None
        else "stuttering"
        if end.stuttering
        else "cut off"
        if end.cut_off
        else ""
    )
    before = len(actions) if end.loop_start is None else end.loop_start - 1
    closing = [end.loop_action] if end.loop_action else []
    return Course(
        name=name,
        module=module,
        ending=ending,
        actions=folded(actions[:before]),
        loop=folded([*actions[before:], *closing]),
    )


def step_places(steps: Sequence[str]) -> Mapping[str, int]:
    """The places of each step in a sequence, as a set of bits."""
    places: dict[str, int] = {}
    for place, step in enumerate(steps):
        places[step] = places.get(step, 0) | 1 << place
    return places


def common_length(places: Mapping[str, int], length: int, other: Sequence[str]) -> int:
    """The length of the longest common subsequence of a sequence of this ``length`` with these places, and another."""
    everything = free = (1 << length) - 1
    for step in other:
        taken = free & places.get(step, 0)
        free = ((free + taken) | (free - taken)) & everything
    return length - free.bit_count()


def common_steps(sequences: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    """A longest common subsequence of two sequences; of more, what pairs leave of each other, shortest first.

    The order of the sequences does not matter.
    """
    ordered = sorted(set(sequences), key=lambda each: (len(each), each))
    return reduce(_common, ordered) if ordered else ()


def _common(one: tuple[str, ...], other: tuple[str, ...]) -> tuple[str, ...]:
    rest = iter(other)
    if all(step in rest for step in one):
        return one
    # longest[i][j]: the length for one[i:] and other[j:].
    longest = [[0] * (len(other) + 1) for _ in range(len(one) + 1)]
    for i in reversed(range(len(one))):
        for j in reversed(range(len(other))):
            longest[i][j] = (
                longest[i + 1][j + 1] + 1 if one[i] == other[j] else max(longest[i + 1][j], longest[i][j + 1])
            )
    found, i, j = [], 0, 0
    while i < len(one) and j < len(other):
        if one[i] == other[j]:
            found.append(one[i])
            i, j = i + 1, j + 1
        elif longest[i + 1][j] >= longest[i][j + 1]:
            i += 1
        else:
            j += 1
    return tuple(found)
