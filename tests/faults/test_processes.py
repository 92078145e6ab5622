"""Processes that are killed, stopped or interrupted while a sweep goes on, on this machine's threads."""

from __future__ import annotations

import signal
import time

import pytest

from tests.faults.scene import OWN, SHARED, Like, Scene, patience
from tests.integration.test_sweep import rows
from tla2py.cli.main import _AT_ONCE
from tla2py.view.sweep import interrupted_line

pytestmark = pytest.mark.faults


@pytest.mark.long
def test_kill_of_a_jvm_that_runs_share(shared: Scene, like: Like) -> None:
    scene = like(shared)
    driver = scene.start()
    scene.await_records(1)
    scene.victim(driver, SHARED).kill()
    # The run that went on there is executed again at once.
    assert driver.wait(timeout=300) == 0
    scene.check(shared.store, again=0)


@pytest.mark.long
def test_a_tlc_that_hangs(own: Scene, like: Like) -> None:
    scene = like(own)
    driver = scene.start("--timeout", "5s")
    scene.victim(driver, OWN).suspend()
    assert driver.wait(timeout=300) == 1
    (hung,) = (row for row in rows(scene.store, "runs") if row["outcome"] == "timeout")
    assert hung["termination_reason"] == "timeout"
    scene.check(own.store, finish=False)
    # Within the time it had there is no answer; with more there is.
    scene.options = (*scene.options, "--timeout", "1m")
    before = scene.records()
    assert scene.run() == 1
    assert (len(before), scene.executed_since(before)) == (4, 1)
    same = [{**row, "timeout_seconds": 60.0} for row in rows(scene.store, "runs")]
    assert same == rows(own.store, "runs")


@pytest.mark.long
@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_stops_a_sweep_whose_jvm_hangs(sent: signal.Signals, shared: Scene, like: Like) -> None:
    scene = like(shared)
    driver = scene.start()
    scene.await_records(1)
    scene.victim(driver, SHARED).suspend()
    begun = time.monotonic()
    driver.send_signal(sent)
    assert driver.wait(timeout=300) == 130
    assert time.monotonic() - begun < patience(5)
    left = 6 - len(scene.records())
    scene.check(shared.store, said=str(interrupted_line(left)), again=left)


def test_a_second_interrupt_stops_at_once(own: Scene, like: Like) -> None:
    scene = like(own)
    driver = scene.start()
    scene.victim(driver, OWN)
    begun = time.monotonic()
    # Both are there when it goes on; else it might be through with the first before the second is sent.
    for sent in (signal.SIGSTOP, signal.SIGINT, signal.SIGTERM, signal.SIGCONT):
        driver.send_signal(sent)
    assert driver.wait(timeout=300) == 130
    assert time.monotonic() - begun < patience(2)
    scene.check(own.store, said=_AT_ONCE.decode().strip(), code=1, again=4 - len(scene.records()))


@pytest.mark.long
def test_kill_of_the_driver_before_the_first_run_ever(own: Scene, like: Like) -> None:
    scene = like(own)
    # Where nothing is kept from earlier runs, the first one prepares TLC's classes for all others.
    scene.env = {"XDG_CACHE_HOME": str(scene.base / "cache")}
    driver = scene.start()
    scene.victim(driver, "Warm.tla")
    driver.kill()
    driver.wait(timeout=300)
    scene.check(own.store, code=1, again=4)
