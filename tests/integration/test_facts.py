"""Named theorems and assumptions in expressions: they depend on what their formulas depend on."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import SPECS, RunCli
from tla2py.tla.levels import Level
from tla2py.tla.parse import load_modules

FACTS = SPECS / "facts" / "Facts.tla"
INVARIANTS = ("ByTheorem", "ByLemma", "ByParameter", "ByAssumption")
BEHAVIOUR = "CONSTANT N = 4\nINIT Init\nNEXT Next\n"


def write_config(folder: Path, invariant: str) -> Path:
    path = folder / f"{invariant}.cfg"
    path.write_text(f"{BEHAVIOUR}INVARIANT {invariant}\n")
    return path


def test_the_level_of_a_fact_is_that_of_its_formula() -> None:
    spec = load_modules(FACTS)
    levels = {name: spec.level(name) for name in (*INVARIANTS, "OfConstants")}
    assert levels == {**dict.fromkeys(INVARIANTS, Level.STATE), "OfConstants": Level.CONSTANT}
    assert spec.level("Steps") is Level.TEMPORAL


def test_a_fact_is_no_candidate_because_tlc_refuses_it_in_a_config(run_cli: RunCli, tmp_path: Path) -> None:
    spec = load_modules(FACTS)
    assert set(spec.candidates.invariants) == set(INVARIANTS)
    assert "Bound" not in spec.definitions
    linted = run_cli("lint", write_config(tmp_path, "Bound"), FACTS, code=1)
    assert "unknown-definition" in linted.stdout


def test_init_proposes_no_theorem(run_cli: RunCli, tmp_path: Path) -> None:
    module = tmp_path / "Th.tla"
    module.write_text(
        "---- MODULE Th ----\nEXTENDS Naturals\nVARIABLE x\nInit == x = 0\nNext == x' = (x + 1) % 5\n"
        "THEOREM Bound == x \\in 0..3\nInv == Bound\n====\n"
    )
    assert "Bound" not in run_cli("init", module, code=0).stdout


@pytest.mark.jars
@pytest.mark.parametrize("invariant", INVARIANTS)
def test_an_invariant_by_a_fact_depends_on_the_state(
    run_cli: RunCli, tmp_path: Path, jar: Path, invariant: str
) -> None:
    config = write_config(tmp_path, invariant)
    checked = run_cli("check", FACTS, "--config", config, "--tla2tools", jar, "--json", code=1)
    assert checked.json["violated"] == [{"kind": "invariant", "name": invariant}]
    assert checked.json["trace_length"] == 5
    assert "constant-check" not in checked.stderr
