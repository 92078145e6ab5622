"""Mutants in a gate: its self-test, in which each property has to notice one, and survivors, which are locked."""

from __future__ import annotations

import json
import re
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

from tests import command
from tests.command import CommandResult
from tests.conftest import spec
from tests.integration.gate.lift import NO_CI
from tla2py.model.outcome import Verdict
from tla2py.model.row import RunRow
from tla2py.store.read import run_rows
from tla2py.store.refresh import table_files
from tla2py.store.store import Store
from tla2py.toml import loads

MIRROR = spec("gate/Mirror")


def sweep_text(names: str, properties: str = "", *, deadlock: bool = False) -> str:
    return (
        f'module = "Mirror.tla"\n[model]\ninvariants = [{names}]\nproperties = [{properties}]\n'
        f'check_deadlock = {str(deadlock).lower()}\n[parameters]\nN = [1]\n[tlc]\nmemory = "256MiB"\n'
    )


def write(folder: Path, text: str) -> None:
    (folder / "Mirror.tla").write_text(MIRROR)
    (folder / "s.toml").write_text(text)


def gate(folder: Path, *options: str | Path, code: int | None = None) -> CommandResult:
    plain = ("--no-vacuity", "--no-coverage", "--executor", "local")
    return command.run("gate", "s.toml", *plain, *options, cwd=folder, env=NO_CI, code=code)


def rows(ended: CommandResult) -> dict[str, Any]:
    [decided] = ended.json
    return {each["property"]: each for each in decided["self_test"]}


def executed(ended: CommandResult) -> list[int]:
    """The size of the first batch of mutants, if any ran."""
    return [int(found) for found in re.findall(r"self-test: (\d+) runs? to execute", ended.stderr)]


def self_test_runs(folder: Path) -> list[RunRow]:
    return [*run_rows(table_files(Store(folder / "runs" / "s" / "self-test"), "runs"))]


def kept(folder: Path) -> dict[str, str]:
    found = loads((folder / "s.lock").read_text()).get("self_test", {})
    return {name: text.partition(" ")[0] for name, text in found.items()}


def test_properties_with_teeth_pass_and_their_mutants_are_kept(tmp_path: Path) -> None:
    write(tmp_path, sweep_text('"Same", "y < 9"', '"Moves", "Again"', deadlock=True))
    found = rows(gate(tmp_path, "--self-test", "--record", "--json", code=0))
    names = ("Same", "y < 9", "Moves", "Again", "deadlock")
    assert {name: each["status"] for name, each in found.items()} == dict.fromkeys(names, "noticed")
    assert kept(tmp_path) == {name: each["mutant"] for name, each in found.items()}
    lines = MIRROR.split("\n")
    for each in found.values():
        assert each["before"].split("\n")[0] in lines[each["line"] - 1]
        assert (each["module"], each["point"]) == ("Mirror", 1)
        assert each["before"] != each["after"]
    # The runs are kept: nothing runs twice.
    again = gate(tmp_path, "--self-test", "--json")
    assert (again.code, executed(again), rows(again)) == (0, [], found)
    assert "nothing to run" in again.stderr
    # Without the store only the kept mutants run, each with its property alone.
    shutil.rmtree(tmp_path / "runs")
    anew = gate(tmp_path, "--self-test", "--json")
    assert (anew.code, executed(anew), rows(anew)) == (0, [5], found)
    alone = self_test_runs(tmp_path)
    assert sorted(each.checked for each in alone) == sorted((name,) for name in found)
    assert {each.verdict for each in alone} == {Verdict.VIOLATED}


def test_a_vacuous_property_is_red_until_it_is_accepted(tmp_path: Path) -> None:
    write(tmp_path, sweep_text('"Same", "Vacuous"'))
    reports = ("--junit", tmp_path / "j.xml", "--sarif", tmp_path / "s.sarif", "--summary", tmp_path / "s.md")
    red = gate(tmp_path, "--self-test", *reports, code=1)
    [problem] = red.problems
    assert (problem.reason.value, problem.subject) == ("self-test", "Vacuous")
    told = r"nothing shows that Vacuous can fail: none of \d+ runs of mutants violates it"
    assert re.fullmatch(told, problem.text)
    assert f"self-test: {problem.text}" in " ".join(red.stdout.split())
    assert "self-test: the lock does not keep the mutants of Same; --record keeps them" in red.stdout
    assert problem.text in (tmp_path / "j.xml").read_text()
    assert "nothing shows that Vacuous can fail" in (tmp_path / "s.md").read_text()
    [result] = json.loads((tmp_path / "s.sarif").read_text())["runs"][0]["results"]
    place = result["locations"][0]["physicalLocation"]
    assert (result["ruleId"], place["region"]["startLine"]) == ("gate/self-test", 14)
    assert not (tmp_path / "s.lock").exists()
    # A gate that was not asked is as before.
    assert gate(tmp_path, "--json", code=0).json[0]["self_test"] is None
    with (tmp_path / "s.toml").open("a") as file:
        file.write('[accept]\nself-test.Vacuous = "a sample"\nself-test.Same = "wrong"\n')
    green = gate(tmp_path, "--self-test", code=0)
    assert executed(green) == []
    assert "accepted: self-test Vacuous (a sample)" in green.stdout
    assert "self-test Same is accepted, but it can fail" in green.stdout
    assert "accept-unused" not in gate(tmp_path).stdout


