"""Kinds of counterexamples, how they are grouped, and what explain says of them."""

from __future__ import annotations

import itertools
import random
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.raising import raises
from tests.unit.analysis.stores import answers_of, view_of
from tla2py.analysis.explanation import Explanation, PropertyLaw, explain_answers, suggest_points
from tla2py.analysis.kinds import (
    Course,
    Ending,
    Kind,
    Kinds,
    StoredTrace,
    all_found,
    coarse_kinds,
    fine_kinds,
    folded,
    kinds_of,
    make_kind,
)
from tla2py.analysis.laws import find_law
from tla2py.analysis.points import Answers
from tla2py.analysis.view import StoreView, open_view
from tla2py.errors import InputError


@pytest.fixture(scope="module")
def view(tmp_path_factory: pytest.TempPathFactory) -> StoreView:
    cases = ("continue", "invariant", 2, "liveness-lasso", "success", "deadlock", None)
    points = [({"N": str(number)}, case) for number, case in enumerate(cases, 1)]
    return view_of(tmp_path_factory.mktemp("kinds"), *points)


def test_every_counterexample_is_found_once(view: StoreView) -> None:
    found = [(one.point, one.trace, one.name, one.length) for one in all_found(view)]
    # Point 3 shares the run of point 2.
    assert sorted(found) == [
        (1, 1, "NeverOne", 1),
        (1, 2, "NeverOne", 2),
        (1, 3, "Small", 3),
        (1, 4, "Small", 3),
        (1, 5, "Small", 4),
        (1, 6, "Small", 4),
        (2, 1, "Small", 3),
        (4, 1, "Reaches", 8),
        (6, 1, "deadlock", 3),
    ]
    for one in all_found(view):
        trace = view.trace(one.point, one.trace)
        assert one.actions == tuple(state.action for state in trace.states[1:])
        assert one.length == len(trace.states)
        if one.length > 1:
            step = trace.diff(one.length - 1, one.length)
            assert one.changed == {part.variable for part in step.parts}
    assert [one.points for one in all_found(view) if one.point == 2] == [(2, 3)]


def test_both_levels(view: StoreView) -> None:
    for fine in (False, True):
        kinds = view.kinds(fine).kinds
        assert [(kind.name, len(kind.members), kind.steps) for kind in kinds] == [
            ("Small", 5, "Up+"),
            ("NeverOne", 1, ""),
            ("NeverOne", 1, "Up"),
            ("Reaches", 1, "Up+ > Reset > Up+ > Reset (in a loop)"),
            ("deadlock", 1, "Next+"),
        ]


def test_the_trace_and_the_text_of_a_kind(view: StoreView) -> None:
    kinds = view.kinds()
    assert (kinds.trace(1).name, len(kinds.trace(1).states)) == ("Small", 3)
    for number in (0, -1, len(kinds) + 1):
        assert raises(InputError, kinds.trace, number, match=str(number)).code == "no-kind"
    lines = str(kinds).splitlines()
    assert lines[0] == "1. Small: 5 counterexamples of 3 to 4 states, shortest: point 1, trace 3"
    assert lines[1] == "     Up+"
    assert "2. NeverOne: 1 counterexample of 1 state, shortest: point 1, trace 1" in lines
    # Without actions only the length tells them apart.
    bare = StoredTrace(points=(1,), trace=1, length=5, actions=(), course=Course(name="Small"))
    kinds = Kinds(view=view, kinds=(make_kind([bare, replace(bare, trace=2, length=9)]),))
    assert str(kinds) == "1. Small: 2 counterexamples of 5 to 9 states, shortest: point 1, trace 1"


def test_a_file_made_elsewhere_has_a_kind_too(tmp_path: Path) -> None:
    path = tmp_path / "trace.itf.json"
    path.write_text('{"vars": ["x"], "states": [{"x": 1}, {"x": 2}, {"x": 3}]}')
    (found,) = all_found(open_view(path))
    assert (found.length, found.actions) == (3, ())
    # One is called one.
    view = view_of(tmp_path, ({"N": "1"}, "invariant"))
    assert "1 counterexample of 3 states" in str(view.kinds())
    assert repr(view).endswith(" 1 point>")
    assert "1 point: 1 violated" in str(view)


def found(
    point: int, actions: str, changed: str = "x", name: str = "Safe", module: str = "", ending: Ending = ""
) -> StoredTrace:
    steps = tuple(actions.split())
    return StoredTrace(
        points=(point,),
        trace=1,
        length=len(steps) + 1,
        actions=steps,
        course=Course(name=name, module=module, ending=ending, actions=folded(steps)),
        changed=frozenset(changed.split()),
    )


