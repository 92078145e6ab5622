"""What a grid can say, held against the real TLC: constants, substitutions and symmetry that no config can express."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import RunCli, spec
from tla2py.analysis.view import open_view

# The number of states tells which value was taken: x goes from 0 up to Goal, and on to where Below fails.
OUTER = spec("grid/Outer")
HEAD = (
    'module = "Outer.tla"\n[model]\ninvariants = ["Below", "Few"]\ncheck_deadlock = false\n'
    '[tlc]\nmemory = "256MiB"\n[constants]\n'
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "Inner.tla").write_text(spec("grid/Inner"))
    (tmp_path / "Outer.tla").write_text(OUTER)
    return tmp_path


def swept(folder: Path, run_cli: RunCli, text: str, store: str = "store") -> list[dict[str, object]]:
    (folder / "sweep.toml").write_text(HEAD + text)
    ended = run_cli("sweep", "sweep.toml", "--executor", "local", "-o", store)
    assert ended.code in (0, 1), ended
    rows: list[dict[str, object]] = open_view(folder / store).arrow("runs").to_pylist()
    assert all(row["verdict"] in ("holds", "violated") for row in rows), rows
    return rows


SETS = 'Procs = "{p1}"\nNodes = "{}"\n'


def test_definitions_are_replaced_in_every_form(folder: Path, run_cli: RunCli) -> None:
    # Below fails at the first x with Twice(x) >= Top + 1, and the trace ends there.
    text = f'{SETS}Goal = 6\n[parameters]\n"[Inner]Top" = ["Top", "MyTop", "x + 7 - x"]\n'
    (folder / "Outer.tla").write_text(OUTER.replace("MyTop ==", "Top == 2\nMyTop =="))
    assert [row["trace_length"] for row in swept(folder, run_cli, text)] == [3, 4, 5]


def test_a_definition_may_be_one_of_its_own_values(folder: Path, run_cli: RunCli) -> None:
    text = f'{SETS}Goal = 8\n[substitutions]\n"[Inner]Top" = "100"\n[parameters]\nLimit = ["Limit", "1"]\n'
    assert [row["trace_length"] for row in swept(folder, run_cli, text)] == [8, 6]


@pytest.mark.parametrize(
    ("substitutions", "length"),
    [
        ('"[Inner]Twice" = "MyTwice"', 2),
        ('"[Inner]Twice" = "LAMBDA k : k"', 4),
        ('"[Inner]Reached" = "LAMBDA v : v >= Other"\nOther = "Limit + 2"\nLimit = "-1 + 1"', 3),
        ('"I!Reached" = "MyReached"', 5),
        ('Other = "Limit"\nLimit = 1\n"[Inner]Top" = "100"'.replace("= 1\n", '= "1"\n'), 3),
    ],
)
def test_substitutions(folder: Path, run_cli: RunCli, substitutions: str, length: int) -> None:
    (row,) = swept(folder, run_cli, f"{SETS}Goal = 6\n[substitutions]\n{substitutions}\n")
    assert row["trace_length"] == length


def test_model_values_of_sets(folder: Path, run_cli: RunCli) -> None:
    text = SETS.partition("\n")[2] + 'Goal = "Cardinality(Procs) - 1"\n[parameters]\n'
    rows = swept(folder, run_cli, text + 'Procs = { model_values = "P_p", sizes = [1, 2, 3] }\n')
    # seen is one of the sets {p}, so a step has as many outcomes as there are elements; Below fails at the first x = 2.
    assert [row["distinct"] for row in rows] == [1, 1 + 2, 1 + 3 + 1]
    text = 'Goal = 1\nProcs = "{p1, p2, p3}"\nNodes = "{n1, n2}"\n[parameters]\n'
    rows = swept(folder, run_cli, text + 'symmetry = ["", "Procs", "Procs, Nodes"]\n', "switched")
    assert [row["distinct"] for row in rows] == [1 + 5, 1 + 1 + 2, 1 + 1 + 1]
    text = 'Goal = 1\nProcs = "{P_a}"\nNodes = "{n1, N_a}"\n[substitutions]\n'
    compared = 'Below = "\\\\A p \\\\in Procs, n \\\\in Nodes : p # n"\n'
    (folder / "sweep.toml").write_text(HEAD + text + compared)
    # TLC refuses to compare P_a with N_a.
    assert "P_a" in run_cli("sweep", "sweep.toml", "--executor", "local", code=2).stdout


def test_constants_that_no_config_can_say(folder: Path, run_cli: RunCli) -> None:
    (folder / "Values.tla").write_text(spec("grid/Values"))
    (folder / "values.toml").write_text(
        'module = "Values.tla"\n[constants]\nLow = -3\nPair = "<<0, -1>>"\nRec = \'[a |-> 1, b |-> "two"]\'\n'
        'Fun = "[i \\\\in 1..3 |-> i * i]"\nLinks = "{<<1, 2>>, <<2, 1>>}"\nRange = "0 .. 2"\n'
        'Op = "LAMBDA a, b : a ^ b"\nPred = "LAMBDA v : v < 0"\nTyped = "<<T_a, T_b>>"\n'
    )
    shown = run_cli("cfg", "values.toml").stdout
    assert "MC_Op(a, b) ==\n  a ^ b\n" in shown
    assert "CONSTANTS T_a, T_b\n" in shown
    run_cli("sweep", "values.toml", "--executor", "local", "-o", "store", code=0)
    (row,) = open_view(folder / "store").arrow("runs").to_pylist()
    assert row["verdict"] == "holds"


def test_a_dry_run_needs_no_java_and_leaves_no_trace(folder: Path, run_cli: RunCli) -> None:
    (folder / "sweep.toml").write_text(
        HEAD + 'Nodes = "{}"\n[parameters]\nProcs = { model_values = "p", sizes = [1, 2] }\n'
        'Goal = { from = 0, to = 2 }\n[grid]\nwhere = "Goal <= Cardinality(Procs)"\n'
        "exclude = [{ Goal = 0 }]\ninclude = [{ Goal = \"1 + 0\", Procs = '{p1}' }]\n"
    )
    before = sorted(folder.rglob("*"))
    ended = run_cli("sweep", "sweep.toml", "--dry-run", env={"JAVA_HOME": "/nowhere", "PATH": ""})
    assert (ended.code, ended.errors) == (0, [])
    assert ended.stdout.splitlines() == [
        "1  Procs = {p1}, Goal = 1  to run",
        "2  Procs = {p1, p2}, Goal = 1  to run",
        "3  Procs = {p1, p2}, Goal = 2  to run",
        "4  Procs = {p1}, Goal = 1 + 0  to run",
        "left out by exclude: Goal = 0",
        "  Procs = {p1}, Goal = 0",
        "  Procs = {p1, p2}, Goal = 0",
        "left out by where: not Goal <= Cardinality(Procs)",
        "  Procs = {p1}, Goal = 2",
        "sweep: 4 points, 3 combinations left out; 4 runs, 0 cached, 4 to execute",
    ]
    assert sorted(folder.rglob("*")) == before
