"""A false ASSUME is expected only where the grid chose the values; a module without variables is tested by its own."""

from __future__ import annotations

import shutil
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from tests.conftest import SPECS, RunCli
from tests.stores import table_rows
from tla2py.tlc.tools.jar import read_jar

RING = 'module = "Ring.tla"\n[model]\ninit = "Init"\nnext = "Next"\ninvariants = ["Inv"]\n'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for module in (SPECS / "assumptions").glob("*.tla"):
        shutil.copy(module, tmp_path)
    return tmp_path


def write_sweep(folder: Path, text: str) -> None:
    (folder / "sweep.toml").write_text(text)


def test_a_gate_of_a_folder_is_red_for_a_false_assumption(run_cli: RunCli, folder: Path) -> None:
    (folder / "Sums.cfg").write_text("CONSTANT N = 2\n")
    (folder / "Ring.cfg").write_text("CONSTANTS N = 2 Other = 1\nINIT Init\nNEXT Next\nINVARIANT Inv\n")
    gated = run_cli("gate", ".", "-o", "store", "--json", "--junit", "junit.xml", cwd=folder, code=1)
    points = {each["parameters"]["config"]: each for each in gated.json[0]["points"]}
    assert points["Sums.cfg"]["problems"] == []
    [problem] = points["Ring.cfg"]["problems"]
    assert (problem["reason"], problem["exit_code"]) == ("unexpected", 1)
    assert "Ring.tla:4:8" in problem["text"]
    cases = {case.get("name"): case for case in ET.parse(folder / "junit.xml").iter("testcase")}
    assert {"assumption: SumsBase:4", "assumption: Sums:4", "assumption: Small"} <= cases.keys()
    [why] = run_cli("trace", "store", str(points["Ring.cfg"]["point"]), "--why", "--json", code=0).json
    assert [each["says"] for each in why["because"]] == ["N > 3 is FALSE"]
    swept = run_cli("sweep", ".", cwd=folder, code=1)
    assert "holds: 3 assumptions" in swept.stdout


def test_a_false_assumption_of_a_module_without_variables_is_a_case(run_cli: RunCli, folder: Path) -> None:
    (folder / "Sums.cfg").write_text("CONSTANT N = 3\n")
    run_cli("gate", ".", "-o", "store", "--junit", "junit.xml", cwd=folder, code=1)
    cases = {case.get("name"): case for case in ET.parse(folder / "junit.xml").iter("testcase")}
    assert cases["assumption: Small"].find("failure") is not None
    # TLC stops at the first that is FALSE, so of the others nothing is said.
    assert cases["assumption: Sums:4"].find("skipped") is not None


def test_a_grid_leaves_out_what_its_parameters_make_false(run_cli: RunCli, folder: Path) -> None:
    write_sweep(folder, f"{RING}[constants]\nOther = 1\n[parameters]\nN = [2, 5]\n")
    run_cli("sweep", "sweep.toml", "-o", "store", code=0)
    assert [row["verdict"] for row in table_rows(folder / "store", "runs")] == ["excluded", "holds"]


def test_a_grid_is_red_for_an_assumption_that_it_does_not_decide(run_cli: RunCli, folder: Path) -> None:
    write_sweep(folder, f"{RING}[constants]\nN = 2\n[parameters]\nOther = [1, 2]\n")
    gated = run_cli("gate", "sweep.toml", "-o", "store", "--json", code=1)
    problems = [each["reason"] for point in gated.json[0]["points"] for each in point["problems"]]
    assert problems == ["unexpected", "unexpected"]


def test_an_assumption_of_a_module_without_variables_has_a_law(run_cli: RunCli, folder: Path) -> None:
    write_sweep(folder, 'module = "Sums.tla"\n[parameters]\nN = [1, 2, 3, 4]\n')
    run_cli("sweep", "sweep.toml", "-o", "store", code=0)
    rows = table_rows(folder / "store", "runs")
    assert [row["verdict"] for row in rows] == ["holds", "holds", "excluded", "excluded"]
    laws = {each["property"]: each["law"] for each in run_cli("explain", "store", "--json", code=0).json}
    assert laws["assumption: Small"] == "N >= 3"


@pytest.mark.jars
def test_every_tlc_checks_the_assumptions_that_are_counted(run_cli: RunCli, folder: Path, jar: Path) -> None:
    """Neither the AXIOM, which is FALSE, nor any other assumption is evaluated."""
    options = ("--tla2tools", jar, "--json")
    found = run_cli("check", "Sums.tla", "-c", "N=2", *options, code=0).json
    assert found["held"] == ["assumption: SumsBase:4", "assumption: Sums:4", "assumption: Small"]
    false = run_cli("check", "Sums.tla", "-c", "N=3", *options, code=1).json
    assert [each["says"] for each in false["why"][0]["because"]] == ["Double(N) < 5 is FALSE"]
    assert (false["verdict"], false["violated"]) == ("excluded", [{"kind": "assumption", "name": "Small"}])


SIMULATED = (
    f'{RING}[constants]\nOther = 1\n[parameters]\nN = [2, 5]\n[tlc]\nmode = "simulate"\nnum = 5\ndepth = 10\n'
)


@pytest.mark.jars
def test_a_simulation_excludes_points_or_says_that_tlc_lacks_it(
    run_cli: RunCli, folder: Path, jar: Path
) -> None:
    write_sweep(folder, SIMULATED)
    ended = run_cli("sweep", "sweep.toml", "-o", "store", "--tla2tools", jar, code=0)
    verdicts = [row["verdict"] for row in table_rows(folder / "store", "runs")]
    lacks = "tlc-lacks" in {each.code for each in ended.reported.findings}
    assert lacks is (read_jar(jar, "the test").version == "2.15")
    assert verdicts == (["inconclusive"] * 2 if lacks else ["excluded", "inconclusive"])


MODE = """---- MODULE Mode ----
EXTENDS Naturals, TLC
VARIABLE x
Init == x = 0
Next == x' = 1 - x
ASSUME TLCGet("config").mode = "bfs"
====
"""


def test_an_assumption_that_is_true_when_it_is_evaluated_again_has_no_cause(
    run_cli: RunCli, newer_tlc: Path, tmp_path: Path
) -> None:
    (tmp_path / "Mode.tla").write_text(MODE)
    sweep = """
    module = "Mode.tla"
    [model]
    init = "Init"
    next = "Next"
    [tlc]
    mode = "simulate"
    num = 10
    """
    (tmp_path / "sweep.toml").write_text(sweep)
    run_cli("sweep", "sweep.toml", "-o", "store", "--tla2tools", str(newer_tlc), cwd=tmp_path)
    [why] = run_cli("trace", "store", "1", "--why", "--json", cwd=tmp_path, code=0).json
    assert why["reason"] == "when TLC evaluated it again, none of its conjuncts was FALSE"
