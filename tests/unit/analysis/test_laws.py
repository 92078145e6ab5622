"""Laws are the cheapest predicates that separate violated points from those that hold; few points decide one."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import EllipsisType

import pytest

from benchmarks import learning
from tests.unit.analysis.stores import answers_of
from tla2py.analysis.atoms import AtomTable, Number, NumberBound
from tla2py.analysis.law_search import Learner
from tla2py.analysis.laws import Law, LawFound, distinct_laws, find_law
from tla2py.analysis.points import Answers
from tla2py.model.search import ChosenFor, SearchedLaw

Point = Mapping[str, str]
Answer = Callable[[Point], bool | None]


def grid(**values: Iterable[object]) -> list[dict[str, str]]:
    return [dict(zip(values, map(str, each), strict=True)) for each in itertools.product(*values.values())]


LEASE = grid(Term=range(1, 6), Late=range(10), Grace=range(10))


def late(point: Point) -> bool:
    return int(point["Late"]) > int(point["Grace"])


def sized(letter: str, most: int) -> list[object]:
    return ["{" + ", ".join(f"{letter}{n}" for n in range(size)) + "}" for size in range(1, most + 1)]


def size(text: str) -> int:
    return text.count(",") + 1


def law_of(points: list[dict[str, str]], violated: Callable[[Point], bool]) -> LawFound:
    return find_law(points, [violated(point) for point in points], list(points[0]))


def test_which_law_is_preferred() -> None:
    found = law_of(LEASE, late)
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
        (grid(S=sized("b", 3), N=[1, 2]), lambda p: "b1" in p["S"], "Cardinality(S) >= 2"),
        (grid(S=["{a}", "{b}", "{a, c}"], N=[1, 2]), lambda p: "a" in p["S"], "a \\in S"),
        (grid(M=["x", "y", "z"], N=[1, 2]), lambda p: p["M"] == "y", "M = y"),
        (grid(M=['"x"', '"y"', '"z"'], N=[1, 2]), lambda p: p["M"] != '"y"', 'M # "y"'),
        (grid(N=[1, 2, 3, 4]), lambda p: p["N"] == "2", "N = 2"),
        (grid(N=[-1, 0, 1], K=[0, 1]), lambda p: p["N"] == "-1" or p["K"] == "1", "K >= 1 \\/ N <= -1"),
        (grid(E=["a", "b", "c"], S=["{a}", "{b, c}", "{a, c}"]), lambda p: p["E"] in p["S"], "E \\in S"),
        (grid(A=["x", "y", "z"], B=["x", "y", "z"]), lambda p: p["A"] == p["B"], "A = B"),
        (grid(S=sized("a", 3), N=[1, 2, 3]), lambda p: size(p["S"]) > int(p["N"]), "Cardinality(S) > N"),
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


# Here `...` stands for the numbers from 1 on.
Columns = dict[str, Iterable[object] | EllipsisType]
QUORUM: Columns = {"N": ..., "Q": ..., "Mode": ["sync", "async", "none"]}
ABC: Columns = {"A": ..., "B": ..., "C": ...}


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
        (QUORUM, lambda p: 2 * int(p["Q"]) <= int(p["N"]), "2 * Q <= N"),
        (QUORUM, lambda p: 2 * int(p["Q"]) > int(p["N"]) or p["Mode"] == "sync", "2 * Q > N \\/ Mode = sync"),
        (ABC, lambda p: int(p["A"]) - 2 * int(p["B"]) >= 1 - int(p["C"]), "A + C > 2 * B"),
        ({"A": range(8), "B": range(8)}, lambda p: int(p["A"]) + 2 * int(p["B"]) >= 11, "A + 2 * B >= 11"),
        ({"A": range(8), "B": range(8)}, lambda p: int(p["A"]) <= 2 * int(p["B"]) - 4, "2 * B >= A + 4"),
    ],
)
def test_the_laws_of_quorums_and_queues_are_linear(
    columns: Columns, violated: Callable[[Point], bool], law: str, most: int
) -> None:
    points = grid(**{name: range(1, most + 1) if c is ... else c for name, c in columns.items()})
    found = law_of(points, violated)
    assert (str(found.law), found.exceptions, found.complete) == (law, (), True)
    assert found.law is not None
    assert [found.law.at(row) for row in AtomTable(points, list(points[0])).rows] == [*map(violated, points)]


def test_few_points_may_contradict_a_law() -> None:
    wrong = [13, 91, 179, 240, 305, 387, 464]
    contradicted = [LEASE[number] for number in wrong]
    found = law_of(LEASE, lambda p: late(p) != (p in contradicted))
    assert (str(found.law), list(found.exceptions)) == ("Late > Grace", wrong)
    # Equal points with different answers are exceptions.
    points = [*grid(Late=range(10), Grace=range(10)), {"Late": "0", "Grace": "0"}]
    violated = [*map(late, points[:-1]), True]
    found = find_law(points, violated, ["Late", "Grace"])
    assert (str(found.law), found.exceptions) == ("Late > Grace", (100,))


def test_points_without_a_pattern_have_no_law() -> None:
    points = grid(N=[1, 2]) * 2
    found = find_law(points, [True, False, False, True], ["N"])
    assert (found.law, found.complete) == (None, True)
    assert find_law(grid(N=[1]) * 2, [True, False], ["N"]).law is None
    rng = random.Random(1)
    points = grid(A=range(12), B=range(12))
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


class Course:
    """The rounds of a learner, with what answers each property."""

    def __init__(
        self,
        points: Sequence[Point],
        answer: Mapping[str, Answer],
        *,
        within: float = 0.05,
        **options: object,
    ) -> None:
        self.points, self.answer = points, answer
        names = [name for name in points[0] if name != "module"]
        self.learner = Learner(
            points,
            names,
            {name: range(len(points)) for name in answer},
            scopes=["module"] if "module" in points[0] else (),
            costs=[float(len("".join(point.values()))) for point in points],
            within=within,
            **options,  # type: ignore[arg-type]
        )
        self.chosen: list[tuple[int, ChosenFor]] = []

    def told(self, run: Sequence[int]) -> dict[str, SearchedLaw]:
        def answers(name: str, answer: Answer) -> Answers:
            found = [(n, self.points[n], answer(self.points[n])) for n in run]
            known = [(n + 1, point, violated) for n, point, violated in found if violated is not None]
            return answers_of(name, known, len(self.points))

        standings = self.learner.tell(run, [answers(*each) for each in self.answer.items()])
        known = [each.known for each in standings]
        return {f"{each.name} {each.scope or ''}".strip(): each for each in known}

    def run(self, count: int = 2, before: Sequence[int] = (), most: int = 10_000) -> dict[str, SearchedLaw]:
        standings = self.told(before)
        while len(self.chosen) < most and (more := self.learner.choose(count)):
            self.chosen += more
            standings = self.told([*before, *(point for point, _ in self.chosen)])
        return standings


def test_a_lease_stops_by_a_hundred_runs() -> None:
    course = Course(LEASE, {"Exclusive": late})
    (found,) = course.run().values()
    assert (found.law, found.settled, found.tried) == ("Late > Grace", True, 1)
    # Two points run at a time.
    assert 0 <= found.draws - found.enough <= 1
    assert found.run == len(course.chosen) <= 100
    assert found.bound is not None
    assert 0.045 < found.bound <= 0.05
    reasons = [reason for _, reason in course.chosen]
    assert reasons[:9] == ["corner"] * 9
    assert reasons[9 : 9 + found.draws] == ["draw"] * found.draws


def test_the_smallest_points_of_a_law_run_at_its_end() -> None:
    points = grid(A=range(40), B=range(40), Mode=["fast", "safe"])
    course = Course(points, {"P": lambda p: int(p["A"]) >= 23 and int(p["B"]) >= 17})
    (found,) = course.run().values()
    assert (found.law, found.settled) == ("A >= 23 /\\ B >= 17", True)
    ran = [points[place] for place, _ in course.chosen]
    assert {"A": "23", "B": "17", "Mode": "fast"} in ran
    # Of a law with many smallest points a few run.
    course = Course(points, {"P": lambda p: int(p["A"]) + int(p["B"]) >= 40})
    course.run()
    smallest = [points[place] for place, reason in course.chosen if reason == "smallest"]
    assert all(int(point["A"]) + int(point["B"]) == 40 for point in smallest)
    assert 1 <= len(smallest) <= 8


def test_a_smallest_point_that_holds_refutes_its_law() -> None:
    points = grid(A=range(40), B=range(40))
    course = Course(points, {"P": lambda p: int(p["A"]) >= 20 and p != {"A": "20", "B": "0"}})
    (found,) = course.run().values()
    place = points.index({"A": "20", "B": "0"})
    assert place in [chosen for chosen, _ in course.chosen]
    assert found.law != "A >= 20"


def test_a_law_that_is_not_short_has_no_bound() -> None:
    def answer(point: Point) -> bool:
        a, b, c, d = (int(point[name]) for name in "ABCD")
        return (a >= 3 and b >= 2) or (c >= 3 and d >= 4)

    points = grid(A=range(6), B=range(6), C=range(6), D=range(6))
    course = Course(points, {"P": answer})
    (found,) = course.run().values()
    assert found.law is not None
    assert (found.short, found.bound, found.settled, found.finished) == (False, None, False, True)
    assert "no bound" in found.support
    assert "sure" not in found.support
    assert found.run < found.of


def test_the_same_seed_chooses_the_same_points() -> None:
    courses = [Course(LEASE, {"Exclusive": late}, seed=seed) for seed in (1, 1, 2)]
    for course in courses:
        course.run()
    assert courses[0].chosen == courses[1].chosen != courses[2].chosen
    # Of points that tell as much the cheapest runs.
    course = Course(grid(A=range(1, 21), B=[10**n for n in range(8)]), {"P": lambda p: int(p["A"]) >= 14})
    course.run()
    refuting = [course.points[place] for place, reason in course.chosen if reason == "refute"]
    assert {point["B"] for point in refuting} == {"1"}


@pytest.mark.parametrize("number", range(7))
def test_planted_laws_are_learned(number: int) -> None:
    # A law of each grid; the benchmark has all.
    law = learning.planted(number)
    found = learning.learn(law, 0.05)
    assert (found.right, found.within, found.settled) == (True, True, True), (law.law, found)


def test_points_that_ran_before_are_seen_but_not_drawn() -> None:
    before = range(0, len(LEASE), 5)
    course = Course(LEASE, {"Exclusive": late})
    (found,) = course.run(before=before).values()
    assert not {*before} & {point for point, _ in course.chosen}
    assert 0 <= found.draws - found.enough <= 1
    assert found.run == len(before) + len(course.chosen)
    # All that was to run has run.
    (found,) = Course(LEASE, {"Exclusive": late}).run(before=range(len(LEASE))).values()
    assert (found.draws, found.bound, found.settled) == (0, 0.0, True)


def test_each_property_has_its_own_count_of_shared_draws() -> None:
    # The second law is refuted late, by one value in a hundred points.
    answer = {"Exclusive": late, "Rare": lambda point: point["Late"] == "7" and point["Grace"] == "3"}
    course = Course(LEASE, answer, within=0.005)
    found = course.run(most=250)
    assert found["Exclusive"].draws > found["Rare"].draws
    assert sum(reason == "draw" for _, reason in course.chosen) >= found["Exclusive"].draws
    assert [each.law for each in course.run().values()] == ["Late > Grace", "Late = 7 /\\ Grace = 3"]


def test_points_without_an_answer_are_counted() -> None:
    def answer(point: Point) -> bool | None:
        return None if point["Term"] == "5" else late(point)

    course = Course(LEASE, {"Exclusive": answer})
    (found,) = course.run().values()
    unanswered = [point for point, _ in course.chosen if LEASE[point]["Term"] == "5"]
    assert (found.unanswered, found.settled) == (len(unanswered), True)
    drawn = [point for point, reason in course.chosen if reason == "draw"]
    silent = [point for point in drawn if LEASE[point]["Term"] == "5"]
    # Those without an answer are a share of their own.
    assert (found.silent, found.draws) == (len(silent), len(drawn) - len(silent))
    assert found.draws >= found.enough
    assert f"{found.silent} of {len(drawn)} draws had no answer" in found.support
    # Without any answer there is no law, however many points are drawn.
    (nothing,) = Course(LEASE, {"Exclusive": lambda _: None}).run(most=200).values()
    assert (nothing.law, nothing.unanswered, nothing.settled) == (None, nothing.run, False)


def test_a_property_without_a_short_law_never_settles_before_all_points_have_run() -> None:
    points = grid(A=range(8), B=range(8))
    odd: dict[str, Answer] = {"P": lambda p: (int(p["A"]) + int(p["B"])) % 2 == 1}
    (found,) = Course(points, odd).run().values()
    assert found.run == found.of == 64
    (found,) = Course(points, odd).run(most=40).values()
    assert not found.settled


def test_a_law_that_differs_by_module_is_learned_for_each() -> None:
    points = grid(module=["X", "Y"], A=range(12), B=range(12))
    answer = {"P": lambda p: int(p["A"]) >= 5 if p["module"] == "X" else int(p["A"]) > int(p["B"])}
    found = Course(points, answer).run()
    assert {name: each.law for name, each in found.items()} == {"P X": "A >= 5", "P Y": "A > B"}
    assert all(each.settled and each.draws >= 59 and each.of == 144 for each in found.values())


def test_parameters_without_an_order_are_run_once_with_each_value() -> None:
    points = grid(Mode=["fast", "safe", "slow", "off"], Flag=["FALSE", "TRUE"], N=range(20))
    course = Course(points, {"P": lambda p: p["Mode"] == "slow" and int(p["N"]) >= 11})
    (found,) = course.run().values()
    corners = [points[place] for place, reason in course.chosen if reason == "corner"]
    assert {p["Mode"] for p in corners} == {"fast", "safe", "slow", "off"}
    assert {(p["Flag"], p["N"]) for p in corners} >= {(f, n) for f in ("FALSE", "TRUE") for n in ("0", "19")}
    assert found.law == "N >= 11 /\\ Mode = slow"
