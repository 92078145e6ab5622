"""Laws with a linear inequality over two or three numbers, such as ``Cardinality(P) + Cardinality(C) > 2 * Capacity``.

Coefficients go from -2 to 2. An inequality stands alone, or beside one atom that costs at most 2: such a law costs at
most 6, and a longer one tells a reader less than the points. So the search is exact without trying combinations: an
inequality separates points if and only if the values of its sum on either side of them do not meet.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tla2py.analysis.atoms import Atom, AtomTable, Number, NumberBound, bits

MOST_COST = 6
"""The cost of the dearest law that has a linear inequality."""

_FACTORS = (1, 2, -1, -2)
# The dearest atom beside an inequality; two parameters that are compared cost as much.
_BESIDE = 2

Terms = tuple[tuple[Atom, ...], ...]
"""A disjunction of conjunctions of atoms."""


@dataclass(frozen=True, slots=True)
class _Side:
    """What an inequality has to be true of, what FALSE of, and the atom that does the rest, in a conjunction or not."""

    true: int
    false: int
    atom: Atom | None = None
    conjunction: bool = False

    def with_inequality(self, inequality: Atom) -> Terms:
        if self.atom is None:
            return ((inequality,),)
        return ((inequality, self.atom),) if self.conjunction else ((inequality,), (self.atom,))


def linear_laws(table: AtomTable, numbers: Sequence[int], answers: int, most: int) -> list[Terms]:
    """The laws with an inequality that cost at most ``most`` and agree with some points; the cheapest, all of one cost.

    ``answers`` has a bit for each point that is violated.
    """
    violated = [number for number in numbers if answers >> number & 1]
    holds = [number for number in numbers if not answers >> number & 1]
    forms = list(_forms(table.numbers))
    values = [[form.at(table.rows[number]) for number in (*violated, *holds)] for form in forms]
    found: list[Terms] = []
    for side in _sides(table, [*violated, *holds], len(violated)):
        spent = 0 if side.atom is None else side.atom.cost + 1
        true, false = list(bits(side.true)), list(bits(side.false))
        for form, column in zip(forms, values, strict=True):
            if _cost(form) + spent > most:
                continue
            for inequality in _separating(form, [column[n] for n in true], [column[n] for n in false]):
                if (cost := inequality.cost + spent) > most:
                    continue
                if cost < most:
                    found, most = [], cost
                found.append(side.with_inequality(inequality))
    return found


def _sides(table: AtomTable, numbers: Sequence[int], violated: int) -> Iterator[_Side]:
    """What is left to an inequality alone, and beside each atom; the violated points come first."""
    everything, first = (1 << len(numbers)) - 1, (1 << violated) - 1
    yield _Side(first, everything ^ first)
    for where, atoms in table.alike(numbers).items():
        beside = min(atoms, key=lambda atom: atom.cost)
        if where in (0, everything) or beside.cost > _BESIDE:
            continue
        if where & first == first and where != first:
            yield _Side(first, where ^ first, beside, conjunction=True)
        elif not where & ~first and where != first:
            yield _Side(first ^ where, everything ^ first, beside)


def _forms(numbers: Sequence[Number]) -> Iterator[Number]:
    """The sums of two or three numbers with coefficients, up to sign, that are no plain sum or difference of two."""
    for count in (2, 3):
        for chosen in itertools.combinations(numbers, count):
            for factors in itertools.product(_FACTORS, repeat=count):
                plain = count == 2 and set(map(abs, factors)) == {1}
                if factors[0] > 0 and math.gcd(*factors) == 1 and not plain:
                    yield Number.sum_of(repr((chosen, factors)), list(zip(factors, chosen, strict=True)))


def _cost(form: Number) -> int:
    """The cost of comparing a sum with zero: one for each number, and for each that is doubled."""
    return sum(abs(factor) for factor, _ in form.terms)


def _separating(form: Number, true: Sequence[int], false: Sequence[int]) -> Iterator[Atom]:
    """The inequalities on a sum that are true of some of its values and false of others.

    One without a constant is preferred; between two values of the sum there can be several of these.
    """
    if min(true) > max(false):
        sign, choice, best = ">=", range(max(false) + 1, min(true) + 1), min(true)
        plain = (1, 0)
    elif max(true) < min(false):
        sign, choice, best = "<=", range(max(true), min(false)), max(true)
        plain = (-1, 0)
    else:
        return
    for value in [value for value in plain if value in choice] or [best]:
        bound = NumberBound(number=form, sign=sign, value=value)
        yield bound.atom(_text(form, sign, value), _cost(form) + (value not in plain))


def _text(form: Number, sign: str, value: int) -> str:
    """An inequality without negative terms; the side with more numbers, or more of one, stands left."""
    left = [(factor, text) for factor, text in form.terms if factor > 0]
    right = [(-factor, text) for factor, text in form.terms if factor < 0]
    if (len(right), sum(factor for factor, _ in right)) > (len(left), sum(factor for factor, _ in left)):
        left, right, value = right, left, -value
        sign = "<=" if sign == ">=" else ">="
    if not right:
        return f"{_sum(left)} {sign} {value}"
    if (sign, value) in _STRICT:
        return f"{_sum(left)} {_STRICT[sign, value]} {_sum(right)}"
    constant = f" {'-' if value < 0 else '+'} {abs(value)}" if value else ""
    return f"{_sum(left)} {sign} {_sum(right)}{constant}"


# Comparisons with zero that have no equality.
_STRICT = {(">=", 1): ">", ("<=", -1): "<"}


def _sum(terms: Sequence[tuple[int, str]]) -> str:
    return " + ".join(text if factor == 1 else f"{factor} * {text}" for factor, text in terms)
