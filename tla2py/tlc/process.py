"""The execution of one argv in its own folder, under limits, as a process group that never outlives its driver."""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import TypeAlias

import psutil

from tla2py.model.run import TerminationReason, Walls
from tla2py.tlc.sandbox.sandbox import Sandbox, environment, start
from tla2py.tlc.sandbox.started import Started, Streams, WallError, exit_of

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
class Ended:
    """The end of a process; the fields are those of ``tla2py.model.run.Execution``."""

    exit_code: int | None
    termination_reason: TerminationReason | None
    started_at: str
    wall_seconds: float
    cpu_seconds: float
    peak_memory_bytes: int
    walls: Walls | None = None


def not_started(streams: Path, message: str) -> Ended:
    """The end of a command that was not started; ``stdout.txt`` has the reason as an error of TLC's."""
    _write_error(streams, message)
    return Ended(
        exit_code=None,
        termination_reason=None,
        started_at=_now(),
        wall_seconds=0.0,
        cpu_seconds=0.0,
        peak_memory_bytes=0,
    )


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


def _now() -> str:
    return datetime.now(timezone.utc).isoformat(timespec="milliseconds")


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
) -> Ended:
    """The end of a command that runs in ``folder``; its output goes to ``stdout.txt`` and ``stderr.txt`` in ``streams``.

    ``streams`` lies outside what the sandbox may write, so that nobody but the command's own output ends up there. A
    failing command raises no exception: the exit code (None if it could not be started, or replaced its streams) and
    the termination reason say what happened. ``watch`` is called a few times a second with the memory in use, and
    returns a reason to stop the command, or None.
    ``predict`` returns the exit code from the standard output so far if it is certain, so that nobody waits for the
    process to end. Without a ``sandbox`` the command is trusted. ``variables`` are added to its environment.
    """
    started_at = _now()
    begun = time.monotonic()
    with (streams / "stdout.txt").open("wb") as stdout, (streams / "stderr.txt").open("wb") as stderr:
        opened = {Path(stream.name): os.fstat(stream.fileno()) for stream in (stdout, stderr)}
        try:
            started = start(
                argv,
                sandbox,
                folder=folder,
                variables=environment(folder, trusted=sandbox is None, declared=variables),
                streams=Streams(stdout=stdout, stderr=stderr),
            )
        except WallError as error:
            return not_started(streams, f"The sandbox could not be set up: {error.strerror}.")
    reason: TerminationReason | None = "killed"
    status: int | None = None
    try:
        reason, status = _wait(
            started, opened, begun + timeout_seconds, memory_bytes, cancelled, watch, predict
        )
    finally:
        code, usage = started.end()
    exit_code = code if status is None else status
    if code is None and reason is None and status is None:
        return not_started(
            streams, f"The sandbox could not be set up: {_first_line(streams / 'stderr.txt')}."
        )
    if reason is None and exit_code is not None and exit_code < 0:
        reason = "killed"
    if exit_code in _NOT_STARTED:
        exit_code = None
    if not _intact(opened):
        # Only a trusted command can do this.
        _write_error(streams, "The run removed or replaced the files of its output.")
        reason = exit_code = None
    return Ended(
        exit_code=exit_code,
        termination_reason=reason,
        started_at=started_at,
        wall_seconds=time.monotonic() - begun,
        cpu_seconds=usage.ru_utime + usage.ru_stime,
        peak_memory_bytes=usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024),
        walls=started.walls,
    )


def _first_line(file: Path) -> str:
    with file.open(encoding="utf-8", errors="replace") as lines:
        return lines.readline(500).strip()


def _wait(
    started: Started,
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
    try:
        return all(os.path.samestat(os.lstat(path), stat) for path, stat in opened.items())
    except OSError:
        return False


def _pause(brisk: bool, deadline: float) -> float:
    """The seconds until the next check."""
    return min(_BRISK_POLL_SECONDS if brisk else _POLL_SECONDS, max(deadline - time.monotonic(), 0.0))


def _resident_bytes(started: Started) -> int:
    """The resident memory of a process and what it started."""
    total = 0
    for member in started.members():
        with contextlib.suppress(psutil.Error):
            total += member.memory_info().rss
    return total
