"""The cheapest formulas over atoms that separate the points that are violated from those that hold.

A formula is a disjunction of at most three terms, a term a conjunction of at most three atoms. Sets of points, and of
atoms, are integers with a bit per element.

The search is exact unless it runs out of time. A term is a set of atoms that excludes every point that holds: a hitting
set, found by branching on the point that the fewest atoms exclude. The first terms of a formula go through the violated
point with the fewest terms; the last term is made of the atoms that are true at every violated point that is left.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TypeAlias

from tla2py.analysis.atoms import bits

_MOST_ATOMS = 3
_MOST_TERMS = 3
# Formulas of the same cost that are kept as rivals.
_MOST_RIVALS = 50


@dataclass(frozen=True, slots=True)
class Candidate:
    """An atom: the violated points and the points that hold at which it is true, and its cost."""

    violated: int
    holds: int
    cost: int


@dataclass(frozen=True, slots=True, order=True)
class Term:
    """A conjunction: its cost, the positions of its atoms in ascending order, and the violated points it covers."""

    cost: int
    atoms: tuple[int, ...]
    covers: int


Formula: TypeAlias = tuple[Term, ...]


class _OutOfTimeError(Exception):
    """The search took too long."""


class FormulaSearch:
    """A search for the cheapest formulas over ``atoms`` for a number of violated points and of points that hold.

    It ends after so many ``seconds`` or ``steps``.
    """

    def __init__(
        self,
        atoms: Sequence[Candidate],
        violated: int,
        holds: int,
        *,
        seconds: float = math.inf,
        steps: float = math.inf,
    ) -> None:
        self._atoms = atoms
        self._everything = (1 << violated) - 1
        self._holds = (1 << holds) - 1
        self._end = time.monotonic() + seconds
        self._steps, self._most_steps = 0, steps
        # For each point that holds the atoms that exclude it, for each violated point the atoms true at it.
        self._excluders = _transposed([~atom.holds & self._holds for atom in atoms], holds)
        self._true_at = _transposed([atom.violated for atom in atoms], violated)
        self._through: dict[int, tuple[int, list[Term]]] = {}
        self._cost = 1 << 30
        self._formulas: list[Formula] = []

    def run(self) -> tuple[list[Formula], bool]:
        """The cheapest formulas found, all of one cost, and whether the search was complete."""
        with suppress(_OutOfTimeError):
            for terms in range(1, _MOST_TERMS + 1):
                self._extend((), self._everything, terms)
            return self._formulas, True
        return self._formulas, False

    def _add(self, formula: Formula) -> None:
        cost = sum(term.cost for term in formula) + len(formula) - 1
        if cost < self._cost:
            self._cost, self._formulas = cost, []
        formula = tuple(sorted(formula))
        if cost == self._cost and len(self._formulas) < _MOST_RIVALS and formula not in self._formulas:
            self._formulas.append(formula)

    def _extend(self, chosen: Formula, left: int, terms: int) -> None:
        """Add formulas that extend ``chosen`` by so many terms, which cover the violated points that are left."""
        spent = sum(term.cost + 1 for term in chosen)
        # Each further term costs at least an atom and a connective.
        budget = self._cost - spent - 2 * (terms - 1)
        if budget < 1:
            return
        if terms == 1:
            atoms = _all_of(self._true_at, left)
            for term in self._hitting(atoms, budget):
                self._add((*chosen, term))
            return
        for term in self._terms_through(self._hardest(left), budget):
            if term.cost > self._cost - spent - 2 * (terms - 1):
                break
            rest = left & ~term.covers
            # Formulas of fewer terms were found before.
            if rest:
                self._extend((*chosen, term), rest, terms - 1)

    def _hardest(self, left: int) -> int:
        """The violated point, of those left, that the fewest atoms tell from some point that holds."""
        known = [point for point in self._through if left >> point & 1]
        if known:
            return min(known, key=lambda point: len(self._through[point][1]))
        return min(bits(left), key=lambda point: self._narrowest(self._true_at[point]))

    def _narrowest(self, atoms: int) -> int:
        return min((each & atoms).bit_count() for each in self._excluders)

    def _terms_through(self, point: int, budget: int) -> list[Term]:
        """The terms true at a violated point that cost at most ``budget``, cheapest first.

        A term that another one of the same cost or less replaces, because it covers more, is left out.
        """
        known = self._through.get(point)
        if known is None or known[0] < budget:
            best: dict[int, Term] = {}
            for term in self._hitting(self._true_at[point], budget):
                if term.covers not in best or term < best[term.covers]:
                    best[term.covers] = term
            kept: list[Term] = []
            terms = sorted(best.values(), key=lambda each: (each.cost, -each.covers.bit_count(), each.atoms))
            for term in terms:
                if not any(term.covers & ~other.covers == 0 for other in kept):
                    kept.append(term)
            self._through[point] = known = budget, kept
        return known[1]

    def _hitting(self, atoms: int, budget: int) -> Iterator[Term]:
        """The conjunctions of some of ``atoms`` that exclude every point that holds and cost at most ``budget``."""
        yield from self._branch(atoms, self._holds, budget, (), self._everything, _MOST_ATOMS)

    def _branch(
        self, atoms: int, left: int, budget: int, chosen: tuple[int, ...], covers: int, depth: int
    ) -> Iterator[Term]:
        self._steps += 1
        if self._steps > self._most_steps or (not self._steps & 0xFF and time.monotonic() > self._end):
            raise _OutOfTimeError
        if not left:
            cost = sum(self._atoms[atom].cost for atom in chosen) + len(chosen) - 1
            yield Term(cost, tuple(sorted(chosen)), covers)
            return
        last = depth == 1
        candidates = _all_of(self._excluders, left, atoms) if last else self._fewest(atoms, left)
        for atom in bits(candidates):
            this = self._atoms[atom]
            rest = budget - this.cost - bool(chosen)
            if rest < 0:
                continue
            # A set that contains this atom is found here, so the branches after this one go without it.
            atoms &= ~(1 << atom)
            yield from self._branch(
                atoms, left & this.holds, rest, (*chosen, atom), covers & this.violated, depth - 1
            )

    def _fewest(self, atoms: int, left: int) -> int:
        """The atoms that exclude the point, of those left, that the fewest exclude."""
        best, fewest = 0, 1 << 30
        for point in bits(left):
            candidates = self._excluders[point] & atoms
            if (count := candidates.bit_count()) < fewest:
                best, fewest = candidates, count
                if count <= 1:
                    break
        return best


def _all_of(sets: Sequence[int], positions: int, start: int = -1) -> int:
    common = start
    for position in bits(positions):
        common &= sets[position]
        if not common:
            break
    return common


def _transposed(rows: Sequence[int], width: int) -> list[int]:
    """For each column of a matrix of bits, the set of rows that have it."""
    columns = [bytearray((len(rows) + 7) // 8) for _ in range(width)]
    for number, row in enumerate(rows):
        for column in bits(row):
            columns[column][number >> 3] |= 1 << (number & 7)
    return [int.from_bytes(column, "little") for column in columns]
