"""The end of a PlusCal algorithm, which TLC reports as a deadlock."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import RunCli

pytestmark = pytest.mark.java

# Without its last disjunct the translation has no step after the end.
ALGORITHM = """---- MODULE Ends ----
\\* PlusCal options (-noDoneDisjunct)
EXTENDS Naturals
(* --algorithm ends
variables n = 0;
{declaration}
begin
  L: {statement};
{end}
end algorithm; *)
====
"""
ALONE = {"declaration": "", "statement": "n := 1", "end": ""}
TWO = {"declaration": "process p \\in {4, 7}", "statement": "n := n + 1", "end": "end process"}
STUCK = {**TWO, "statement": "await n = 0; n := 1"}
HINT = "check_deadlock = false"


@pytest.mark.parametrize(("parts", "ends"), [(ALONE, True), (TWO, True), (STUCK, False)])
def test_only_a_termination_suggests_to_allow_deadlock(
    run_cli: RunCli, tmp_path: Path, parts: dict[str, str], ends: bool
) -> None:
    module = tmp_path / "Ends.tla"
    module.write_text(ALGORITHM.format(**parts))
    sweep = tmp_path / "sweep.toml"
    sweep.write_text('module = "Ends.tla"\n')

    checked = run_cli("check", module)
    swept = run_cli("sweep", sweep, "--executor", "local")

    for ended in (checked, swept):
        assert ended.code == 1
        assert "deadlock" in ended.stdout
        assert (HINT in " ".join(ended.stdout.split())) is ends

    sweep.write_text('module = "Ends.tla"\n[model]\ncheck_deadlock = false\n')
    assert run_cli("sweep", sweep, "--executor", "local").code == 0
