"""Action arguments derived by TLC, for every way to bind them."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import tla2py
from tests.conftest import RunCli
from tla2py.errors import InputError
from tla2py.show.plain import DERIVED, action_text

pytestmark = pytest.mark.java

SPECS = Path(__file__).resolve().parent.parent / "specs"
SWEEP = """
module = "Telling.tla"
[model]
specification = "Spec"
invariants = ["NotThere"]
[constants]
People = '{"ann", "bob"}'
[expect]
verdict = "violated"
"""
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


@pytest.fixture
def folder(tmp_path: Path, run_cli: RunCli) -> Path:
    """A store with the counterexample whose steps are those above."""
    for name in ("Telling", "TellingBase"):
        shutil.copy(SPECS / f"{name}.tla", tmp_path)
    (tmp_path / "telling.toml").write_text(SWEEP)
    swept = run_cli("sweep", "telling.toml", "--executor", "local", cwd=tmp_path)
    assert swept.code == 0, swept.stderr
    return tmp_path


def test_arguments_are_asked_of_tlc(folder: Path, run_cli: RunCli) -> None:
    store = tla2py.open_store(folder / "runs" / "telling")
    assert not any(state.derived for state in store.trace(1).states)
    trace = store.with_arguments().trace(1)
    assert [action_text(state) for state in trace.states] == STEPS
    assert trace.states[3].derived == (("p", '"ann"'), ("n", "3"))
    assert DERIVED in str(trace)
    html = trace._repr_html_()
    assert "InBody(p = " in html
    assert "arguments derived" in html
    shown = run_cli("trace", "runs/telling", "1", "--arguments", cwd=folder)
    assert shown.code == 0, shown.stderr
    assert all(step in shown.stdout for step in STEPS)
    assert DERIVED in " ".join(shown.stdout.split())
    page = run_cli("report", "runs/telling", "--arguments", cwd=folder)
    assert page.code == 0, page.stderr
    assert "InBody(p = " in (folder / "telling.html").read_text()


def test_a_file_has_no_module_to_ask(folder: Path, run_cli: RunCli) -> None:
    exported = run_cli("trace", "runs/telling", "1", "--format", "itf", cwd=folder)
    (folder / "trace.itf.json").write_text(exported.stdout)
    with pytest.raises(InputError) as refused:
        tla2py.open_store(folder / "trace.itf.json").with_arguments()
    asked = run_cli("trace", "trace.itf.json", "--arguments", cwd=folder)
    assert (asked.code, asked.error.code, refused.value.code) == (2, "not-confirmable", "not-confirmable")
