"""The law of a property over parameters: exact if the search finds one, otherwise with few exceptions."""

from __future__ import annotations

import itertools
import math
import operator
import random
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import TypeAlias

from tla2py.analysis.atoms import ARITHMETIC, Atom, AtomTable, Number, NumberBound, Row, bit_set, bits
from tla2py.analysis.formula_search import Candidate, Formula, FormulaSearch, Term

# The formulas that are extended by a further atom.
_BEAM = 60
_MOST_ATOMS = 3
# The share of the points, and of the rarer answer, that may contradict a law.
_MOST_EXCEPTIONS = 0.05
_MOST_OF_THE_RARER = 0.34

Draft: TypeAlias = tuple[tuple[int, ...], ...]
"""A disjunction of conjunctions of candidates, by their positions."""


def approximate(atoms: Sequence[Candidate], violated: int, holds: int) -> Formula | None:
    """The formula of at most three atoms with the fewest exceptions, None if even that has too many."""
    where = [atom.violated | atom.holds << violated for atom in atoms]

    def draft(terms: Draft) -> tuple[int, int, Draft]:
        true = reduce(operator.or_, (reduce(operator.and_, (where[atom] for atom in term)) for term in terms))
        exceptions = (true ^ (1 << violated) - 1).bit_count()
        return exceptions, sum(atoms[atom].cost + 1 for term in terms for atom in term) - 1, terms

    drafts = sorted(draft(((atom,),)) for atom in range(len(atoms)))
    if not drafts:
        return None
    best, beam, useful = drafts[0], drafts[:_BEAM], [terms[0][0] for *_, terms in drafts[: 4 * _BEAM]]
    for _ in range(_MOST_ATOMS - 1):
        longer = {terms for *_, each in beam for atom in useful for terms in _extended(each, atom)}
        beam = sorted(map(draft, longer))[:_BEAM]
        best = min([best, *beam])
    exceptions, _, terms = best
    most = max(1, _MOST_EXCEPTIONS * (violated + holds)), _MOST_OF_THE_RARER * min(violated, holds)
    if exceptions > min(most):
        return None
    return tuple(Term(sum(atoms[atom].cost for atom in term) + len(term) - 1, term, 0) for term in terms)


def _extended(terms: Draft, atom: int) -> Iterator[Draft]:
    """The formulas with one more atom, in each of the terms or as a term of its own."""
    if any(atom in term for term in terms):
        return
    for number, term in enumerate(terms):
        yield tuple(sorted((*terms[:number], tuple(sorted((*term, atom))), *terms[number + 1 :])))
    yield tuple(sorted((*terms, (atom,))))


SECONDS = 10.0
"""The time after which a search ends with the best law so far."""

_MOST_RIVALS = 20
_MOST_STEPS = 20_000
MOST_LEFT = 200
"""The laws that points which have not run may tell apart."""
# Up to the first cost a law is short whatever its rivals; up to `_MOST_COST` with few of them.
_SHORT = 3
_FEW_RIVALS = 3
# Linear inequalities, such as ``Cardinality(P) + Cardinality(C) > 2 * Capacity``, have coefficients from -2 to 2. One stands
# alone, or beside one atom that costs at most 2: such a law costs at most 6, and a longer one tells a reader less than the
# points. So the search is exact without trying combinations: an inequality separates points if and only if the values of
# its sum on either side of them do not meet.
_MOST_COST = 6

_FACTORS = (1, 2, -1, -2)
# Comparisons that are strict ones with zero.
_STRICT = {(">=", 1): (">", 0), ("<=", -1): ("<", 0)}
# The dearest atom beside an inequality; two parameters that are compared cost as much.
_BESIDE = 2
# Laws are compared at so many combinations of values at most.
_MOST_CASES = 8_000
# The points of either answer that the search begins with, and those it takes in at once.
_FIRST_POINTS = 40
_MORE_POINTS = 24

