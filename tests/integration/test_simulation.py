"""Simulations that end by their own budget, and counts that belong to the first of several executions."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from tests.conftest import RunCli
from tla2py.analysis.view import open_view

pytestmark = pytest.mark.java

LINE = r"""---- MODULE Line ----
EXTENDS Naturals
CONSTANT Step
VARIABLE x
Init == x = 0
Next == x' = x + Step \/ x' = x + 1
Spec == Init /\ [][Next]_x
Far == x < 1000000
Even == x % 2 = 0
Third == x # 3
Bound == x < 5
====
"""
SWEEP = 'module = "Line.tla"\n[model]\ninvariants = ["Far"]\n[constants]\nStep = 2\n'
WALKS = '[tlc]\nmode = "simulate"\nnum = 5\ndepth = 7\n'
ALLOWED = '[expect]\nverdict = "inconclusive"\n'


@pytest.fixture
def line(tmp_path: Path) -> Path:
    (tmp_path / "Line.tla").write_text(LINE)
    return tmp_path / "sweep.toml"


def test_a_simulation_that_finds_nothing_is_no_failure(run_cli: RunCli, line: Path) -> None:
    line.write_text(SWEEP + WALKS)
    store = line.with_name("store")

    ended = run_cli("sweep", line, "-o", store, "--executor", "local", code=0)

    assert "no violation in 5 behaviours" in ended.stdout
    assert "inconclusive" not in ended.stdout + ended.stderr
    assert "holds" not in ended.stdout
    [row] = open_view(store).runs.to_dict("records")
    assert (row["verdict"], row["outcome"], row["behaviours"]) == ("inconclusive", "bounded_success", 5)

    point = run_cli("check", line, "--point", "1", code=0)
    assert point.stdout.splitlines()[-1].startswith("no violation in 5 behaviours; ")


def test_each_worker_takes_its_number(run_cli: RunCli, line: Path) -> None:
    line.write_text(SWEEP + WALKS + "workers = 2\n")
    assert "no violation in 10 behaviours" in run_cli("sweep", line, "--executor", "local").stdout


@pytest.mark.parametrize("workers", [1, 3])
@pytest.mark.parametrize("finds", [False, True])
def test_the_behaviours_counted_are_those_that_tlc_wrote(
    finds: bool, workers: int, run_cli: RunCli, line: Path, jar: Path
) -> None:
    """Each worker takes its number. A violation stops them all; its behaviour and those cut short are not written."""
    text = SWEEP.replace("Far", "Rare") if finds else SWEEP
    module = line.with_name("Line.tla")
    module.write_text(module.read_text().replace("Bound ==", "Rare == x # 12\nBound =="))
    line.write_text(text + WALKS + f"workers = {workers}\nbehaviours = true\n")
    line.write_text(line.read_text().replace("num = 5", f"num = {10_000 if finds else 5}"))

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


def test_a_simulation_does_not_hold(run_cli: RunCli, line: Path) -> None:
    line.write_text(SWEEP + WALKS + '[expect]\nverdict = "holds"\n')
    assert run_cli("sweep", line, "--executor", "local").code == 3


def test_a_gate_wants_the_simulation_to_be_expected(run_cli: RunCli, line: Path) -> None:
    line.write_text(SWEEP + WALKS)
    assert "no violation in 5 behaviours" in run_cli("gate", line, "--executor", "local", code=3).stdout

    line.write_text(SWEEP + WALKS + ALLOWED)
    assert run_cli("gate", line, "--executor", "local").code == 0


@pytest.mark.parametrize("counted", ["states", "behaviours"])
def test_a_budget_is_an_end(run_cli: RunCli, line: Path, newer_tlc: Path, counted: str) -> None:
    """TLC 2.15 does not count behaviours."""
    line.write_text(SWEEP + '[tlc]\nmode = "simulate"\ndepth = 7\nbudget = "2s"\n')
    jar = ("--tla2tools", newer_tlc) if counted == "behaviours" else ()

    ended = run_cli("sweep", line, "-o", line.with_name("store"), "--executor", "local", *jar, code=0)

    assert f"{counted} " in ended.stdout.partition("no violation in ")[2].splitlines()[0]
    assert open_view(line.with_name("store")).runs["wall_seconds"][0] >= 2


def test_a_timeout_is_none(run_cli: RunCli, line: Path) -> None:
    line.write_text(SWEEP + ALLOWED + '[tlc]\nmode = "simulate"\ndepth = 7\ntimeout = "2s"\n')
    assert run_cli("gate", line, "--executor", "local").code == 3


@pytest.mark.parametrize(
    ("tlc", "code"),
    [
        ('mode = "simulate"\nbudget = "10m"\n', "duration"),
        ('mode = "simulate"\nbudget = "soon"\n', "duration"),
        ('budget = "1m"\n', "wrong-mode"),
    ],
)
def test_a_budget_that_cannot_be(run_cli: RunCli, line: Path, tlc: str, code: str) -> None:
    line.write_text(SWEEP + "[tlc]\n" + tlc)
    ended = run_cli("sweep", line, "--executor", "local", code=2)
    assert ended.refusal == (code, f"{line}:{7 if code == 'wrong-mode' else 8}:1")


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
