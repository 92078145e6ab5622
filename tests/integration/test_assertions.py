"""Assertions are properties: one a place, with a law, kinds, expectations and a lock of its own."""

from __future__ import annotations

import re
import shutil
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from tests import command
from tests.conftest import RunCli, spec
from tests.stores import loose_records, swept, table_rows

MODULE = spec("Meter")
MODEL = 'module = "Meter.tla"\n[model]\ninit = "Init"\nnext = "Next"\n'
SWEEP = f"{MODEL}[parameters]\nMost = [1, 2, 3, 4, 5]\nLimit = [1, 2, 3, 4, 5]\n"
TOO_MUCH = "assert: too much"


def write(folder: Path, text: str = SWEEP, module: str = MODULE) -> None:
    (folder / "Meter.tla").write_text(module)
    (folder / "meter.toml").write_text(text)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The store of 25 points: one assertion fails at ten of them, another at one more."""
    folder = tmp_path_factory.mktemp("meter")
    write(folder)
    command.run("sweep", "meter.toml", "--executor", "local", "-o", "store", cwd=folder, code=1)
    return folder / "store"


def explained(run_cli: RunCli, store: Path) -> dict[str, dict[str, Any]]:
    return {row["property"]: row for row in run_cli("explain", store, "--suggest", "3", "--json").json}


def test_where_an_assertion_held_counts_for_its_law(run_cli: RunCli, store: Path) -> None:
    rows = explained(run_cli, store)
    assert list(rows) == [TOO_MUCH, "assert: Meter:9", "deadlock"]
    row = rows[TOO_MUCH]
    # TLC stopped at the other assertion at one point.
    assert (row["asked"], row["violated"], row["exceptions"]) == (24, 10, [])
    assert row["law"] == "Most > Limit"
    suggested = {(int(each["Most"]), int(each["Limit"])) for each in row["suggest"]}
    assert suggested
    assert suggested.isdisjoint(product(range(1, 6), repeat=2))
    other = rows["assert: Meter:9"]
    assert (other["asked"], other["violated"]) == (15, 1)
    runs = {(row["Most"], row["Limit"]): row for row in table_rows(store, "runs")}
    too_much, watched, held = runs[3, 2], runs[5, 5], runs[2, 4]
    assert too_much["violated"] == [{"kind": "assert", "name": "too much"}]
    assert watched["violated"] == [{"kind": "assert", "name": "Meter:9"}]
    assert held["checked"] == held["held"] == ["deadlock", TOO_MUCH, "assert: Meter:9"]
    assert too_much["held"] == []


def test_an_assertion_has_an_answer_only_after_a_whole_search(run_cli: RunCli, tmp_path: Path) -> None:
    """With ``find = "each"`` no search goes on once nothing but assertions is left."""
    module = MODULE.replace("Unused ==", "Low == level < 2\nSome == level >= 0\nUnused ==")
    for invariants, violated in (('["Low"]', ["Low"]), ('["Low", "Some"]', ["Low", "too much"])):
        folder = tmp_path / str(len(violated))
        folder.mkdir()
        text = f"{MODEL}invariants = {invariants}\ncheck_deadlock = false\n[constants]\nMost = 4\nLimit = 3\n"
        write(folder, f'{text}[tlc]\nfind = "each"\n', module)
        run_cli("sweep", "meter.toml", "--executor", "local", "-o", "store", cwd=folder)
        [row] = table_rows(folder / "store", "runs")
        assert [each["name"] for each in row["violated"]] == violated
        assert TOO_MUCH in row["checked"]
        assert row["held"] == []
        assert "no answer" in run_cli("explain", "store", cwd=folder).stdout


def test_two_assertions_are_two_kinds(run_cli: RunCli, tmp_path: Path) -> None:
    """In an invariant: of what an action asserts TLC 2.15 prints no trace."""
    sweep = MODEL + 'invariants = ["Odd"]\n[constants]\nMost = 3\n[parameters]\nLimit = [4, 5]\n'
    view = swept(tmp_path, Meter=MODULE, sweep=sweep)
    found = table_rows(tmp_path / "runs/sweep", "traces")
    traces = [(row["kind"], row["name"], row["length"]) for row in found]
    assert traces == [("assert", "odd", 2), ("assert", "three", 4)]
    assert {kind.name for kind in view.kinds().kinds} == {"assert: odd", "assert: three"}
    rows = explained(run_cli, tmp_path / "runs/sweep")
    assert [len(rows[name]["kinds"]) for name in ("assert: odd", "assert: three")] == [1, 1]


@pytest.mark.parametrize(
    ("options", "name", "message", "line"),
    [
        (("-c", "Most=2", "-c", "Limit=1"), "too much", '"too much"', 7),
        (("-c", "Most=5", "-c", "Limit=5"), "Meter:9", '<<"at", 5>>', 9),
        (("-c", "Most=3", "-c", "Limit=5", "--invariant", "Even"), "Meter:13", '"level 2"', 13),
        (("-c", "Most=3", "-c", "Limit=4", "--invariant", "Odd"), "odd", '"odd"', 14),
    ],
)
def test_a_check_says_what_the_assertion_says(
    run_cli: RunCli, tmp_path: Path, options: tuple[str, ...], name: str, message: str, line: int
) -> None:
    """TLC gives no place for what an invariant asserts."""
    write(tmp_path)
    asked = ("--init", "Init", "--next", "Next", *options, "--json")
    answer = run_cli("check", "Meter.tla", *asked, cwd=tmp_path, code=1).json
    place = {"message": message, "module": "Meter", "line": line}
    assert answer["violated"] == [{"kind": "assert", "name": name, **place}]
    assert "the second argument was" in answer["message"]
    assert not any("never reached" in each for each in answer["checked"])


def test_an_assertion_of_pluscal_has_its_line(run_cli: RunCli, tmp_path: Path) -> None:
    module = (
        "---- MODULE Drops ----\nEXTENDS Naturals, TLC\nCONSTANT N\n(* --algorithm drops\nvariables x = 0;\n"
        "begin\nA: while x < 3 do\n  assert x < N;\n  x := x + 1;\nend while;\nend algorithm; *)\n====\n"
    )
    sweep = 'module = "Drops.tla"\n[model]\nspecification = "Spec"\n[parameters]\nN = [1, 2, 3, 4]\n'
    swept(tmp_path, Drops=module, sweep=sweep)
    row = explained(run_cli, tmp_path / "runs/sweep")["assert: Drops:8"]
    assert (row["asked"], row["violated"], row["law"]) == (4, 2, "N <= 2")


def test_several_with_one_message_have_their_lines(run_cli: RunCli, tmp_path: Path) -> None:
    module = MODULE.replace('5, <<"at", level>>', '2, "too much"')
    write(tmp_path, f'{MODEL}[constants]\nMost = 3\nLimit = 5\n[expect]\nviolates = ["{TOO_MUCH}"]\n', module)
    assert run_cli("gate", "meter.toml", "--executor", "local", cwd=tmp_path).code == 0
    [run] = table_rows(tmp_path / "runs/meter", "runs")
    assert run["violated"] == [{"kind": "assert", "name": "too much (Meter:9)"}]
    assert run["checked"] == ["deadlock", "assert: too much (Meter:7)", "assert: too much (Meter:9)"]


@pytest.mark.parametrize(
    ("expected", "code"),
    [
        ('violates = ["assert"]', 0),
        (f'violates = ["{TOO_MUCH}"]', 0),
        ('violates = ["assert: Meter:9"]', 1),
        ('violates = ["assert: to much"]', 2),
        ('violates = ["deadlock"]', 1),
    ],
)
def test_expectations_name_assertions(run_cli: RunCli, tmp_path: Path, expected: str, code: int) -> None:
    write(tmp_path, f"{MODEL}[constants]\nMost = 2\nLimit = 1\n[expect]\n{expected}\n")
    done = run_cli("gate", "meter.toml", "--executor", "local", cwd=tmp_path, code=code)
    assert [error.code for error in done.reported.errors] == (["expect-unchecked"] if code == 2 else [])


def test_a_lock_holds_assertions_by_what_they_assert(run_cli: RunCli, tmp_path: Path) -> None:
    text = f'{MODEL}[constants]\nMost = 5\nLimit = 5\n[expect]\nviolates = ["assert"]\n'
    gate = ("gate", "meter.toml", "--executor", "local")
    write(tmp_path, text)
    assert run_cli(*gate, "--record", cwd=tmp_path).code == 0

    def drift(module: str) -> set[str]:
        write(tmp_path, text, module)
        return {each.text for _, each in run_cli(*gate, cwd=tmp_path).drifts}

    assert not drift(MODULE.replace("VARIABLE", "\n\nVARIABLE"))
    changed = drift(re.sub(r"/\\ Assert\(level < Limit.*", "", MODULE))
    assert "no longer checks the assert too much" in changed
    changed = drift(MODULE.replace("Assert(level # 5", "Assert(level # 4"))
    assert "the definition of Watch has changed" in changed
    assert "no longer violates assert: level # 5 in Watch" in changed
    assert "now violates assert: level # 4 in Watch" in changed


def test_points_without_a_result_are_named(run_cli: RunCli, tmp_path: Path, store: Path) -> None:
    """What holds so far need not hold at the points that are left."""
    partial = tmp_path / "partial"
    shutil.copytree(store, partial)
    points = {row["run_id"]: row["point"] for row in table_rows(store, "runs")}
    for record in loose_records(partial):
        if points[record.stem] > 12:
            record.unlink()
    assert run_cli("tables", partial).code == 0
    for row in explained(run_cli, partial).values():
        assert (row["of"], row["missing"]) == (25, list(range(13, 26)))
    text = run_cli("explain", partial).stdout
    assert "a law of 12 of 25 points" in text
    assert "never violated at the 12 of 25 points with a result: " in text
    assert "13 of 25 points have no result: 13-25" in text
    asked = run_cli("query", partial, "SELECT count(*) AS n FROM runs", "--json")
    assert asked.json == [{"n": 12}]
    assert asked.stderr == "answered by DuckDB\nnote: 13 of 25 points have no result: 13-25\n"
    assert run_cli("query", store, "SELECT 1").stderr == "answered by DuckDB\n"
    assert "no result" not in run_cli("explain", store).stdout
