"""The committed script and style of the explorer are those that its sources give."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

pytestmark = pytest.mark.long

ROOT = Path(__file__).resolve().parent.parent.parent
BUNDLE = ROOT / "tla2py" / "view" / "bundle"


def test_building_it_anew_gives_the_same_bytes(tmp_path: Path) -> None:
    node = ROOT / ".venv" / "web" / "bin" / "node"
    subprocess.run([node, "build.mjs", tmp_path], cwd=ROOT / "web", check=True)
    built = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert built == {path.name: path.read_bytes() for path in BUNDLE.iterdir()}
