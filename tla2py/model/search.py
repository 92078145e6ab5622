"""A search for laws, as a store keeps it: the points that it chose, and how far its laws are settled."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Literal, TypeAlias

import msgspec

CONFIDENCE = 0.95
"""How sure the bounds are that a search states of a property: all of them together, not each."""

ChosenFor: TypeAlias = Literal["corner", "refute", "draw", "smallest"]
"""Why a point was chosen: a corner of the grid, or a value; a point that laws disagree on; drawn at random; the smallest
point at which a law says that its property is violated."""


def bound_contradictions(draws: int, left: int, tried: int) -> float:
    """Return the share of the points left that contradict a law, if none of so many points drawn did: fewer than this.

    ``draws`` points were drawn from these and the ``left`` ones, without replacement. The law is the one ``tried`` as the
    first, second, ... of its property, whose n-th is wrongly given a bound in 0.05/2^n of all searches: that is 0.05 for all.
    """
    if not left:
        return 0.0
    error = (1 - CONFIDENCE) / 2**tried
    likely = 1.0
    for contradicting in range(1, left + 1):
        # How likely it is that the points drawn are none of so many contradicting ones.
        before = contradicting - 1
        likely *= (left - before) / (left + draws - before)
        if likely <= error:
            return contradicting / left
    return 1.0


@lru_cache(maxsize=1 << 12)
def count_enough_draws(population: int, within: float, tried: int) -> int:
    """Return how many points of a population have to be drawn until fewer than a share of the others contradict a law.

    In a small population a few more draws may show less, as a single point is a larger share of those left.
    """
    for draws in range(1, population):
        if bound_contradictions(draws, population - draws, tried) <= within:
            return draws
    return max(population, 1)


class SearchedLaw(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of a property at all points that check it, or at those of one module or specification, its ``scope``.

    ``run`` of these ``of`` points ran, ``unanswered`` of them without an answer. ``law`` is None if none fits; it is not
    ``short`` if it only fits the points, as ``LawFound.short`` says. Of the points that were drawn, from those that had not
    run since its predictions last changed, ``draws`` have an answer, which does not contradict it, and ``silent`` have
    none. It is the law that was ``tried`` as the first, second, ... of its property. Fewer than the share ``within`` of
    the points that have not run may contradict it.
    """

    name: str
    scope: str | None
    law: str | None
    run: int
    of: int
    unanswered: int
    draws: int
    silent: int = 0
    tried: int = 1
    short: bool = True
    within: float = 0.05

    @property
    def title(self) -> str:
        """The property and its scope."""
        return f"{self.name} in {self.scope}" if self.scope else self.name

    @property
    def answering(self) -> int:
        """How many of the points that have not run would have an answer, by the share of those drawn that have one."""
        drawn = self.draws + self.silent
        return (self.of - self.run) * self.draws // drawn if drawn else self.of - self.run

    @property
    def enough(self) -> int:
        """The number of draws with an answer that settle the law."""
        return count_enough_draws(self.draws + self.answering, self.within, self.tried)

    @property
    def bound(self) -> float | None:
        """The share of the points that have not run, and would have an answer, that contradict the law: fewer than this.

        All bounds of a property's laws are right with ``CONFIDENCE``. None for a law that is not short.
        """
        if self.run == self.of:
            return 0.0
        if self.law is None or not self.short:
            return None
        return bound_contradictions(self.draws, self.answering, self.tried) if self.draws else 1.0

    @property
    def support(self) -> str:
        """``95 % sure that fewer than 5 % of the other 432 contradict it``, and what is missing to that."""
        if self.run == self.of:
            return ""
        silent = f"{self.silent:,} of {self.draws + self.silent:,} draws had no answer" if self.silent else ""
        parts = [silent, self._claim]
        if not self.settled:
            parts.insert(
                0, f"not settled, {self.draws} of {self.enough} draws" if self.short else "not settled"
            )
        return "; ".join(part for part in parts if part)

    @property
    def _claim(self) -> str:
        bound, others = self.bound, f"of the other {self.of - self.run:,}"
        if self.law is not None and not self.short:
            return "no bound, as the law is not short"
        if bound is None or bound == 1:
            return ""
        share = f"{math.ceil(1000 * bound) / 10:g} %"
        if self.silent:
            others += " that have an answer"
        return (
            f"{CONFIDENCE:.0%} sure".replace("%", " %") + f" that fewer than {share} {others} contradict it"
        )

    @property
    def settled(self) -> bool:
        """Whether the law has the bound that was asked for, or all points have run."""
        return self.run == self.of or (self.short and self.finished)

    @property
    def finished(self) -> bool:
        """Whether further points would not settle the law: it is settled, or it agrees with as many and is not short."""
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