def test_a_kept_mutant_that_is_gone_is_found_anew(tmp_path: Path) -> None:
    write(tmp_path, sweep_text('"Same"'))
    assert gate(tmp_path, "--self-test", "--record").code == 0
    lock = tmp_path / "s.lock"
    before = kept(tmp_path)
    # Every definition that a mutant of Same changes is written otherwise.
    text = (tmp_path / "Mirror.tla").read_text().replace("x + 1", "1 + x").replace("x = N", "N = x")
    (tmp_path / "Mirror.tla").write_text(text.replace("x = 0 /\\ y = 0", "/\\ x = 0 /\\ y = 0"))
    locked = lock.read_text()
    changed = gate(tmp_path, "--self-test")
    # The changed definitions are drift; the proof counts.
    assert {problem.reason.value for problem in changed.problems} == {"drift"}
    assert "self-test: the lock's mutants are gone or no longer noticed: Same" in changed.stdout
    assert "self-test: the lock does not keep the mutants of Same; --update keeps them" in changed.stdout
    assert lock.read_text() == locked
    assert "self-test: the lock" not in gate(tmp_path, "--self-test", "--update", code=0).stdout
    after = kept(tmp_path)
    assert [*after] == ["Same"]
    assert after != before
    # An update that does not ask keeps what the lock has.
    assert gate(tmp_path, "--update").code == 0
    assert kept(tmp_path) == after


def test_a_kept_mutant_that_is_not_noticed_is_found_anew(tmp_path: Path) -> None:
    write(tmp_path, sweep_text('"Same"', '"Again"'))
    assert gate(tmp_path, "--self-test", "--record").code == 0
    ids, lock = kept(tmp_path), tmp_path / "s.lock"
    # No fairness is lost where x and y differ.
    lock.write_text(lock.read_text().replace(ids["Same"], ids["Again"]))
    found = gate(tmp_path, "--self-test", code=0)
    assert "self-test: the lock's mutants are gone or no longer noticed: Same" in found.stdout
    assert rows(gate(tmp_path, "--self-test", "--json"))["Same"]["mutant"] == ids["Same"]


def test_a_property_that_the_sweep_violates_everywhere_needs_no_mutant(tmp_path: Path) -> None:
    write(tmp_path, sweep_text('"x < 1"') + '[expect]\nviolates = ["x < 1"]\n')
    ended = gate(tmp_path, "--self-test", "--json")
    assert (ended.code, executed(ended)) == (0, [])
    [row] = rows(ended).values()
    assert (row["property"], row["status"], row["point"]) == ("x < 1", "violated", 1)


def test_what_mutate_found_is_tried_first(tmp_path: Path) -> None:
    write(tmp_path, sweep_text('"Same", "Vacuous"') + '[mutation]\noperators = ["drop-update"]\n')
    same, vacuous = rows(gate(tmp_path, "--self-test", "--json", code=1)).values()
    assert (same["status"], vacuous["status"]) == ("noticed", "unnoticed")
    # One run shows it of Same; the other property is asked about all four mutants of the operator.
    assert Counter(each.checked for each in self_test_runs(tmp_path)) == {("Same",): 1, ("Vacuous",): 4}


def test_a_store_is_not_tested(tmp_path: Path) -> None:
    write(tmp_path, sweep_text('"Same"'))
    assert gate(tmp_path).code == 0
    assert command.run("gate", "runs/s", "--self-test", cwd=tmp_path, code=2).error.code == "gate-store"
    assert not (tmp_path / "runs" / "s" / "self-test").exists()


def test_survivors_are_gated(tmp_path: Path) -> None:
    sweep, lock, junit = (tmp_path / name for name in ("s.toml", "s.lock", "junit.xml"))
    text = sweep_text('"Same"', deadlock=True).replace("[1]", "[1, 2]")
    write(tmp_path, text + '[mutation]\noperators = ["drop-update"]\npoints = [1]\n')
    assert "4 of 4 mutants killed, 0 survive" in gate(tmp_path, "--record", code=0).stdout
    assert loads(lock.read_text())["survivors"] == {}
    # A weaker check notices none of them.
    sweep.write_text(sweep.read_text().replace('"Same"', '"Small"'))
    gate(tmp_path, "--junit", junit, code=1)
    found = re.findall(r"no check notices the change (\w+), drop-update: (.*?) \[(\w+)\]", junit.read_text())
    changes = {(name, change.replace("&apos;", "'").replace("&gt;", ">")) for name, change, _ in found}
    of_up = {("Up", each) for each in ("x' = x + 1 -> x' = x", "y' = x + 1 -> y' = y")}
    assert changes == of_up | {("Back", each) for each in ("x' = 0 -> x' = x", "y' = 0 -> y' = y")}
    mutant = found[0][2]
    sweep.write_text(f'{sweep.read_text()}[mutation.accept]\n{mutant} = "on purpose"\nnone = "old"\n')
    updated = gate(tmp_path, "--update", code=0)
    assert f"accepted survivor {mutant}: on purpose" in updated.stdout
    assert "none is accepted, but does not survive" in updated.stdout
    assert loads(lock.read_text())["survivors"].keys() == {name for *_, name in found} - {mutant}
    # A store is judged by the mutants beside it.
    judge = ("gate", "runs/s", "--no-vacuity", "--no-coverage")
    command.run(*judge, cwd=tmp_path, env=NO_CI, code=0)
    shutil.rmtree(tmp_path / "runs/s-mutants")
    missing = command.run(*judge, cwd=tmp_path, env=NO_CI, code=2)
    assert "mutants of the specification have not run" in missing.stdout
