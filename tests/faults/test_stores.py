"""Stores that are damaged or of another time."""

from __future__ import annotations

import os
import shutil
import time
import zipfile
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from tests.faults.scene import Scene
from tests.integration.test_sweep import rows
from tests.stores import damage_record, loose_records
from tla2py.errors import StoreError
from tla2py.model.run import RunRecord
from tla2py.store.store import Store
from tla2py.store.write import refresh_tables

pytestmark = pytest.mark.faults

Like = Callable[[Scene], Scene]


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
