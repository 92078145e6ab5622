"""Each of the systems at a small size: gated and locked, then broken."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from tests.conftest import RunCli
from tests.integration.gate.lift import NO_CI
from tests.systems.rows import SPECS

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
