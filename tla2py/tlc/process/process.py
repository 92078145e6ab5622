"""One execution of TLC in a process of its own: its limits, its end, and the files that it writes.

After TLC's last message its JVM waits 0.3 seconds for idle threads. If the messages leave no doubt about the exit
status, that wait is unnecessary.
"""

from __future__ import annotations

import contextlib
import hashlib
import mmap
import os
import re
import shutil
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeAlias

import psutil

from tla2py.model.model import InputFile
from tla2py.model.run import OUTPUTS, TerminationReason, TlcOptions, Walls
from tla2py.tlc.output.codes import Code
from tla2py.tlc.process.child import ChildProcess, Command, WallError
from tla2py.tlc.process.command import RESERVED_FILES
from tla2py.tlc.process.os_facts import exit_of, peak_of
from tla2py.tlc.process.sandbox import Sandbox, environment, start

# TLC's last message; by then it has written all its files.
_LAST = b"@!@!@ENDMSG 2186 @!@!@\n"
_HEAD = re.compile(rb"@!@!@STARTMSG (\d+):(\d) @!@!@")
# The errors that report a violation, and its exit status; for all other errors the process's exit status counts.
_STATUSES: dict[frozenset[int], int] = {
    frozenset({Code.INVARIANT, Code.BEHAVIOR}): 12,
    frozenset({Code.INVARIANT_INITIAL}): 12,
    frozenset({Code.DEADLOCK, Code.BEHAVIOR}): 11,
    frozenset({Code.TEMPORAL_PROPERTY, Code.COUNTEREXAMPLE}): 13,
}
# The classes of messages that are no errors: none, warning and state.
_HARMLESS = (b"0", b"3", b"4")


def ends_predictably(options: TlcOptions) -> bool:
    """Whether ``exit_status`` is reliable: TLC writes only messages, and stops at the first violation."""
    plain = not (options.options or options.java_options or options.graph or options.behaviours)
    return plain and options.mode == "check"


def exit_status(file: Path) -> int | None:
    """The exit status of a check whose output in ``file`` is complete, None if it is incomplete or inconclusive."""
    with file.open("rb") as stream:
        if stream.seek(0, 2) < len(_LAST):
            return None
        stream.seek(-len(_LAST), 2)
        if stream.read() != _LAST:
            return None
        with mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as text:
            heads = {(int(found[1]), found[2]) for found in _HEAD.finditer(text)}
    errors = frozenset(code for code, level in heads if level not in _HARMLESS)
    if errors:
        return _STATUSES.get(errors)
    return 0 if any(code == Code.SUCCESS for code, _ in heads) else None


_MOST_NAMES = 100


class Outputs:
    """What a run writes into a folder, by comparison with the folder as it is now."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._before = dict(_files(folder))

    def written(self, patterns: Sequence[str]) -> tuple[tuple[InputFile, ...], tuple[str, ...]]:
        """The new and changed files that match a pattern, and the names of the others, of which only some are listed.

        The former are copied to ``OUTPUTS`` beside the folder: a trusted run may leave processes that go on in the folder.
        """
        names = [name for name, stamp in _files(self._folder) if self._before.get(name) != stamp]
        wanted = {path for pattern in patterns for path in self._folder.glob(pattern)} if names else set()
        kept = sorted(name for name in names if self._folder / name in wanted)
        dropped = sorted({*names} - {*kept})
        found = []
        for name in kept:
            target = self._folder.parent / OUTPUTS / name
            target.parent.mkdir(parents=True, exist_ok=True)
            with contextlib.suppress(FileNotFoundError):
                shutil.copyfile(self._folder / name, target, follow_symlinks=False)
                with target.open("rb") as copy:
                    found.append(InputFile(name, hashlib.file_digest(copy, "sha256").hexdigest()))
        return tuple(found), tuple(dropped[:_MOST_NAMES])


def regular_files(folder: Path) -> list[Path]:
    """The regular files in a folder, without links to others."""
    return [path for path in folder.iterdir() if path.is_file() and not path.is_symlink()]


def join_files(folder: Path, target: Path) -> None:
    """Concatenate the regular files of a folder by the numbers in their names, deleting each once it is copied."""

    def numbers(file: Path) -> list[int]:
        # A behaviour's file has the worker and the number in its name, `b_0_12`.
        return [int(part) for part in file.name.split("_") if part.isdecimal()]

    with target.open("wb") as sink:
        for file in sorted(regular_files(folder), key=numbers):
            with file.open("rb") as source:
                shutil.copyfileobj(source, sink)
            file.unlink()


def _files(folder: Path) -> Iterator[tuple[str, tuple[int, int]]]:
    """The regular files below a folder, without TLC's own, each with its size and time."""
    for place, folders, names in os.walk(folder):
        if Path(place) == folder:
            folders[:] = [name for name in folders if name not in RESERVED_FILES]
            names = [name for name in names if name not in RESERVED_FILES]
        for name in names:
            file = Path(place, name)
            # A process of a trusted run that goes on may remove it.
            with contextlib.suppress(FileNotFoundError):
                if file.is_file() and not file.is_symlink():
                    stat = file.stat()
                    yield file.relative_to(folder).as_posix(), (stat.st_size, stat.st_mtime_ns)


