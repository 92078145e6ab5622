"""Expressions where a name is asked for: held by the wrapper module, and shown everywhere as the user wrote them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conftest import RunCli
from tests.stores import table_rows
from tla2py.analysis.view import open_view

pytestmark = pytest.mark.java

SWEEP = """\
module = "Counter.tla"
[model]
invariants = ["Small", "x # 2", '''
   /\\ x >= 0
   /\\ x <= Max''']
properties = ["<>(x = Max)", "[][x' >= x]_x"]
[constants]
Max = 3
[parameters]
constraints = [[], ["x < 2"], ["x < 3", "Small"], "Small", "x \\\\in {0, 1}"]
[tlc]
find = "each"
[expect]
violates = ["x # 2", "Small"]
[[expect.point]]
match = { constraints = "x < 2" }
violates = ["x # 2"]
"""


def test_a_sweep_shows_expressions_as_written(run_cli: RunCli, tiny_spec: Path, tmp_path: Path) -> None:
    (tmp_path / "sweep.toml").write_text(SWEEP)
    ended = run_cli("sweep", "sweep.toml", "--executor", "local", "-o", "store")
    assert "MC_" not in ended.stdout + ended.stderr
    runs = table_rows(tmp_path / "store", "runs")
    assert [row["constraints"] for row in runs] == ["", "x < 2", "x < 3, Small", "Small", "x \\in {0, 1}"]
    found = [{each["name"] for each in row["violated"]} for row in runs]
    assert [names & {"Small", "x # 2"} for names in found] == [
        {"Small", "x # 2"},
        {"x # 2"},
        {"Small", "x # 2"},
        {"Small", "x # 2"},
        {"x # 2"},
    ]
    assert {row["name"] for row in table_rows(tmp_path / "store", "traces")} >= {"Small", "x # 2"}
    # What a run checked, and what of it holds.
    (law,) = (each for each in open_view(tmp_path / "store").runs["held"][:1])
    assert "/\\ x >= 0\n/\\ x <= Max" in law
    assert "x # 2 is violated, 3 states" in run_cli("trace", "store", "1").stdout
    # The config names definitions of the wrapper module, which plain TLC runs.
    run_cli("cfg", "sweep.toml", "-o", "points")
    (folder,) = (tmp_path / "points").glob("*3")
    wrapper = (folder / "MC_Counter.tla").read_text()
    assert "MC_invariant_2 ==\n  /\\ x >= 0\n  /\\ x <= Max\n" in wrapper
    assert "MC_constraint_1 ==\n  x < 3\n" in wrapper
    config = (folder / "MC.cfg").read_text()
    assert "MC_constraint_1" in config
    assert "Small" in config


def test_questions_about_a_trace_know_its_expression(
    run_cli: RunCli, tiny_spec: Path, tmp_path: Path
) -> None:
    text = SWEEP.replace("[], ", "").replace('"x # 2"', '"Small => x # 2"')
    (tmp_path / "sweep.toml").write_text(text)
    run_cli("sweep", "sweep.toml", "--executor", "local", "-o", "store")
    verified = run_cli("trace", "store", "1", "--verify")
    assert "confirmed: 3 states" in verified.stdout
    assert "Small => x # 2 violated in the last state" in verified.stdout
    conjuncts = run_cli("trace", "store", "1", "--conjuncts")
    assert "x # 2" in conjuncts.stdout
    assert "in Small => x # 2 at" in conjuncts.stdout


def test_the_gate_locks_expressions(run_cli: RunCli, tiny_spec: Path, tmp_path: Path) -> None:
    text = """\
