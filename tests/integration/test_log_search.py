"""The answers on 300 random logs of five specifications, beside a search of each log in Python."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.conftest import SPECS, RunCli

pytestmark = pytest.mark.long

State = Any
Entry = dict[str, int | str]
ANY = -1


class Step(NamedTuple):
    """A step: its action and argument, the state after it, and the number that a line may show of that."""

    action: str
    argument: int
    after: State
    shown: int


class Spec(NamedTuple):
    """A specification twice: in TLA+, where Is(action, argument, shown) holds an entry against a step, and in Python."""

    texts: tuple[str, str, str]  # the variables, the initial state, and what is good
    next: str
    start: State
    steps: Callable[[State], Iterator[Step]]
    is_good: Callable[[State], bool]


def counting(x: int) -> Iterator[Step]:
    yield from (Step("add", k, x + k, x + k) for k in (1, 2, 3) if x + k <= 9)
    if 2 * x <= 9:
        yield Step("double", 1, 2 * x, 2 * x)
    if x > 5:
        yield Step("reset", 1, 0, 0)


def moving(state: tuple[int, int]) -> Iterator[Step]:
    a, b = state
    yield from (Step("move", k, (a - k, b + k), a - k) for k in (1, 2) if a >= k)
    yield from (Step("back", k, (a + k, b - k), a + k) for k in (1, 2) if b >= k)
    yield Step("swap", 1, (b, a), b)


def working(busy: frozenset[int]) -> Iterator[Step]:
    yield from (Step("start", k, busy | {k}, len(busy) + 1) for k in (1, 2, 3) if k not in busy)
    yield from (Step("stop", k, busy - {k}, len(busy) - 1) for k in (1, 2, 3) if k in busy)
    if busy:
        yield Step("clear", 1, frozenset(), 0)


def queueing(queue: tuple[int, ...]) -> Iterator[Step]:
    if len(queue) < 3:
        yield from (Step("push", k, (*queue, k), len(queue) + 1) for k in (1, 2))
    if queue:
        yield Step("pop", queue[0], queue[1:], len(queue) - 1)
        yield Step("rotate", 1, (*queue[1:], queue[0]), len(queue))


def locking(pc: tuple[int, int]) -> Iterator[Step]:
    for k in (1, 2):
        for action, before, after in (("try", 0, 1), ("enter", 1, 2), ("leave", 2, 0)):
            if pc[k - 1] == before:
                new = (after, pc[1]) if k == 1 else (pc[0], after)
                yield Step(action, k, new, sum(new))


SYSTEMS = {
    "Counting": Spec(
        ("x", "x = 0", "x # 7"),
        r"""\/ \E k \in 1..3 : x + k <= 9 /\ x' = x + k /\ Is("add", k, x')
  \/ 2 * x <= 9 /\ x' = 2 * x /\ Is("double", 1, x')
  \/ x > 5 /\ x' = 0 /\ Is("reset", 1, 0)""",
        0,
        counting,
        lambda x: x != 7,
    ),
    "Moving": Spec(
        ("a, b", "a = 3 /\\ b = 0", "a # 0"),
        r"""\/ \E k \in 1..2 : a >= k /\ a' = a - k /\ b' = b + k /\ Is("move", k, a')
  \/ \E k \in 1..2 : b >= k /\ a' = a + k /\ b' = b - k /\ Is("back", k, a')
  \/ a' = b /\ b' = a /\ Is("swap", 1, a')""",
        (3, 0),
        moving,
        lambda state: state[0] != 0,
    ),
    "Working": Spec(
        ("busy", "busy = {}", "busy # {1, 2, 3}"),
        r"""\/ \E k \in 1..3 \ busy : busy' = busy \cup {k} /\ Is("start", k, Cardinality(busy'))
  \/ \E k \in busy : busy' = busy \ {k} /\ Is("stop", k, Cardinality(busy'))
  \/ busy # {} /\ busy' = {} /\ Is("clear", 1, 0)""",
        frozenset(),
        working,
        lambda busy: len(busy) < 3,
    ),
    "Queueing": Spec(
        ("queue", "queue = <<>>", "queue # <<2, 2>>"),
        r"""\/ \E k \in 1..2 : Len(queue) < 3 /\ queue' = Append(queue, k) /\ Is("push", k, Len(queue'))
  \/ queue # <<>> /\ queue' = Tail(queue) /\ Is("pop", Head(queue), Len(queue'))
  \/ queue # <<>> /\ queue' = Append(Tail(queue), Head(queue)) /\ Is("rotate", 1, Len(queue'))""",
        (),
        queueing,
        lambda queue: queue != (2, 2),
    ),
    "Locking": Spec(
        ("pc", "pc = <<0, 0>>", "pc # <<2, 2>>"),
        r"""\E k \in 1..2 :
     \/ pc[k] = 0 /\ pc' = [pc EXCEPT ![k] = 1] /\ Is("try", k, pc'[1] + pc'[2])
     \/ pc[k] = 1 /\ pc' = [pc EXCEPT ![k] = 2] /\ Is("enter", k, pc'[1] + pc'[2])
     \/ pc[k] = 2 /\ pc' = [pc EXCEPT ![k] = 0] /\ Is("leave", k, pc'[1] + pc'[2])""",
        (0, 0),
        locking,
        lambda pc: pc != (2, 2),
    ),
}
# What the module makes of the lines, in TLA+ and as their indices in Python.
ORDERS: dict[str, tuple[str, Callable[[Sequence[Entry]], list[int]]]] = {
    "Plain": ("All", lambda log: [*range(len(log))]),
    "Sorted": (
        "SortSeq(All, LAMBDA p, q : p.t < q.t)",
        lambda log: sorted(range(len(log)), key=lambda each: log[each]["t"]),
    ),
    "Rest": ("Tail(All)", lambda log: [*range(1, len(log))]),
    "Part": ("SubSeq(All, 3, Len(All))", lambda log: [*range(2, len(log))]),
    "Chosen": (
        "SelectSeq(All, LAMBDA p : p.t % 3 # 0)",
        lambda log: [each for each in range(len(log)) if int(log[each]["t"]) % 3],
    ),
}
MODULE = (SPECS / "logs/Search.tla").read_text()
SWEEP = (SPECS / "logs/Search.toml").read_text()
# Of each form a third of the logs: all have branches that end early, in some an invariant that breaks, or an end of the
# search, is what else stops TLC.
FORMS = ("deadlock", "invariant", "exit")
LOGS = 12


