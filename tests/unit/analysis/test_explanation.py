"""What a store says of when its properties break, from rows as TLC's answers give them."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from tests.unit.analysis.stores import view_of
from tla2py.analysis.explanation import Explained, Explanation, explain_answers, suggest_points
from tla2py.analysis.laws import find_law
from tla2py.analysis.points import Answered, Answers
from tla2py.text import points_text


def answers(points: Sequence[Mapping[str, str]], violated: Sequence[bool]) -> Answers:
    return Answers(
        name="Safe",
        answered=tuple(
            Answered(point=number, parameters=point, violated=each)
            for number, (point, each) in enumerate(zip(points, violated, strict=True), 1)
        ),
        unanswered=(),
        excluded=(),
        missing=(),
        of=len(points),
    )


def square(size: int) -> list[dict[str, str]]:
    return [{"A": str(a), "B": str(b)} for a, b in itertools.product(range(size), repeat=2)]


def explained(points: list[dict[str, str]], violated: list[bool], suggest: int = 0) -> list[Explained]:
    names = [name for name in points[0] if name != "module"]
    return explain_answers(answers(points, violated), names, ["module"], suggest)


def test_a_law_for_all_points_has_no_scope() -> None:
    points = [{**point, "module": module} for point in square(4) for module in ("X.tla", "Y.tla")]
    (one,) = explained(points, [int(p["A"]) > int(p["B"]) for p in points])
    assert (one.scope, one.law, one.violated, one.asked) == (None, "violated iff A > B", 12, 32)


def test_modules_that_differ_have_laws_of_their_own() -> None:
    points = [{**point, "module": f"specs/{module}.tla"} for module in ("X", "Y") for point in square(4)]
    violated = [p["module"] == "specs/X.tla" and int(p["A"]) >= 2 for p in points]
    rows = explained(points, violated)
    assert [(one.title, one.law) for one in rows] == [
        ("Safe in X", "violated iff A >= 2"),
        ("Safe in Y", "never violated"),
    ]


def test_a_formula_that_only_fits_the_points_is_not_presented_as_a_law() -> None:
    points = [
        {name: str(value) for name, value in zip("ABC", each, strict=True)}
        for each in itertools.product(range(4), repeat=3)
    ]
    violated = [p["A"] == "3" or (p["B"] == "1" and int(p["C"]) + int(p["A"]) >= 3) for p in points]
    (one,) = explained(points, violated)
    assert one.law.startswith("no short law; the shortest that fits: violated iff ")
    assert (one.found.short, one.to_json()["short"], one.to_json()["law"]) == (
        False,
        False,
        str(one.found.law),
    )


def test_of_many_laws_of_one_length_one_is_shown() -> None:
    texts = ("312", "200", "311", "322", "222", "030", "103")
    points = [dict(zip("ABC", each, strict=True)) for each in texts]
    (one,) = explained(points, [True, False, True, False, True, False, True])
    assert one.found.law is not None
    assert (one.found.law.rank[0], one.found.short) == (5, False)
    text = "\n".join(Explanation(rows=(one,)).laws())
    assert f"no exception, one of {len(one.found.rivals) + 1} laws of its length" in text
    assert "or iff" not in text


def test_the_row_of_json() -> None:
    points = square(3)
    (one,) = explained(points, [p["A"] == "2" for p in points], suggest=1)
    assert one.to_json() == {
        "property": "Safe",
        "scope": None,
        "law": "A >= 2",
        "short": True,
        "asked": 9,
        "violated": 3,
        "exceptions": [],
        "rivals": [],
        "suggest": [{"A": "1", "B": "3"}],
        "kinds": [],
        "of": 9,
        "missing": [],
    }


def test_a_suggested_point_is_new_and_tells_rivals_apart() -> None:
    points = [p for p in square(3) if p != {"A": "2", "B": "0"}]
    violated = [p["A"] == "2" for p in points]
    found = find_law(points, violated, ["A", "B"])
    assert found.law is not None
    suggested = suggest_points(found.law, found.rivals, answers(points, violated).answered, ["A", "B"], 3)
    assert len(suggested) == 3
    assert not [point for point in suggested if point in points]


def test_few_points_are_marked() -> None:
    points = square(2)
    (one,) = explained(points, [p["A"] == "1" for p in points])
    assert one.support == "2 of 4, no exception, few points"


def test_text_names_what_breaks_and_what_does_not() -> None:
    points = square(4)
    rows = [*explained(points, [int(p["A"]) > int(p["B"]) for p in points])]
    rows += explained(points, [False for _ in points])
    assert str(Explanation(rows=tuple(rows))) == (
        "Safe  violated iff A > B  6 of 16, no exception\nnever violated: Safe"
    )


def test_runs_of_points_are_shortened() -> None:
    assert points_text([7, 1, 2, 3, 9]) == "1-3, 7, 9"
    assert points_text(range(1, 901, 2)) == "1, 3, 5, 7, 9, 11, 13, 15, 17, 19 and 440 more"


@pytest.mark.parametrize(("size", "found"), [(3, ["broken"]), (2, [])])
def test_four_points_that_cannot_be_evaluated_have_a_law(size: int, found: list[str], tmp_path: Path) -> None:
    points = [{"N": str(n), "K": str(k)} for n, k in itertools.product(range(size + 2), range(size))]
    cases = ["next-error" if int(p["N"]) - int(p["K"]) >= 2 else "success" for p in points]
    rows = [each for each in view_of(tmp_path, *zip(points, cases, strict=True)).explain() if each.violated]
    assert [each.name for each in rows] == found
    assert all(each.law == "cannot be evaluated iff N - K >= 2" for each in rows)
    assert all((each.asked, each.violated) == (len(points), 6) for each in rows)
