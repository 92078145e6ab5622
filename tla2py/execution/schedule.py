"""Estimates of run times: the longest runs start first, and long ones do not share a JVM."""

from __future__ import annotations

import bisect
import functools
import re
from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from tla2py.errors import StoreError
from tla2py.store.points import ManifestPoint
from tla2py.store.store import Store
from tla2py.sweep.grid import comparable
from tla2py.sweep.plan import Plan
from tla2py.tables.files import intact_files
from tla2py.tables.runs import run_seconds
from tla2py.tlc.jvm.pool import LONG_SECONDS


@dataclass(frozen=True, kw_only=True)
class Durations:
    """CPU seconds of earlier runs, by the parameters of their points and by the weight of these.

    ``wall`` are their wall-clock seconds by parameters.
    """

    by_parameters: Mapping[tuple[tuple[str, str], ...], float]
    by_weight: Mapping[float, float]
    wall: Mapping[tuple[tuple[str, str], ...], float] = field(default_factory=dict)

    def seconds(self, parameters: Mapping[str, str]) -> float | None:
        """The time of the run with these parameters, else with the nearest weight; None if nothing is known."""
        same = self.by_parameters.get(parameter_key(parameters))
        if same is not None or not self.by_weight:
            return same
        weight = weigh(parameters)
        after = bisect.bisect(self._weights, weight)
        near = self._weights[max(after - 1, 0) : after + 1]
        return self.by_weight[min(near, key=lambda known: abs(known - weight))]

    @functools.cached_property
    def _weights(self) -> list[float]:
        return sorted(self.by_weight)


NOTHING_KNOWN = Durations(by_parameters={}, by_weight={})


def earlier_durations(store: Store) -> Durations:
    """The times in a store's tables, whatever its modules were then; empty without a store."""
    seconds: dict[str, tuple[float, float]] = {}
    points: Iterable[ManifestPoint] = ()
    try:
        points = store.points()
        seconds = run_seconds(intact_files(store, "runs") or [])
    except (StoreError, OSError, ValueError):
        points = ()
    by_parameters: dict[tuple[tuple[str, str], ...], float] = {}
    by_weight: dict[float, float] = {}
    wall: dict[tuple[tuple[str, str], ...], float] = {}
    for point in points:
        if point.run_id in seconds:
            key, weight = parameter_key(point.parameters), weigh(point.parameters)
            by_parameters[key], wall[key] = seconds[point.run_id]
            by_weight[weight] = max(by_parameters[key], by_weight.get(weight, 0.0))
    return Durations(by_parameters=by_parameters, by_weight=by_weight, wall=wall)


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
    """The places of missing runs in a plan, in order of their start.

    ``long`` are the ids of those expected to take long, ``seconds`` the CPU seconds that all took before; None if nothing
    is known of one of them.
    """

    places: Sequence[int]
    long: frozenset[str] = frozenset()
    seconds: float | None = None


def schedule_runs(plan: Plan, durations: Durations, places: Iterable[int]) -> Schedule:
    """The schedule of the runs at some places of a plan: longer times first, then larger parameters."""
    keys = []
    for place in places:
        parameters = plan.points[place].parameters
        keys.append((durations.seconds(parameters), -weigh(parameters), place))
    keys.sort(key=lambda key: (-(key[0] or 0.0), *key[1:]))
    return Schedule(
        places=array("I", (place for _, _, place in keys)),
        long=frozenset(plan.runs.ids[place] for took, _, place in keys if (took or 0.0) >= LONG_SECONDS),
        seconds=None if any(took is None for took, *_ in keys) else sum(took or 0.0 for took, *_ in keys),
    )


def parameter_key(parameters: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """A hashable form of a point's parameters."""
    return tuple(sorted(parameters.items()))
