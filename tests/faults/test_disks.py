"""Disks that are full or turn read-only, and runs that write more than they may."""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import spec
from tests.faults.disk import small_disk
from tests.faults.scene import OWN, Scene
from tests.integration.test_sweep import rows
from tests.stores import record_ids

pytestmark = pytest.mark.faults

Like = Callable[[Scene], Scene]


def wide(base: Path, specification: str, values: str, more: str) -> Scene:
    """A sweep whose points write as much as they are large."""
    base.mkdir()
    (base / "Wide.tla").write_text(spec("large/Wide"))
    (base / "sweep.toml").write_text(
        f'module = "Wide.tla"\n[model]\nspecification = "{specification}"\ninvariants = ["Fine"]\n'
        f"check_deadlock = false\n[parameters]\nMax = {values}\n[tlc]\nwarm = false\n{more}\n"
    )
    return Scene(base=base / "scene", sweep=base / "sweep.toml")


@pytest.mark.long
def test_a_full_disk_where_tlc_works(tmp_path: Path) -> None:
    reference = wide(tmp_path / "reference", "Walk", "[1, 500]", 'disk = "1GiB"')
    assert reference.run() == 0, reference.stderr
    scene = wide(tmp_path / "full", "Walk", "[1, 500]", 'disk = "1GiB"')
    with small_disk(tmp_path / "disk", "3m") as disk:
        scene.env = {"TMPDIR": str(disk.folder)}
        scene.prefix = disk.prefix
        assert scene.run() == 2
        error = scene.error
        assert error.code == "disk-full"
        assert str(disk.folder) in error.message
        assert "TMPDIR" in str(error.hint)
        # What is recorded is the small point, and nothing of the large one, which has no answer.
        assert [row["outcome"] for row in rows(scene.store, "runs")] == ["success"]
        assert not [*disk.seen.iterdir()]
        disk.grow("64m")
        scene.check(reference.store, again=1)
        assert not [*disk.seen.iterdir()]


def test_a_full_disk_where_the_store_is(own: Scene, tmp_path: Path) -> None:
    scene = Scene(base=tmp_path / "scene", sweep=own.sweep)
    with small_disk(tmp_path / "disk", "20k") as disk:
        scene.prefix = disk.prefix
        scene.store = disk.folder / "store"
        assert scene.run() == 2
        error = scene.error
        assert error.code == "store-unwritable"
        assert all(each in error.message for each in (str(scene.store), os.strerror(errno.ENOSPC)))
        seen = disk.seen / "store"
        kept = record_ids(seen)
        disk.grow("8m")
        assert scene.run() == 1
        assert len(kept) < 4
        assert len(record_ids(seen)) == 4
        assert kept.items() <= record_ids(seen).items()
        shutil.copytree(seen, tmp_path / "scene" / "copy")
    scene.prefix, scene.store = (), tmp_path / "scene" / "copy"
    scene.check(own.store, code=1, again=0)


@pytest.mark.long
def test_a_store_that_turns_read_only(own: Scene, tmp_path: Path) -> None:
    scene = Scene(base=tmp_path / "scene", sweep=own.sweep)
    with small_disk(tmp_path / "disk", "8m") as disk:
        scene.prefix = disk.prefix
        scene.store = disk.folder / "store"
        driver = scene.start()
        hung = scene.victim(driver, OWN)
        hung.suspend()
        disk.turn_read_only(scene.store)
        hung.resume()
        assert driver.wait(timeout=300) == 2
        error = scene.error
        assert error.code == "store-unwritable"
        assert all(each in error.message for each in (str(scene.store), os.strerror(errno.EROFS)))
        # As long as it lasts, it is the same each time.
        assert (scene.run(), scene.error.code) == (2, error.code)
        disk.turn_back(scene.store)
        assert scene.run() == 1
        shutil.copytree(disk.seen / "store", tmp_path / "scene" / "copy")
    scene.prefix, scene.store = (), tmp_path / "scene" / "copy"
    scene.check(own.store, code=1, again=0)


@pytest.mark.long
def test_a_run_that_writes_more_than_it_may(tmp_path: Path) -> None:
    scene = wide(tmp_path / "much", "Talk", "[1]", 'disk = "3MiB"')
    assert scene.run() == 3, scene.stderr
    (row,) = rows(scene.store, "runs")
    assert (row["outcome"], row["termination_reason"]) == ("out_of_disk", "disk")
    assert row["disk_bytes"] == 3 * 1024**2
    scene.check_clean()
    # With no more than that it is no use to try again, with more it is.
    before = scene.records()
    assert (scene.run(), scene.executed_since(before)) == (3, 0)
    text = scene.sweep.read_text()
    scene.sweep.write_text(text.replace("3MiB", "4MiB"))
    before = scene.records()
    assert (scene.run(), scene.executed_since(before)) == (3, 1)


@pytest.mark.long
def test_a_run_takes_no_more_than_a_share_of_what_is_free(tmp_path: Path) -> None:
    scene = wide(tmp_path / "share", "Talk", "[1]", "")
    with small_disk(tmp_path / "disk", "12m") as disk:
        scene.env = {"TMPDIR": str(disk.folder)}
        scene.prefix = disk.prefix
        assert scene.run() == 3, scene.stderr
    (row,) = rows(scene.store, "runs")
    assert (row["outcome"], row["disk_bytes"]) == ("out_of_disk", None)
    scene.check_clean()
