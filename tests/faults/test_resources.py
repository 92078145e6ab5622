"""What a run may take: memory, disk and time, as many runs at once as fit the machine; disks that are full or turn read-only."""

from __future__ import annotations

import errno
import json
import os
import re
import shutil
import time
from pathlib import Path

import pytest

from tests.conftest import RunCli, spec
from tests.faults.disk import small_disk
from tests.faults.scene import OWN, Like, Scene, patience
from tests.integration.test_sweep import rows
from tests.raising import raises
from tests.stores import record_ids
from tla2py.errors import InputError
from tla2py.execution.executor import fitting_slots
from tla2py.store.store import Store
from tla2py.tlc.process.bubblewrap import DiskQuota, is_full, reports_full_disk
from tla2py.tlc.process.os_facts import Machine, this_machine

pytestmark = pytest.mark.faults

GIB = 1024**3


def test_slots_are_as_many_as_fit_the_memory() -> None:
    machine = Machine(memory_bytes=8 * GIB, cores=8, limited=False)
    assert [fitting_slots(8, size * GIB, machine) for size in (1, 2, 3, 8)] == [8, 4, 2, 1]
    container = Machine(memory_bytes=8 * GIB, cores=8, limited=True)
    refused = raises(InputError, fitting_slots, 1, 9 * GIB, container, match=r"9 GiB, but .* 8 GiB")
    assert refused.code == "too-little-memory"
    assert refused.hint is not None
    assert 'memory = "6553MiB"' in refused.hint


