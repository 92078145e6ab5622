"""A cluster of two workers that loses an executor, a worker or its driver, with the store in a folder and in S3."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest

import tla2py
from tests.command import tool
from tests.conftest import spec
from tests.faults.scene import STARTED, patience
from tests.faults.test_spark import below, tlcs
from tests.integration.test_object_storage import answers
from tests.objects import Storage
from tests.spark.test_jobs import Cluster, cluster
from tla2py.errors import StoreError
from tla2py.store.store import Store

pytestmark = [pytest.mark.spark, pytest.mark.long]

__all__ = ["cluster"]

# Enough points that a batch has dozens of runs.
POINTS = 520
SWEEP = f"""
name = "many"
module = "Counter.tla"
[model]
invariants = ["Below"]
check_deadlock = false
[constants]
Procs = "{{p1, p2}}"
Max = 3
[parameters]
Bound = {{ from = 1, to = {POINTS} }}
[expect]
verdict = "holds"
""" + "".join(
    f'[[expect.point]]\nmatch = {{ Bound = {bound} }}\nviolates = ["Below"]\n' for bound in range(1, 7)
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    folder: Path
    master: str
    store: str
    env: dict[str, str]

    def start(self) -> psutil.Popen:
        command = [sys.executable, "-m", "tla2py", "sweep", "many.toml", "-o", self.store]
        with (self.folder / "stderr.txt").open("wb") as said:
            driver = psutil.Popen(
                [*command, "--master", self.master],
                cwd=self.folder,
                env=os.environ | self.env | {"PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=said,
                start_new_session=True,
            )
        STARTED.append(driver)
        return driver

    @property
    def stderr(self) -> str:
        return (self.folder / "stderr.txt").read_text()

    def recorded(self) -> dict[str, str]:
        """When each recorded run started, by run id."""
        store, found = Store(self.store), {}
        for run_id in store.recorded():
            # The driver may be packing it.
            with contextlib.suppress(StoreError, OSError), store.archive(run_id) as archive:
                found[run_id] = archive.record.executions[0].started_at
        return found

    def await_records(self, count: int) -> None:
        deadline = time.monotonic() + patience(200)
        while len(Store(self.store).recorded()) < count:
            assert time.monotonic() < deadline, self.stderr
            time.sleep(0.1)

    def check(self, driver: psutil.Popen, before: dict[str, str], reference: Path) -> None:
        """The sweep ends, with the rows of ``reference``, and executes no run that was recorded ``before``."""
        assert driver.wait(timeout=patience(400)) == 0, self.stderr
        assert "Traceback" not in self.stderr
        after = self.recorded()
        assert len(after) == POINTS
        assert before.items() <= after.items()
        assert answers(tla2py.open_store(self.store)) == answers(tla2py.open_store(reference))


@pytest.fixture(scope="module")
def reference(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The store of the same sweep on threads, which nothing happens to."""
    folder = tmp_path_factory.mktemp("reference")
    write_sweep(folder)
    command = [sys.executable, "-m", "tla2py", "sweep", "many.toml", "--executor", "local", "-o", "store"]
    tool(*command, cwd=folder, code=0)
    return folder / "store"


def write_sweep(folder: Path) -> None:
    (folder / "Counter.tla").write_text(spec("Counter"))
    (folder / "many.toml").write_text(SWEEP)


@pytest.fixture(params=["folder", "S3"])
def site(request: pytest.FixtureRequest, cluster: Cluster, storage: Storage, tmp_path: Path) -> Site:
    write_sweep(tmp_path)
    if request.param == "folder":
        return Site(folder=tmp_path, master=cluster.master, store=str(tmp_path / "store"), env={})
    bucket = storage.bucket(f"bucket{time.monotonic_ns()}")
    monkeypatch = request.getfixturevalue("monkeypatch")
    for name, value in storage.env.items():
        monkeypatch.setenv(name, value)
    # The address tells the workers where the storage is; the environment of theirs lets them in.
    told = " ".join(f"--conf spark.executorEnv.{name}={value}" for name, value in storage.env.items())
    env = {"PYSPARK_SUBMIT_ARGS": f"{told} pyspark-shell"}
    return Site(folder=tmp_path, master=cluster.master, store=storage.uri(f"{bucket}/many"), env=env)


def test_a_driver_that_is_killed_and_started_again(site: Site, reference: Path, cluster: Cluster) -> None:
    driver = site.start()
    # Few: before they notice, executors may finish hundreds.
    site.await_records(20)
    driver.kill()
    driver.wait(timeout=60)
    # Its executors end when they notice; what they were recording is there or not.
    deadline = time.monotonic() + patience(60)
    while tlcs(cluster):
        assert time.monotonic() < deadline
        time.sleep(0.1)
    before = site.recorded()
    assert 20 <= len(before) < POINTS
    site.check(site.start(), before, reference)


def test_a_lost_executor_costs_only_the_runs_in_flight(site: Site, reference: Path, cluster: Cluster) -> None:
    lose("CoarseGrainedExecutorBackend", site, reference, cluster)


@pytest.mark.parametrize("site", ["S3"], indirect=True)
def test_a_lost_worker_costs_only_the_runs_in_flight(site: Site, reference: Path, cluster: Cluster) -> None:
    # The last test of this file: it leaves a cluster of one worker.
    lose("deploy.worker.Worker", site, reference, cluster)


def lose(victim: str, site: Site, reference: Path, cluster: Cluster) -> None:
    driver = site.start()
    site.await_records(100)
    before = site.recorded()
    below(cluster, victim).kill()
    site.check(driver, before, reference)
