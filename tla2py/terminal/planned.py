"""A sweep before it is run: its points, the combinations left out and why, and what is cached."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping

from tla2py.sweep.plan import Plan
from tla2py.sweep.sweep import Sweep
from tla2py.text import counted


def planned(sweep: Sweep, plan: Plan, known: Container[int], most: int | None = None) -> Iterator[str]:
    """The lines of a dry run; ``known`` holds the places of the runs that are cached.

    With ``most``, only so many points are listed, and the values of each parameter are counted instead.
    """
    listed = len(plan.points) if most is None else min(most, len(plan.points))
    width = len(str(len(plan.points)))
    runs = len({*plan.runs.ids})
    first: dict[str, int] = {}
    for index, run_id in enumerate(plan.runs.ids[:listed], 1):
        # Most sweeps have as many runs as points.
        same = first.setdefault(run_id, index) if runs < len(plan.points) else index
        state = f"as point {same}" if same != index else "cached" if index - 1 in known else "to run"
        yield f"{index:>{width}}  {_shown(plan.points[index - 1].parameters)}  {state}"
    if listed < len(plan.points):
        yield f"and {len(plan.points) - listed:,} more points; into a file or a pipe goes a line for each"
        for name, column in sweep.points.columns.items():
            texts = [_line(column.texts[code]) for code in dict.fromkeys(column.codes)]
            ends = f"{texts[0]} ... {texts[-1]}" if texts[2:] else ", ".join(texts)
            yield f"  {name}: {counted(len(texts), 'value')}, {ends}"
    for each in sweep.excluded:
        yield f"left out by {each.reason}"
        yield from (f"  {_shown(parameters)}" for parameters in each.first)
        if each.count > len(each.first):
            yield f"  and {each.count - len(each.first):,} more"
    for unread in sweep.unread:
        yield f"{unread.model} cannot be run: {unread.error.line}"
    if sweep.left_out:
        yield f"left out, not for TLC or without an expected result: {', '.join(sweep.left_out)}"
    excluded = sum(each.count for each in sweep.excluded)
    missing = len(plan.runs.missing(known))
    yield (
        f"{sweep.name}: {counted(len(plan.points), 'point')}, "
        f"{counted(excluded, 'combination')} left out; "
        f"{counted(runs, 'run')}, {runs - missing:,} cached, {missing:,} to execute"
    )


def _shown(parameters: Mapping[str, str]) -> str:
    pairs = (f"{name} = {_line(text)}" for name, text in parameters.items())
    return ", ".join(pairs) or "the model"


def _line(text: str) -> str:
    return " ".join(text.split()) or "none"
