"""How often a search for laws claims too much: synthetic tables of verdicts, with noise and with points without an answer.

``python -m tests.unit.analysis.test_law_claims [SEARCHES]`` prints the figures of so many searches.
"""

from __future__ import annotations

import itertools
import random
import sys
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from benchmarks.learning import Planted, planted
from tla2py.analysis.atoms import AtomTable
from tla2py.analysis.law_search import Learner
from tla2py.analysis.points import Answers, PointAnswer
from tla2py.model.search import SearchedLaw, bound_contradictions, count_enough_draws

SEED = 20261128
NOISE = (0.0, 0.01, 0.03, 0.06)
UNANSWERED = (0.0, 0.4)
WITHIN = 0.05
SEARCHES = 400
# A search by a person would end by then.
MOST_RUNS = 240
ROUND = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """The verdicts at all points of a grid: the points that are violated, and those with an answer."""

    law: Planted
    violated: frozenset[int]
    answered: frozenset[int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """What a search says of its law in the end, and the share of the other points that contradict it."""

    known: SearchedLaw
    contradicting: float

    @property
    def is_made(self) -> bool:
        return self.known.bound is not None and self.known.bound < 1 and self.known.run < self.known.of

    @property
    def is_false(self) -> bool:
        bound = self.known.bound
        return self.is_made and bound is not None and self.contradicting >= bound


def make_table(number: int, noise: float, unanswered: float) -> Table:
    """Return a planted law at the points of a grid of 400 to 1,296, some turned and some without an answer."""
    # Of the grids of the benchmark, the largest would take long.
    law = planted([0, 1, 2, 5][number % 4] + 7 * (number // 4))
    rng = random.Random(f"{SEED} {number} {noise} {unanswered}")
    places = range(len(law.points))
    turned = {place for place in places if rng.random() < noise}
    violated = {place for place in places if law.violated >> place & 1}
    answered = {place for place in places if rng.random() >= unanswered}
    return Table(law=law, violated=frozenset(violated ^ turned), answered=frozenset(answered))


def search_table(table: Table, seed: int) -> Claim:
    """Return the claim of a search that sees the verdicts only of the points that it runs."""
    points = table.law.points
    learner = Learner(
        points,
        table.law.names,
        {"P": range(len(points))},
        costs=[sum(len(text) for text in point.values()) for point in points],
        within=WITHIN,
        seed=seed,
    )
    run: list[int] = []
    while True:
        answered = tuple(
            PointAnswer(point=place + 1, parameters=points[place], violated=place in table.violated)
            for place in run
            if place in table.answered
        )
        silent = tuple(place + 1 for place in run if place not in table.answered)
        answers = Answers(
            name="P", answered=answered, unanswered=silent, excluded=(), missing=(), of=len(points)
        )
        (standing,) = learner.tell(run, [answers])
        chosen = learner.choose(ROUND)
        if not chosen or len(run) >= MOST_RUNS:
            break
        run += [place for place, _ in chosen]

    others = table.answered.difference(run)
    if not standing.laws or not others:
        return Claim(known=standing.known, contradicting=0.0)
    predicted = AtomTable(points, table.law.names).points_of(standing.laws[0].terms)
    wrong = sum(bool(predicted >> place & 1) != (place in table.violated) for place in others)
    return Claim(known=standing.known, contradicting=wrong / len(others))


def make_claims(searches: int) -> Iterator[tuple[float, float, list[Claim]]]:
    """Yield the claims of searches for each rate of noise and of points without an answer."""
    kinds = list(itertools.product(NOISE, UNANSWERED))
    for noise, unanswered in kinds:
        numbers = range(searches // len(kinds))
        tables = [make_table(number, noise, unanswered) for number in numbers]
        yield noise, unanswered, [search_table(table, seed) for seed, table in enumerate(tables)]


def report_claims(searches: int) -> float:
    """Print the figures of searches, and return the share of those with a false claim."""
    all_claims: list[Claim] = []
    for noise, unanswered, claims in make_claims(searches):
        all_claims += claims
        sys.stdout.write(
            f"noise {noise:4.0%}, unanswered {unanswered:4.0%}: of {len(claims)} searches "
            f"{sum(claim.known.settled for claim in claims)} settled, {sum(claim.is_made for claim in claims)} with a "
            f"claim, {sum(claim.is_false for claim in claims)} false\n"
        )
    false = sum(claim.is_false for claim in all_claims)
    made = sum(claim.is_made for claim in all_claims)
    share = false / len(all_claims)
    sys.stdout.write(
        f"seed {SEED}: {false} false claims in {len(all_claims)} searches ({share:.1%}), of {made} that were made\n"
    )
    return share


@pytest.mark.parametrize(("within", "draws"), [(0.05, 72), (0.02, 183), (0.01, 368)])
def test_the_first_law_takes_as_many_draws_of_a_large_grid(within: float, draws: int) -> None:
    assert count_enough_draws(10_000_000, within, 1) == draws
    # Each further law spends half as much of the confidence.
    assert count_enough_draws(10_000_000, within, 2) > draws


def test_a_bound_counts_the_ways_to_draw_no_contradiction() -> None:
    # Of 10 points with 2 contradictions, 7 draws miss both in 3 * 2 of 10 * 9 cases.
    assert bound_contradictions(7, 3, 1) == 1.0
    assert bound_contradictions(8, 2, 1) == 2 / 2
    # Of 100 points with 3, 72 draws miss all in 2 of 100 cases, with 2 in 8.
    assert bound_contradictions(72, 28, 1) == 3 / 28
    assert bound_contradictions(5, 0, 1) == 0.0


@pytest.mark.long
def test_at_most_one_search_in_twenty_claims_too_much() -> None:
    assert report_claims(SEARCHES) <= 0.05


def test_few_searches_claim_too_much() -> None:
    # The same, as far as the core's time allows.
    assert report_claims(8) <= 0.05


if __name__ == "__main__":
    report_claims(int(sys.argv[1]) if len(sys.argv) > 1 else SEARCHES)