# How often limits are checked; memory grows by at most some hundred MB in between.
_POLL_SECONDS = 0.1
_BRISK_SECONDS = 10.0
_BRISK_POLL_SECONDS = 0.02
# The most output before an execution is stopped.
OUTPUT_LIMIT_BYTES = 4 * 1024**3
# Called now and then during an execution, with the file of its standard output and the memory in use.
Watch: TypeAlias = Callable[[Path, int], None]
# The shell's exit statuses for a command that cannot be executed or found; TLC never ends with them.
_NOT_STARTED = (126, 127)


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessEnd:
    """The end of a process, if one began; the fields are those of ``tla2py.model.run.Execution``."""

    exit_code: int | None = None
    termination_reason: TerminationReason | None = None
    started_at: str
    wall_seconds: float = 0.0
    cpu_seconds: float = 0.0
    peak_memory_bytes: int = 0
    walls: Walls | None = None


def not_started(streams: Path, message: str) -> ProcessEnd:
    """The end of a command that was not started; ``stdout.txt`` has the reason as an error of TLC's."""
    _write_error(streams, message)
    return ProcessEnd(started_at=now())


def _write_error(streams: Path, message: str) -> None:
    """Write streams in which TLC reports one error."""
    text = f"@!@!@STARTMSG 1000:1 @!@!@\n{message}\n@!@!@ENDMSG 1000 @!@!@\n"
    for name, content in (("stdout.txt", text), ("stderr.txt", "")):
        handle, written = tempfile.mkstemp(dir=streams)
        with os.fdopen(handle, "w", encoding="utf-8") as stream:
            stream.write(content)
        if (streams / name).is_dir():
            shutil.rmtree(streams / name)
        Path(written).replace(streams / name)


