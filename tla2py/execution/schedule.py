"""The order in which runs start, and the time that is left, from how long earlier runs took."""

from __future__ import annotations

import bisect
import functools
import math
import re
from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from tla2py.errors import StoreError
from tla2py.store.read import run_seconds
from tla2py.store.refresh import intact_files
from tla2py.store.store import Store
from tla2py.sweep.grid import comparable
from tla2py.sweep.plan import Plan
from tla2py.tlc.process.pool import LONG_SECONDS

Key: TypeAlias = tuple[tuple[str, str], ...]
_Span: TypeAlias = tuple[float, float]


@dataclass(frozen=True)
class Durations:
    """Wall-clock seconds of earlier runs, by the parameters of their points."""

    by_parameters: Mapping[Key, float] = field(default_factory=dict)

    def seconds(self, parameters: Mapping[str, str]) -> float | None:
        """The time of the run with these parameters, else the longest with the nearest weight; None if nothing is known."""
        same = self.by_parameters.get(parameter_key(parameters))
        if same is not None or not self.by_parameters:
            return same
        weight = weigh(parameters)
        after = bisect.bisect(self._weights, weight)
        near = self._weights[max(after - 1, 0) : after + 1]
        return self.spans[min(near, key=lambda known: abs(known - weight))][1]

    @functools.cached_property
    def spans(self) -> dict[float, _Span]:
        """The shortest and the longest time by weight."""
        found: dict[float, _Span] = {}
        for key, seconds in self.by_parameters.items():
            weight = weigh(dict(key))
            low, high = found.get(weight, (seconds, seconds))
            found[weight] = min(low, seconds), max(high, seconds)
        return found

    @functools.cached_property
    def _weights(self) -> list[float]:
        return sorted(self.spans)


NOTHING_KNOWN = Durations()


def earlier_durations(store: Store) -> Durations:
    """The times in a store's tables, whatever its modules were then; empty without a store."""
    try:
        seconds = run_seconds(intact_files(store, "runs") or [])
        points = [each for each in store.points() if each.run_id in seconds]
    except (StoreError, OSError, ValueError):
        return NOTHING_KNOWN
    return Durations({parameter_key(each.parameters): seconds[each.run_id][1] for each in points})


def weigh(parameters: Mapping[str, str]) -> float:
    """A number that grows with the values of a point's parameters."""
    return sum(map(_weight, parameters.values()))


@functools.lru_cache(maxsize=1 << 12)
def _weight(text: str) -> float:
    value = comparable(text)
    if isinstance(value, frozenset):
        return 2.0 * len(value)
    if isinstance(value, int):
        return float(value)
    return float(sum(int(n) for n in re.findall(r"\d+", text)[:1]))


@dataclass(frozen=True, slots=True, kw_only=True)
class Schedule:
    """The places of missing runs in a plan, in order of their start; ``long`` are the ids of those expected to take long."""

    places: Sequence[int]
    long: frozenset[str] = frozenset()


def schedule_runs(plan: Plan, durations: Durations, places: Iterable[int]) -> Schedule:
    """The schedule of the runs at some places of a plan: longer times first, then larger parameters."""
    pairs = ((place, plan.points[place].parameters) for place in places)
    keys = [(durations.seconds(each), -weigh(each), place) for place, each in pairs]
    keys.sort(key=lambda key: (-(key[0] or 0.0), *key[1:]))
    return Schedule(
        places=array("I", (place for _, _, place in keys)),
        long=frozenset(plan.runs.ids[place] for took, _, place in keys if (took or 0.0) >= LONG_SECONDS),
    )


def parameter_key(parameters: Mapping[str, str]) -> Key:
    """A hashable form of a point's parameters."""
    return tuple(sorted(parameters.items()))


# A run with the same parameters as before takes about as long.
_SPREAD = 1.25
# Shorter runs are mostly the start of a JVM, and say nothing about larger ones.
_TELLING_SECONDS = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeLeft:
    """Bounds of the wall-clock seconds that are left."""

    low: float
    high: float


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
        self._earlier = earlier
        self._own: dict[Key, float] = {}
        self._expected = self._took = 0.0

    def end(self, run_id: str, seconds: float) -> None:
        """Learn how long a run took."""
        key, _ = self._runs.pop(run_id)
        self._own[key] = seconds
        if (earlier := self._earlier.by_parameters.get(key)) is not None:
            self._expected += earlier
            self._took += seconds

    def left(self, running: Mapping[str, float]) -> TimeLeft | None:
        """The time left for the runs that have not ended, with the seconds of those running; None if too little is known."""
        # Runs take as long as now, not as long as on the day of the earlier ones.
        factor = self._took / self._expected if self._expected >= _TELLING_SECONDS else 1.0
        before = {key: seconds * factor for key, seconds in self._earlier.by_parameters.items()}
        known = Durations(before | self._own)
        by_weight = sorted(known.spans.items())
        lows, highs = [], []
        for run_id, (key, weight) in self._runs.items():
            same = known.by_parameters.get(key)
            likely = (same / _SPREAD, same * _SPREAD) if same is not None else _span_at(by_weight, weight)
            if likely is None:
                return None
            (low, high), elapsed = likely, running.get(run_id, 0.0)
            # A run that takes longer than expected may take as long again.
            rest = high - elapsed if high > elapsed else elapsed
            lows.append(max(low - elapsed, 0.0))
            highs.append(min(rest, max(self._timeout_seconds - elapsed, 0.0)))
        if not lows:
            return None
        low, high = (max(sum(each) / self._slots, max(each)) for each in (lows, highs))
        return TimeLeft(low=low, high=high)


def _span_at(by_weight: Sequence[tuple[float, _Span]], weight: float) -> _Span | None:
    """The bounds of a run's time from those of other weights; None if they do not tell."""
    after = bisect.bisect_left(by_weight, weight, key=lambda known: known[0])
    if after == len(by_weight):
        # Larger than any known: from the growth of those.
        longest = [high for _, (_, high) in by_weight]
        if len(longest) < 2 or longest[-1] < _TELLING_SECONDS or not 0 < longest[-2] <= longest[-1]:
            return None
        least, most = growth_bounds([known for known, _ in by_weight], longest, weight)
        return least / _SPREAD, most * _SPREAD
    found, high = by_weight[after]
    if found == weight:
        return high[0] / _SPREAD, high[1] * _SPREAD
    low = by_weight[after - 1][1] if after else (0.0, 0.0)
    return min(low[0], high[0]), max(low[1], high[1])


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
