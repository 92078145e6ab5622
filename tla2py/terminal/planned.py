"""A sweep before it is run: its points, what is left out of the grid and why, what is there already."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from tla2py.sweep.plan import Plan
from tla2py.sweep.sweep import Sweep

# So many combinations are listed for each reason; the rest is counted.
_LISTED = 20


def planned(sweep: Sweep, plan: Plan, known: Collection[str]) -> Iterator[str]:
    """The lines that tell what a sweep would do; ``known`` are the ids of the runs that are there already."""
    first: dict[str, int] = {}
    width = len(str(len(plan.points)))
    for point, run in zip(plan.points, plan.runs, strict=True):
        same = first.setdefault(run.run_id, point.index)
        state = "cached" if run.run_id in known else "to run"
        if same != point.index:
            state = f"as point {same}"
        yield f"{point.index:>{width}}  {_shown(point.parameters)}  {state}"
    left_out: dict[str, list[str]] = {}
    counts: dict[str, int] = {}
    for item in sweep.excluded():
        counts[item.reason] = counts.get(item.reason, 0) + 1
        listed = left_out.setdefault(item.reason, [])
        if len(listed) < _LISTED:
            listed.append(_shown(item.parameters))
    for reason, listed in left_out.items():
        yield f"left out by {reason}"
        yield from (f"  {shown}" for shown in listed)
        if counts[reason] > len(listed):
            yield f"  and {counts[reason] - len(listed):,} more"
    for unread in sweep.unread:
        yield unread.text.replace(" was not run: ", " cannot be run: ")
    if sweep.left_out:
        yield f"not for TLC, or nothing to expect: {', '.join(sweep.left_out)}"
    cached = len(first.keys() & set(known))
    yield (
        f"{sweep.name}: {_count(len(plan.points), 'point')}, {_count(sum(counts.values()), 'combination')} left out; "
        f"{_count(len(first), 'run')}, {cached:,} cached, {len(first) - cached:,} to execute"
    )


def _shown(parameters: Mapping[str, str]) -> str:
    pairs = (f"{name} = {' '.join(text.split()) or 'none'}" for name, text in parameters.items())
    return ", ".join(pairs) or "the model"


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'s' * (number != 1)}"
