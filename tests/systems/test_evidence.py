"""Evidence of each of the systems, verified in another folder; gate/test_evidence.py has what is refused."""

from __future__ import annotations

import getpass
import re
import shutil
import socket
import zipfile
from pathlib import Path

import pytest

from tests.conftest import RunCli
from tests.systems.rows import SPECS

pytestmark = pytest.mark.systems

# Small points of the systems' sweeps: one that is excluded, one with a counterexample, a lasso, symmetry and a view.
POINTS = {
    "bookkeeper/sweep.toml": "1-3",
    "compaction/liveness.toml": "1,9",
    "kafka_transactions/identity.toml": "1",
    "kip320/variants.toml": "1,9",
    "ledger_chaining/sweep.toml": "1",
}


@pytest.mark.parametrize("sweep", POINTS)
def test_evidence_of_a_system(run_cli: RunCli, tmp_path: Path, sweep: str) -> None:
    store, pack = tmp_path / "store", tmp_path / "pack.zip"
    asked = ("--points", POINTS[sweep], "-o", store, "--executor", "local", "--no-why")
    run_cli("sweep", SPECS / sweep, *asked, code=0)
    assert run_cli("evidence", store, "-o", pack).code == 0
    shutil.rmtree(store)
    here = tmp_path / "auditor"
    here.mkdir()
    shutil.move(pack, here / "given.zip")
    verified = run_cli("evidence", "verify", "given.zip", "--sample", "2", cwd=here, code=0)
    assert re.search(r"(\d) of \d points? repeated: \1 the same$", verified.stdout.rstrip())
    with zipfile.ZipFile(here / "given.zip") as archive:
        texts = {name: archive.read(name).decode() for name in archive.namelist()}
    places = (str(tmp_path), str(SPECS), str(Path.home()), "/tmp/", "/home/", "/usr/")
    names = rf"\b({re.escape(getpass.getuser())}|{re.escape(socket.gethostname())})\b"
    for name, text in texts.items():
        assert [each for each in places if each in text] == [], name
        # The texts of modules are their authors'.
        assert name.startswith("sources/") or re.search(names, text) is None, name
