"""Stores that are damaged or of another time, and one whose sweep is killed while it packs its records."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
import zipfile
from itertools import count
from pathlib import Path

import msgspec
import pytest

from tests.faults.scene import Like, Scene
from tests.integration.test_sweep import rows
from tests.stores import damage_record, loose_records, record_ids
from tests.unit.records import executed
from tests.unit.store.test_packs import CASES, read
from tests.unit.store.test_store import MANIFEST, POINTS
from tla2py.errors import StoreError
from tla2py.model.run import RunRecord
from tla2py.store.refresh import refresh_tables
from tla2py.store.store import Store

pytestmark = pytest.mark.faults


def copied(done: Scene, scene: Scene) -> Scene:
    shutil.copytree(done.store, scene.store)
    return scene


def test_a_packed_record_found_damaged_is_executed_again(own: Scene, like: Like) -> None:
    scene = copied(own, like(own))
    before = scene.records()
    damage_record(scene.store, min(before))
    # What was derived before stays, and its readers do not end the doubt.
    view = (rows(scene.store, "runs"), rows(scene.store, "states"))
    with pytest.raises(StoreError, match="not a complete record") as raised, Store(scene.store).lock():
        refresh_tables(Store(scene.store), anew=True)
    assert raised.value.code == "record-damaged"
    with Store(scene.store).lock():
        refresh_tables(Store(scene.store))
    assert (rows(scene.store, "runs"), rows(scene.store, "states")) == view
    assert scene.run() == 1
    assert "1 run to execute" in scene.stderr
    with Store(scene.store).lock():
        refresh_tables(Store(scene.store), anew=True)
    # The pack still has the damaged record, which no longer counts.
    scene.check_rows(own.store)


@pytest.mark.long
@pytest.mark.parametrize("seconds", [-40 * 365 * 86400, 70 * 365 * 86400], ids=["back", "ahead"])
def test_a_clock_that_jumps(seconds: int, own: Scene, like: Like) -> None:
    scene = copied(own, like(own))
    then = time.time() + seconds
    # Half of the records are of another time, by their files and by what is in them.
    for file in loose_records(scene.store)[::2]:
        move_in_time(file, then)
    for file in [*scene.store.rglob("*.tla"), *scene.store.rglob("*.parquet"), scene.store / "store.json"]:
        os.utime(file, (then, then))
    before = scene.records()
    assert scene.run() == 1
    assert (len(before), scene.executed_since(before)) == (4, 0)
    scene.check(own.store, code=1, again=0)


def move_in_time(file: Path, then: float) -> None:
    """A record as if its run had begun and its file had been written at another time."""
    started = time.strftime("%Y-%m-%dT%H:%M:%S.000+00:00", time.gmtime(then))
    with zipfile.ZipFile(file) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    record = msgspec.json.decode(parts["record.json"], type=RunRecord)
    facts = msgspec.to_builtins(record)
    for execution in facts["executions"]:
        execution["started_at"] = started
    parts["record.json"] = msgspec.json.encode(facts)
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in parts.items():
            archive.writestr(name, data)
    os.utime(file, (then, then))


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
