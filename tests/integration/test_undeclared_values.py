"""Questions about a trace where the config gives values to names that the module does not declare: ``p1 = p1``."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import RunCli

MODULE = r"""---- MODULE Old ----
EXTENDS Naturals
CONSTANT Procs
VARIABLE x
None == CHOOSE n : n \notin Procs
Init == x = [p \in Procs |-> 0]
Step(p) == x[p] < 3 /\ x' = [x EXCEPT ![p] = @ + 1]
Lose == x[CHOOSE p \in Procs : TRUE] = 1 /\ x' = [p \in Procs \cup {None} |-> 5]
Next == (\E p \in Procs : Step(p)) \/ Lose
Inv == \A p \in DOMAIN x : x[p] < 2
====
"""
HEAD = "INIT Init\nNEXT Next\nINVARIANT Inv\nCONSTANTS\nProcs = {p1, p2}\nNone = None\n"


@pytest.mark.parametrize("bindings", ["p1 = p1\np2 = p2\n", "p2 = p2\n"], ids=["all", "some"])
def test_why_and_verify(run_cli: RunCli, tmp_path: Path, bindings: str) -> None:
    folder, store = tmp_path / "model", tmp_path / "store"
    folder.mkdir()
    (folder / "Old.tla").write_text(MODULE)
    (folder / "Old.cfg").write_text(HEAD + bindings)
    run_cli("sweep", folder, "-o", store, code=1)
    explained = run_cli("trace", store, "1", "--why", code=0).stdout
    assert "no cause found" not in explained
    assert "Inv" in explained
    run_cli("trace", store, "1", "--verify", code=0)
