"""``tla2py check --watch``: check again whenever a file changes."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

import typer

from tla2py.cli.checker import Checker
from tla2py.cli.console import err, print_error, reader_gone
from tla2py.cli.progress import ConsoleListener
from tla2py.errors import InputError
from tla2py.execution.check import Checked
from tla2py.text import counted
from tla2py.view.traces import answer_change

# Polling needs no package, works on every file system, and costs nothing for a dozen files.
_POLL_SECONDS = 0.2
_SOURCES = ("*.tla", "*.cfg", "*.toml")
_Stamp = tuple[int, int, int] | None


class _Files(ConsoleListener):
    """The files that a check reads, and those of them that have changed since ``begin``.

    ``named`` files count even while they do not exist. If ``wide``, every source in their folders counts: a check that
    fails may not have found all its files.
    """

    def __init__(self, *named: Path) -> None:
        super().__init__()
        self._named = frozenset(named)
        self._reached = self._named
        self.wide = False
        self._begun = 0
        self._stamps: dict[Path, _Stamp] = {}

    def reached(self, files: Iterable[Path]) -> None:
        """Watch these files."""
        self._reached = self._named.union(files)
        self.wide = False

    def begin(self) -> None:
        """Compare with the present state from now on."""
        self._begun = time.time_ns()
        self._stamps = {file: _stamp(file) for file in self.watched()}

    def changed(self) -> list[Path]:
        """The files that changed."""
        return sorted(file for file in self.watched() if self._has_changed(file))

    def watched(self) -> set[Path]:
        """The files that count."""
        files = {*self._reached}
        if self.wide:
            for folder in {file.parent for file in self._reached}:
                files |= {found for pattern in _SOURCES for found in folder.glob(pattern)}
        return files

    def _has_changed(self, file: Path) -> bool:
        now = _stamp(file)
        if file in self._stamps:
            return now != self._stamps[file]
        # The check has found this file after it began.
        if now is not None and now[0] > self._begun:
            return True
        self._stamps[file] = now
        return False


def _stamp(file: Path) -> _Stamp:
    try:
        status = file.stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size, status.st_ino


@contextmanager
def _noticing(files: _Files) -> Iterator[threading.Event]:
    """An event that is set when a file changes."""
    changed, done = threading.Event(), threading.Event()

    def poll() -> None:
        while not done.wait(_POLL_SECONDS):
            if files.changed():
                changed.set()
                return

    threading.Thread(target=poll, daemon=True).start()
    try:
        yield changed
    finally:
        done.set()


def watch_files(checker: Checker) -> NoReturn:
    """Run a check again whenever one of its files changes, until the user interrupts or nobody reads.

    A change stops a run, whose answer is then out of date. The first answer is shown, and each that differs from the one
    before. An error in a file is printed and waited out. Raises InputError for an error that no edit can mend, if it is
    the first answer.
    """
    files = _Files(checker.file, checker.model.config or checker.file.with_suffix(".cfg"))
    before: Checked | None = None
    while True:
        files.begin()
        with _noticing(files) as changed:
            answer = None
            try:
                answer = checker.run(files, changed)
            except InputError as error:
                if before is None and error.where is None:
                    raise
                files.wide = True
                print_error(error)
            if answer is not None and not changed.is_set():
                change = answer_change(before, answer) if before is not None else None
                if change is not None or before is None:
                    checker.show(answer)
                if before is not None:
                    err().print(f"changed: {change}" if change else f"unchanged: {answer.verdict.value}")
                before = answer
            if reader_gone():
                raise typer.Exit
            if not changed.is_set():
                err().print(f"watching {counted(len(files.watched()), 'file')}; Ctrl-C ends", style="dim")
            changed.wait()
        # An editor may write several files, or one in several steps.
        time.sleep(_POLL_SECONDS)
        err().print(f"\n{', '.join(map(str, files.changed()))} changed", style="bold")
