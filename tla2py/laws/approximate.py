"""A formula with few exceptions, for points that no formula of the search separates."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tla2py.laws.search import Candidate, Formula, Term

# The formulas that are extended by a further atom.
_BEAM = 60
_MOST_ATOMS = 3
# The share of the points, and of the rarer answer, that may contradict a law.
_MOST_EXCEPTIONS = 0.05
_MOST_OF_THE_RARER = 0.34


@dataclass(frozen=True, slots=True, order=True)
class _Draft:
    """A formula with the points that contradict it, its cost, its terms of atoms, and the points where it is true."""

    exceptions: int
    cost: int
    terms: tuple[tuple[int, ...], ...]
    violated: int
    holds: int


def approximate(atoms: Sequence[Candidate], violated: int, holds: int) -> Formula | None:
    """The formula of at most three atoms with the fewest exceptions, None if even that has too many."""
    everything = (1 << violated) - 1

    def draft(terms: tuple[tuple[int, ...], ...]) -> _Draft:
        true, wrong, cost = 0, 0, -1
        for term in terms:
            covers, allows = everything, (1 << holds) - 1
            for atom in term:
                covers &= atoms[atom].violated
                allows &= atoms[atom].holds
                cost += atoms[atom].cost + 1
            true |= covers
            wrong |= allows
        return _Draft((everything & ~true).bit_count() + wrong.bit_count(), cost, terms, true, wrong)

    drafts = sorted(draft(((atom,),)) for atom in range(len(atoms)))
    if not drafts:
        return None
    best, beam, useful = drafts[0], drafts[:_BEAM], [each.terms[0][0] for each in drafts[: 4 * _BEAM]]
    for _ in range(_MOST_ATOMS - 1):
        longer = {terms for each in beam for atom in useful for terms in _extended(each.terms, atom)}
        beam = sorted(map(draft, longer))[:_BEAM]
        best = min([best, *beam])
    if best.exceptions > max(1, _MOST_EXCEPTIONS * (violated + holds)):
        return None
    if best.exceptions > _MOST_OF_THE_RARER * min(violated, holds):
        return None
    return tuple(Term(sum(atoms[atom].cost for atom in term) + len(term) - 1, term, 0) for term in best.terms)


def _extended(terms: tuple[tuple[int, ...], ...], atom: int) -> Iterator[tuple[tuple[int, ...], ...]]:
    """The formulas with one more atom, in each of the terms or as a term of its own."""
    if any(atom in term for term in terms):
        return
    for number, term in enumerate(terms):
        yield tuple(sorted((*terms[:number], tuple(sorted((*term, atom))), *terms[number + 1 :])))
    yield tuple(sorted((*terms, (atom,))))