module = "Counter.tla"
[model]
invariants = ["Small => x # 5"]
constraints = ["x < 2"]
[constants]
Max = 3
"""
    path = tmp_path / "sweep.toml"
    path.write_text(text)
    assert run_cli("gate", "sweep.toml", "--executor", "local", "--record").code == 0
    lock = (tmp_path / "sweep.lock").read_text()
    assert '"invariant Small => x # 5"' in lock
    assert '"constraint x < 2"' in lock
    # What an expression reaches is locked with it.
    tiny_spec.write_text(tiny_spec.read_text().replace("Small == x < 3", "Small == x <= 3"))
    red = run_cli("gate", "sweep.toml", "--executor", "local")
    assert [str(drift) for _, drift in red.drifts] == ["the definition of Small has changed"]
    tiny_spec.write_text(tiny_spec.read_text().replace("Small == x <= 3", "Small == x < 3"))
    path.write_text(text.replace("x < 2", "x < 3").replace("x # 5", "x # 1"))
    red = run_cli("gate", "sweep.toml", "--executor", "local", "--sarif", "found.sarif", code=1)
    told = {str(drift) for _, drift in red.drifts}
    assert {"now has the constraint x < 3", "now checks the invariant Small => x # 1"} <= told
    sarif = json.loads((tmp_path / "found.sarif").read_text())
    places = [
        each["physicalLocation"]["region"]["startLine"]
        for result in sarif["runs"][0]["results"]
        for each in result["locations"]
        if each["physicalLocation"]["artifactLocation"]["uri"] == "sweep.toml"
    ]
    assert 3 in places


def test_a_check_takes_expressions(run_cli: RunCli, tiny_spec: Path) -> None:
    ended = run_cli(
        "check", "Counter.tla", "-c", "Max=3", "--invariant", "x # 2", "--property", "<>(x = 3)", code=1
    )
    assert "x # 2 is violated, 3 states" in ended.stdout
    assert "violated: x # 2;" in ended.stdout
    ended = run_cli("check", "Counter.tla", "-c", "Max=3", "--property", "[][x' > x]_x", "--json")
    assert json.loads(ended.stdout)["verdict"] == "holds"


@pytest.mark.parametrize(
    ("model", "code", "place"),
    [
        ('invariants = ["Small", "x < mx"]', "unknown-name", "3:25"),
        ('invariants = ["Small", "x <"]', "expression-syntax", "3:27"),
        ('invariants = ["x\' = 2"]', "invariant-level", "3:16"),
        ('constraints = ["<>(x = 2)"]', "constraint-level", "3:17"),
        ('properties = ["Smal ~> x = 2"]', "unknown-name", "3:16"),
    ],
)
def test_an_error_has_its_place(
    run_cli: RunCli, tiny_spec: Path, tmp_path: Path, model: str, code: str, place: str
) -> None:
    (tmp_path / "sweep.toml").write_text(f'module = "Counter.tla"\n[model]\n{model}\n[constants]\nMax = 3\n')
    ended = run_cli("sweep", "sweep.toml", "--executor", "local", "-o", "store")
    assert ended.refusal == (code, f"sweep.toml:{place}")
    assert ended.code == 2


def test_tlc_cannot_evaluate_an_expression(run_cli: RunCli, tiny_spec: Path, tmp_path: Path) -> None:
    (tmp_path / "sweep.toml").write_text(
        'module = "Counter.tla"\n[model]\ninvariants = ["Small", "x[1] = 2"]\n[constants]\nMax = 1\n'
    )
    run_cli("sweep", "sweep.toml", "--executor", "local", "-o", "store")
    (row,) = table_rows(tmp_path / "store", "runs")
    assert row["verdict"] == "broken"
    assert str(row["message_place"]).endswith("sweep.toml:3:25")


def test_a_list_is_no_value_of_a_constant(run_cli: RunCli, tiny_spec: Path, tmp_path: Path) -> None:
    (tmp_path / "sweep.toml").write_text('module = "Counter.tla"\n[parameters]\nMax = [["1"], 2]\n')
    ended = run_cli("sweep", "sweep.toml", "--executor", "local", "-o", "store")
    assert ended.refusal == ("wrong-type", "sweep.toml:3:1")
