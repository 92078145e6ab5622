"""The predicates that laws are made of, and where they are true."""

from __future__ import annotations

import bisect
import itertools
import operator
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, partial

from tla2py.sweep.grid import comparable
from tla2py.tla.value import Interval, Value, canonical, format_value

Row = Mapping[str, Value]
"""The values of a point's parameters."""

ARITHMETIC = 3
"""The cost of an atom on the sum or the difference of two parameters; one that costs less has no arithmetic."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Atom:
    """A predicate on points: its TLA+ text, its cost, the parameters it reads, and the predicate.

    ``bound`` is the comparison with a constant that it is, if it is one.
    """

    text: str
    cost: int
    parameters: tuple[str, ...]
    test: Callable[[Row], bool]
    bound: NumberBound | None = None

    def holds(self, case: Mapping[str, int]) -> bool:
        """Whether it is true of values of the numbers by their text, or, if it compares none, what its text maps to."""
        if self.bound is None:
            return bool(case[self.text])
        return self.bound.holds(sum(factor * case[name] for factor, name in self.bound.number.terms))


@dataclass(frozen=True, slots=True, kw_only=True)
class Number:
    """A number of each point: a parameter, the size of a set, or a sum of these with coefficients, its ``terms``."""

    text: str
    parameters: tuple[str, ...]
    at: Callable[[Row], int]
    terms: tuple[tuple[int, str], ...]

    @classmethod
    def sum_of(cls, text: str, terms: Sequence[tuple[int, Number]]) -> Number:
        """The sum of some numbers, each with its coefficient."""
        return cls(
            text=text,
            parameters=tuple(name for _, number in terms for name in number.parameters),
            at=lambda row: sum(factor * number.at(row) for factor, number in terms),
            terms=tuple((factor, number.text) for factor, number in terms),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class NumberBound:
    """A comparison of a number with a constant by ``>=``, ``<=``, ``=`` or ``#``."""

    number: Number
    sign: str
    value: int

    def holds(self, number: int) -> bool:
        """Whether it is true of this value of the number."""
        return _COMPARISONS[self.sign](number, self.value)

    def atom(self, text: str, cost: int) -> Atom:
        """The comparison as an atom with this text."""
        at = self.number.at
        return Atom(
            text=text,
            cost=cost,
            parameters=self.number.parameters,
            test=lambda row: self.holds(at(row)),
            bound=self,
        )


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


_COMPARISONS: Mapping[str, Callable[[int, int], bool]] = {
    ">=": operator.ge,
    "<=": operator.le,
    "=": operator.eq,
    "#": operator.ne,
}
# How one number compares with another, as a bound of their difference.
_DIFFERENCES = {
    ">=": (">=", 0),
    "<=": ("<=", 0),
    ">": (">=", 1),
    "<": ("<=", -1),
    "=": ("=", 0),
    "#": ("#", 0),
}
# The costs of an atom on one parameter, and on two that are compared.
_ONE, _TWO = 1, 2
# The elements of larger sets do not become atoms.
_MOST_ELEMENTS = 16


