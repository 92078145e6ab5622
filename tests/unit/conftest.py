"""Sweeps over small modules, loaded without running anything."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import COUNTER, spec
from tla2py.sweep.load import load_sweep
from tla2py.sweep.sweep import Sweep

BOX = spec("sweep/Box")

LoadSweep = Callable[[str], Sweep]


@pytest.fixture
def load(tmp_path: Path) -> LoadSweep:
    """``load(text)`` is the sweep of a sweep file beside the modules Counter and Box."""
    (tmp_path / "Counter.tla").write_text(COUNTER)
    (tmp_path / "Box.tla").write_text(BOX)

    def load(text: str) -> Sweep:
        path = tmp_path / "sweep.toml"
        path.write_text(text)
        return load_sweep(path)

    return load
