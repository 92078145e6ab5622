"""A new translation of an algorithm that has not the fairness of the one in the file."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.conftest import RunCli
from tla2py.tlc.tools.toolchain import find_toolchain

FLIP = """---- MODULE Flip ----
EXTENDS Naturals
(* --algorithm Flip {
variables x = 0;
PROCESS { l: while (TRUE) { x := 1 - x } }
} *)
Returns == []<>(x = 1)
====
"""


@pytest.mark.parametrize(
    ("process", "option", "lost"),
    [
        ("process (p = 1)", "-wf", True),
        ("fair process (p = 1)", "-wf", False),
        ("process (p = 1)", "-nof", False),
    ],
)
def test_fairness_that_a_new_translation_lacks_is_named(
    run_cli: RunCli, newer_tlc: Path, tmp_path: Path, process: str, option: str, lost: bool
) -> None:
    file = tmp_path / "Flip.tla"
    file.write_text(FLIP.replace("PROCESS", process))
    java = find_toolchain(newer_tlc).java.path
    subprocess.run(
        [java, "-cp", newer_tlc, "pcal.trans", "-nocfg", option, file.name], cwd=tmp_path, check=True
    )
    # The algorithm changes after its translation.
    file.write_text(file.read_text().replace("variables x = 0;", "variables x = 1;"))
    model = ("--specification", "Spec", "--property", "Returns", "--tla2tools", str(newer_tlc))
    ended = run_cli("check", "Flip.tla", *model, "--no-why", cwd=tmp_path)
    assert "TLC gets a copy with a new translation" in ended.stderr
    assert ("the Spec in the file has fairness, which the new one lacks" in ended.stderr) is lost