def now() -> str:
    """The time as a run's record has it."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def execute_argv(
    argv: Sequence[str],
    folder: Path,
    streams: Path,
    *,
    timeout_seconds: float,
    memory_bytes: int,
    cancelled: threading.Event | None = None,
    watch: Callable[[int], TerminationReason | None] | None = None,
    predict: Callable[[Path], int | None] | None = None,
    sandbox: Sandbox | None = None,
    variables: dict[str, str] | None = None,
) -> ProcessEnd:
    """The end of a command that runs in ``folder``; its output goes to ``stdout.txt`` and ``stderr.txt`` in ``streams``.

    ``streams`` lies outside what the sandbox may write, so that nobody but the command's own output ends up there. A
    failing command raises no exception: the exit code (None if it could not be started, or replaced its streams) and
    the termination reason say what happened. ``watch`` is called a few times a second with the memory in use, and
    returns a reason to stop the command, or None.
    ``predict`` returns the exit code from the standard output so far if it is certain, so that nobody waits for the
    process to end. Without a ``sandbox`` the command is trusted. ``variables`` are added to its environment.
    """
    started_at = now()
    begun = time.monotonic()
    with (streams / "stdout.txt").open("wb") as stdout, (streams / "stderr.txt").open("wb") as stderr:
        opened = {Path(stream.name): os.fstat(stream.fileno()) for stream in (stdout, stderr)}
        try:
            command = Command(
                argv=argv,
                folder=folder,
                scratch=folder,
                variables=environment(folder, trusted=sandbox is None, declared=variables),
                stdout=stdout,
                stderr=stderr,
            )
            started = start(command, sandbox)
        except WallError as error:
            return not_started(streams, f"The sandbox could not be set up: {error.strerror}.")
    reason: TerminationReason | None = "killed"
    status: int | None = None
    try:
        deadline = begun + timeout_seconds
        reason, status = _wait(started, opened, deadline, memory_bytes, cancelled, watch, predict)
    finally:
        code, usage = started.end()
    exit_code = code if status is None else status
    if code is None and reason is None and status is None:
        with (streams / "stderr.txt").open(encoding="utf-8", errors="replace") as lines:
            first = lines.readline(500).strip()
        return not_started(streams, f"The sandbox could not be set up: {first}.")
    if reason is None and exit_code is not None and exit_code < 0:
        reason = "killed"
    if exit_code in _NOT_STARTED:
        exit_code = None
    if not _intact(opened):
        # Only a trusted command can do this.
        _write_error(streams, "The run removed or replaced the files of its output.")
        reason = exit_code = None
    return ProcessEnd(
        exit_code=exit_code,
        termination_reason=reason,
        started_at=started_at,
        wall_seconds=time.monotonic() - begun,
        cpu_seconds=usage.ru_utime + usage.ru_stime,
        peak_memory_bytes=peak_of(usage),
        walls=started.walls,
    )


def _wait(
    started: ChildProcess,
    opened: Mapping[Path, os.stat_result],
    deadline: float,
    memory_bytes: int,
    cancelled: threading.Event | None,
    watch: Callable[[int], TerminationReason | None] | None,
    predict: Callable[[Path], int | None] | None,
) -> tuple[TerminationReason | None, int | None]:
    """The reason to kill the process, or its predicted exit code; both None if it ended on its own.

    The process is not reaped. ``opened`` are its streams, standard output first, as they were opened.
    """
    stdout = next(iter(opened))
    checked = time.monotonic()
    # Most runs are small, and a short poll saves a noticeable part of their time.
    brisk = checked + _BRISK_SECONDS
    with exit_of(started.process.pid) as ended:
        while not ended(_pause(predict is not None and time.monotonic() < brisk, deadline)):
            if not _intact(opened):
                return "killed", None
            try:
                if predict is not None and (status := predict(stdout)) is not None:
                    return None, status
                if time.monotonic() < min(checked + _POLL_SECONDS, deadline):
                    continue
                checked = time.monotonic()
                if cancelled is not None and cancelled.is_set():
                    return "killed", None
                if time.monotonic() >= deadline:
                    return "timeout", None
                if (resident := _resident_bytes(started)) > memory_bytes:
                    return "memory", None
                if stdout.stat().st_size > OUTPUT_LIMIT_BYTES:
                    return "output", None
                if watch is not None and (why := watch(resident)) is not None:
                    return why, None
            except OSError:
                # The command may remove its streams at any moment.
                if _intact(opened):
                    raise
                return "killed", None
    return None, None


def _intact(opened: Mapping[Path, os.stat_result]) -> bool:
    """Whether files are still those that were opened."""
    with contextlib.suppress(OSError):
        return all(os.path.samestat(os.lstat(path), stat) for path, stat in opened.items())
    return False


def _pause(brisk: bool, deadline: float) -> float:
    """The seconds until the next check."""
    return min(_BRISK_POLL_SECONDS if brisk else _POLL_SECONDS, max(deadline - time.monotonic(), 0.0))


def _resident_bytes(started: ChildProcess) -> int:
    """The resident memory of a process and what it started."""
    total = 0
    for member in started.members():
        with contextlib.suppress(psutil.Error):
            total += member.memory_info().rss
    return total
