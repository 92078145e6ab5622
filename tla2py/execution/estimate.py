"""Estimates of the time that a sweep still takes, from the times of earlier runs and of those that have ended."""

from __future__ import annotations

import bisect
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

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


@dataclass(slots=True, kw_only=True)
class Estimator:
    """The estimate for the ``missing`` runs of a sweep, in order of their start, given by their parameters.

    ``ended`` are the seconds of those that have ended, ``earlier`` the times before this sweep.
    """

    missing: Mapping[str, Mapping[str, str]]
    earlier: Durations
    slots: int
    timeout_seconds: float
    ended: dict[str, float] = field(default_factory=dict)

    def left(self, done: int, running: Mapping[str, float]) -> TimeLeft | None:
        """The time left after ``done`` runs, with the seconds of those running; None if too little is known.

        On a cluster the ``done`` runs are not known by name: they are then the first ones.
        """
        unnamed = [run_id for run_id in self.missing if run_id not in self.ended and run_id not in running]
        unnamed = unnamed[max(done - len(self.ended), 0) :]
        known = _Known(self._times())
        bounds = []
        for run_id in (*running, *unnamed):
            found = known.bounds(self.missing[run_id]) if run_id in self.missing else None
            if found is None:
                return None
            bounds.append(self._rest(found, running.get(run_id, 0.0)))
        if not bounds:
            return None
        low, high = (max(sum(each) / self.slots, max(each)) for each in zip(*bounds, strict=True))
        return TimeLeft(low=low, high=high)

    def _rest(self, bounds: tuple[float, float], elapsed: float) -> tuple[float, float]:
        low, high = bounds
        # A run that takes longer than expected may take as long again.
        rest = high - elapsed if high > elapsed else elapsed
        return max(low - elapsed, 0.0), min(rest, max(self.timeout_seconds - elapsed, 0.0))

    def _times(self) -> list[tuple[float, Mapping[str, str], float]]:
        """The known times with their weights and parameters; earlier ones as long as they are now, by those that ended."""
        own = [(self.missing[run_id], seconds) for run_id, seconds in self.ended.items()]
        before = [(self.earlier.wall.get(parameter_key(each)), seconds) for each, seconds in own]
        pairs = [(earlier, seconds) for earlier, seconds in before if earlier is not None]
        expected = sum(earlier for earlier, _ in pairs)
        factor = sum(seconds for _, seconds in pairs) / expected if expected >= _TELLING_SECONDS else 1.0
        earlier = [(dict(key), seconds * factor) for key, seconds in self.earlier.wall.items()]
        return [(weigh(parameters), parameters, seconds) for parameters, seconds in (*earlier, *own)]


class _Known:
    """Known times by parameters and by weight."""

    def __init__(self, times: Iterable[tuple[float, Mapping[str, str], float]]) -> None:
        self._exact: dict[tuple[tuple[str, str], ...], float] = {}
        by_weight: dict[float, tuple[float, float]] = {}
        for weight, parameters, seconds in times:
            # Later ones are of this sweep.
            self._exact[parameter_key(parameters)] = seconds
            low, high = by_weight.get(weight, (seconds, seconds))
            by_weight[weight] = min(low, seconds), max(high, seconds)
        self._weights = sorted(by_weight)
        self._spans = [by_weight[weight] for weight in self._weights]

    def bounds(self, parameters: Mapping[str, str]) -> tuple[float, float] | None:
        """The bounds of a run's time; None if no run tells of it."""
        same = self._exact.get(parameter_key(parameters))
        if same is not None:
            return same / _SPREAD, same * _SPREAD
        if not self._weights:
            return None
        weight = weigh(parameters)
        after = bisect.bisect_left(self._weights, weight)
        if after == len(self._weights):
            return self._beyond(weight)
        high = self._spans[after]
        if self._weights[after] == weight:
            return high[0] / _SPREAD, high[1] * _SPREAD
        low = self._spans[after - 1] if after else (0.0, 0.0)
        return min(low[0], high[0]), max(low[1], high[1])

    def _beyond(self, weight: float) -> tuple[float, float] | None:
        """The bounds for a larger run than any known, from the growth of the known ones."""
        longest = [high for _, high in self._spans]
        if len(longest) < 2 or longest[-1] < _TELLING_SECONDS or not 0 < longest[-2] <= longest[-1]:
            return None
        low, high = growth_bounds(self._weights, longest, weight)
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
