"""The users and the walls of the attacks."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.integration.walls.attacker import GRADES, USERS, Attacker, without_bubblewrap


@pytest.fixture(params=USERS if os.geteuid() == 0 else ["user"])
def user(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(params=GRADES)
def attacker(
    request: pytest.FixtureRequest, user: str, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Attacker]:
    """Each user, with bubblewrap where it is installed and without it."""
    # Pytest's own folders can be entered by one user only.
    base = Path(tempfile.mkdtemp(prefix="tla2py-walls-", dir=os.path.realpath("/tmp")))
    base.chmod(0o777)
    if os.geteuid() != 0:
        monkeypatch.setitem(USERS, "user", ())
    path = without_bubblewrap(base / "bin") if request.param == "kernel" else os.environ["PATH"]
    try:
        yield Attacker(user, request.param, base, path)
    finally:
        shutil.rmtree(base)
