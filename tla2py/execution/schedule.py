"""Estimates of run times: the longest runs start first, and long ones do not share a JVM."""

from __future__ import annotations

import bisect
import functools
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from tla2py.errors import StoreError
from tla2py.model.run import Run
from tla2py.store.store import Store
from tla2py.sweep.grid import comparable
from tla2py.sweep.plan import Plan
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
    try:
        points = [*store.points()]
        with store.storage.open("tables/runs.parquet") as source:
            seconds = run_seconds(source)
    except (StoreError, OSError, ValueError):
        points = []
    known = [(point.parameters, seconds[point.run_id]) for point in points if point.run_id in seconds]
    by_weight: dict[float, float] = {}
    for parameters, (took, _) in known:
        weight = weigh(parameters)
        by_weight[weight] = max(took, by_weight.get(weight, 0.0))
    return Durations(
        by_parameters={parameter_key(p): took for p, (took, _) in known},
        by_weight=by_weight,
        wall={parameter_key(p): took for p, (_, took) in known},
    )


def weigh(parameters: Mapping[str, str]) -> float:
    """A number that grows with the values of a point's parameters."""
    weight = 0.0
    for text in parameters.values():
        value = comparable(text)
        if isinstance(value, frozenset):
            weight += 2.0 * len(value)
        elif isinstance(value, int):
            weight += float(value)
        else:
            weight += sum(int(n) for n in re.findall(r"\d+", text)[:1])
    return weight


def longest_first(plan: Plan, durations: Durations) -> dict[str, tuple[float, float, int]]:
    """A sort key per run: longer times first, then larger parameters."""
    keys = {}
    for point, run in zip(plan.points, plan.runs, strict=True):
        seconds = durations.seconds(point.parameters)
        keys[run.run_id] = (-(seconds or 0.0), -weigh(point.parameters), point.index)
    return keys


def long_runs(plan: Plan, durations: Durations) -> frozenset[str]:
    """The runs that are expected to take long."""
    return frozenset(
        run.run_id
        for point, run in zip(plan.points, plan.runs, strict=True)
        if (durations.seconds(point.parameters) or 0.0) >= LONG_SECONDS
    )


def total_seconds(plan: Plan, durations: Durations, missing: Sequence[Run]) -> float | None:
    """The CPU seconds that the missing runs took before; None if nothing is known of one of them."""
    left = {run.run_id for run in missing}
    total = 0.0
    for point, run in zip(plan.points, plan.runs, strict=True):
        if run.run_id in left:
            seconds = durations.seconds(point.parameters)
            if seconds is None:
                return None
            total += seconds
            left.remove(run.run_id)
    return total


def parameter_key(parameters: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """A hashable form of a point's parameters."""
    return tuple(sorted(parameters.items()))
