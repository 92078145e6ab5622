"""The execution of one argv in its own folder, under limits, as a process group that never outlives its driver."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from pathlib import Path
from typing import TypeAlias

import psutil

from tla2py.model.run import TerminationReason
from tla2py.tlc.sandbox import reaper
from tla2py.tlc.sandbox.sandbox import Sandbox, environment, network_refused, start

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


def not_started(folder: Path, message: str) -> Ended:
    """The end of a command that was not started; ``stdout.txt`` has the reason as an error of TLC's."""
    text = f"@!@!@STARTMSG 1000:1 @!@!@\n{message}\n@!@!@ENDMSG 1000 @!@!@\n"
    (folder / "stdout.txt").write_text(text, encoding="utf-8")
    (folder / "stderr.txt").write_text("", encoding="utf-8")
    return Ended(
        exit_code=None,
        termination_reason=None,
        started_at=_now(),
        wall_seconds=0.0,
        cpu_seconds=0.0,
        peak_memory_bytes=0,
    )


def _now() -> str:
    return datetime.now(timezone.utc).isoformat(timespec="milliseconds")


def execute_argv(
    argv: Sequence[str],
    folder: Path,
    *,
    timeout_seconds: float,
    memory_bytes: int,
    cancelled: threading.Event | None = None,
    watch: Callable[[int], TerminationReason | None] | None = None,
    predict: Callable[[Path], int | None] | None = None,
    sandbox: Sandbox | None = None,
    variables: dict[str, str] | None = None,
) -> Ended:
    """The end of a command that runs in ``folder``; its streams go to ``stdout.txt`` and ``stderr.txt``.

    A failing command raises no exception: the exit code (None if it could not be started) and the termination reason
    say what happened. ``watch`` is called a few times a second with the memory in use, and returns a reason to stop the
    command, or None.
    ``predict`` returns the exit code from the standard output so far if it is certain, so that nobody waits for the
    process to end. Without a ``sandbox`` the command is trusted. ``variables`` are added to its environment.
    """
    started_at = _now()
    begun = time.monotonic()
    command, descriptor = reaper.guarded(tuple(argv))
    with (folder / "stdout.txt").open("wb") as stdout, (folder / "stderr.txt").open("wb") as stderr:
        process = start(
            command,
            sandbox,
            folder=folder,
            variables=environment(folder, trusted=sandbox is None, declared=variables),
            stdin=descriptor,
            stdout=stdout,
            stderr=stderr,
        )
    reason: TerminationReason | None = "killed"
    status: int | None = None
    try:
        reason, status = _wait(
            process.pid, folder, begun + timeout_seconds, memory_bytes, cancelled, watch, predict
        )
    finally:
        # Kill the rest of the group before its leader is reaped, while no other process can have its id.
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        _, waited, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(waited)
        reaper.release(process.pid)
    exit_code: int | None = process.returncode if status is None else status
    if reason is None and exit_code is not None and exit_code < 0:
        reason = "killed"
    if exit_code in _NOT_STARTED:
        exit_code = None
    if (
        sandbox is not None
        and not sandbox.server
        and reason is None
        and network_refused(exit_code, folder / "stderr.txt")
    ):
        return execute_argv(
            argv,
            folder,
            timeout_seconds=timeout_seconds,
            memory_bytes=memory_bytes,
            cancelled=cancelled,
            watch=watch,
            predict=predict,
            sandbox=replace(sandbox, server=True),
            variables=variables,
        )
    return Ended(
        exit_code=exit_code,
        termination_reason=reason,
        started_at=started_at,
        wall_seconds=time.monotonic() - begun,
        cpu_seconds=usage.ru_utime + usage.ru_stime,
        peak_memory_bytes=usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024),
    )


def _wait(
    pid: int,
    folder: Path,
    deadline: float,
    memory_bytes: int,
    cancelled: threading.Event | None,
    watch: Callable[[int], TerminationReason | None] | None,
    predict: Callable[[Path], int | None] | None,
) -> tuple[TerminationReason | None, int | None]:
    """The reason to kill the process, or its predicted exit code; both None if it ended on its own.

    The process is not reaped.
    """
    group = psutil.Process(pid)
    checked = time.monotonic()
    # Most runs are small, and a short poll saves a noticeable part of their time.
    brisk = checked + _BRISK_SECONDS
    with _exit_of(pid) as ended:
        while not ended(_pause(predict is not None and time.monotonic() < brisk, deadline)):
            if predict is not None and (status := predict(folder / "stdout.txt")) is not None:
                return None, status
            if time.monotonic() < min(checked + _POLL_SECONDS, deadline):
                continue
            checked = time.monotonic()
            if cancelled is not None and cancelled.is_set():
                return "killed", None
            if time.monotonic() >= deadline:
                return "timeout", None
            if (resident := _resident_bytes(group)) > memory_bytes:
                return "memory", None
            if (folder / "stdout.txt").stat().st_size > OUTPUT_LIMIT_BYTES:
                return "output", None
            if watch is not None and (why := watch(resident)) is not None:
                return why, None
    return None, None


def _pause(brisk: bool, deadline: float) -> float:
    """The seconds until the next check."""
    return min(_BRISK_POLL_SECONDS if brisk else _POLL_SECONDS, max(deadline - time.monotonic(), 0.0))


@contextlib.contextmanager
def _exit_of(pid: int) -> Iterator[Callable[[float], bool]]:
    """A function that waits up to the given seconds and returns whether the child, not reaped, has ended."""
    if not hasattr(os, "pidfd_open"):

        def by_polling(seconds: float) -> bool:
            time.sleep(min(seconds, 0.02))
            return os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None

        yield by_polling
        return
    descriptor = os.pidfd_open(pid)
    try:
        poll = select.poll()
        poll.register(descriptor, select.POLLIN)
        yield lambda seconds: bool(poll.poll(seconds * 1000))
    finally:
        os.close(descriptor)


def _resident_bytes(process: psutil.Process) -> int:
    """The resident memory of a process and its descendants."""
    total = 0
    with contextlib.suppress(psutil.Error):
        for member in (process, *process.children(recursive=True)):
            with contextlib.suppress(psutil.Error):
                total += member.memory_info().rss
    return total
