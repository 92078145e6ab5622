"""Mutants in a gate: survivors are locked, new ones are drift, and accepted ones have a reason."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from tests.conftest import RunCli
from tests.integration.gate.lift import NO_CI
from tla2py.toml import loads

MIRROR = r"""---- MODULE Mirror ----
EXTENDS Naturals
CONSTANT N
VARIABLES x, y
Init == x = 0 /\ y = 0
Up == /\ x < N
      /\ x' = x + 1
      /\ y' = x + 1
Back == /\ x = N
        /\ x' = 0
        /\ y' = 0
Spec == Init /\ [][Up \/ Back]_<<x, y>>
Same == x = y
Small == x <= N
====
"""
SWEEP = """\
module = "Mirror.tla"
[model]
invariants = ["Same"]
[parameters]
N = [1, 2]
[tlc]
memory = "256MiB"
[mutation]
operators = ["drop-update"]
points = [1]
"""


def test_survivors_are_gated(run_cli: RunCli, tmp_path: Path) -> None:
    (tmp_path / "Mirror.tla").write_text(MIRROR)
    sweep, junit = tmp_path / "sweep.toml", tmp_path / "junit.xml"
    sweep.write_text(SWEEP)
    plain = ("--no-vacuity", "--no-coverage")
    gate = ("gate", sweep, "-o", tmp_path / "store", "--executor", "local", *plain)
    assert "4 of 4 mutants killed, 0 survive" in run_cli(*gate, "--record", env=NO_CI, code=0).stdout
    lock = tmp_path / "sweep.lock"
    assert loads(lock.read_text())["survivors"] == {}
    # A weaker check notices none of them.
    sweep.write_text(SWEEP.replace('"Same"', '"Small"'))
    run_cli(*gate, "--junit", junit, env=NO_CI, code=1)
    found = re.findall(r"no check notices the change (\w+), drop-update: (.*?) \[(\w+)\]", junit.read_text())
    assert {
        (definition, change.replace("&apos;", "'").replace("&gt;", ">")) for definition, change, _ in found
    } == {
        ("Up", "x' = x + 1 -> x' = x"),
        ("Up", "y' = x + 1 -> y' = y"),
        ("Back", "x' = 0 -> x' = x"),
        ("Back", "y' = 0 -> y' = y"),
    }
    mutant = found[0][2]
    accepted = (
        SWEEP.replace('"Same"', '"Small"') + f'[mutation.accept]\n{mutant} = "on purpose"\nnone = "old"\n'
    )
    sweep.write_text(accepted)
    updated = run_cli(*gate, "--update", env=NO_CI, code=0)
    assert f"accepted survivor {mutant}: on purpose" in updated.stdout
    assert "none is accepted, but does not survive" in updated.stdout
    assert loads(lock.read_text())["survivors"].keys() == {name for *_, name in found} - {mutant}
    # A store is judged by the mutants beside it.
    run_cli("gate", str(tmp_path / "store"), *plain, env=NO_CI, code=0)
    shutil.rmtree(tmp_path / "store-mutants")
    missing = run_cli("gate", str(tmp_path / "store"), *plain, env=NO_CI, code=2)
    assert "mutants of the specification have not run" in missing.stdout
