"""Estimates of the time that a sweep still takes, from the times of earlier runs and of those that have ended."""

from __future__ import annotations

import bisect
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from tla2py.execution.schedule import Durations, parameter_key, weigh

# A run with the same parameters as before takes about as long.
_SPREAD = 1.25
# Shorter runs are mostly the start of a JVM, and say nothing about larger ones.
_TELLING_SECONDS = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeLeft:
    """Bounds of the wall-clock seconds that are left."""

    low: float
    high: float


_Key: TypeAlias = tuple[tuple[str, str], ...]
_Span: TypeAlias = tuple[float, float]


class Estimator:
    """The estimate for the ``missing`` runs of a sweep, in order of their start, given by their parameters.

    ``earlier`` are the times before this sweep.
    """

    def __init__(
        self,
        missing: Mapping[str, Mapping[str, str]],
        earlier: Durations,
        *,
        slots: int,
        timeout_seconds: float,
    ) -> None:
        self._slots = slots
        self._timeout_seconds = timeout_seconds
        # There may be very many.
        self._runs = {run_id: (parameter_key(each), weigh(each)) for run_id, each in missing.items()}
        self._earlier = earlier.wall
        self._earlier_spans: dict[float, _Span] = {}
        for key, seconds in earlier.wall.items():
            _widen(self._earlier_spans, weigh(dict(key)), seconds)
        self._own: dict[_Key, float] = {}
        self._own_spans: dict[float, _Span] = {}
        self._expected = self._took = 0.0
        self._ended: set[str] = set()

    def end(self, run_id: str, seconds: float) -> None:
        """Learn how long a run took."""
        key, weight = self._runs[run_id]
        if run_id in self._ended:
            return
        self._ended.add(run_id)
        self._own[key] = seconds
        _widen(self._own_spans, weight, seconds)
        if (earlier := self._earlier.get(key)) is not None:
            self._expected += earlier
            self._took += seconds

    def left(self, done: int, running: Mapping[str, float]) -> TimeLeft | None:
        """The time left after ``done`` runs, with the seconds of those running; None if too little is known.

        On a cluster the last of the ``done`` runs are not known by name: they are then the first ones.
        """
        waiting = [run_id for run_id in self._runs if run_id not in self._ended and run_id not in running]
        rest = [*running, *waiting[max(done - len(self._ended), 0) :]]
        # Runs take as long as now, not as long as on the day of the earlier ones.
        factor = self._took / self._expected if self._expected >= _TELLING_SECONDS else 1.0
        spans = {weight: (low * factor, high * factor) for weight, (low, high) in self._earlier_spans.items()}
        for weight, span in self._own_spans.items():
            for seconds in span:
                _widen(spans, weight, seconds)
        by_weight = sorted(spans.items())
        lows, highs = [], []
        for run_id in rest:
            key, weight = self._runs[run_id]
            same = self._own.get(key)
            if same is None and (earlier := self._earlier.get(key)) is not None:
                same = earlier * factor
            likely = (same / _SPREAD, same * _SPREAD) if same is not None else _span_at(by_weight, weight)
            if likely is None:
                return None
            low, high = self._rest(likely, running.get(run_id, 0.0))
            lows.append(low)
            highs.append(high)
        if not rest:
            return None
        low, high = (max(sum(each) / self._slots, max(each)) for each in (lows, highs))
        return TimeLeft(low=low, high=high)

    def _rest(self, span: _Span, elapsed: float) -> _Span:
        low, high = span
        # A run that takes longer than expected may take as long again.
        rest = high - elapsed if high > elapsed else elapsed
        return max(low - elapsed, 0.0), min(rest, max(self._timeout_seconds - elapsed, 0.0))


def _widen(spans: dict[float, _Span], weight: float, seconds: float) -> None:
    low, high = spans.get(weight, (seconds, seconds))
    spans[weight] = min(low, seconds), max(high, seconds)


def _span_at(by_weight: Sequence[tuple[float, _Span]], weight: float) -> _Span | None:
    """The bounds of a run's time from those of other weights; None if they do not tell."""
    after = bisect.bisect_left(by_weight, weight, key=lambda known: known[0])
    if after == len(by_weight):
        return _span_beyond(by_weight, weight)
    found, high = by_weight[after]
    if found == weight:
        return high[0] / _SPREAD, high[1] * _SPREAD
    low = by_weight[after - 1][1] if after else (0.0, 0.0)
    return min(low[0], high[0]), max(low[1], high[1])


def _span_beyond(by_weight: Sequence[tuple[float, _Span]], weight: float) -> _Span | None:
    """The bounds for a larger run than any known, from the growth of the known ones."""
    longest = [high for _, (_, high) in by_weight]
    if len(longest) < 2 or longest[-1] < _TELLING_SECONDS or not 0 < longest[-2] <= longest[-1]:
        return None
    low, high = growth_bounds([known for known, _ in by_weight], longest, weight)
    return low / _SPREAD, high * _SPREAD


def growth_bounds(sizes: Sequence[float], numbers: Sequence[float], size: float) -> tuple[float, float]:
    """The bounds of a number at a larger size: polynomial growth from the last two sizes, and their ratio repeated."""
    before, last = sizes[-2:]
    ratio = numbers[-1] / numbers[-2]
    # Counting sizes from 1 gives a parameter that starts at 0 a logarithm.
    base = min(sizes[0], 1.0) - 1.0
    power = math.log((size - base) / (last - base)) / math.log((last - base) / (before - base))
    steps = (size - last) / (last - before)
    low, high = sorted(numbers[-1] * _power(ratio, exponent) for exponent in (power, steps))
    return low, high


def _power(base: float, exponent: float) -> float:
    try:
        return math.pow(base, exponent)
    except OverflowError:
        return math.inf
