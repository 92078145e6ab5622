"""A sweep that something is going to happen to, and what has to be true afterwards whatever it was."""

from __future__ import annotations

import contextlib
import os
import subprocess
import time
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import psutil

from tests.command import Record
from tests.integration.test_sweep import rows
from tests.stores import record_ids
from tla2py.errors import Tla2pyError

TABLES = ("runs", "traces", "states", "changes")
# The drivers of this process, none of which is to outlive its test.
STARTED: list[psutil.Popen] = []
# What TLC runs in, by what is in its command line: a process of its own, or one that stays for many runs.
OWN, SHARED = "tlc2.TLC", "py4j.GatewayServer"


def patience(seconds: float) -> float:
    """So many seconds of a machine that does nothing else, on this one as busy as it is."""
    return seconds * max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))


@dataclass(kw_only=True)
class Scene:
    """A sweep file and its command, with a store and a folder for everything temporary below ``base``."""

    base: Path
    sweep: Path
    options: Sequence[str] = ("--executor", "local")
    prefix: Sequence[str] = ()
    env: dict[str, str] = field(default_factory=dict)
    store: Path = Path()
    scratch: Path = Path()
    _record: Record = field(default_factory=Record)

    def __post_init__(self) -> None:
        self.base.mkdir(parents=True, exist_ok=True)
        self.store = self.base / "store"
        self.scratch = self.base / "scratch"
        self.scratch.mkdir()

    @property
    def stderr(self) -> str:
        """What the last command has said so far."""
        return (self.base / "stderr.txt").read_text()

    def start(self, *more: str, prefix: Sequence[str] = (), **env: str) -> psutil.Popen:
        """Start the sweep; it is not in the foreground, so that a signal meets none but whom it is sent to."""
        self._record = Record()
        command = [*self._record.command, "sweep", str(self.sweep), *self.options, *more]
        with (self.base / "stderr.txt").open("wb") as said:
            driver = psutil.Popen(
                [*self.prefix, *prefix, *command, "-o", str(self.store)],
                env={**os.environ, "TMPDIR": str(self.scratch), **self._record.env, **self.env, **env},
                pass_fds=[self._record.sink],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=said,
                start_new_session=True,
            )
        STARTED.append(driver)
        return driver

    def run(self, *more: str, **env: str) -> int:
        return int(self.start(*more, **env).wait(timeout=3000))

    def records(self) -> dict[str, str]:
        """The identities of the records by run id."""
        return record_ids(self.store)

    def executed_since(self, before: dict[str, str]) -> int:
        """The number of runs recorded since ``records`` returned ``before``."""
        return sum(before.get(name) != written for name, written in self.records().items())

    @property
    def error(self) -> Tla2pyError:
        """The error that the last command reported, once it has ended."""
        (error,) = self._record.read()
        return error

    def await_records(self, count: int, seconds: float = 90) -> None:
        deadline = time.monotonic() + patience(seconds)
        while len(self.records()) < count:
            assert time.monotonic() < deadline, self.stderr
            time.sleep(0.01)

    def victim(self, driver: psutil.Process, *words: str, seconds: float = 60) -> psutil.Process:
        """A process that the driver has started, whose command line has these words; waits until there is one."""
        deadline = time.monotonic() + patience(seconds)
        while time.monotonic() < deadline:
            for process in driver.children(recursive=True):
                with contextlib.suppress(psutil.Error):
                    line = " ".join(process.cmdline())
                    if all(word in line for word in words) and process.name() not in ("sh", "bwrap"):
                        return process
            time.sleep(0.005)
        raise AssertionError(f"no process of {words}: {self.stderr}")

    def check(
        self, reference: Path, *, said: str = "", code: int = 0, again: int | None = None, finish: bool = True
    ) -> None:
        """What has to be true after a fault, and after the same command once more.

        Nothing runs any more and nothing temporary is left; what was ``said`` was said, without a traceback; every
        record is whole; the same command ends with ``code``, executes ``again`` runs if that is given and no run that
        was recorded before, and leaves exactly the rows of ``reference``, a store that nothing happened to.
        """
        assert said in self.stderr, self.stderr
        assert "Traceback" not in self.stderr, self.stderr
        self.check_clean_scratch()
        before = self.records()
        for file in self.store.glob("records/*.zip"):
            with zipfile.ZipFile(file) as archive:
                assert archive.testzip() is None
        if not finish:
            return
        assert self.run() == code, self.stderr
        if again is not None:
            assert self.executed_since(before) == again
        self.check_rows(reference)
        self.check_clean()

    def check_rows(self, reference: Path) -> None:
        """No row is lost, none is there twice and none is another."""
        for table in TABLES:
            assert rows(self.store, table) == rows(reference, table), table
        points = [row["point"] for row in rows(self.store, "runs")]
        assert len(points) == len({*points})

    def check_clean(self) -> None:
        """No process is left and nothing temporary, here and in the store."""
        self.check_clean_scratch()
        assert not [*self.store.rglob(".tmp-*")] if self.store.exists() else True

    def processes(self) -> list[str]:
        """The command lines of all that works in the scratch folder, or was told to."""
        found = []
        for process in psutil.process_iter():
            with contextlib.suppress(psutil.Error):
                line = " ".join(process.cmdline())
                if str(self.scratch) in line or process.environ().get("TMPDIR") == str(self.scratch):
                    found.append(line)
        return found

    def check_clean_scratch(self) -> None:
        deadline = time.monotonic() + patience(30)
        while (processes := self.processes()) and time.monotonic() < deadline:
            time.sleep(0.1)
        assert not processes
        while (left := [*self.scratch.iterdir()]) and time.monotonic() < deadline:
            time.sleep(0.1)
        assert not left, [str(path) for each in left for path in (each, *each.rglob("*"))]


Like = Callable[[Scene], Scene]
