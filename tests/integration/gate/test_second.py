"""A gate's second opinion."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests import command
from tests.command import CommandResult
from tla2py.analysis.view import open_view
from tla2py.lint.faults import FAULTS as FAULTS_KNOWN
from tla2py.tlc.output.result import _MAKES_UP_NONE

FAULTS = Path(__file__).resolve().parents[2] / "specs" / "faults"
ACCEPT = '[accept]\njar-known-wrong = "the second TLC is asked"\nsingle-state = "small"\n'


def gate(folder: Path, name: str, text: str, *options: str | Path, code: int | None = None) -> CommandResult:
    for file in FAULTS.glob(f"{name}.*"):
        shutil.copy(file, folder)
    (folder / "s.toml").write_text(f'module = "{name}.tla"\nconfig = "{name}.cfg"\n{text}{ACCEPT}')
    return command.run("gate", "s.toml", "--executor", "local", *options, cwd=folder, code=code)


def test_the_same_tlc_agrees_and_its_runs_are_kept(tmp_path: Path) -> None:
    first = gate(tmp_path, "ImpliesEventually", "", "--second", "bundled", "--tla2tools", "bundled", code=0)
    agrees = "agrees at 1 of 1 point; compared, with the number of points: verdict (1), distinct (1), generated (1), depth (1)"
    assert agrees in first.stdout
    again = command.run("gate", "s.toml", "--second", "bundled", "--tla2tools", "bundled", cwd=tmp_path)
    assert "run to execute" not in again.stderr
    assert agrees in command.run("gate", "runs/s", cwd=tmp_path).stdout


def test_a_store_without_the_second_opinion_that_is_asked_is_red(tmp_path: Path) -> None:
    assert gate(tmp_path, "ImpliesEventually", "", "--tla2tools", "bundled").code == 0
    text = (tmp_path / "s.toml").read_text()
    (tmp_path / "s.toml").write_text(f'{text}[gate]\nsecond = "bundled"\n')
    red = command.run("gate", "runs/s", cwd=tmp_path, code=2)
    assert "second-broken: bundled cannot run the model: the store has no result of it" in red.stdout
    assert command.run("gate", "s.toml", "--tla2tools", "bundled", cwd=tmp_path).code == 0
    assert command.run("gate", "runs/s", cwd=tmp_path).code == 0


@pytest.mark.jars
@pytest.mark.parametrize(("name", "violated"), [("LevelBound", "Small"), ("ConstantLeadsTo", "Answered")])
def test_a_disagreement_names_the_fault(tmp_path: Path, newer_tlc: Path, name: str, violated: str) -> None:
    violated = f'[expect]\nviolates = ["{violated}"]\n'
    red = gate(tmp_path, name, violated, "--second", newer_tlc, "--tla2tools", "bundled", code=1)
    said = "second-differs: the two TLCs differ: verdict violated with TLC 2.15, holds with TLC 2.20"
    assert f"{said}; known: " in red.stdout
    assert said in command.run("gate", "runs/s", cwd=tmp_path, code=1).stdout


@pytest.mark.jars
def test_a_violation_that_tlc_may_have_made_up_is_suspect(tmp_path: Path, newer_tlc: Path) -> None:
    expected = '[expect]\nviolates = ["Ends"]\n'
    [decided] = gate(tmp_path, "ImpliesEventually", expected, "--tla2tools", newer_tlc, "--json").json
    [point] = decided["points"]
    assert (decided["exit_code"], point["verdict"], point["violated"]) == (0, "violated", ["Ends"])
    assert (point["suspect"], point["second"]) == (True, None)
    assert "1 point with a violation that may be none (1): suspect" in "\n".join(decided["notices"])
    view = open_view(tmp_path / "runs/s")
    assert [row.suspect for row in view.run_rows] == [True]
    assert [row["suspect"] for row in view.arrow("traces").to_pylist()] == [True]
    assert view.trace(1).suspect
    assert "suspect: neither lasso" in command.run("trace", "runs/s", "1", cwd=tmp_path).stdout
    module = ("check", "ImpliesEventually.tla", "--tla2tools", newer_tlc)
    assert "suspect: neither lasso" in command.run(*module, cwd=tmp_path).stdout
    checked = command.run(*module, "--json", cwd=tmp_path).json
    assert (checked["suspect"], checked["traces"][0]["suspect"]) == (True, True)
    second = ("--second", "bundled", "--tla2tools", newer_tlc, "--json")
    asked = gate(tmp_path, "ImpliesEventually", expected, *second)
    [point] = asked.json[0]["points"]
    assert (asked.code, point["second"]["agrees"], point["second"]["verdict"]) == (1, False, "holds")
    assert [each["reason"] for each in point["problems"]] == ["second-differs"]
    assert point["second"]["known"] == ["tlaplus#1037"]


def test_a_behaviour_that_goes_on_is_not_suspect() -> None:
    check = ("check", "ConstantLeadsTo.tla", "--tla2tools", "bundled", "--json")
    [trace] = command.run(*check, cwd=FAULTS).json["traces"]
    assert (trace["kind"], trace["stuttering"], trace["suspect"]) == ("temporal_property", True, False)
    made_up = next(each for each in FAULTS_KNOWN if each.code == "recurrence")
    assert made_up.fixed.replace("-", ".") == _MAKES_UP_NONE


@pytest.mark.jars
def test_a_second_tlc_that_cannot_run_the_model_is_an_error(tmp_path: Path, newer_tlc: Path) -> None:
    red = gate(tmp_path, "StateArgument", "", "--second", newer_tlc, "--tla2tools", "bundled", code=2)
    assert "second-broken: TLC 2.20" in red.stdout


def test_the_known_fault_alone_is_red_until_it_is_accepted(tmp_path: Path) -> None:
    holds = gate(tmp_path, "SharedExcept", "", "--tla2tools", "bundled", code=0)
    assert "accepted: jar-known-wrong" in holds.stdout
    text = (tmp_path / "s.toml").read_text().replace("jar-known-wrong", "never-enabled")
    (tmp_path / "s.toml").write_text(text)
    red = command.run("gate", "s.toml", "--tla2tools", "bundled", cwd=tmp_path, code=1)
    assert "finding: SharedExcept.tla:9:16: jar-known-wrong: " in red.stdout
    assert "tlaplus#1302" in command.run("gate", "runs/s", cwd=tmp_path).stdout


def test_a_second_jar_that_is_missing_is_told_by_what_names_it_before_anything_runs(tmp_path: Path) -> None:
    missing = str(tmp_path / "none.jar")
    for options, origin in (
        (("--second", missing), "--second"),
        (("--second", missing, "--tla2tools", "bundled"), "--second"),
    ):
        refused = gate(tmp_path, "ImpliesEventually", "", *options, code=2)
        assert refused.error.code == "jar-missing"
        assert f"(from {origin})" in refused.error.message
        assert "--tla2tools" not in str(refused.error)
    checked = command.run("check", "ImpliesEventually.tla", "--second", missing, cwd=tmp_path, code=2)
    assert (checked.error.code, "--tla2tools" in str(checked.error)) == ("jar-missing", False)
    assert "running TLC" not in checked.stderr
    in_file = gate(tmp_path, "ImpliesEventually", f'[gate]\nsecond = "{missing}"\n', code=2)
    assert "(from second under [gate])" in in_file.error.message
    assert not (tmp_path / "runs").exists()
