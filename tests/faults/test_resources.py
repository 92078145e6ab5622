"""What a run may take: memory, disk and time, and as many runs at once as fit the machine."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import RunCli
from tests.faults.scene import OWN, Scene, patience
from tests.raising import raises
from tests.stores import record_ids
from tla2py.errors import InputError
from tla2py.execution.executor import fitting_slots
from tla2py.store.store import Store
from tla2py.tlc.process.bubblewrap import DiskQuota, is_full, reports_full_disk
from tla2py.tlc.process.system import Machine, this_machine

pytestmark = pytest.mark.faults

Like = Callable[[Scene], Scene]
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
