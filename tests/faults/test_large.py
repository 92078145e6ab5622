"""Runs that print a gigabyte or find a counterexample of ten thousand states, and sweeps of two thousand points."""

from __future__ import annotations

import contextlib
import sys
import time
import zipfile
from pathlib import Path

import psutil
import pytest

from tests.command import tool
from tests.conftest import spec
from tests.faults.scene import Scene
from tests.integration.test_sweep import rows
from tests.stores import loose_records, table_rows

pytestmark = [pytest.mark.long, pytest.mark.timeout(3600)]


def counting(base: Path, invariant: str, values: str, more: str = "", specification: str = "Spec") -> Scene:
    """A sweep that counts up to each of some values."""
    base.mkdir()
    # 64 KiB that TLC prints as they are, and takes a second to read.
    text = "x_" * 32768 if invariant == "Loud" else ""
    (base / "Count.tla").write_text(spec("large/Count").replace("{text}", text))
    (base / "sweep.toml").write_text(
        f'module = "Count.tla"\n[model]\nspecification = "{specification}"\ninvariants = ["{invariant}"]\n'
        f"check_deadlock = false\n[parameters]\nMax = {values}\n[tlc]\n{more}\n"
    )
    return Scene(base=base / "scene", sweep=base / "sweep.toml")


def test_a_spec_that_prints_a_gigabyte(tmp_path: Path) -> None:
    scene = counting(tmp_path / "loud", "Loud", "[1, 16400]", 'timeout = "10m"')
    driver = scene.start()
    most = 0
    with contextlib.suppress(psutil.Error, OSError):
        while driver.is_running() and driver.status() != psutil.STATUS_ZOMBIE:
            # Without what is mapped of files, which the system takes back as it likes.
            status = Path(f"/proc/{driver.pid}/status").read_text()
            most = max(most, int((status.partition("RssAnon:")[2].split() or ["0"])[0]) * 1024)
            time.sleep(0.2)
    assert driver.wait(timeout=300) == 0, scene.stderr
    records = [zipfile.ZipFile(file) for file in loose_records(scene.store)]
    small, large = sorted(each.getinfo("1/stdout.txt").file_size for each in records)
    assert small < 10**8 < 10**9 < large
    # What was printed was never held as a whole.
    assert 0 < most < 400 * 1024**2
    assert [row["distinct"] for row in rows(scene.store, "runs")] == [2, 16401]
    scene.check(scene.store, code=0, again=0)


def test_a_counterexample_of_ten_thousand_states(tmp_path: Path) -> None:
    scene = counting(tmp_path / "long", "Small", "[3, 9999]", 'timeout = "5m"')
    assert scene.run() == 1, scene.stderr
    assert [row["trace_length"] for row in rows(scene.store, "runs")] == [4, 10000]
    assert (len(table_rows(scene.store, "states")), len(rows(scene.store, "changes"))) == (10004, 9999 + 3)
    shown = tool(sys.executable, "-m", "tla2py", "trace", scene.store, "2", code=0)
    assert "Small is violated, 10,000 states" in shown.stdout.replace("10000", "10,000")
    assert shown.stdout.rstrip().splitlines()
    scene.check(scene.store, code=1, again=0)


def test_two_thousand_points(tmp_path: Path) -> None:
    scene = counting(tmp_path / "many", "Low", "{ from = 1, to = 2000 }", specification="Turn")
    driver = scene.start()
    scene.await_records(300, 200)
    driver.kill()
    driver.wait(timeout=300)
    scene.check_clean_scratch()
    before = scene.records()
    assert scene.run() == 1, scene.stderr
    assert scene.executed_since(before) == 2000 - len(before)
    found = rows(scene.store, "runs")
    assert [row["point"] for row in found] == [*range(1, 2001)]
    # As it is by the module: the last digit of a point is how far it counts, and from 5 on the invariant fails.
    for point, row in enumerate(found, 1):
        last = point % 10
        assert row["verdict"] == ("violated" if last >= 5 else "holds")
        assert row["trace_length"] == (6 if last >= 5 else None)
        assert last >= 5 or row["distinct"] == last + 1
    scene.check(scene.store, code=1, again=0)
