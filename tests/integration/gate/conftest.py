"""The module Lift in a folder: as it is, and run and locked."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests import command
from tests.conftest import RunCli
from tests.integration.gate.lift import LIFT, NO_CI, SWEEP, Folder


@pytest.fixture(scope="session")
def gated_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which the sweep was gated and locked, actions counted, to be copied."""
    folder = tmp_path_factory.mktemp("gated")
    (folder / "Lift.tla").write_text(LIFT)
    (folder / "sweep.toml").write_text(SWEEP)
    gate = ("gate", "sweep.toml", "-o", "store", "--executor", "local", "--record", "--coverage")
    command.run(*gate, cwd=folder, env=NO_CI, code=0)
    return folder


@pytest.fixture
def folder(tmp_path: Path, run_cli: RunCli) -> Folder:
    """The module and the sweep file, nothing run yet."""
    return Folder(tmp_path, run_cli)


@pytest.fixture
def locked(gated_once: Path, tmp_path: Path, run_cli: RunCli) -> Folder:
    """The same, run and locked."""
    here = tmp_path / "locked"
    shutil.copytree(gated_once, here)
    return Folder(here, run_cli)
