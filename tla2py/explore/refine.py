"""The points that could refute a sweep's laws, and which laws survive them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import chain

from tla2py.explore.answers import points_text
from tla2py.explore.explanation import Explained, Explanation
from tla2py.laws import Law
from tla2py.sweep.grid import comparable, value_key
from tla2py.sweep.points import Points
from tla2py.sweep.sweep import Sweep


def refined_sweep(sweep: Sweep, explanation: Explanation) -> Sweep | None:
    """The sweep with the points that an explanation suggests after its own, None if it suggests no point."""
    known = {_key(point.parameters) for point in sweep.points}
    more: list[Mapping[str, str]] = []
    for each in explanation:
        for suggestion in each.suggestions:
            key = _key(suggestion)
            if key not in known:
                known.add(key)
                more.append(suggestion)
    rows = chain((point.parameters for point in sweep.points), more)
    return replace(sweep, points=Points.of(sweep.points.columns, rows)) if more else None


def _key(parameters: Mapping[str, str]) -> frozenset[tuple[str, object]]:
    return frozenset((name, value_key(text)) for name, text in parameters.items())


def survivors(before: Explanation, after: Explanation, first: int) -> Iterator[str]:
    """A line for each law of ``before``: whether the points from number ``first`` on agree with it."""
    now = {(each.name, each.scope): each for each in after}
    whole = {each.name: each for each in after if each.scope is None}
    for each in before:
        if each.found.law is None or not each.violated:
            continue
        later = now.get((each.name, each.scope)) or whole.get(each.name)
        if later is None:
            yield f"{each.title}: no law fits any more"
            continue
        yield from _judged(each, later, first)


def _judged(before: Explained, after: Explained, first: int) -> Iterator[str]:
    fresh = [one for one in after.answers.answered if one.point >= first]
    if not fresh:
        yield f"{before.title}: no new answer"
        return

    def refuted(law: Law) -> list[int]:
        return [
            one.point
            for one in fresh
            if law.at({name: comparable(text) for name, text in one.parameters.items()}) != one.violated
        ]

    assert before.found.law is not None
    wrong = refuted(before.found.law)
    if wrong:
        yield f"{before.title}: {before.found.law} is refuted at {points_text(wrong)}; now {after.law}  {after.support}"
    else:
        yield f"{before.title}: {before.found.law} survives {points_text([one.point for one in fresh])}"
    for rival in before.found.rivals:
        wrong = refuted(rival)
        yield f"  rival {rival} {f'is refuted at {points_text(wrong)}' if wrong else 'survives as well'}"
