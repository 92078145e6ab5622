"""Arguments that TLC derives, and what the explorer's server answers."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import tla2py
from tests.conftest import SPECS, RunCli, spec
from tests.raising import raises
from tests.stores import swept
from tla2py.errors import InputError
from tla2py.model.trace_text import DERIVED, action_text
from tla2py.replay.arguments import derive_arguments
from tla2py.replay.query import Origin
from tla2py.tlc.tools.java import find_java
from tla2py.tlc.tools.toolchain import find_toolchain
from tla2py.view.explorer import store_data
from tla2py.view.server import PageAnswers

SWEEP = (
    'module = "Telling.tla"\n[model]\nspecification = "Spec"\ninvariants = ["NotThere"]\n'
    '[constants]\nPeople = \'{"ann", "bob"}\'\n[expect]\nverdict = "violated"\n'
)
STEPS = [
    "initial state",
    'Parameter(p = "ann", q = "bob")',
    'InBody(p = "bob")',
    'BelowGuards(p = "ann", n = 3)',
    'Either(p = "ann", q = "bob")',
    'Either(p = "ann")',
    # Two values of the other quantifier make this step true.
    'Ambiguous(p = "ann")',
    'Pair(p = "bob", q = "ann")',
    'Condition(p = "bob", q = "ann")',
    'Extended(p = "bob")',
    "Nothing",
]


def test_arguments_are_asked_of_tlc_and_a_file_has_none_to_ask(tmp_path: Path, run_cli: RunCli) -> None:
    for name in ("Telling", "TellingBase"):
        shutil.copy(SPECS / f"{name}.tla", tmp_path)
    (tmp_path / "telling.toml").write_text(SWEEP)
    run_cli("sweep", "telling.toml", "--executor", "local", code=0)
    store = tla2py.open_store(tmp_path / "runs" / "telling")
    assert not any(state.derived for state in store.trace(1).states)
    trace = store.with_arguments().trace(1)
    assert [action_text(state) for state in trace.states] == STEPS
    assert trace.states[3].derived == (("p", '"ann"'), ("n", "3"))
    assert DERIVED in str(trace)
    html = trace._repr_html_()
    assert "InBody(p = " in html
    assert "arguments that TLC did not print" in html
    shown = run_cli("trace", "runs/telling", "1", "--arguments", code=0)
    assert all(step in shown.stdout for step in STEPS)
    assert DERIVED in " ".join(shown.stdout.split())
    run_cli("report", "runs/telling", "--arguments", code=0)
    assert "InBody(p = " in (tmp_path / "telling.html").read_text()
    exported = run_cli("trace", "runs/telling", "1", "--format", "itf")
    (tmp_path / "trace.itf.json").write_text(exported.stdout)
    refused = raises(InputError, tla2py.open_store(tmp_path / "trace.itf.json").with_arguments)
    asked = run_cli("trace", "trace.itf.json", "--arguments")
    assert (asked.code, asked.error.code, refused.code) == (2, "not-confirmable", "not-confirmable")


def test_what_tlc_printed_takes_no_further_run(tmp_path: Path, run_cli: RunCli, newer_tlc: Path) -> None:
    sweep = 'module = "Kinds.tla"\n[model]\ninvariants = ["Small"]\n[constants]\nKind = \'"invariant"\'\n'
    store = swept(tmp_path, newer_tlc, Kinds=spec("Kinds"), sweep=sweep)
    trace = store.trace(1)
    texts = [action_text(state) for state in trace.states]
    assert texts == ["initial state", 'Add(1, <<"left", 1>>)', 'Add(2, <<"right", 2>>)']
    nothing = replace(find_toolchain(), java=replace(find_java(), path=tmp_path / "nothing"))
    with store.store.archive(store.runs["run_id"][0]) as archive:
        origin = Origin(record=archive.record, sources=store.store.sources(), toolchain=nothing)
    assert derive_arguments([trace], origin) == (trace,)
    shown = run_cli("trace", "runs/sweep", "1", "--arguments").stdout
    assert 'Add(2, <<"right", 2>>)' in shown
    assert DERIVED not in " ".join(shown.split())


@pytest.mark.parametrize(("bound", "last"), [("constraints.Brief", 2), ("action_constraints.Written", 3)])
def test_replays_and_arguments_of_actions(tmp_path: Path, run_cli: RunCli, bound: str, last: int) -> None:
    """Of a store with one counterexample, at the second of two points; the constraint ends its replay at the first."""
    for module in ("Buffer", "Writers"):
        shutil.copy(SPECS / f"{module}.tla", tmp_path)
    kind, name = bound.split(".")
    model = 'module = "Writers.tla"\n[model]\ninit = "Init"\nnext = "Next"\ninvariants = ["NotFull"]\n'
    points = 'check_deadlock = false\n[parameters]\nWriters = ["1..2"]\nMost = [1, 9]\n'
    (tmp_path / "sweep.toml").write_text(f'{model}{kind} = ["{name}"]\n{points}')
    run_cli("sweep", "sweep.toml", "--executor", "local", "-o", "store", "--no-lint", code=1)
    answers = PageAnswers(store_data(tla2py.open_store(tmp_path / "store")))
    asked: dict[str, Any] = {"ask": "replay", "number": 0, "point": 1, "other": False}
    nothing = dict.fromkeys(("state", "action", "conjunct", "place", "constraint"))
    assert answers.answer(asked) == nothing | {"state": last, "constraint": name}
    assert answers.answer(asked | {"point": 2}) == nothing
    # There is no other store to replay it in.
    raises(InputError, answers.answer, asked | {"other": True})
    found: Any = answers.answer({"ask": "arguments", "number": 0})
    # Buffer has an action of the same name, with an index.
    assert found["actions"] == ["initial state", *["Put(writer = 1)"] * 3]
