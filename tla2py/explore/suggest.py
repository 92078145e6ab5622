"""Points that could refute a law: near its boundary, and where its rivals say otherwise."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tla2py.explore.answers import Answered
from tla2py.laws import Law
from tla2py.sweep.grid import comparable, value_key

Suggestion = Mapping[str, str]
"""A whole point: the text of every parameter."""


def suggest_points(
    law: Law, rivals: Sequence[Law], answered: Sequence[Answered], names: Sequence[str], count: int
) -> list[Suggestion]:
    """At most ``count`` points without an answer that are most likely to refute a law.

    Each differs from an answered point in one of the parameters ``names``, by the next value or by one beyond the last.
    Points where most rivals contradict the law come first, then those at its boundary, then small ones.
    """
    if count < 1:
        return []
    columns = {name: _values([each.parameters[name] for each in answered]) for name in names}
    places = {
        name: {value_key(text): place for place, text in enumerate(column)}
        for name, column in columns.items()
    }

    def key(point: Mapping[str, str]) -> tuple[int, ...]:
        return tuple(places[name][value_key(point[name])] for name in names)

    def neighbours(point: Suggestion) -> Iterator[Suggestion]:
        for name, column in columns.items():
            at = places[name][value_key(point[name])]
            yield from ({**point, name: column[to]} for to in (at - 1, at + 1) if 0 <= to < len(column))

    def says(each: Law, point: Suggestion) -> bool:
        return each.at({name: comparable(point[name]) for name in names})

    known = {key(each.parameters) for each in answered}
    fresh: dict[tuple[int, ...], Suggestion] = {}
    for near in answered:
        for point in neighbours(near.parameters):
            if key(point) not in known:
                fresh.setdefault(key(point), point)

    def rank(point: Suggestion) -> tuple[int, int, int, tuple[int, ...]]:
        here = says(law, point)
        against = sum(says(rival, point) != here for rival in rivals)
        boundary = sum(says(law, other) != here for other in neighbours(point))
        return -against, -boundary, sum(key(point)), key(point)

    return sorted(fresh.values(), key=rank)[:count]


def _values(texts: Sequence[str]) -> list[str]:
    """The values of a parameter in order; numbers go on by one, and into gaps."""
    values = {value_key(text): text for text in texts}
    numbers = [value for value in map(comparable, values.values()) if type(value) is int]
    if len(numbers) < len(values):
        return [values[key] for key in sorted(values, key=repr)]
    # Below the first value there is often nothing that the specification means.
    least = min(numbers)
    found = {beside for number in numbers for beside in (number - 1, number, number + 1) if beside >= least}
    return [str(number) for number in sorted(found)]