class AtomTable:
    """The atoms over the parameters of some points, and the sets of points where each is true."""

    def __init__(self, points: Sequence[Mapping[str, str]], names: Sequence[str]) -> None:
        # All points, a bit per point.
        self.everything = (1 << len(points)) - 1
        values = {name: {point[name]: comparable(point[name]) for point in points} for name in names}
        self.rows: list[Row] = [{name: values[name][point[name]] for name in names} for point in points]
        self._values = {
            name: [value for _, value in sorted({canonical(v): v for v in texts.values()}.items())]
            for name, texts in values.items()
        }
        self._codes = {name: _codes(points, name, texts) for name, texts in values.items()}
        self._varying = [name for name in names if len(self._values[name]) > 1]
        types = {name: {type(value) for value in self._values[name]} for name in self._varying}
        self._integers = {name for name, found in types.items() if found <= {int}}
        self._truths = {name for name, found in types.items() if found <= {bool}}
        self._sets = {name for name, found in types.items() if found <= {frozenset, Interval}}
        self._groups: dict[tuple[str, ...], Groups] = {}

    def points_of(self, terms: Iterable[Iterable[Atom]]) -> int:
        """The points where any of several conjunctions of atoms is true, a bit per point."""
        found = 0
        for term in terms:
            points = self.everything
            for atom in term:
                points &= self._combinations(atom.parameters).where(atom)
            found |= points
        return found

    def alike(self, numbers: Sequence[int]) -> dict[int, list[Atom]]:
        """The atoms by where they are true among some points, a bit per position in ``numbers``."""
        grouped = cache(partial(self._grouped, numbers=numbers))
        found: dict[int, list[Atom]] = {}
        for atom in self.atoms:
            found.setdefault(grouped(atom.parameters).where(atom), []).append(atom)
        return found

    def _combinations(self, names: tuple[str, ...]) -> Groups:
        if names not in self._groups:
            self._groups[names] = self._grouped(names, range(len(self.rows)))
        return self._groups[names]

    def _grouped(self, names: tuple[str, ...], numbers: Sequence[int]) -> Groups:
        """The combinations of the values of some parameters at these points; a point's bit is its position."""
        members: dict[tuple[int, ...], list[int]] = {}
        columns = [self._codes[name] for name in names]
        for position, number in enumerate(numbers):
            members.setdefault(tuple(column[number] for column in columns), []).append(position)
        size = len(numbers)
        return Groups([(self.rows[numbers[each[0]]], bit_set(each, size)) for each in members.values()])

    @cached_property
    def atoms(self) -> list[Atom]:
        """The atoms; of those on the same parameters that are true at the same points the best known form is first."""
        return [*self._on_one(), *self._on_two()]

    @cached_property
    def numbers(self) -> list[Number]:
        """The parameters that are numbers, and the sizes of those that are sets."""
        return [
            Number(text=name, parameters=(name,), at=operator.itemgetter(name), terms=((1, name),))
            if name in self._integers
            else Number(text=size, parameters=(name,), at=_size_of(name), terms=((1, size),))
            for name in self._varying
            for size in (f"Cardinality({name})",)
            if name in self._integers or name in self._sets
        ]

    def _on_one(self) -> Iterator[Atom]:
        for number in self.numbers:
            yield from self._with_constants(number, _ONE)
        for name in self._varying:
            if name in self._truths:
                yield from _either((name, f"~{name}"), (name,), _is(name, True))
            elif name not in self._integers:
                if name in self._sets:
                    yield from self._on_elements(name)
                for value in self._values[name]:
                    text = format_value(value)
                    # An expression of several words, which a definition may be varied by, is in parentheses.
                    text = f"({text})" if " " in text and text[0] not in '{<["(' else text
                    yield from _either((f"{name} = {text}", f"{name} # {text}"), (name,), _is(name, value))

    def _on_elements(self, name: str) -> Iterator[Atom]:
        sets = [value for value in self._values[name] if isinstance(value, (frozenset, Interval))]
        if any(len(value) > _MOST_ELEMENTS for value in sets):
            return
        for _, element in sorted({canonical(e): e for value in sets for e in value}.items()):
            text = format_value(element)
            texts = f"{text} \\in {name}", f"{text} \\notin {name}"
            yield from _either(texts, (name,), _has(name, element))

    def _with_constants(self, number: Number, cost: int) -> Iterator[Atom]:
        """Comparisons of a number with the values that it has at the points."""
        values = self._combinations(number.parameters).values(number)
        bounds = [(">=", value) for value in values[1:]] + [("<=", value) for value in values[:-1]]
        # Of the least and the largest value a bound says the same.
        bounds += [(sign, value) for value in values[1:-1] for sign in ("=", "#")]
        for sign, value in bounds:
            bound = NumberBound(number=number, sign=sign, value=value)
            yield bound.atom(f"{number.text} {sign} {value}", cost)

    def _on_two(self) -> Iterator[Atom]:
        for one, other in itertools.combinations(self.numbers, 2):
            total = Number.sum_of(f"{one.text} + {other.text}", [(1, one), (1, other)])
            difference = Number.sum_of(f"{one.text} - {other.text}", [(1, one), (-1, other)])
            for sign, (bound, value) in _DIFFERENCES.items():
                compared = NumberBound(number=difference, sign=bound, value=value)
                yield compared.atom(f"{one.text} {sign} {other.text}", _TWO)
            yield from self._with_constants(total, ARITHMETIC)
            yield from self._with_constants(difference, ARITHMETIC)
        for both in itertools.permutations(self._varying, 2):
            if both[1] in self._sets and both[0] not in self._sets:
                yield from _either((" \\in ".join(both), " \\notin ".join(both)), both, _member(*both))
        plain = [name for name in self._varying if name not in self._integers]
        for both in itertools.combinations(plain, 2):
            if (both[0] in self._sets) == (both[1] in self._sets):
                yield from _either((" = ".join(both), " # ".join(both)), both, _same(*both))


def _either(
    texts: tuple[str, str], parameters: tuple[str, ...], test: Callable[[Row], bool]
) -> Iterator[Atom]:
    """An atom on one parameter or two, and its negation."""
    cost = _ONE if len(parameters) == 1 else _TWO
    yield Atom(text=texts[0], cost=cost, parameters=parameters, test=test)
    yield Atom(text=texts[1], cost=cost, parameters=parameters, test=lambda row: not test(row))


def bit_set(numbers: Iterable[int], size: int) -> int:
    """A set of numbers below ``size`` as an integer with a bit per number."""
    found = bytearray((size + 7) // 8)
    for number in numbers:
        found[number >> 3] |= 1 << (number & 7)
    return int.from_bytes(found, "little")


def bits(numbers: int) -> Iterator[int]:
    """The numbers of a set that has a bit per number, in ascending order."""
    while numbers:
        lowest = numbers & -numbers
        yield lowest.bit_length() - 1
        numbers ^= lowest


def _codes(points: Sequence[Mapping[str, str]], name: str, values: Mapping[str, Value]) -> list[int]:
    """A number for the value of a parameter at each point, the same for equal values."""
    numbers: dict[object, int] = {}
    forms = {text: canonical(value) for text, value in values.items()}
    codes = {text: numbers.setdefault(form, len(numbers)) for text, form in forms.items()}
    return [codes[point[name]] for point in points]


def _size_of(name: str) -> Callable[[Row], int]:
    return lambda row: len(row[name])  # type: ignore[arg-type]


def _is(name: str, value: Value) -> Callable[[Row], bool]:
    form = canonical(value)
    return lambda row: canonical(row[name]) == form


def _has(name: str, element: Value) -> Callable[[Row], bool]:
    form = canonical(element)
    return lambda row: form in {canonical(each) for each in row[name]}  # type: ignore[union-attr]


def _member(one: str, other: str) -> Callable[[Row], bool]:
    return lambda row: _has(other, row[one])(row)


def _same(one: str, other: str) -> Callable[[Row], bool]:
    return lambda row: canonical(row[one]) == canonical(row[other])
