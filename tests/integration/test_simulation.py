"""Expressions where a name is asked for, and simulations."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest

from tests.conftest import COUNTER, RunCli, spec
from tests.stores import table_rows
from tla2py.analysis.view import open_view

SWEEP = 'module = "Line.tla"\n[model]\ninvariants = ["Far"]\n[constants]\nStep = 2\n'
WALKS = '[tlc]\nmode = "simulate"\nnum = 5\ndepth = 7\n'
ALLOWED = '[expect]\nverdict = "inconclusive"\n'


@pytest.fixture
def line(tmp_path: Path) -> Path:
    (tmp_path / "Line.tla").write_text(spec("Line"))
    return tmp_path / "sweep.toml"


def test_a_simulation_that_finds_nothing_is_no_failure_but_a_timeout_is(run_cli: RunCli, line: Path) -> None:
    line.write_text(SWEEP + WALKS)
    store = line.with_name("store")
    ended = run_cli("sweep", line, "-o", store, "--executor", "local", code=0)
    assert "no violation in 5 behaviours" in ended.stdout
    assert "inconclusive" not in ended.stdout + ended.stderr
    assert "holds" not in ended.stdout
    [row] = open_view(store).runs.to_dict("records")
    assert (row["verdict"], row["outcome"], row["behaviours"]) == ("inconclusive", "bounded_success", 5)
    point = run_cli("check", line, "--point", "1", code=0)
    # TLC may end before it says how many states it has generated.
    assert point.stdout.splitlines()[-1].startswith("no violation in 5 behaviours")
    line.write_text(SWEEP + ALLOWED + '[tlc]\nmode = "simulate"\ndepth = 7\ntimeout = "2s"\n')
    assert run_cli("gate", line, "--executor", "local").code == 3


@pytest.mark.parametrize("workers", [1, 3])
@pytest.mark.parametrize("finds", [False, True])
def test_behaviours_are_counted(finds: bool, workers: int, run_cli: RunCli, line: Path, jar: Path) -> None:
    """Each worker takes its number. A violation stops them all; its behaviour and those cut short are not written."""
    text = SWEEP + WALKS + f"workers = {workers}\nbehaviours = true\n"
    line.write_text(text.replace("Far", "Rare").replace("num = 5", "num = 10000") if finds else text)
    module = line.with_name("Line.tla")
    module.write_text(module.read_text().replace("Bound ==", "Rare == x # 12\nBound =="))
    run_cli("sweep", line, "-o", line.with_name("store"), "--executor", "local", "--tla2tools", jar)
    view = open_view(line.with_name("store"))
    [row] = view.simulations.to_dict("records")
    written = int((view.traces.kind == "simulated").sum())
    assert (row["workers"], row["kept"]) == (workers, written)
    assert list(view.runs.verdict) == ["violated" if finds else "inconclusive"]
    if not finds:
        assert row["behaviours"] == written == 5 * workers
    elif not pd.isna(row["behaviours"]):
        # TLC 2.15 and 1.7.4 count none. Workers begin others while TLC prints the violation; each has a state.
        assert written < row["behaviours"] <= view.runs.generated[0]


def test_a_budget_keeps_behaviours(run_cli: RunCli, line: Path, jar: Path) -> None:
    line.write_text(SWEEP + '[tlc]\nmode = "simulate"\ndepth = 7\nbudget = "2s"\nbehaviours = true\n')
    run_cli("sweep", line, "-o", line.with_name("store"), "--executor", "local", "--tla2tools", jar, code=0)
    assert set(open_view(line.with_name("store")).traces.kind) == {"simulated"}


@pytest.mark.parametrize("counted", ["states", "behaviours"])
def test_a_budget_is_an_end(run_cli: RunCli, line: Path, newer_tlc: Path, counted: str) -> None:
    """TLC 2.15 does not count behaviours."""
    line.write_text(SWEEP + '[tlc]\nmode = "simulate"\ndepth = 7\nbudget = "2s"\n')
    jar = ("--tla2tools", newer_tlc) if counted == "behaviours" else ()
    ended = run_cli("sweep", line, "-o", line.with_name("store"), "--executor", "local", *jar, code=0)
    assert f"{counted} " in ended.stdout.partition("no violation in ")[2].splitlines()[0]
    assert open_view(line.with_name("store")).runs["wall_seconds"][0] >= 2


def test_the_counts_of_a_first_execution_are_marked(run_cli: RunCli, line: Path) -> None:
    model = SWEEP.replace('["Far"]', '["Even", "Third"]\nconstraints = ["Bound"]\ncheck_deadlock = false')
    line.write_text(model + '[tlc]\nfind = "each"\n')
    each = run_cli("sweep", line, "--executor", "local").stdout.splitlines()
    line.write_text(model)
    first = run_cli("sweep", line, "--executor", "local").stdout.splitlines()
    assert "Even in 2, Third in 3" in each[1]
    assert each[1].count("*") == 3
    assert each[2].startswith("* counts of the first")
    assert "*" not in first[1]


EXPRESSIONS_SWEEP = """\
module = "Counter.tla"
[model]
invariants = ["Small", "Small => x # 2", '''
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
violates = ["Small => x # 2", "Small"]
[[expect.point]]
match = { constraints = "x < 2" }
violates = ["Small => x # 2"]
"""


def test_a_sweep_shows_expressions_as_written(run_cli: RunCli, tiny_spec: Path, tmp_path: Path) -> None:
    (tmp_path / "sweep.toml").write_text(EXPRESSIONS_SWEEP)
    ended = run_cli("sweep", "sweep.toml", "--executor", "local", "-o", "store")
    assert "MC_" not in ended.stdout + ended.stderr
    runs = table_rows(tmp_path / "store", "runs")
    assert [row["constraints"] for row in runs] == ["", "x < 2", "x < 3, Small", "Small", "x \\in {0, 1}"]
    found = [{each["name"] for each in row["violated"]} for row in runs]
    one, both = {"Small => x # 2"}, {"Small", "Small => x # 2"}
    assert [names & both for names in found] == [both, one, both, both, one]
    assert {row["name"] for row in table_rows(tmp_path / "store", "traces")} >= both
    # What a run checked, and what of it holds.
    assert "/\\ x >= 0\n/\\ x <= Max" in open_view(tmp_path / "store").runs["held"][0]
    assert "Small => x # 2 is violated, 3 states" in run_cli("trace", "store", "1").stdout
    # The config names definitions of the wrapper module, which plain TLC runs.
    run_cli("cfg", "sweep.toml", "-o", "points")
    (folder,) = (tmp_path / "points").glob("*3")
    wrapper = (folder / "MC_Counter.tla").read_text()
    assert "MC_invariant_2 ==\n  /\\ x >= 0\n  /\\ x <= Max\n" in wrapper
    assert "MC_constraint_1 ==\n  x < 3\n" in wrapper
    config = (folder / "MC.cfg").read_text()
    assert "MC_constraint_1" in config
    assert "Small" in config
    # Questions about traces know them.
    verified = run_cli("trace", "store", "2", "--verify")
    assert "confirmed: 3 states" in verified.stdout
    assert "Small => x # 2 violated in the last state" in verified.stdout
    assert "in Small => x # 2 at" in run_cli("trace", "store", "2", "--conjuncts").stdout


def test_the_gate_locks_expressions(run_cli: RunCli, tiny_spec: Path, tmp_path: Path) -> None:
    model = '[model]\ninvariants = ["Small => x # 5"]\nconstraints = ["x < 2"]\n'
    text = f'module = "Counter.tla"\n{model}[constants]\nMax = 3\n'
    path = tmp_path / "sweep.toml"
    path.write_text(text)
    assert run_cli("gate", "sweep.toml", "--executor", "local", "--record").code == 0
    lock = (tmp_path / "sweep.lock").read_text()
    assert '"invariant Small => x # 5"' in lock
    assert '"constraint x < 2"' in lock
    # What an expression reaches is locked with it.
    tiny_spec.write_text(COUNTER.replace("x < 3", "x <= 3"))
    red = run_cli("gate", "sweep.toml", "--executor", "local")
    assert [drift.text for _, drift in red.drifts] == ["the definition of Small has changed"]
    tiny_spec.write_text(COUNTER)
    path.write_text(text.replace("x < 2", "x < 3").replace("x # 5", "x # 1"))
    red = run_cli("gate", "sweep.toml", "--executor", "local", "--sarif", "found.sarif", code=1)
    told = {drift.text for _, drift in red.drifts}
    assert {"now has the constraint x < 3", "now checks the invariant Small => x # 1"} <= told
    results = json.loads((tmp_path / "found.sarif").read_text())["runs"][0]["results"]
    physical = [each["physicalLocation"] for result in results for each in result["locations"]]
    own = [each for each in physical if each["artifactLocation"]["uri"] == "sweep.toml"]
    assert 3 in [each["region"]["startLine"] for each in own]


def test_a_check_takes_expressions(run_cli: RunCli, tiny_spec: Path, tmp_path: Path) -> None:
    check = ("check", "Counter.tla", "-c", "Max=3", "--property")
    ended = run_cli(*check, "<>(x = 3)", "--invariant", "x # 2", code=1)
    assert "x # 2 is violated, 3 states" in ended.stdout
    assert "violated: x # 2;" in ended.stdout
    assert run_cli(*check, "[][x' > x]_x", "--json").json["verdict"] == "holds"
    (tmp_path / "sweep.toml").write_text(
        'module = "Counter.tla"\n[model]\ninvariants = ["Small", "x[1] = 2"]\n[constants]\nMax = 1\n'
    )
    run_cli("sweep", "sweep.toml", "--executor", "local", "-o", "store")
    (row,) = table_rows(tmp_path / "store", "runs")
    assert row["verdict"] == "broken"
    assert str(row["message_place"]).endswith("sweep.toml:3:25")


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
    assert (ended.code, ended.refusal) == (2, (code, f"sweep.toml:{place}"))
