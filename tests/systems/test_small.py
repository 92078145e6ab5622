"""Each of the systems at a small size: gated and locked, then broken; and covered by as few behaviours as there can be."""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path

import pytest

import tla2py
from tests import command
from tests.conftest import RunCli
from tests.integration.gate.lift import NO_CI
from tests.systems.rows import SPECS
from tla2py.cases.cover import CoverOptions, make_cover
from tla2py.cases.graph import read_graph

pytestmark = pytest.mark.systems

# Their sweep files, by system.
SYSTEMS = {path.stem: path.read_text("utf-8") for path in sorted(Path(__file__).parent.glob("small/*.toml"))}


@pytest.mark.parametrize("name", SYSTEMS)
def test_green_and_without_an_invariant_red(name: str, tmp_path: Path, run_cli: RunCli) -> None:
    for folder in (name, "lib"):
        shutil.copytree(SPECS / folder, tmp_path / folder)
    sweep = tmp_path / name / "gate.toml"
    sweep.write_text(SYSTEMS[name])

    def gate(code: int, *options: str) -> str:
        asked = ("gate", "gate.toml", "-o", "store", "--executor", "local", *options)
        done = run_cli(*asked, cwd=sweep.parent, env=NO_CI, code=code)
        return " ".join((done.stdout + done.stderr).split())

    gate(0, "--record")
    said = gate(0)
    assert "green gate 1 point, as expected" in said
    assert "nothing to run" in said
    first = re.findall(r'invariants = \["(\w+)", ', SYSTEMS[name])[0]
    sweep.write_text(SYSTEMS[name].replace(f'"{first}", ', "", 1))
    assert f"drift: no longer checks the invariant {first}" in gate(1)


def graph_store(folder: Path, name: str, values: tuple[str, str] = ("", "")) -> Path:
    """The store of a system's small model with its graph, without invariants; the values in the place of others."""
    text = SYSTEMS[name].replace('module = "', f'name = "{name}"\nmodule = "{SPECS / name}/')
    text = re.sub(
        r"tlc = .*\nexpect = .*\n", "tlc = { graph = true }\n", text.replace("../lib", str(SPECS / "lib"))
    )
    (folder / "s.toml").write_text(re.sub(r", invariants = \[.*?\]", "", text).replace(*values))
    command.run("sweep", "s.toml", "--executor", "local", "-o", "store", "--no-lint", cwd=folder, code=0)
    return folder / "store"


@pytest.mark.parametrize("name", SYSTEMS)
def test_a_cover_of_a_system_is_complete_and_small(name: str, tmp_path: Path) -> None:
    graph = read_graph(tla2py.open_store(graph_store(tmp_path, name)), None)
    exact = make_cover(graph, CoverOptions())
    greedy = make_cover(graph, CoverOptions(longest=10**9))
    for cover in (exact, greedy):
        assert {step for each in cover.behaviours for step in each.steps} == set(range(len(graph.sources)))
    assert exact.least == greedy.least == len(exact.behaviours)
    assert len(greedy.behaviours) <= 1.1 * len(exact.behaviours)


INPUTS = "RMPrepare,RMChooseToAbort,RMRcvCommitMsg,RMRcvAbortMsg,TMRcvPrepared"


def test_the_processes_of_two_phase_commit_are_driven(tmp_path: Path, run_cli: RunCli) -> None:
    store = graph_store(tmp_path, "two_phase", ('"{rm1, rm2}"', '\'{"rm1", "rm2"}\''))
    program = SPECS / "two_phase" / "driven.py"
    for bug, code in (([], 0), (["--bug"], 1)):
        asked = ("drive", store, "--arguments", "--cover", "states", "--inputs", INPUTS)
        done = run_cli(*asked, "--", sys.executable, program, *bug, code=code)
        assert ("specification allows" in done.stdout) == bool(code)
    assert 'tmState is "committed", and the specification allows "init"' in done.stdout
