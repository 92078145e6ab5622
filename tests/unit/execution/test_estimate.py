"""The estimate of the time left, from recorded times."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from tla2py.execution.listener import Durations, Estimator, TimeLeft, growth_bounds, parameter_key


def estimator(missing: str, earlier: Mapping[int, float], slots: int = 1) -> Estimator:
    """An estimator for the sizes in ``missing``, a run each, after a sweep with these times."""
    return Estimator(
        {size: {"N": size} for size in missing.split()},
        Durations({parameter_key({"N": str(size)}): seconds for size, seconds in earlier.items()}),
        slots=slots,
        timeout_seconds=600,
    )


def test_runs_take_about_as_long_as_before() -> None:
    one = estimator("3 2 1", {1: 10, 2: 20, 3: 50})
    assert one.left({}) == TimeLeft(low=64, high=100)
    assert one.left({"3": 10.0}) == TimeLeft(low=54, high=90)
    # Two at once, and at least the longest.
    assert estimator("3 2 1", {1: 10, 2: 20, 3: 50}, slots=2).left({}) == TimeLeft(low=40, high=62.5)
    # A run that takes longer than expected may take as long again.
    assert estimator("3", {3: 50}).left({"3": 80.0}) == TimeLeft(low=0, high=80)
    assert estimator("3", {3: 50}).left({"3": 590.0}) == TimeLeft(low=0, high=10)
    # A run between known ones takes a time between theirs.
    assert estimator("2", {1: 10, 3: 50}).left({}) == TimeLeft(low=10, high=50)
    assert estimator("0", {1: 10, 3: 50}).left({}) == TimeLeft(low=0, high=10)


def test_a_larger_run_takes_as_long_as_growth_says() -> None:
    left = estimator("4", {1: 5, 2: 10, 3: 20}).left({})
    assert left is not None
    low, high = growth_bounds([1, 2, 3], [5, 10, 20], 4)
    assert low == pytest.approx(32.7, abs=0.1)
    assert high == 40
    assert (left.low, left.high) == (low / 1.25, high * 1.25)
    # Times that are mostly the start of a JVM say nothing, nor does a single one.
    assert estimator("9", {1: 0.8, 2: 1.1}).left({}) is None
    assert estimator("9", {1: 10}).left({}) is None


def test_runs_that_have_ended_correct_the_earlier_times() -> None:
    one = estimator("3 2 1", {1: 10, 2: 20, 3: 50})
    one.end("3", 100.0)
    assert one.left({}) == TimeLeft(low=48, high=75)
    # The sweep's own times suffice, but none is known before its first run ends.
    one = estimator("3 2 1", {})
    assert one.left({"3": 20.0}) is None
    one.end("3", 30.0)
    assert one.left({"2": 5.0}) == TimeLeft(low=0, high=55)
    # Nothing left needs no estimate.
    one = estimator("1", {1: 10})
    one.end("1", 10.0)
    assert one.left({}) is None