@pytest.mark.parametrize("executor", ["local", pytest.param("spark", marks=pytest.mark.long)])
def test_a_sweep_that_does_not_fit_says_so(executor: str, run_cli: RunCli, tiny_sweep: Path) -> None:
    machine = this_machine().memory_bytes
    sweep = ("sweep", "sweep.toml", "--executor", executor)
    ended = run_cli(*sweep, "--memory", str(machine + 1), code=2)
    assert ended.error.code == "too-little-memory"
    assert "Traceback" not in ended.stderr
    fits = run_cli(*sweep, "--memory", str(machine * 2 // 3), code=1)
    assert "1 run at once, since each may take" in fits.stderr
    assert "3/3 done" in fits.stderr
    if executor == "spark":
        # What is there already takes no memory.
        assert run_cli(*sweep, "--memory", str(machine + 1)).code == 1


def test_heap_and_direct_memory_are_within_the_limit(own: Scene) -> None:
    seen = []
    for run_id in record_ids(own.store):
        with Store(own.store).archive(run_id) as archive, archive.stdout(1) as lines:
            memory = archive.record.limits.memory_bytes // 1024**2
            found = re.search(rb"with (\d+)MB heap and (\d+)MB offheap memory", b"".join(lines))
            assert found
            heap, direct = int(found[1]), int(found[2])
            assert heap + direct < memory
            seen.append((heap, direct))
            assert f"-XX:MaxDirectMemorySize={direct}m" in archive.record.executions[0].argv
    assert len(seen) == 4


@pytest.mark.long
def test_a_run_leaves_nothing_as_soon_as_it_is_over(own: Scene, like: Like) -> None:
    scene = like(own)
    driver = scene.start()
    hung = scene.victim(driver, OWN)
    hung.suspend()
    # The sweep's own folder, and that of the one that goes on, with TLC's states.
    scene.await_records(3)
    deadline = time.monotonic() + patience(90)
    while len([*scene.scratch.iterdir()]) > 2:
        assert time.monotonic() < deadline, scene.stderr
        time.sleep(0.01)
    hung.resume()
    assert driver.wait(timeout=300) == 1
    scene.check(own.store, code=1, again=0)


def test_a_full_disk_is_measured_and_told(tmp_path: Path) -> None:
    (tmp_path / "input").write_bytes(b"x" * 300_000)  # is there before the run
    little, enough = DiskQuota(tmp_path, 400_000, 1), DiskQuota(tmp_path, 800_000, 1)
    (tmp_path / "states" / "deep").mkdir(parents=True)
    (tmp_path / "states" / "deep" / "queue").write_bytes(b"x" * 300_000)
    (tmp_path / "states" / "gone").symlink_to("nowhere")
    (tmp_path / "stdout.txt").write_bytes(b"x" * 300_000)
    assert little.look() is None  # it was a moment ago
    time.sleep(0.6)
    assert (little.look(), enough.look()) == ("disk", None)
    assert not is_full(tmp_path)
    assert not is_full(tmp_path / "gone")
    (tmp_path / "stdout.txt").write_text("Error: ... (No space left on device)\n" + "more\n" * 100)
    (tmp_path / "stderr.txt").write_text("")
    assert reports_full_disk(tmp_path)
    (tmp_path / "stdout.txt").write_text("all is well\n")
    assert not reports_full_disk(tmp_path)
    (tmp_path / "stderr.txt").write_text("java.io.IOException: Disk quota exceeded\n")
    assert reports_full_disk(tmp_path)


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
    # The run is repeated only with a larger limit.
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


UNEXPLAINED = "SELECT says FROM because WHERE rank IS NULL"
EXPLAINED = "SELECT says FROM because WHERE rank = 1"


def test_what_a_full_disk_left_unexplained_is_explained_later(run_cli: RunCli, tmp_path: Path) -> None:
    file, store, junit = tmp_path / "sweep.toml", tmp_path / "store", tmp_path / "junit.xml"
    (tmp_path / "Ring.tla").write_text(spec("Ring"))
    constants = '[constants]\nNodes = "{1, 2}"\nBroken = "\\"stop\\""\n'
    file.write_text(f'module = "Ring.tla"\n{constants}')
    sweep = ("sweep", file, "-o", store, "--executor", "local")
    run_cli(*sweep, "--no-why", code=1)
    with small_disk(tmp_path / "disk", "64k") as disk:
        # Python takes the folder as long as a small file fits.
        (disk.seen / "filler").write_bytes(b"x" * 40_000)
        full = {"TMPDIR": str(disk.folder)}
        run_cli(*sweep, prefix=tuple(disk.prefix), env=full, code=1)
        gate = ("gate", file, "-o", store, "--junit", junit)
        gated = run_cli(*gate, prefix=tuple(disk.prefix), env=full, code=1)
        reason = f"no cause found: the disk of TLC's working folder is full: {disk.folder}"
    assert run_cli("query", store, UNEXPLAINED, "--json").json == [{"says": reason}]
    assert reason in gated.stdout
    assert reason in junit.read_text()

    # The same command explains what it could not.
    run_cli(*sweep, code=1)
    assert run_cli("query", store, UNEXPLAINED, "--json").json == []
    [explained] = run_cli("query", store, EXPLAINED, "--json").json
    assert explained["says"].startswith("Reset is not enabled")


@pytest.mark.parametrize("name", ["sweep", "gate"])
def test_a_store_that_has_no_room_for_causes_is_judged(name: str, run_cli: RunCli, tmp_path: Path) -> None:
    file = tmp_path / "sweep.toml"
    (tmp_path / "Ring.tla").write_text(spec("Ring"))
    constants = '[constants]\nNodes = "{1, 2}"\nBroken = "\\"stop\\""\n'
    file.write_text(f'module = "Ring.tla"\n{constants}')
    with small_disk(tmp_path / "disk", "2m") as disk:
        command = (file, "-o", disk.folder / "store", "--executor", "local")
        run_cli("sweep", *command, "--no-why", prefix=tuple(disk.prefix), code=1)
        # The findings still fit, the tables do not.
        disk_facts = os.statvfs(disk.seen)
        filler = b"x" * (disk_facts.f_bavail * disk_facts.f_frsize - 16_384)
        (disk.seen / "filler").write_bytes(filler)
        ended = run_cli(name, *command, prefix=tuple(disk.prefix), code=1)
    output = ended.stdout + ended.stderr
    assert "no causes of violations: cannot write to" in output
    assert "violated (deadlock)" in output


def test_what_has_no_cause_is_not_asked_about_again(run_cli: RunCli, tmp_path: Path) -> None:
    # Nothing of the machine was at fault, so there is nothing to try again.
    (tmp_path / "Failing.tla").write_text(spec("why/Failing"))
    constants = '[constants]\nKind = "\\"assert\\""\nMost = 2\n'
    model = '[model]\ninvariants = ["First"]\ncheck_deadlock = false\n'
    (tmp_path / "sweep.toml").write_text(f'module = "Failing.tla"\n{model}{constants}')
    sweep = ("sweep", "sweep.toml", "--executor", "local")
    run_cli(*sweep, code=1)
    store = Store(tmp_path / "runs/sweep")
    [unexplained] = run_cli("query", store.path, UNEXPLAINED, "--json").json
    assert unexplained["says"] == "no cause found: TLC printed no state before it failed"
    before = store.manifest()
    assert before.unanswered == []
    run_cli(*sweep, code=1)
    assert store.manifest().because == before.because