class Truth(NamedTuple):
    """Whether some behaviour explains a log, the entry that none does, from 1, and whether all states seen are good."""

    explained: bool
    entry: int | None
    good: bool


def search(spec: Spec, entries: Iterable[Entry]) -> Truth:
    """What is true of the entries of a log: the sets of states that each leads to."""
    states, good = {spec.start}, spec.is_good(spec.start)
    for number, entry in enumerate(entries, 1):
        states = {
            step.after
            for state in states
            for step in spec.steps(state)
            if entry["a"] == step.action
            and entry["k"] in (ANY, step.argument)
            and entry["s"] in (ANY, step.shown)
        }
        good = good and all(map(spec.is_good, states))
        if not states:
            return Truth(False, number, good)
    return Truth(True, None, good)


def random_log(spec: Spec, order: str, choose: random.Random) -> list[Entry]:
    """The lines of a log of a random walk; in every second one a step is wrong. They are shuffled where the module sorts."""
    state, entries = spec.start, list[Entry]()
    for _ in range(choose.randint(4, 9)):
        step = choose.choice([*spec.steps(state)])
        state = step.after
        argument, shown = (each if choose.random() < 0.4 else ANY for each in step[1:4:2])
        entries.append({"a": step.action, "k": argument, "s": shown, "t": 0})
    if choose.random() < 0.5:
        wrong = choose.choice(entries)
        wrong["s"] = choose.randint(0, 5)
    filler: Entry = {"a": "none", "k": ANY, "s": ANY, "t": 0}
    if order in ("Rest", "Part"):
        # What is left out may look like what is not.
        return [dict(choose.choice([filler, *entries])) for _ in range(2 if order == "Part" else 1)] + entries
    for number, entry in enumerate(entries):
        entry["t"] = 3 * number + choose.randint(1, 2) if order == "Chosen" else number
    if order == "Chosen":
        for _ in range(3):
            entries.insert(choose.randint(0, len(entries)), {**choose.choice(entries), "t": 3})
        for entry in entries:
            # Lines that are the same but for nothing.
            entry["t"] = int(entry["t"]) % 3
    if order == "Sorted":
        choose.shuffle(entries)
        if choose.random() < 0.5:
            # The same line twice.
            entries.insert(choose.randint(0, len(entries)), dict(choose.choice(entries)))
    return entries


def expected(
    truth: Truth, order: str, log: Sequence[Entry], indices: Sequence[int]
) -> tuple[str, int | None]:
    """The verdict and the first line that no behaviour explains, if the search is not cut."""
    if truth.explained or truth.entry is None:
        return "holds", None
    index = indices[truth.entry - 1]
    alike = sum(each == log[index] for each in log)
    return "violated", None if order == "Sorted" and alike > 1 else index + 1


@pytest.mark.parametrize("name", SYSTEMS)
def test_every_answer_is_that_of_a_search_by_hand(run_cli: RunCli, tmp_path: Path, name: str) -> None:
    spec, choose = SYSTEMS[name], random.Random(f"{name} 20261124")
    seen: list[str] = []
    for order, (text, chosen) in ORDERS.items():
        folder = tmp_path / order
        folder.mkdir()
        module = MODULE.replace("NAME", name).replace("ORDER", text)
        for part, tla in zip(("VARS", "INIT", "GOOD", "NEXT"), (*spec.texts, spec.next), strict=True):
            module = module.replace(part, tla)
        (folder / f"{name}.tla").write_text(module)
        (folder / "sweep.toml").write_text(SWEEP.replace("NAME", name))
        logs = [random_log(spec, order, choose) for _ in range(LOGS)]
        for number, log in enumerate(logs):
            for entry in log:
                entry["form"] = FORMS[number % 3]
            lines = "".join(f"{json.dumps(entry)}\n" for entry in log)
            (folder / f"{number:02}.ndjson").write_text(lines)
        rows = run_cli("validate", folder / "sweep.toml", "--json").json
        assert len(rows) == LOGS
        for index, row in enumerate(rows):
            form, log = FORMS[index % 3], logs[index]
            indices = chosen(log)
            truth = search(spec, [log[each] for each in indices])
            right = expected(truth, order, log, indices)
            found = (row["verdict"], row["first_unmatched"])
            where = (order, form, row["file"], log, truth, row)
            if form == "invariant" and not truth.good:
                # TLC stops there.
                assert (*found, row["violates"]) == ("violated", None, ["Good"]), where
            elif form == "exit" and not truth.good and row["verdict"] == "inconclusive":
                assert row["first_unmatched"] is None, where
            else:
                assert found == right, where
                assert row["violates"] == [], where
                if right == ("violated", None):
                    assert f"entry {truth.entry} of the log as the module reads it" in row["message"], where
                    seen.append("alike")
            seen.append(row["verdict"])
    assert {"holds", "violated"} <= {*seen} <= {"holds", "violated", "inconclusive", "alike"}
