"""Points that would refute a law: near its boundary, and where its rivals say otherwise."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tla2py.explain.answers import Answered
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
    known = {_key(each.parameters, names) for each in answered}
    ranked: dict[tuple[object, ...], tuple[tuple[int, int, int, int], Suggestion]] = {}
    for near in answered:
        for point, position in _neighbours(near.parameters, columns):
            key = _key(point, names)
            if key in known:
                continue
            row = {name: comparable(point[name]) for name in names}
            says = law.at(row)
            against = sum(rival.at(row) != says for rival in rivals)
            boundary = says != near.violated
            rank = (-against, -boundary, position, near.point)
            if key not in ranked or rank < ranked[key][0]:
                ranked[key] = rank, point
    return [point for _, point in sorted(ranked.values(), key=lambda each: each[0])[:count]]


def _key(point: Mapping[str, str], names: Sequence[str]) -> tuple[object, ...]:
    return tuple(value_key(point[name]) for name in names)


def _values(texts: Sequence[str]) -> list[str]:
    """The values of a parameter in order; numbers are continued by one on either side, and between."""
    values = {value_key(text): text for text in texts}
    numbers = [value for value in map(comparable, values.values()) if type(value) is int]
    if len(numbers) < len(values):
        return [values[key] for key in sorted(values, key=repr)]
    found = {*numbers, max(numbers) + 1}
    found |= {number + 1 for number in numbers} | {number - 1 for number in numbers if number > 0}
    return [str(number) for number in sorted(found)]


def _neighbours(
    point: Mapping[str, str], columns: Mapping[str, Sequence[str]]
) -> Iterator[tuple[Suggestion, int]]:
    """The points that differ by one step in one parameter, and the sum of the positions of their values."""
    keys = {name: [value_key(text) for text in values] for name, values in columns.items()}
    at = {name: keys[name].index(value_key(point[name])) for name in columns}
    whole = sum(at.values())
    for name, values in columns.items():
        for step in (-1, 1):
            position = at[name] + step
            if 0 <= position < len(values):
                yield {**point, name: values[position]}, whole + step
