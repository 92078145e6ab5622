"""The module Lift in a folder: as it is, and run and locked."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import RunCli
from tests.integration.gate.lift import LIFT, NO_CI, SWEEP, Folder


@pytest.fixture(scope="session")
def gated_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which the sweep was gated and locked, actions counted, to be copied."""
    folder = tmp_path_factory.mktemp("gated")
    (folder / "Lift.tla").write_text(LIFT)
    (folder / "sweep.toml").write_text(SWEEP)
    command = ["gate", "sweep.toml", "-o", "store", "--executor", "local", "--record", "--coverage"]
    environment = {name: value for name, value in os.environ.items() if name not in NO_CI}
    done = subprocess.run(
        [sys.executable, "-m", "tla2py", *command],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout + done.stderr
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
