"""One sweep of the soak: its command, its processes, its rows."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from pathlib import Path

import psutil

from tla2py.store.refresh import stored_table
from tla2py.store.store import Store

TABLES = ("runs", "traces", "states", "changes")
DIFFERENT = {"wall_seconds", "cpu_seconds", "peak_memory_bytes", "started_at", "timeout_seconds", "executor"}
# What is in the environment of a sweep, and no run may read.
SECRET = "token-of-the-driver"


class Trial:
    """One sweep in its own folder."""

    def __init__(self, base: Path, sweep: Path, executor: str) -> None:
        self.base, self.sweep, self.executor = base, sweep, executor
        self.store, self.scratch = base / "store", base / "scratch"
        self.scratch.mkdir(parents=True)

    def start(self, store: Path, *, unread: bool = False) -> psutil.Popen:
        """Start the command; its output goes nowhere, or ``unread`` into a pipe without a reader."""
        command = [sys.executable, "-m", "tla2py", "sweep", str(self.sweep), "-o", str(store)]
        command += ["--executor", self.executor, *(["--master", "local[2,4]"] * (self.executor == "spark"))]
        with contextlib.ExitStack() as stack:
            stderr = stack.enter_context((self.base / "stderr.txt").open("ab"))
            stdout = subprocess.DEVNULL
            if unread:
                read, stdout = os.pipe()
                os.close(read)
                stack.callback(os.close, stdout)
            return psutil.Popen(
                command,
                cwd=self.base,
                env={
                    **os.environ,
                    "TMPDIR": str(self.scratch),
                    "SECRET_TOKEN": SECRET,
                    # For a sweep that hangs.
                    "PYTHONFAULTHANDLER": "1",
                },
                stdin=subprocess.DEVNULL,
                stdout=stdout,
                stderr=stderr,
                start_new_session=True,
            )

    def stderr(self) -> str:
        """What the commands so far wrote to standard error."""
        return (self.base / "stderr.txt").read_text()

    def records(self) -> set[str]:
        """The runs with a record."""
        return Store(self.store).recorded()

    def processes(self) -> list[psutil.Process]:
        """The processes that work in this trial's folder."""
        found = []
        for process in psutil.process_iter():
            with contextlib.suppress(psutil.Error):
                if process.pid != os.getpid() and any(
                    str(self.scratch) in part for part in process.cmdline()
                ):
                    found.append(process)
        return found


def rows(store: Path, table: str) -> list[dict[str, object]]:
    """The rows of a table without the columns that differ between runs."""
    found = stored_table(Store(store), table).to_pylist()
    return [{k: v for k, v in row.items() if k not in DIFFERENT} for row in found]
