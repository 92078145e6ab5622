"""What the explorer's server answers about counterexamples, with the real TLC."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import tla2py
from tests.conftest import RunCli
from tla2py.errors import InputError
from tla2py.view.explorer import store_data
from tla2py.view.server import PageAnswers

BUFFER = """---- MODULE Buffer ----
VARIABLE slots
Put(index, item) == slots' = [slots EXCEPT ![index] = item]
====
"""
WRITERS = r"""---- MODULE Writers ----
EXTENDS Naturals
CONSTANTS Writers, Most
VARIABLES slots, next
Ring == INSTANCE Buffer
Init == slots = [i \in 0..3 |-> 0] /\ next = 0
Put(writer) == next < 4 /\ Ring!Put(next, writer) /\ next' = next + 1
Next == \E w \in Writers : Put(w)
Brief == next < Most
Written == next' <= Most
NotFull == next < 3
====
"""
SWEEP = """\
module = "Writers.tla"
[model]
init = "Init"
next = "Next"
invariants = ["NotFull"]
constraints = ["Brief"]
check_deadlock = false
[parameters]
Writers = ["1..2"]
Most = [1, 9]
"""


@pytest.fixture
def answers(tmp_path: Path, run_cli: RunCli) -> PageAnswers:
    """Of a store with one counterexample, at the second of two points."""
    return swept_answers(tmp_path, run_cli, SWEEP)


def swept_answers(tmp_path: Path, run_cli: RunCli, sweep: str) -> PageAnswers:
    for name, text in (("Buffer.tla", BUFFER), ("Writers.tla", WRITERS), ("sweep.toml", sweep)):
        (tmp_path / name).write_text(text)
    run_cli("sweep", "sweep.toml", "--executor", "local", "-o", "store", "--no-lint", cwd=tmp_path, code=1)
    return PageAnswers(store_data(tla2py.open_store(tmp_path / "store")))


def test_a_constraint_ends_a_replay(answers: PageAnswers) -> None:
    asked: dict[str, Any] = {"ask": "replay", "number": 0, "point": 1, "other": False}
    assert answers.answer(asked) == {
        "state": 2,
        "action": None,
        "conjunct": None,
        "place": None,
        "constraint": "Brief",
    }
    assert answers.answer(asked | {"point": 2}) == {
        "state": None,
        "action": None,
        "conjunct": None,
        "place": None,
        "constraint": None,
    }


def test_an_action_constraint_ends_a_replay(tmp_path: Path, run_cli: RunCli) -> None:
    sweep = SWEEP.replace('constraints = ["Brief"]', 'action_constraints = ["Written"]')
    answers = swept_answers(tmp_path, run_cli, sweep)
    found: Any = answers.answer({"ask": "replay", "number": 0, "point": 1, "other": False})
    assert (found["state"], found["constraint"]) == (3, "Written")


def test_without_another_store_nothing_is_replayed_there(answers: PageAnswers) -> None:
    with pytest.raises(InputError):
        answers.answer({"ask": "replay", "number": 0, "point": 1, "other": True})


def test_an_action_has_its_own_arguments(answers: PageAnswers) -> None:
    found: Any = answers.answer({"ask": "arguments", "number": 0})
    # Buffer has an action of the same name, with an index.
    assert found["actions"] == ["initial state", *["Put(writer = 1)"] * 3]
