"""A sweep before it is run: its points, the combinations left out and why, and what is cached."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping

from tla2py.sweep.grid import Point
from tla2py.sweep.plan import Plan
from tla2py.sweep.sweep import Sweep
from tla2py.text import counted

# For each reason, at most this many combinations are listed; the others are counted.
_LISTED = 20


def planned(sweep: Sweep, plan: Plan, known: Collection[str]) -> Iterator[str]:
    """The lines of a dry run; ``known`` holds the ids of the runs that are cached."""
    first: dict[str, int] = {}
    width = len(str(len(plan.points)))
    for point, run in zip(plan.points, plan.runs, strict=True):
        same = first.setdefault(run.run_id, point.index)
        state = "cached" if run.run_id in known else "to run"
        if same != point.index:
            state = f"as point {same}"
        yield f"{point.index:>{width}}  {_shown(point.parameters)}  {state}"
    # There may be millions of combinations.
    counts: Counter[str] = Counter()
    listed: dict[str, list[str]] = {}
    for item in sweep.grid():
        if isinstance(item, Point):
            continue
        counts[item.reason] += 1
        if counts[item.reason] <= _LISTED:
            listed.setdefault(item.reason, []).append(_shown(item.parameters))
    for reason, count in counts.items():
        yield f"left out by {reason}"
        yield from (f"  {shown}" for shown in listed[reason])
        if count > _LISTED:
            yield f"  and {count - _LISTED:,} more"
    for unread in sweep.unread:
        yield f"{unread.model} cannot be run: {unread.error.line}"
    if sweep.left_out:
        yield f"left out, not for TLC or without an expected result: {', '.join(sweep.left_out)}"
    cached = len(first.keys() & set(known))
    yield (
        f"{sweep.name}: {counted(len(plan.points), 'point')}, "
        f"{counted(counts.total(), 'combination')} left out; "
        f"{counted(len(first), 'run')}, {cached:,} cached, {len(first) - cached:,} to execute"
    )


def _shown(parameters: Mapping[str, str]) -> str:
    pairs = (f"{name} = {' '.join(text.split()) or 'none'}" for name, text in parameters.items())
    return ", ".join(pairs) or "the model"
