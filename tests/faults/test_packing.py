"""A sweep that is killed while it packs its records."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from itertools import count
from pathlib import Path

import pytest

from tests.conftest import RunCli, spec
from tests.stores import record_ids
from tests.unit.records import executed
from tests.unit.store.test_packs import CASES, read
from tests.unit.store.test_store import MANIFEST, POINTS
from tla2py.store.store import Store

pytestmark = pytest.mark.faults


# Kills itself before the next of so many renames and removals.
PACK = """
import os, signal, sys
from tla2py.store import pack
from tla2py.store.store import Store

pack._MOST_PACKS = 7
left = int(sys.argv[2])

def step(event, arguments):
    global left
    if event in ("os.rename", "os.remove"):
        if not left:
            os.kill(os.getpid(), signal.SIGKILL)
        left -= 1

store = Store(sys.argv[1])
with store.lock():
    sys.addaudithook(step)
    store.pack()
    left = 1000
"""


def test_a_kill_while_records_are_packed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tla2py.store.pack._MOST_PACKS", 7)
    store = Store.create(tmp_path / "store")
    store.write_manifest(MANIFEST, POINTS, {})
    for generation in range(1, 9):
        # Of the first run the last record counts.
        for number, case in ((0, CASES[generation % 3]), (generation, "success")):
            run = executed(tmp_path / f"streams-{generation}", f"{number:032}", case)
            store.write_record(run)
        if generation < 8:
            store.pack()
    before = record_ids(store.path), read(store)
    assert len(store.record_ids().packs) == 7
    for steps in count():
        copy = shutil.copytree(store.path, tmp_path / f"copy-{steps}")
        ended = subprocess.run([sys.executable, "-c", PACK, str(copy), str(steps)], check=False)
        assert (record_ids(copy), read(Store(copy))) == before
        with Store(copy).lock():
            Store(copy).pack()
        assert (record_ids(copy), read(Store(copy))) == before
        assert not Store(copy).record_ids().loose
        assert len([*copy.glob("records/*.parquet")]) == len([*copy.glob("records/*.zip")])
        assert not [*copy.rglob(".tmp-*")]
        if not ended.returncode:
            assert len(Store(copy).record_ids().packs) == 1
            break
        assert ended.returncode == -9
    assert steps > 20


SWEEP = """\
module = "Endless.tla"
[logs]
files = ["log.ndjson"]
unobserved = { steps = 1000000000, actions = ["Count"] }
[tlc]
timeout = "40s"
"""


def test_a_log_that_explodes_tells_how_far_it_came(run_cli: RunCli, tmp_path: Path) -> None:
    # The third line never comes about, and before it the specification counts on and on.
    (tmp_path / "Endless.tla").write_text(spec("logs/Endless"))
    lines = [{"action": "Step", "state": {"x": x}} for x in (1, 2, 4)]
    (tmp_path / "log.ndjson").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    (tmp_path / "sweep.toml").write_text(SWEEP)
    ended = run_cli("validate", tmp_path / "sweep.toml", "--json")
    (row,) = ended.json
    assert ended.code == 3
    assert (row["verdict"], row["matched"], row["first_unmatched"]) == ("inconclusive", 2, None)
