"""How long laws take to find, over a growing number of points: ``python -m benchmarks.explaining``.

Half of the laws are that of two parameters, half a disjunction of two conjunctions over four. Every figure is from a process
of its own, to measure its peak memory (MiB).
"""

from __future__ import annotations

import itertools
import multiprocessing
import resource
import sys
import time

from tla2py.analysis.laws import find_law

SIZES = {100: (10, 10), 1_000: (10, 10, 10), 10_000: (10, 10, 10, 10)}


def simple(values: tuple[int, ...]) -> bool:
    """Whether a point is violated by the law of two parameters."""
    return values[0] > values[1]


def composed(values: tuple[int, ...]) -> bool:
    """Whether a point is violated by a law of up to four parameters."""
    return (values[0] + values[1] >= 9 and values[-2] > values[-1]) or values[0] == 3


def explain(points: int, law: str) -> tuple[str, float, float]:
    """The law found, and the seconds and MiB that it took."""
    names = [f"P{number}" for number, _ in enumerate(SIZES[points])]
    grid = list(itertools.product(*map(range, SIZES[points])))
    violated = [(simple if law == "simple" else composed)(values) for values in grid]
    texts = [dict(zip(names, map(str, values), strict=True)) for values in grid]
    start = time.perf_counter()
    found = find_law(texts, violated, names)
    seconds = time.perf_counter() - start
    assert not found.exceptions
    return str(found.law), seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    """Print a line for each number of points and each law."""
    for points in SIZES:
        for law in ("simple", "composed"):
            with multiprocessing.get_context("spawn").Pool(1) as pool:
                text, seconds, memory = pool.apply(explain, (points, law))
            sys.stdout.write(f"{points:>6} points  {seconds:6.2f} s  {memory:4.0f} MiB  {text}\n")


if __name__ == "__main__":
    main()
