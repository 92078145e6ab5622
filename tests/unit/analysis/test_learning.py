"""Points chosen so that few of them decide a law, with laws that answer instead of TLC."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence

import pytest

from benchmarks.learning import learn, planted
from tests.unit.analysis.stores import answers_of
from tla2py.analysis.points import Answers
from tla2py.analysis.searching import Learner, enough_draws
from tla2py.model.search import ChosenFor, SearchedLaw

Point = Mapping[str, str]
Answer = Callable[[Point], bool | None]


def grid(**values: Sequence[object]) -> list[Point]:
    return [dict(zip(values, map(str, each), strict=True)) for each in itertools.product(*values.values())]


LEASE = grid(Term=range(1, 6), Late=range(10), Grace=range(10))


def late(point: Point) -> bool:
    return int(point["Late"]) > int(point["Grace"])


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
            enough=enough_draws(within),
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


def test_a_lease_stops_by_eighty_runs() -> None:
    course = Course(LEASE, {"Exclusive": late})
    (found,) = course.run().values()
    assert (found.law, found.settled, found.draws) == ("Late > Grace", True, 59)
    assert found.run == len(course.chosen) <= 80
    assert found.bound == pytest.approx(0.0495, abs=0.0001)
    reasons = [reason for _, reason in course.chosen]
    assert reasons == ["corner"] * 9 + ["draw"] * (len(reasons) - 9)


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
    law = planted(number)
    found = learn(law, 0.05)
    assert (found.right, found.within, found.settled) == (True, True, True), (law.law, found)


def test_points_that_ran_before_are_seen_but_not_drawn() -> None:
    before = range(0, len(LEASE), 5)
    course = Course(LEASE, {"Exclusive": late})
    (found,) = course.run(before=before).values()
    assert not {*before} & {point for point, _ in course.chosen}
    assert (found.draws, found.run) == (59, len(before) + len(course.chosen))
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
    assert (found.unanswered, found.draws, found.settled) == (len(unanswered), 59, True)
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


@pytest.mark.parametrize(("within", "draws"), [(0.05, 59), (0.02, 149), (0.01, 299)])
def test_the_rule_of_stopping(within: float, draws: int) -> None:
    assert enough_draws(within) == draws
