"""Made counterexamples grouped by course, and by likeness."""

from __future__ import annotations

import random
import time
from collections.abc import Iterable
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from tla2py.analysis.kinds import (
    Course,
    Ending,
    Kind,
    StoredTrace,
    coarse_kinds,
    fine_kinds,
    folded,
    kinds_of,
)


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
    assert kind.size == "19 counterexamples of 4 to 22 states"
    assert kind.remarks == ""


def test_a_coarse_kind_unites_what_is_alike() -> None:
    leaks = [found(1, LONGER_LEAK, "ledgers state"), found(2, LEAK, "ledgers state")]
    assert shape(fine_kinds(leaks)) == [[1], [2]]
    assert shape(coarse_kinds(leaks)) == [[1, 2]]
    kind = kind_of(*leaks)
    assert kind.steps == "One > Write > One > Write > Crash > One > Write"
    assert kind.remarks == "some with another Crash, Context, Horizon, Cursor and 1 more"
    assert kind.shortest.point == 2


def test_other_last_steps_make_another_kind() -> None:
    base = "Elect Lead Shrink Write Follow Fetch"
    assert shape(coarse_kinds([found(1, f"{base} Truncate", "log"), found(2, f"{base} Expand", "isr")])) == [
        [1],
        [2],
    ]
    assert shape(
        coarse_kinds([found(1, f"{base} Truncate", "log"), found(2, f"{base} Lead Truncate", "log")])
    ) == [[1, 2]]


def test_other_violations_modules_and_endings_make_other_kinds() -> None:
    one = found(1, "A B C")
    others = [
        found(2, "A B C", name="Other"),
        found(3, "A B C", module="Other.tla"),
        found(4, "A B C", ending="lasso"),
        found(5, "A B C", ending="stuttering"),
    ]
    assert shape(coarse_kinds([one, *others])) == [[1], [2], [3], [4], [5]]


def test_what_only_one_kind_does() -> None:
    leak = [found(1, "A B Crash C", name="Leak"), found(2, "A B Crash C D", name="Leak")]
    twice = [found(3, "A E", name="Twice")]
    # A behaviour that stops goes through all sorts of things, and another module has other actions.
    stops = [found(4, "A Crash E", name="Ends", ending="stuttering"), found(5, "A Crash", module="M.tla")]
    kinds = kinds_of([*leak, *twice, *stops])
    assert {kind.name: kind.only for kind in kinds} == {
        "Leak": ("B", "Crash", "C"),
        "Twice": ("E",),
        "Ends": (),
        "Safe": (),
    }
    assert kind_of(*leak).only == (), "there is nothing to compare with"


def test_a_kind_at_some_points() -> None:
    first = replace(found(1, "A B C"), points=(1, 4, 7))
    kind = kind_of(first, found(2, "A B B C"), found(3, "A B D C"))
    here = kind.at({2, 4, 9})
    assert here is not None
    assert (here.points, here.shortest.point, here.backbone) == ((2, 4), 4, ("A", "B", "C"))
    assert here.to_json() == {
        "count": 2,
        "points": [2, 4],
        "min_length": 4,
        "max_length": 5,
        "backbone": ["A", "B", "C"],
        "because": None,
    }
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
