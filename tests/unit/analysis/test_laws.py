"""Laws are the cheapest predicates that separate violated points from those that hold."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterable, Mapping
from types import EllipsisType

import pytest

from tla2py.analysis.atoms import AtomTable, Number, NumberBound
from tla2py.analysis.laws import Law, LawFound, distinct_laws, find_law

Point = Mapping[str, str]


def grid(**values: list[object]) -> list[dict[str, str]]:
    texts = [[str(value) for value in column] for column in values.values()]
    return [dict(zip(values, point, strict=True)) for point in itertools.product(*texts)]


def law_of(points: list[dict[str, str]], violated: Callable[[Point], bool]) -> LawFound:
    return find_law(points, [violated(point) for point in points], list(points[0]))


def test_which_law_is_preferred() -> None:
    points = grid(Term=[*range(1, 6)], Late=[*range(10)], Grace=[*range(10)])
    found = law_of(points, lambda p: int(p["Late"]) > int(p["Grace"]))
    assert (str(found.law), found.rivals, found.exceptions, found.complete) == ("Late > Grace", (), (), True)
    # A law without arithmetic is preferred, and the other is a rival.
    points = grid(Limit=[1, 2, 3], Retain=["TRUE", "FALSE"], Crashes=[0, 1])
    found = law_of(points, lambda p: p["Limit"] == "3" and p["Crashes"] == "1")
    assert str(found.law) == "Limit >= 3 /\\ Crashes >= 1"
    assert [str(rival) for rival in found.rivals] == ["Limit + Crashes >= 4"]
    # A simpler law wins over a linear one.
    points = grid(A=[1, 2], B=[1, 2], C=[1, 2, 3])
    found = law_of(points, lambda p: int(p["A"]) + int(p["B"]) >= 4)
    assert str(found.law) == "A >= 2 /\\ B >= 2"
    assert all(rival.rank[0] == 3 for rival in found.rivals)
    # Laws that say the same of all integers are one.
    found = law_of(grid(A=[0, 1, 2], B=[0, 1, 2]), lambda p: p["A"] == p["B"] and p["A"] != "1")
    # "B # 1 /\\ A = B" is the same.
    assert (str(found.law), found.rivals) == ("A # 1 /\\ A = B", ())
    # Values are the same in any notation, but TRUE is not 1.
    points = [{"S": "{b2,b1}", "N": "1"}, {"S": "{b1, b2}", "N": "2"}, {"S": "{b1}", "N": "1"}]
    assert str(find_law(points, [True, True, False], ["S", "N"]).law) == "Cardinality(S) >= 2"
    assert str(law_of(grid(A=["TRUE", "1", "x"]), lambda p: p["A"] == "1").law) == "A = 1"


@pytest.mark.parametrize(
    ("points", "violated", "law"),
    [
        (grid(A=["TRUE", "FALSE"], B=[1, 2]), lambda p: p["A"] == "FALSE", "~A"),
        (
            grid(S=["{b1}", "{b1, b2}", "{b1, b2, b3}"], N=[1, 2]),
            lambda p: "b2" in p["S"],
            "Cardinality(S) >= 2",
        ),
        (grid(S=["{a}", "{b}", "{a, c}"], N=[1, 2]), lambda p: "a" in p["S"], "a \\in S"),
        (grid(M=["x", "y", "z"], N=[1, 2]), lambda p: p["M"] == "y", "M = y"),
        (grid(M=['"x"', '"y"', '"z"'], N=[1, 2]), lambda p: p["M"] != '"y"', 'M # "y"'),
        (grid(N=[1, 2, 3, 4]), lambda p: p["N"] == "2", "N = 2"),
        (grid(N=[-1, 0, 1], K=[0, 1]), lambda p: p["N"] == "-1" or p["K"] == "1", "K >= 1 \\/ N <= -1"),
        (grid(E=["a", "b", "c"], S=["{a}", "{b, c}", "{a, c}"]), lambda p: p["E"] in p["S"], "E \\in S"),
        (grid(A=["x", "y", "z"], B=["x", "y", "z"]), lambda p: p["A"] == p["B"], "A = B"),
        (
            grid(S=["{a}", "{a, b}", "{a, b, c}"], N=[1, 2, 3]),
            lambda p: p["S"].count(",") + 1 > int(p["N"]),
            "Cardinality(S) > N",
        ),
        (grid(N=[1, 2]), lambda _: True, "TRUE"),
        (grid(N=[1, 2]), lambda _: False, "FALSE"),
    ],
)
def test_atoms(points: list[dict[str, str]], violated: Callable[[Point], bool], law: str) -> None:
    found = law_of(points, violated)
    assert found.law is not None
    rows = AtomTable(points, list(points[0])).rows
    assert [found.law.at(row) for row in rows] == [violated(point) for point in points]
    assert sorted(str(found.law).split(" \\/ ")) == sorted(law.split(" \\/ "))


def sized(letter: str, most: int) -> list[object]:
    return ["{" + ", ".join(f"{letter}{n}" for n in range(size)) + "}" for size in range(1, most + 1)]


def size(text: str) -> int:
    return text.count(",") + 1


@pytest.mark.parametrize("most", [5, 10])
@pytest.mark.parametrize(
    ("columns", "violated", "law"),
    [
        (
            {"Producers": sized("p", 4), "Consumers": sized("c", 3), "Capacity": ...},
            lambda p: size(p["Producers"]) + size(p["Consumers"]) > 2 * int(p["Capacity"]),
            "Cardinality(Producers) + Cardinality(Consumers) > 2 * Capacity",
        ),
        ({"N": ..., "R": ..., "W": ...}, lambda p: int(p["R"]) + int(p["W"]) <= int(p["N"]), "R + W <= N"),
        (
            {"N": ..., "Q": ..., "Mode": ["sync", "async", "none"]},
            lambda p: 2 * int(p["Q"]) <= int(p["N"]),
            "2 * Q <= N",
        ),
        (
            {"N": ..., "Q": ..., "Mode": ["sync", "async", "none"]},
            lambda p: 2 * int(p["Q"]) > int(p["N"]) or p["Mode"] == "sync",
            "2 * Q > N \\/ Mode = sync",
        ),
        (
            {"A": ..., "B": ..., "C": ...},
            lambda p: int(p["A"]) - 2 * int(p["B"]) >= 1 - int(p["C"]),
            "A + C > 2 * B",
        ),
        ({"A": range(8), "B": range(8)}, lambda p: int(p["A"]) + 2 * int(p["B"]) >= 11, "A + 2 * B >= 11"),
        ({"A": range(8), "B": range(8)}, lambda p: int(p["A"]) <= 2 * int(p["B"]) - 4, "2 * B >= A + 4"),
    ],
)
def test_the_laws_of_quorums_and_queues_are_linear(
    columns: dict[str, Iterable[object] | EllipsisType],
    violated: Callable[[Point], bool],
    law: str,
    most: int,
) -> None:
    points = grid(**{name: [*(range(1, most + 1) if c is ... else c)] for name, c in columns.items()})
    found = law_of(points, violated)
    assert (str(found.law), found.exceptions, found.complete) == (law, (), True)
    assert found.law is not None
    assert [found.law.at(row) for row in AtomTable(points, list(points[0])).rows] == [*map(violated, points)]


def test_few_points_may_contradict_a_law() -> None:
    points = grid(Term=[*range(1, 6)], Late=[*range(10)], Grace=[*range(10)])
    wrong = [13, 91, 179, 240, 305, 387, 464]
    contradicted = [points[number] for number in wrong]
    found = law_of(points, lambda p: (int(p["Late"]) > int(p["Grace"])) != (p in contradicted))
    assert (str(found.law), list(found.exceptions)) == ("Late > Grace", wrong)
    # Equal points with different answers are exceptions.
    points = [*grid(Late=[*range(10)], Grace=[*range(10)]), {"Late": "0", "Grace": "0"}]
    violated = [int(p["Late"]) > int(p["Grace"]) for p in points[:-1]] + [True]
    found = find_law(points, violated, ["Late", "Grace"])
    assert (str(found.law), found.exceptions) == ("Late > Grace", (100,))


def test_points_without_a_pattern_have_no_law() -> None:
    points = grid(N=[1, 2]) * 2
    found = find_law(points, [True, False, False, True], ["N"])
    assert (found.law, found.complete) == (None, True)
    assert find_law(grid(N=[1]) * 2, [True, False], ["N"]).law is None
    rng = random.Random(1)
    points = grid(A=[*range(12)], B=[*range(12)])
    assert find_law(points, [rng.random() < 0.5 for _ in points], ["A", "B"]).law is None


def planted(seed: int, *, unanswered: float) -> tuple[LawFound, int]:
    """The law found for a random one, and the random one's cost."""
    rng = random.Random(seed)
    parameters, values = [(3, 10), (4, 6), (5, 4), (5, 10), (4, 10)][seed % 5]
    names = [f"P{number}" for number in range(parameters)]
    everything = list(itertools.product(range(values), repeat=parameters))
    chosen = everything if len(everything) < 1_500 else sorted(rng.sample(everything, 1_000))
    points = [dict(zip(names, map(str, values), strict=True)) for values in chosen]
    table = AtomTable(points, names)
    where = 0
    while not 0.02 * len(points) < where.bit_count() < 0.98 * len(points):
        terms = [rng.sample(table.atoms, rng.randint(1, 3)) for _ in range(rng.randint(1, 3))]
        where = table.points_of(terms)
    cost = sum(atom.cost for term in terms for atom in term) + sum(map(len, terms)) - 1
    answered = [number for number in range(len(points)) if rng.random() >= unanswered]
    texts, violated = [points[n] for n in answered], [bool(where >> n & 1) for n in answered]
    # The load of the machine decides nothing; ten seconds are enough on a quiet one.
    return find_law(texts, violated, names, seconds=60), cost


