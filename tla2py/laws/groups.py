"""The predicates that laws are made of, and where they are true."""

from __future__ import annotations

import bisect
import itertools
import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from tla2py.values import Value

Row = Mapping[str, Value]
"""The values of a point's parameters."""

ARITHMETIC = 3
"""The cost of an atom on the sum or the difference of two parameters."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Atom:
    """A predicate on points: its TLA+ text, its cost, the parameters it reads, and the predicate.

    ``bound`` is the comparison with a constant that it is, if it is one.
    """

    text: str
    cost: int
    parameters: tuple[str, ...]
    test: Callable[[Row], bool]
    bound: Bound | None = None

    @property
    def arithmetic(self) -> bool:
        """Whether it adds or subtracts."""
        return self.cost == ARITHMETIC


@dataclass(frozen=True, slots=True, kw_only=True)
class Number:
    """A number of each point: a parameter, the size of a set, a sum or a difference."""

    text: str
    parameters: tuple[str, ...]
    at: Callable[[Row], int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Bound:
    """A comparison of a number with a constant."""

    number: Number
    sign: str
    value: int


class Groups:
    """The combinations of the values of some parameters, a row for each, with the points that have it.

    They are few, so an atom need not be tested at each point. Of a number the points up to each of its values are found
    once, for all the constants that it is compared with.
    """

    def __init__(self, groups: Sequence[tuple[Row, int]]) -> None:
        self._groups = groups
        self._up_to: dict[str, tuple[list[int], list[int]]] = {}

    def where(self, atom: Atom) -> int:
        """The points where an atom is true, a bit per point."""
        if atom.bound is None:
            return sum(points for row, points in self._groups if atom.test(row))
        number, value = atom.bound.number, atom.bound.value
        values, up_to = self._up_to.setdefault(number.text, ([], []))
        if not values:
            at: dict[int, int] = {}
            for row, points in self._groups:
                at[number.at(row)] = at.get(number.at(row), 0) | points
            values += sorted(at)
            up_to += itertools.accumulate((at[each] for each in values), operator.or_, initial=0)
        below, most = up_to[bisect.bisect_left(values, value)], up_to[bisect.bisect_right(values, value)]
        match atom.bound.sign:
            case "<=":
                return most
            case ">=":
                return up_to[-1] ^ below
            case "=":
                return most ^ below
            case _:
                return up_to[-1] ^ most ^ below

    def values(self, number: Number) -> list[int]:
        """The values of a number, in order."""
        return sorted({number.at(row) for row, _ in self._groups})
