"""How few runs decide a law: ``python -m benchmarks.learning [LAWS]``.

Laws are planted on grids of 400 to 10,000 points, at random from a fixed seed: of one or two conjunctions of one or two of
the atoms that ``explain`` knows, or a linear inequality, violated at 3 % to 97 % of the points. No TLC runs: the law answers.
"""

from __future__ import annotations

import itertools
import math
import random
import statistics
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tla2py.analysis.atoms import AtomTable, bit_set
from tla2py.analysis.law_search import Learner
from tla2py.analysis.laws import Law
from tla2py.analysis.points import Answers, PointAnswer

SEED = 20261124
LAWS = 200
# The points run at once.
ROUND = 4

Grid = Mapping[str, Sequence[str]]


def _numbers(count: int) -> list[str]:
    return [str(number) for number in range(count)]


def _sets(prefix: str, count: int) -> list[str]:
    return ["{" + ", ".join(f"{prefix}{n}" for n in range(1, size + 1)) + "}" for size in range(1, count + 1)]


GRIDS: Sequence[Grid] = (
    {"A": _numbers(20), "B": _numbers(20)},
    {"A": _numbers(10), "B": _numbers(10), "C": _numbers(10)},
    {name: _numbers(6) for name in "ABCD"},
    {name: _numbers(5) for name in "ABCDE"},
    {name: _numbers(10) for name in "ABCD"},
    {
        "A": _numbers(10),
        "B": _numbers(10),
        "Mode": ["fast", "safe", "slow", "off"],
        "Flag": ["FALSE", "TRUE"],
    },
    {"Producers": _sets("p", 8), "Consumers": _sets("c", 8), "Capacity": _numbers(11)[1:]},
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Planted:
    """A law planted on a grid, and the points, a bit each, where it is true."""

    law: str
    points: Sequence[Mapping[str, str]]
    names: Sequence[str]
    violated: int


def planted(number: int) -> Planted:
    """The law of a number; the numbers take the grids in turn."""
    rng = random.Random(SEED + number)  # noqa: S311 - a fixed seed
    grid = GRIDS[number % len(GRIDS)]
    points = [dict(zip(grid, values, strict=True)) for values in itertools.product(*grid.values())]
    table = AtomTable(points, list(grid))
    kinds: dict[tuple[int, str], list[int]] = {}
    for place, atom in enumerate(table.atoms):
        sign = atom.bound.sign if atom.bound else "value"
        kinds.setdefault((atom.cost, {"<=": ">=", "#": "="}.get(sign, sign)), []).append(place)
    while True:
        if rng.random() < 0.1 and len(table.numbers) > 1:
            text, violated = _linear(rng, table)
        else:
            terms = [
                tuple(table.atoms[rng.choice(kinds[rng.choice([*kinds])])] for _ in range(rng.randint(1, 2)))
                for _ in range(rng.randint(1, 2))
            ]
            text, violated = str(Law(terms=tuple(terms))), table.points_of(terms)
        if 0.03 * len(points) < violated.bit_count() < 0.97 * len(points):
            return Planted(law=text, points=points, names=list(grid), violated=violated)


def _linear(rng: random.Random, table: AtomTable) -> tuple[str, int]:
    """A linear inequality over two or three of the numbers of a table, with coefficients from -2 to 2."""
    numbers = rng.sample(table.numbers, rng.randint(2, min(3, len(table.numbers))))
    terms = [(rng.choice((1, 2, -1, -2)), number) for number in numbers]
    sums = [sum(factor * number.at(row) for factor, number in terms) for row in table.rows]
    least = rng.choice((1, *range(min(sums) + 1, max(sums))))
    text = " + ".join(f"{factor} * {number.text}" for factor, number in terms)
    return f"{text} >= {least}", bit_set((n for n, each in enumerate(sums) if each >= least), len(sums))


@dataclass(frozen=True, slots=True, kw_only=True)
class Learned:
    """How a law was learned: the runs until it was right and stayed so, None if it never was, and the runs in all.

    ``right`` is whether it is the planted law at every point, ``within`` whether the stated bound holds, ``seconds`` the CPU
    seconds of the longest choice of a round.
    """

    until: int | None
    runs: int
    law: str
    right: bool
    within: bool
    settled: bool
    seconds: float


def learn(law: Planted, within: float, seed: int = 0) -> Learned:
    """Learn a planted law."""
    points = law.points
    learner = Learner(
        points,
        law.names,
        {"P": range(len(points))},
        costs=[sum(len(text) for text in point.values()) for point in points],
        within=within,
        seed=seed,
    )
    table = AtomTable(points, law.names)
    run: list[int] = []
    until, longest = None, 0.0
    standing, wrong = None, -1
    while True:
        start = time.process_time()
        answered = tuple(
            PointAnswer(point=n + 1, parameters=points[n], violated=bool(law.violated >> n & 1)) for n in run
        )
        answers = Answers(name="P", answered=answered, unanswered=(), excluded=(), missing=(), of=len(points))
        (standing,) = learner.tell(run, [answers])
        chosen = learner.choose(ROUND)
        longest = max(longest, time.process_time() - start)
        if run:
            found = standing.laws
            wrong = table.points_of(found[0].terms) ^ law.violated if found else -1
            until = None if wrong else until or len(run)
        if not chosen:
            break
        run += [place for place, _ in chosen]
    left = len(points) - len(run)
    law_fits = wrong >= 0
    contradicting_share = wrong.bit_count() / left if law_fits and left else 0.0
    bound = standing.known.bound
    return Learned(
        until=until,
        runs=len(run),
        law=str(standing.known.law),
        right=wrong == 0,
        within=law_fits and (bound is None or contradicting_share <= bound),
        settled=standing.known.settled and bool(standing.laws),
        seconds=longest,
    )


def main() -> None:
    """Print a line for each rule of stopping, then for each law that was wrong at the stop."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else LAWS
    laws = [planted(number) for number in range(count)]
    for within in (0.05, 0.01):
        found = [learn(law, within) for law in laws]
        until = [math.inf if each.until is None else each.until for each in found]
        runs = sorted(each.runs for each in found)
        sys.stdout.write(
            f"within {within:.0%}: right after {statistics.median(until):.0f} runs (median), stopped after "
            f"{statistics.median(runs):.0f}, nine of ten by {runs[9 * count // 10]}; law right at the stop "
            f"{sum(each.right for each in found)} of {count}, bound holds {sum(each.within for each in found)}; "
            f"a round is chosen in {max(each.seconds for each in found):.2f} CPU seconds at most\n"
        )
        for number, (law, each) in enumerate(zip(laws, found, strict=True)):
            if not each.right:
                sys.stdout.write(
                    f"  {number}: {law.law} ({law.violated.bit_count()} of {len(law.points)}), "
                    f"after {each.runs} runs: {each.law}\n"
                )


if __name__ == "__main__":
    main()