def good(found: LawFound, cost: int) -> bool:
    return found.law is not None and not found.exceptions and found.law.rank[0] <= cost


@pytest.mark.parametrize("seed", range(0, 10, 2))
def test_planted_laws_are_found(seed: int) -> None:
    found, cost = planted(seed, unanswered=0.05 * (seed % 4 == 0))
    assert good(found, cost), found


@pytest.mark.long
def test_two_hundred_planted_laws_are_found() -> None:
    results = [planted(seed, unanswered=0.05 * (seed % 2)) for seed in range(200)]
    assert sum(good(found, cost) for found, cost in results) >= 198


def test_a_comparison_with_a_constant_is_true_where_its_test_says_so() -> None:
    points = grid(N=[-1, 0, 2, 5], S=["{a}", "{a, b}", "{}"], M=[3, 1])
    table = AtomTable(points, list(points[0]))
    bounded = [atom for atom in table.atoms if atom.bound is not None]
    # Among some of the points, a number may lack the value that it is compared with.
    for numbers in (range(len(points)), (3, 11, 4, 20)):
        where = {id(atom): points for points, atoms in table.alike(numbers).items() for atom in atoms}
        for atom in bounded:
            true = [place for place, number in enumerate(numbers) if atom.test(table.rows[number])]
            assert where[id(atom)] == sum(1 << place for place in true), atom.text
    assert {atom.bound.sign for atom in bounded if atom.bound} == {">=", "<=", "=", "#"}


def test_laws_of_three_numbers_are_told_apart() -> None:
    def is_value(name: str, value: int) -> NumberBound:
        number = Number(text=name, parameters=(name,), at=lambda _: 0, terms=((1, name),))
        return NumberBound(number=number, sign="=", value=value)

    def law(values: tuple[int, ...]) -> Law:
        named = zip("ABC", values, strict=True)
        return Law(terms=(tuple(is_value(name, n).atom(f"{name} = {n}", 1) for name, n in named),))

    laws = [law(values) for values in itertools.product(range(1, 6), repeat=3) if sum(values) == 9]
    assert len(distinct_laws(laws)) == len(laws) == 19