def shape(kinds: Iterable[Iterable[StoredTrace]]) -> list[list[int]]:
    return [[one.point for one in kind] for kind in kinds]


def kind_of(*members: StoredTrace) -> Kind:
    (kind,) = kinds_of(members)
    return kind


LEAK = "One Write Crash One Write Crash One Write"
LONGER_LEAK = "One Write Context Horizon Cursor Delete One Write Crash One Write"


def test_repetitions_do_not_matter() -> None:
    leases = [found(n, "Grant " + "Tick " * n + "Grant") for n in range(1, 20)]
    assert shape(fine_kinds(leases)) == shape(coarse_kinds(leases)) == [list(range(1, 20))]
    (kind,) = kinds_of(leases)
    assert (kind.backbone, kind.steps) == (("Grant", "Tick", "Grant"), "Grant > Tick+ > Grant")
    assert (kind.size, kind.remarks) == ("19 counterexamples of 4 to 22 states", "")
    # A coarse kind unites what is alike.
    leaks = [found(1, LONGER_LEAK, "ledgers state"), found(2, LEAK, "ledgers state")]
    assert (shape(fine_kinds(leaks)), shape(coarse_kinds(leaks))) == ([[1], [2]], [[1, 2]])
    kind = kind_of(*leaks)
    assert kind.steps == "One > Write > One > Write > Crash > One > Write"
    assert kind.remarks == "some with another Crash, Context, Horizon, Cursor and 1 more"
    assert kind.shortest.point == 2


def test_other_last_steps_make_another_kind() -> None:
    base = "Elect Lead Shrink Write Follow Fetch"
    one, other = found(1, f"{base} Truncate", "log"), found(2, f"{base} Expand", "isr")
    assert shape(coarse_kinds([one, other])) == [[1], [2]]
    assert shape(coarse_kinds([one, found(2, f"{base} Lead Truncate", "log")])) == [[1, 2]]
    # So do other violations, modules and endings.
    kinds = [
        found(1, "A B C"),
        found(2, "A B C", name="Other"),
        found(3, "A B C", module="Other.tla"),
        found(4, "A B C", ending="lasso"),
        found(5, "A B C", ending="stuttering"),
    ]
    assert shape(coarse_kinds(kinds)) == [[1], [2], [3], [4], [5]]


def test_what_only_one_kind_does() -> None:
    leak = [found(1, "A B Crash C", name="Leak"), found(2, "A B Crash C D", name="Leak")]
    twice = [found(3, "A E", name="Twice")]
    # A behaviour that stops goes through all sorts of things, and another module has other actions.
    stops = [found(4, "A Crash E", name="Ends", ending="stuttering"), found(5, "A Crash", module="M.tla")]
    kinds = kinds_of([*leak, *twice, *stops])
    only = {kind.name: kind.only for kind in kinds}
    assert only == {"Leak": ("B", "Crash", "C"), "Twice": ("E",), "Ends": (), "Safe": ()}
    assert kind_of(*leak).only == (), "there is nothing to compare with"


def test_a_kind_at_some_points() -> None:
    first = replace(found(1, "A B C"), points=(1, 4, 7))
    kind = kind_of(first, found(2, "A B B C"), found(3, "A B D C"))
    here = kind.at({2, 4, 9})
    assert here is not None
    assert (here.points, here.shortest.point, here.backbone) == ((2, 4), 4, ("A", "B", "C"))
    row = {"count": 2, "points": [2, 4], "min_length": 4, "max_length": 5, "because": None}
    assert here.to_json() == {**row, "backbone": ["A", "B", "C"]}
    assert kind.at({9}) is None


ACTIONS = st.text("ABC", max_size=6).map(" ".join)


@given(st.lists(st.tuples(ACTIONS, st.sampled_from(["x", "y", "x y"])), max_size=8), st.randoms())
def test_the_order_of_points_does_not_matter(rows: list[tuple[str, str]], chance: random.Random) -> None:
    items = [found(number, *row) for number, row in enumerate(rows)]
    mixed = chance.sample(items, len(items))

    def sets(kinds: Iterable[Iterable[StoredTrace]]) -> set[frozenset[int]]:
        return {frozenset(one.point for one in kind) for kind in kinds}

    assert sets(coarse_kinds(items)) == sets(coarse_kinds(mixed))
    assert kinds_of(items) == kinds_of(mixed)
    fine = sets(fine_kinds(items))
    assert all(any(one <= kind for kind in sets(coarse_kinds(items))) for one in fine)


