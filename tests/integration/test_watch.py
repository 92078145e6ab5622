"""``check --watch`` runs again when a file changes, says what changed, and leaves nothing behind."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

pytestmark = pytest.mark.java

LIBRARY = "---- MODULE Limit ----\nLimit == 3\n====\n"


class Watching:
    """A watching command, and the lines that it has printed."""

    def __init__(self, folder: Path, *arguments: str) -> None:
        command = (sys.executable, "-m", "tla2py", "check", "Counter.tla", "--watch", *arguments)
        environment = {**os.environ, "TMPDIR": str(folder)}
        self.process = subprocess.Popen(
            command, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        self._lines: list[str] = []
        self._more = threading.Condition()
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            with self._more:
                self._lines.append(line.rstrip("\n"))
                self._more.notify()

    def until(self, wanted: str) -> list[str]:
        """The lines up to the first that begins with a text; they are not returned again."""

        def found() -> int | None:
            return next((n for n, line in enumerate(self._lines, 1) if line.startswith(wanted)), None)

        with self._more:
            assert self._more.wait_for(found, timeout=60), self._lines
            end = found()
            lines, self._lines = self._lines[:end], self._lines[end:]
        return lines

    def started_java(self) -> list[psutil.Process]:
        """The processes of TLC, as soon as there are any."""
        command = psutil.Process(self.process.pid)
        java: list[psutil.Process] = []
        while not java:
            assert self.process.poll() is None
            time.sleep(0.05)
            for process in command.children(recursive=True):
                # Processes come and go while they are looked at.
                with contextlib.suppress(psutil.NoSuchProcess):
                    if "java" in process.name():
                        java.append(process)
        return java

    def interrupt(self) -> int:
        """The exit code after an interrupt."""
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(timeout=30)

    def close(self) -> None:
        """End it, whatever it does."""
        with self.process:
            self.process.kill()
            self._reader.join()


@pytest.fixture
def watching(tiny_spec: Path) -> Iterator[Callable[..., Watching]]:
    """``watching(*options)`` watches the module Counter, which extends Limit."""
    tiny_spec.with_name("Limit.tla").write_text(LIBRARY)
    tiny_spec.with_name("Other.tla").write_text("---- MODULE Other ----\n====\n")
    text = tiny_spec.read_text().replace("EXTENDS Naturals", "EXTENDS Naturals, Limit")
    tiny_spec.write_text(text.replace("x < 3", "x < Limit"))
    started: list[Watching] = []

    def start(*options: str) -> Watching:
        started.append(Watching(tiny_spec.parent, "-c", "Max=4", "--invariant", "Small", *options))
        return started[-1]

    yield start
    for each in started:
        each.close()


def test_it_says_what_changes_in_the_answer(watching: Callable[..., Watching], tiny_spec: Path) -> None:
    watch, library, module = watching(), tiny_spec.with_name("Limit.tla"), tiny_spec.read_text()
    assert any(line.startswith("violated: Small") for line in watch.until("watching"))

    # An error is shown and waited out; a module that is not there yet can mend it.
    tiny_spec.write_text(module.replace("Limit\n", "Limit, Later\n", 1))
    assert any("Later" in line for line in watch.until("watching"))
    tiny_spec.with_name("Later.tla").write_text("---- MODULE Later ----\n====\n")
    assert watch.until("watching")[-2] == "unchanged: violated"

    tiny_spec.with_name("Other.tla").write_text("---- MODULE Other ----\nOther == 1\n====\n")
    library.write_text(LIBRARY.replace("3", "9"))
    lines = watch.until("watching")
    assert lines[1] == "Limit.tla changed"
    assert any(line.startswith("holds: Small") for line in lines)
    assert lines[-2].startswith("changed: verdict violated -> holds,")
    assert "trace length 4 -> none, " in lines[-2]
    assert watch.interrupt() == 130


def test_a_change_stops_a_run_that_is_out_of_date(watching: Callable[..., Watching], tiny_spec: Path) -> None:
    endless = tiny_spec.read_text().replace("x < Max", "(x < Max \\/ Max = 4)")
    tiny_spec.write_text(endless)
    tiny_spec.with_name("Limit.tla").write_text(LIBRARY.replace("3", "2000000000"))
    watch = watching()
    watch.started_java()
    tiny_spec.with_name("Limit.tla").write_text(LIBRARY)
    lines = watch.until("watching")
    assert any(line.startswith("violated: Small") for line in lines), lines
    tiny_spec.with_name("Limit.tla").write_text(LIBRARY.replace("3", "2000000000"))
    watch.until("Limit.tla changed")
    java = watch.started_java()
    assert watch.interrupt() == 130
    assert psutil.wait_procs(java, timeout=10)[1] == []


def test_an_error_that_no_edit_mends_ends_it(watching: Callable[..., Watching]) -> None:
    assert watching("-c", "Nothing=1").process.wait(timeout=60) == 2
