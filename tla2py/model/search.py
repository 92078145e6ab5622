"""A search for laws, as a store keeps it: the points that it chose, and how far its laws are settled."""

from __future__ import annotations

import math
from typing import Literal, TypeAlias

import msgspec

CONFIDENCE = 0.95
"""How sure a stated bound is."""

ChosenFor: TypeAlias = Literal["corner", "refute", "draw"]
"""Why a point was chosen: a corner of the grid, or a value; a point that laws disagree on; drawn at random."""


class SearchedLaw(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of a property at all points that check it, or at those of one module or specification, its ``scope``.

    ``run`` of these ``of`` points ran, ``unanswered`` of them without an answer. ``law`` is None if none fits. ``draws``
    points, drawn from those that had not run since its predictions last changed, do not contradict it; ``enough`` are needed.
    """

    name: str
    scope: str | None
    law: str | None
    run: int
    of: int
    unanswered: int
    draws: int
    enough: int

    @property
    def title(self) -> str:
        """The property and its scope."""
        return f"{self.name} in {self.scope}" if self.scope else self.name

    @property
    def bound(self) -> float:
        """The share of the points not run that may contradict the law, at most so many with ``CONFIDENCE``."""
        if self.run == self.of:
            return 0.0
        return float(1 - (1 - CONFIDENCE) ** (1 / self.draws)) if self.draws else 1.0

    @property
    def support(self) -> str:
        """``95 % sure that fewer than 5 % of the other 432 contradict it``, and what is missing to that."""
        if self.run == self.of:
            return ""
        sure = f"{CONFIDENCE:.0%} sure that fewer than {math.ceil(1000 * self.bound) / 10:g} % of the other {self.of - self.run:,} "
        text = f"{sure.replace('%', ' %', 1)}contradict it" if self.draws else ""
        return (
            text if self.settled else f"not settled, {self.draws} of {self.enough} draws; {text}".rstrip("; ")
        )

    @property
    def settled(self) -> bool:
        """Whether the law needs no further point."""
        return self.run == self.of or (self.law is not None and self.draws >= self.enough)


class Search(msgspec.Struct, frozen=True, kw_only=True):
    """A search: its seed, the runs that it chose in order, each with the reason, and its laws.

    ``left`` bounds the seconds that the other points would take, ``left_states`` their distinct states, None if too
    little is known.
    """

    seed: int
    chosen: dict[str, ChosenFor] = {}
    laws: list[SearchedLaw] = []
    left: tuple[float, float] | None = None
    left_states: tuple[float, float] | None = None