def test_three_thousand_are_grouped_in_no_time() -> None:
    chance = random.Random(7)
    plots = [[chance.choice("ABCDEFGHIJ") for _ in range(20)] for _ in range(20)]
    items = []
    for number in range(3_000):
        steps = list(chance.choice(plots))
        if number % 5 == 0:
            steps[chance.randrange(20)] = chance.choice("ABCDEFGHIJ")
        items.append(found(number, " ".join(step for step in steps for _ in range(chance.choice((1, 2))))))
    begun = time.process_time()
    kinds = kinds_of(items)
    assert time.process_time() - begun < 10
    assert len(kinds) == 20


def answers(points: Sequence[Mapping[str, str]], violated: Sequence[bool]) -> Answers:
    numbered = enumerate(zip(points, violated, strict=True), 1)
    return answers_of("Safe", [(number, *row) for number, row in numbered], len(points))


def square(size: int) -> list[dict[str, str]]:
    return [{"A": str(a), "B": str(b)} for a, b in itertools.product(range(size), repeat=2)]


def explained(points: list[dict[str, str]], violated: list[bool], suggest: int = 0) -> list[PropertyLaw]:
    names = [name for name in points[0] if name != "module"]
    return explain_answers(answers(points, violated), names, ["module"], suggest)


def test_a_law_for_all_points_has_no_scope() -> None:
    points = [{**point, "module": module} for point in square(4) for module in ("X.tla", "Y.tla")]
    (one,) = explained(points, [int(p["A"]) > int(p["B"]) for p in points])
    assert (one.scope, one.law, one.violated, one.asked) == (None, "violated iff A > B", 12, 32)
    # Modules that differ have laws of their own.
    points = [{**point, "module": f"specs/{module}.tla"} for module in ("X", "Y") for point in square(4)]
    violated = [p["module"] == "specs/X.tla" and int(p["A"]) >= 2 for p in points]
    rows = explained(points, violated)
    laws = [(one.title, one.law) for one in rows]
    assert laws == [("Safe in X", "violated iff A >= 2"), ("Safe in Y", "never violated")]


def test_a_formula_that_only_fits_the_points_is_not_presented_as_a_law() -> None:
    points = [dict(zip("ABC", each, strict=True)) for each in itertools.product("0123", repeat=3)]
    violated = [p["A"] == "3" or (p["B"] == "1" and int(p["C"]) + int(p["A"]) >= 3) for p in points]
    (one,) = explained(points, violated)
    assert one.law.startswith("no short law; the shortest that fits: violated iff ")
    shown = one.to_json()
    assert (one.found.short, shown["short"], shown["law"]) == (False, False, str(one.found.law))


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
    row = {"property": "Safe", "scope": None, "law": "A >= 2", "short": True, "asked": 9, "violated": 3}
    nothing: dict[str, list[str]] = {name: [] for name in ("exceptions", "rivals", "kinds", "missing")}
    assert one.to_json() == {**row, **nothing, "of": 9, "suggest": [{"A": "1", "B": "3"}]}


def test_a_suggested_point_is_new_and_tells_rivals_apart() -> None:
    points = [p for p in square(3) if p != {"A": "2", "B": "0"}]
    violated = [p["A"] == "2" for p in points]
    found = find_law(points, violated, ["A", "B"])
    assert found.law is not None
    suggested = suggest_points(found.law, found.rivals, answers(points, violated).answered, ["A", "B"], 3)
    assert len(suggested) == 3
    assert not [point for point in suggested if point in points]


def test_text_names_what_breaks_and_what_does_not() -> None:
    points = square(2)
    (one,) = explained(points, [p["A"] == "1" for p in points])
    assert one.support == "2 of 4, no exception, few points"
    points = square(4)
    rows = [*explained(points, [int(p["A"]) > int(p["B"]) for p in points])]
    rows += explained(points, [False for _ in points])
    text = "Safe  violated iff A > B  6 of 16, no exception\nnever violated: Safe"
    assert str(Explanation(rows=tuple(rows))) == text


@pytest.mark.parametrize(("size", "found"), [(3, ["broken"]), (2, [])])
def test_four_points_that_cannot_be_evaluated_have_a_law(size: int, found: list[str], tmp_path: Path) -> None:
    points = [{"N": str(n), "K": str(k)} for n, k in itertools.product(range(size + 2), range(size))]
    cases = ["next-error" if int(p["N"]) - int(p["K"]) >= 2 else "success" for p in points]
    rows = [each for each in view_of(tmp_path, *zip(points, cases, strict=True)).explain() if each.violated]
    assert [each.name for each in rows] == found
    assert all(each.law == "cannot be evaluated iff N - K >= 2" for each in rows)
    assert all((each.asked, each.violated) == (len(points), 6) for each in rows)
