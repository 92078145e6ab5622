"""``tla2py mutate`` with the real TLC."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.command import tool
from tests.conftest import SPECS, RunCli, spec
from tests.stores import table_rows
from tla2py.tlc.tools.java import find_java
from tla2py.tlc.tools.toolchain import find_jar

# A clock: each change of it is noticed by another check, or by none.
CLOCK = spec("Clock")
SWEEP = (SPECS / "clock.toml").read_text()
# Mutants with their statuses, what notices them, and at which point.
GIVEN: list[tuple[tuple[int, int, str, str], str, list[str], int | None]] = [
    ((6, 13, "0", "1"), "survived", [], None),
    ((6, 22, "0", "y"), "killed", ["evaluation"], 1),
    ((7, 12, "x < N", "x < N /\\ TRUE"), "equivalent", [], None),
    ((7, 12, "x < N", "x<N /\\ TRUE"), "duplicate", [], None),
    ((8, 18, "x + 1", "x + 2"), "killed", ["Small", "deadlock"], 1),
    ((8, 17, "(x + 1) % 3", "IF x = 1 THEN 5 ELSE 1"), "killed", ["Small", "deadlock"], 2),
    ((8, 27, "3", "]"), "stillborn", [], None),
    ((9, 12, "y' = y", "y' = y + y"), "equivalent", [], None),
    ((9, 12, "y' = y", "y' = IF x = 0 THEN y + 1 ELSE y"), "killed", ["Still"], 1),
    ((10, 12, "x = N", "x < N"), "killed", ["deadlock"], 1),
]


@pytest.fixture
def clock(tmp_path: Path) -> Path:
    (tmp_path / "Clock.tla").write_text(CLOCK)
    (tmp_path / "sweep.toml").write_text(SWEEP)
    return tmp_path / "sweep.toml"


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    names = ("line", "column", "before", "after")
    lines = [{"module": "Clock", **dict(zip(names, each, strict=True))} for each, *_ in GIVEN]
    path = tmp_path / "mine.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def answers(run_cli: RunCli, *arguments: str | Path) -> list[dict[str, Any]]:
    return list(run_cli("mutate", *arguments, "--json", code=0).json)


def test_statuses_tables_and_resumption(run_cli: RunCli, clock: Path, mine: Path, tmp_path: Path) -> None:
    store = tmp_path / "store"
    rows = answers(run_cli, clock, "--from", mine, "-o", store)
    found = {}
    for row in rows:
        killers = [killer["name"] or killer["kind"] for killer in row["killed_by"]]
        place = (row["line"], row["column"], row["before"], row["after"])
        found[place] = (row["status"], killers, row["point"])
    assert found == {place: tuple(answer) for place, *answer in GIVEN}
    lengths = {row["after"]: row["trace_length"] for row in rows if row["trace_length"]}
    assert lengths.pop("IF x = 1 THEN 5 ELSE 1") == 3
    assert lengths == dict.fromkeys(("x + 2", "y' = IF x = 0 THEN y + 1 ELSE y", "x < N"), 2)
    # The table has the same, and the trace of a killing run is one like any other.
    kept = table_rows(store, "mutants")
    assert [{key: row[key] for key in row if key != "run_id"} for row in kept] == rows
    runs = {row["run_id"]: row for row in table_rows(store, "runs")}
    killed = [row for row in kept if row["run_id"]]
    assert {runs[row["run_id"]]["mutant"] for row in killed} == {row["mutant"] for row in killed}
    assert {row["N"] for row in runs.values() if row["mutant"] == "original"} == {1, 2, 5}
    late = next(row for row in killed if row["point"] == 2)
    shown = run_cli("trace", str(store), str(runs[late["run_id"]]["point"]))
    assert "Clock.tla:7\n    x: 1 -> 5" in shown.stdout
    # Nothing is run again.
    again = run_cli("mutate", clock, "--from", mine, "-o", store, code=0)
    assert "to execute" not in again.stderr
    assert "point 3 (N = 5) is left out: the original is violated: Small" in again.stderr
    assert "5 of 6 mutants killed that could be" in again.stdout
    assert "drop" not in again.stdout
    run_cli("prune", str(store), code=0)
    for file in (store / "tables" / "mutants").iterdir():
        file.write_text("{")
    assert run_cli("mutate", clock, "--from", mine, "-o", store).stdout == again.stdout


@pytest.mark.long
def test_changed_comments_run_no_mutant_again(run_cli: RunCli, clock: Path, tmp_path: Path) -> None:
    """Rows have the places of the module as it is now; any other change runs the mutants again."""
    module, store = tmp_path / "Clock.tla", tmp_path / "store"
    module.write_text(CLOCK.replace("Loop ==", "(* As\n   before. *)\nLoop =="))
    arguments = (clock, "--operators", "drop-guard", "--points", "1", "-o", store)
    rows = answers(run_cli, *arguments)
    text = CLOCK.replace("Loop ==", "(* Or\n   after, at N. *)\nLoop ==")
    module.write_text(text.replace("y' = y\n", "y' = y \\* idle\n"))
    again = run_cli("mutate", *arguments, "--json")
    assert again.json == rows
    assert "original: 1 run to execute" in again.stderr
    assert "mutants at" not in again.stderr
    module.write_text(module.read_text().replace("N < 5", "N < 4"))
    said = run_cli("mutate", *arguments).stderr
    assert "mutants at point 1" in said
    assert "violated" not in said.partition("mutants at point 1")[2]


def test_conjuncts_of_invariants(run_cli: RunCli, clock: Path, tmp_path: Path) -> None:
    """A conjunct counts if some mutant goes unnoticed without it."""
    store = tmp_path / "store"
    clock.write_text(SWEEP.replace("[model]", "[model]\ncheck_deadlock = false"))
    rows = answers(run_cli, clock, "--operators", "swap-arithmetic,drop-check", "--points", "1", "-o", store)
    found = [(row["before"], row["status"], [k["kind"] for k in row["killed_by"]]) for row in rows]
    killed = [("+", "killed", ["invariant"]), ("x <= N", "killed", ["mutant"])]
    assert found == [*killed, ("N < 5", "survived", [])]
    assert rows[1]["killed_by"][0]["name"] == rows[0]["mutant"]
    # Points 2 and 3 are missing between the original's and the mutants'.
    assert [row["point"] for row in table_rows(store, "runs")] == [1, 4]
    assert run_cli("report", store, "-o", tmp_path / "page.html").code == 0


@pytest.mark.long
def test_a_module_alone(run_cli: RunCli) -> None:
    """Its root needs no module of numbers."""
    rows = answers(run_cli, SPECS / "mutated/Switch.tla", "--operators", "drop-disjunct")
    assert [(row["before"], row["status"]) for row in rows] == [("On", "killed"), ("Off", "killed")]
    assert {row["point"] for row in rows} == {1}


@pytest.mark.long
def test_translated_pluscal(run_cli: RunCli, tmp_path: Path) -> None:
    shutil.copytree(SPECS / "mutated", tmp_path, dirs_exist_ok=True)
    module = tmp_path / "Loop.tla"
    text = module.read_text()
    arguments = (module, "--operators", "swap-comparison,drop-update", "-o", tmp_path / "store")
    rows = answers(run_cli, *arguments)
    assert [(row["line"], row["definition"], row["before"], row["status"]) for row in rows] == [
        (6, "Step", "<", "killed"),
        (6, "Step", "x' = x + 1", "survived"),
        (6, "Step", 'pc\' = "Step"', "equivalent"),
        (6, "Step", 'pc\' = "Done"', "survived"),
    ]
    assert "    6 Step:   Step\n" in run_cli("mutate", *arguments).stdout
    assert module.read_text() == text


@pytest.mark.long
def test_plain_tlc_agrees_with_the_statuses(run_cli: RunCli, tmp_path: Path) -> None:
    """Fifty mutants of the two-phase commit, each exported and run by TLC itself."""
    folder = tmp_path / "out"
    sweep = Path(__file__).parents[2] / "specs/two_phase/sweep.toml"
    rows = answers(run_cli, sweep, "--points", "1", "--sample", "50", "--seed", "7", "--export", folder)
    assert len(rows) == 50
    java, jar = find_java().path, find_jar(None).path
    for row in rows:
        own = folder / row["mutant"]
        arguments = json.loads((own / "mutant.json").read_text())["arguments"]
        command = [java, "-cp", jar, "tlc2.TLC", "-metadir", tmp_path / "states", *arguments]
        output = tool(*command, cwd=own).stdout
        clean = "Model checking completed. No error has been found." in output
        if row["status"] == "stillborn":
            assert not clean or "0 distinct states found" in output, (row, output)
            continue
        checks = any(killer["kind"] == "mutant" for killer in row["killed_by"])
        assert clean == (row["status"] in ("survived", "equivalent", "duplicate") or checks), (row, output)


def test_a_dry_run_lists_mutants(run_cli: RunCli, clock: Path, tmp_path: Path) -> None:
    assert "drop-update" in run_cli("mutate", clock, "--dry-run", "--actions", "Tick", code=0).stdout
    assert not (tmp_path / "runs").exists()