Terms: TypeAlias = tuple[tuple[Atom, ...], ...]
"""A disjunction of conjunctions of atoms."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Law:
    """A disjunction of conjunctions of atoms; no term at all is FALSE, a term without atoms TRUE."""

    terms: Terms

    def __str__(self) -> str:
        if not self.terms:
            return "FALSE"
        texts = [" /\\ ".join(atom.text for atom in term) or "TRUE" for term in self.terms]
        if len(texts) == 1:
            return texts[0]
        return " \\/ ".join(
            f"({text})" if len(term) > 1 else text for text, term in zip(texts, self.terms, strict=True)
        )

    def at(self, row: Row) -> bool:
        """Whether the law says that a point is violated."""
        return any(all(atom.test(row) for atom in term) for term in self.terms)

    def holds(self, case: Mapping[str, int]) -> bool:
        """Whether it is true of values of its numbers, and of the truth of its other atoms, each by its text."""
        return any(all(atom.holds(case) for atom in term) for term in self.terms)

    @property
    def rank(self) -> tuple[int, int, int, int]:
        """The order of preference: by cost, without arithmetic, on fewer parameters, with fewer atoms.

        A law costs as much as its atoms, and one for each connective.
        """
        atoms = [atom for term in self.terms for atom in term]
        cost = sum(atom.cost for atom in atoms) + max(len(atoms) - 1, 0)
        return cost, sum(atom.cost >= ARITHMETIC for atom in atoms), len(self.parameters), len(atoms)

    @property
    def parameters(self) -> frozenset[str]:
        """The parameters that the law reads."""
        return frozenset(name for term in self.terms for atom in term for name in atom.parameters)


@dataclass(frozen=True, slots=True, kw_only=True)
class LawFound:
    """The best law of a property, None if nothing separates the points.

    ``rivals`` cost as much and agree with all points as well. ``exceptions`` are the positions of the points that
    contradict the law. Unless ``complete``, time ran out and a simpler law may exist.
    """

    law: Law | None
    rivals: tuple[Law, ...] = ()
    exceptions: tuple[int, ...] = ()
    complete: bool = True

    @property
    def short(self) -> bool:
        """Whether the law is one that people would write; a longer one, or one of many, only fits the points."""
        if self.law is None:
            return False
        cost, *_ = self.law.rank
        return cost <= _SHORT or (cost <= _MOST_COST and len(self.rivals) <= _FEW_RIVALS)


def find_law(
    points: Sequence[Mapping[str, str]],
    violated: Sequence[bool],
    names: Sequence[str],
    seconds: float = SECONDS,
) -> LawFound:
    """The law over the parameters ``names`` for points that are ``violated`` or hold."""
    if trivial := _trivial(any(violated), all(violated)):
        return LawFound(law=trivial)
    table = AtomTable(points, names)
    answers = bit_set(itertools.compress(range(len(points)), violated), len(points))
    found = _searched(table, answers, seconds)
    exact = [] if found.law is None or found.exceptions else [found.law, *found.rivals]
    laws = _with_linear(table, answers, range(0), exact)
    if not laws:
        return found
    first, *others = distinct_laws(laws)
    return replace(found, law=first, rivals=tuple(others), exceptions=())


def _trivial(some: bool, every: bool) -> Law | None:
    """The law where no point is violated, or every one."""
    return None if some and not every else Law(terms=((),) if some else ())


def laws_left(table: AtomTable, answers: int, asked: int) -> list[Law]:
    """The cheapest law of all points that agrees with those ``asked``, of which ``answers`` are violated; bits per point.

    Its rivals, up to 200, follow; they may differ from it only at the other points. There is none unless a search
    of so many steps finds one. The answer does not depend on the time that this takes.
    """
    if trivial := _trivial(answers != 0, answers == asked):
        return [trivial]
    numbers = list(bits(asked))
    problem = _Problem(table, numbers, answers, everywhere=True)
    formulas, _ = FormulaSearch(*problem.input, steps=_MOST_STEPS).run()
    laws = itertools.islice(itertools.chain.from_iterable(map(problem.laws, formulas)), MOST_LEFT)
    return _with_linear(table, answers, numbers, list(laws))


def _with_linear(table: AtomTable, answers: int, numbers: Sequence[int], exact: Sequence[Law]) -> list[Law]:
    """The exact laws, and those with an inequality that cost as much; or the latter alone, if they cost less.

    They agree with the points ``numbers``, or, if there are none, with all points.
    """
    most = min(exact[0].rank[0], _MOST_COST) if exact else _MOST_COST
    if numbers:
        laws = [Law(terms=terms) for terms in _linear_terms(table, numbers, answers, most)]
    else:
        laws = _linear(table, answers, most)
    if exact and (not laws or laws[0].rank[0] == exact[0].rank[0]):
        laws += exact
    return sorted(laws, key=lambda law: law.rank)


def _linear(table: AtomTable, answers: int, most: int) -> list[Law]:
    """The cheapest laws with a linear inequality that agree with all points and cost at most ``most``."""
    seen = {*_spread(answers), *_spread(~answers & table.everything)}
    while laws := [Law(terms=terms) for terms in _linear_terms(table, sorted(seen), answers, most)]:
        contradicting = [table.points_of(law.terms) ^ answers for law in laws]
        if agreeing := [law for law, wrong in zip(laws, contradicting, strict=True) if not wrong]:
            return agreeing
        seen |= _counterexamples(contradicting)
    return []


def distinct_laws(laws: Sequence[Law]) -> list[Law]:
    """The laws without those that say the same as an earlier one of all integers; the first and at most 20 rivals."""
    # Numbers take values about all constants, other atoms are TRUE or FALSE; of too many combinations some, at random.
    atoms = [atom for law in laws for term in law.terms for atom in term]
    bounds = [atom.bound for atom in atoms if atom.bound is not None]
    names = sorted({name for bound in bounds for _, name in bound.number.terms})
    far = max((abs(bound.value) for bound in bounds), default=0) + 3
    columns = {name: range(-far, far + 1) for name in names}
    columns |= {atom.text: range(2) for atom in atoms if atom.bound is None}
    rows: Iterable[Sequence[int]] = itertools.product(*columns.values())
    if math.prod(map(len, columns.values())) > _MOST_CASES:
        pick = random.Random(0)  # noqa: S311 - the same each time
        rows = ([pick.choice(column) for column in columns.values()] for _ in range(_MOST_CASES))
    cases = [dict(zip(columns, row, strict=True)) for row in rows]
    known: dict[tuple[bool, ...], Law] = {}
    for law in laws:
        known.setdefault(tuple(law.holds(case) for case in cases), law)
    return list(known.values())[: _MOST_RIVALS + 1]


def _searched(table: AtomTable, answers: int, seconds: float) -> LawFound:
    """The law by the search over atoms of at most two parameters."""
    # The rest is for a law with exceptions.
    end = time.monotonic() + 0.8 * seconds
    seen = {*_spread(answers), *_spread(~answers & table.everything)}
    # The cheapest law for some points that agrees with all points is the cheapest for all. So the search sees few
    # points, and then those that contradict what it found.
    while True:
        problem = _Problem(table, sorted(seen), answers)
        formulas, complete = FormulaSearch(*problem.input, seconds=max(end - time.monotonic(), 0.1)).run()
        laws = list(itertools.chain.from_iterable(map(problem.laws, formulas)))
        contradicting = [table.points_of(law.terms) ^ answers for law in laws]
        agreeing = [law for law, wrong in zip(laws, contradicting, strict=True) if not wrong]
        in_time = complete and time.monotonic() < end
        if agreeing and (len(agreeing) == len(laws) or not in_time):
            first, *others = sorted(agreeing, key=lambda law: law.rank)
            return LawFound(law=first, rivals=tuple(others[:_MOST_RIVALS]), complete=complete)
        if not laws or not in_time:
            return _with_exceptions(table, answers, complete=not laws and complete)
        seen |= _counterexamples(contradicting)


def _spread(points: int, count: int = _FIRST_POINTS) -> set[int]:
    """About so many points of a set, evenly spread over it."""
    numbers = list(bits(points))
    return set(numbers[:: max(len(numbers) // count, 1)])


def _counterexamples(contradicting: Sequence[int]) -> set[int]:
    """Points that contradict laws, some for each."""
    each = max(_MORE_POINTS // len(contradicting), 2)
    chosen: set[int] = set()
    for points in contradicting:
        if len(chosen) < _MORE_POINTS and not any(points >> number & 1 for number in chosen):
            chosen |= _spread(points, each)
    return chosen


def _with_exceptions(table: AtomTable, answers: int, *, complete: bool) -> LawFound:
    """The law with the fewest exceptions, if they are few."""
    problem = _Problem(table, range(len(table.rows)), answers)
    formula = approximate(*problem.input)
    if formula is None:
        return LawFound(law=None, complete=complete)
    law = problem.laws(formula)[0]
    return LawFound(law=law, exceptions=tuple(bits(table.points_of(law.terms) ^ answers)), complete=complete)


class _Problem:
    """Some points and all atoms as the search sees them: atoms that are true at the same points are one candidate.

    Of these, ``everywhere`` keeps those that differ at other points.
    """

    def __init__(
        self, table: AtomTable, numbers: Sequence[int], answers: int, *, everywhere: bool = False
    ) -> None:
        violated = [number for number in numbers if answers >> number & 1]
        holding = [number for number in numbers if not answers >> number & 1]
        # Violated points come first, so that a shift separates them from those that hold.
        alike = table.alike([*violated, *holding])
        everything = (1 << len(numbers)) - 1
        whole = table if everywhere else None
        useful = {
            where: _best(atoms, whole) for where, atoms in alike.items() if where not in (0, everything)
        }
        count = len(violated)
        first = (1 << count) - 1
        self._alike = list(useful.values())
        self._most = MOST_LEFT if everywhere else _MOST_RIVALS + 1
        found = [Candidate(where & first, where >> count, each[0].cost) for where, each in useful.items()]
        self.input = found, count, len(holding)

    def laws(self, formula: Formula) -> list[Law]:
        """The laws of a formula: every choice among atoms that are true at the same points."""
        choices = (itertools.product(*(self._alike[atom] for atom in term.atoms)) for term in formula)
        return [Law(terms=terms) for terms in itertools.islice(itertools.product(*choices), self._most)]


def _best(atoms: Sequence[Atom], whole: AtomTable | None) -> list[Atom]:
    """The cheapest of some atoms, the first on each set of parameters, or of those true at the same points of a table."""
    least = min(atom.cost for atom in atoms)
    found: dict[object, Atom] = {}
    for atom in atoms:
        if atom.cost == least:
            found.setdefault(whole.points_of([[atom]]) if whole else frozenset(atom.parameters), atom)
    return list(found.values())


def _linear_terms(table: AtomTable, numbers: Sequence[int], answers: int, most: int) -> list[Terms]:
    """The laws with an inequality that cost at most ``most`` and agree with some points; the cheapest, all of one cost.

    ``answers`` has a bit for each point that is violated.
    """
    violated = [number for number in numbers if answers >> number & 1]
    holds = [number for number in numbers if not answers >> number & 1]
    forms = [form for form in _forms(table.numbers) if _cost(form) <= most]
    values = [[form.at(table.rows[number]) for number in (*violated, *holds)] for form in forms]
    found: list[Terms] = []
    for truths, falsehoods, atom, conjunction in _sides(table, [*violated, *holds], len(violated)):
        spent = 0 if atom is None else atom.cost + 1
        true, false = list(bits(truths)), list(bits(falsehoods))
        for form, column in zip(forms, values, strict=True):
            if _cost(form) + spent > most:
                continue
            for inequality in _separating(form, [column[n] for n in true], [column[n] for n in false]):
                if (cost := inequality.cost + spent) > most:
                    continue
                if cost < most:
                    found, most = [], cost
                both = (inequality,) if atom is None else (inequality, atom)
                found.append((both,) if conjunction else tuple((each,) for each in both))
    return found


def _sides(
    table: AtomTable, numbers: Sequence[int], violated: int
) -> Iterator[tuple[int, int, Atom | None, bool]]:
    """What an inequality has to be true of, what FALSE of, and the atom that does the rest, in a conjunction or not.

    The violated points come first.
    """
    everything, first = (1 << len(numbers)) - 1, (1 << violated) - 1
    yield first, everything ^ first, None, False
    for where, atoms in table.alike(numbers).items():
        beside = min(atoms, key=lambda atom: atom.cost)
        if where in (0, everything) or beside.cost > _BESIDE:
            continue
        if where & first == first and where != first:
            yield first, where ^ first, beside, True
        elif not where & ~first and where != first:
            yield first ^ where, everything ^ first, beside, False


def _forms(numbers: Sequence[Number]) -> Iterator[Number]:
    """The sums of two or three numbers with coefficients, up to sign, except the plain sum and difference of two."""
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
    sign, value = _STRICT.get((sign, value), (sign, value))
    constant = f" {'-' if value < 0 else '+'} {abs(value)}" if value else ""
    return f"{_sum(left)} {sign} {_sum(right)}{constant}"


def _sum(terms: Sequence[tuple[int, str]]) -> str:
    return " + ".join(text if factor == 1 else f"{factor} * {text}" for factor, text in terms)
