"""The level of every definition is the one that SANY gives it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from scripts.sany_agreement import Compared, compare, sany_answer
from tests.conftest import JARS, RunCli
from tla2py.tla.levels import Level
from tla2py.tla.parse import load_modules
from tla2py.tlc.tools.toolchain import find_toolchain

SPECS = Path(__file__).resolve().parent.parent / "specs" / "levels"
CASE = (
    "---- MODULE En ----\nEXTENDS Naturals\nVARIABLE x\nvars == <<x>>\nInit == x = 0\nUp == x < 3 /\\ x' = x + 1\n"
    "Can(A) == ENABLED <<A>>_vars\nInv == Can(Up) \\/ x = 3\nSpec == Init /\\ [][Up]_vars\n====\n"
)


def differences_from_sany(jar: Path | None) -> list[str]:
    compared = Compared()
    for file in (SPECS / "Levelled.tla", SPECS / "Timed.tla"):
        compare(file, file.name, sany_answer(file, [], find_toolchain(jar)), [], compared)
    assert compared.counts["definitions"] > 45
    return [text for _, text in compared.differences]


def test_levels_are_those_of_sany() -> None:
    assert differences_from_sany(None) == []
    spec = load_modules(SPECS / "Levelled.tla")
    names = ("Inv", "UpIsMixed", "ConstantEnabled", "StatefulCan", "InnerOfAction")
    levels = [spec.level(name) for name in names]
    assert levels == [Level.STATE, Level.ACTION, Level.STATE, Level.STATE, Level.CONSTANT]
    # SANY takes it that a recursive definition uses all its parameters.
    assert spec.level("UpCount") is Level.ACTION


@pytest.mark.jars
def test_levels_are_those_of_each_sany() -> None:
    for jar in JARS.values():
        assert differences_from_sany(jar) == [], jar


def test_an_enabled_parameter_makes_an_invariant_of_states(run_cli: RunCli, tmp_path: Path) -> None:
    (tmp_path / "En.tla").write_text(CASE)
    (tmp_path / "En.cfg").write_text("SPECIFICATION Spec\nINVARIANT Inv\nCHECK_DEADLOCK FALSE\n")
    found = run_cli("check", "En.tla", "--json", code=0).json
    assert (found["verdict"], found["distinct"]) == ("holds", 4)
    shutil.copytree(SPECS, tmp_path, dirs_exist_ok=True)
    model = ("--specification", "Spec", "--no-deadlock", "--invariant", "UpMixed", "--json")
    # TLC evaluates it: it is FALSE where x is 0, not an action that TLC refuses.
    assert run_cli("check", "Levelled.tla", *model, code=1).json["violated"] == [
        {"kind": "invariant", "name": "UpMixed"}
    ]
    action = run_cli("check", "Levelled.tla", "--specification", "Spec", "--invariant", "UpIsMixed")
    assert action.error.code == "invariant-level"
