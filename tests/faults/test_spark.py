"""Processes of Spark that are killed, and sweeps on Spark that are interrupted."""

from __future__ import annotations

import contextlib
import signal
import sys
import time

import psutil
import pytest

from tests.faults.scene import Like, Scene, patience
from tests.spark.test_jobs import Cluster, cluster
from tla2py.view.sweep import interrupted_line

pytestmark = pytest.mark.spark

__all__ = ["cluster"]
TLC = ("-Djava.io.tmpdir", "-Xss16m")
# With a number of attempts the master is Spark alone, without threads.
SPARK_ALONE = "local[2,4]"


def long(*cases: object) -> list[object]:
    """Cases that ``make test-long`` runs."""
    return [pytest.param(case, marks=pytest.mark.long) for case in cases]


def python_worker(driver: int) -> int:
    """The process of Spark's that is executing a run: a daemon's child with children of its own that are none of Spark's."""
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        for process in psutil.Process(driver).children(recursive=True):
            # Processes come and go while they are looked at.
            with contextlib.suppress(psutil.Error):
                children = [child.cmdline() for child in process.children()]
                daemons = ["pyspark.daemon" in line for line in (process.cmdline(), *children)]
                if daemons[0] and children and not any(daemons[1:]):
                    return process.pid
    pytest.fail("no Python worker was executing a run")


@pytest.mark.parametrize("victim", ["Python worker", *long("TLC", "daemon of the Python workers")])
def test_kill_below_spark(victim: str, shared: Scene, like: Like) -> None:
    scene = like(shared)
    scene.options = ("--master", SPARK_ALONE)
    driver = scene.start()
    scene.await_records(1)
    if victim == "TLC":
        scene.victim(driver, *TLC).kill()
    else:
        # The process that Spark's Python workers are forked from, once one of them is executing a run.
        worker = psutil.Process(python_worker(driver.pid))
        daemon = worker.parent() or scene.victim(driver, "pyspark.daemon")
        (worker if victim == "Python worker" else daemon).kill()
    # Spark, or for a TLC the worker, executes again what went on there.
    assert driver.wait(timeout=200) == 0, scene.stderr
    scene.check(shared.store, again=0)


@pytest.mark.long
def test_kill_of_sparks_jvm(shared: Scene, like: Like) -> None:
    scene = like(shared)
    scene.options = ("--master", SPARK_ALONE)
    driver = scene.start()
    scene.await_records(1)
    scene.victim(driver, "org.apache.spark.deploy.SparkSubmit").kill()
    assert (driver.wait(timeout=300), scene.error.code) == (2, "spark-failed")
    scene.check_clean_scratch()
    scene.check(shared.store, again=6 - len(scene.records()))


@pytest.mark.parametrize("sent", [signal.SIGKILL, *long(signal.SIGINT, signal.SIGTERM)])
def test_an_interrupt_stops_spark(sent: signal.Signals, shared: Scene, like: Like) -> None:
    scene = like(shared)
    scene.options = ("--master", SPARK_ALONE)
    driver = scene.start()
    scene.await_records(1)
    begun = time.monotonic()
    driver.send_signal(sent)
    ended = driver.wait(timeout=300)
    took = time.monotonic() - begun
    assert ended == (-9 if sent is signal.SIGKILL else 130)
    assert took < patience(5)
    # Spark's workers record runs that end before they notice, even after the line was printed.
    scene.check_clean_scratch()
    left = 6 - len(scene.records())
    said = [number for number in range(left, 6) if str(interrupted_line(number)) in scene.stderr]
    # A driver that is killed says nothing, and has left runs to be executed.
    assert left if sent is signal.SIGKILL else said
    scene.check(shared.store, again=left)


@pytest.mark.long
@pytest.mark.parametrize("victim", ["executor", "worker"])
def test_kill_on_a_cluster(victim: str, cluster: Cluster, shared: Scene, like: Like) -> None:
    scene = like(shared)
    scene.options = ("--master", cluster.master)
    scene.env = {"PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
    driver = scene.start()
    scene.await_records(1, 200)
    name = "CoarseGrainedExecutorBackend" if victim == "executor" else "deploy.worker.Worker"
    below(cluster, name).kill()
    assert driver.wait(timeout=300) == 0, scene.stderr
    scene.check(shared.store, again=0)
    deadline = time.monotonic() + 30
    while (left := tlcs(cluster)) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not left


def below(cluster: Cluster, name: str) -> psutil.Process:
    """A JVM of Spark's that works in the folder of one of the workers."""
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error):
            here = any(process.cwd().startswith(str(folder)) for folder in cluster.workers)
            if here and any(name in part for part in process.cmdline()):
                return process
    raise AssertionError(f"no {name}")


def tlcs(cluster: Cluster) -> list[list[str]]:
    """What still works for a run on one of the workers."""
    found = []
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error):
            line = process.cmdline()
            starts = tuple(f"-Djava.io.tmpdir={folder}" for folder in cluster.workers)
            if any(part.startswith(starts) for part in line):
                found.append(line)
    return found
