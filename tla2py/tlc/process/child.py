"""Processes behind walls: their start, and their end with everything that they started."""

from __future__ import annotations

import contextlib
import os
import resource
import signal
import stat
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO

import psutil

from tla2py.model.run import Walls
from tla2py.tlc.process import reaper
from tla2py.tlc.process.bubblewrap import Wrapping, wrapped_status
from tla2py.tlc.process.os_facts import child_ended, kill_group

# How long a killed process may take to end.
_PATIENCE_SECONDS = 5.0
# Signals that no JVM handles, whose exit statuses TLC does not use: bubblewrap reports a signal as a status.
_DEADLY = {
    128 + number: -number
    for number in (
        *(signal.SIGILL, signal.SIGTRAP, signal.SIGABRT, signal.SIGBUS, signal.SIGFPE),
        *(signal.SIGKILL, signal.SIGSEGV, signal.SIGSYS),
    )
}


class WallError(OSError):
    """A wall that could not be put up, so that the process did not start."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """What to start, and where; ``scratch`` is removed if we are killed."""

    argv: Sequence[str]
    folder: Path
    scratch: Path
    variables: Mapping[str, str]
    stdout: int | IO[bytes] = subprocess.DEVNULL
    stderr: int | IO[bytes] = subprocess.DEVNULL

    def protect_streams(self) -> None:
        """Let nobody open its output for writing again, as by ``/proc/self/fd/1``."""
        for stream in (self.stdout, self.stderr):
            if not isinstance(stream, int):
                os.fchmod(stream.fileno(), stat.S_IRUSR)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChildProcess:
    """A process that was started, as the leader or a member of its own group.

    holder: keeps the group of a process that could not create one.
    status: the descriptor of what bubblewrap writes.
    walls: None for a trusted process.
    """

    process: subprocess.Popen[bytes]
    walls: Walls | None = None
    holder: subprocess.Popen[bytes] | None = None
    status: int | None = None

    @property
    def _group(self) -> int:
        return (self.holder or self.process).pid

    def command(self, timeout_seconds: float) -> psutil.Process:
        """The process of the command, which may be below the one that was started. Raises psutil.Error."""
        if self.status is None:
            return psutil.Process(self.process.pid)
        deadline = time.monotonic() + timeout_seconds
        while (pid := wrapped_status(self.status).get("child-pid")) is None:
            if self.ended() or time.monotonic() > deadline:
                raise psutil.NoSuchProcess(self.process.pid)
            time.sleep(0.001)
        return psutil.Process(pid)

    def ended(self) -> bool:
        """Whether it has ended; ``end`` is still to be called."""
        return child_ended(self.process.pid)

    def members(self) -> Iterator[psutil.Process]:
        """The process and what it started, as far as it lives."""
        if self.holder is None:
            with contextlib.suppress(psutil.Error):
                leader = psutil.Process(self.process.pid)
                yield from (leader, *leader.children(recursive=True))
            return
        for pid in psutil.pids():
            with contextlib.suppress(psutil.Error, OSError):
                if pid != self.holder.pid and os.getpgid(pid) == self.holder.pid:
                    yield psutil.Process(pid)

    def end(self) -> tuple[int | None, resource.struct_rusage]:
        """Kill it with everything that it started; its exit code and use of resources.

        The code is negative for a signal, and None if bubblewrap did not start the command.
        """
        if self.status is not None:
            # Kill the first process inside: bubblewrap waits for it, and only then its time counts.
            inside = []
            with contextlib.suppress(psutil.Error):
                inside = psutil.Process(self.process.pid).children()
                for process in inside:
                    process.kill()
            # Without one bubblewrap has ended or has not begun.
            deadline = time.monotonic() + (_PATIENCE_SECONDS if inside else 0)
            while not self.ended() and time.monotonic() < deadline:
                time.sleep(0.001)
        # The group goes before its leader is reaped, while no other process can have its id.
        kill_group(self._group)
        _, waited, usage = os.wait4(self.process.pid, 0)
        self.process.returncode = os.waitstatus_to_exitcode(waited)
        if self.holder is not None:
            self.holder.wait()
        reaper.release(self._group)
        code: int | None = self.process.returncode
        if self.status is not None:
            status = wrapped_status(self.status).get("exit-code")
            os.close(self.status)
            if self.process.returncode >= 0:
                code = None if status is None else _DEADLY.get(status, status)
        return code, usage


def start_plain(command: Command) -> ChildProcess:
    """A process without walls. Raises OSError."""
    return ChildProcess(process=_guarded(command))


def start_wrapped(command: Command, wrapping: Wrapping) -> ChildProcess:
    """A process in bubblewrap, which sets its folder and variables. Raises OSError."""
    argv = (*wrapping.argv, *command.argv)
    wrapped = replace(command, argv=argv, folder=command.scratch, variables={})
    try:
        process = _guarded(wrapped, inherited=(*wrapping.descriptors, wrapping.status))
    except BaseException:
        os.close(wrapping.status)
        raise
    finally:
        for descriptor in wrapping.descriptors:
            os.close(descriptor)
    return ChildProcess(process=process, status=wrapping.status)


def start_confined(command: Command, give_up: Callable[[int], None]) -> ChildProcess:
    """A process whose rights a thread gives up before it starts it; our other threads keep theirs.

    ``give_up`` is called with the group that the process joins. Raises OSError.
    """
    # The process may not create a group, since its children could leave it then.
    sleep, scratch = ("/bin/sh", "-c", "exec sleep 2147483647"), command.scratch
    idle = Command(argv=sleep, folder=scratch, scratch=scratch, variables={"PATH": os.defpath})
    holder = _guarded(idle, group=0)

    def give_up_and_begin() -> subprocess.Popen[bytes]:
        give_up(holder.pid)
        return _popen(command, subprocess.DEVNULL, group=holder.pid)

    try:
        with ThreadPoolExecutor(1, "sandbox") as thread:
            begun = thread.submit(give_up_and_begin)
            try:
                process = begun.result()
            except BaseException:
                # Interrupted: the process must not survive unnoticed.
                if begun.exception() is None:
                    begun.result().kill()
                    begun.result().wait()
                raise
    except BaseException:
        holder.kill()
        holder.wait()
        reaper.release(holder.pid)
        raise
    return ChildProcess(process=process, holder=holder)


def _guarded(
    command: Command, *, inherited: Sequence[int] = (), group: int | None = None
) -> subprocess.Popen[bytes]:
    """A process that ends, and whose scratch folder is removed, if we are killed."""
    argv, descriptor = reaper.guarded(tuple(command.argv))
    variables = {**command.variables, "TLA2PY_FOLDER": str(command.scratch)}
    guarded = replace(command, argv=argv, variables=variables)
    return _popen(guarded, descriptor, inherited=inherited, group=group)


def _popen(
    command: Command, stdin: int, *, inherited: Sequence[int] = (), group: int | None
) -> subprocess.Popen[bytes]:
    """A process that leads its own session, or is in a group of ours; 0 is a new one."""
    apart: dict[str, int] = {"start_new_session": True} if group is None else {"process_group": group}
    return subprocess.Popen(  # type: ignore[call-overload, no-any-return]
        command.argv,
        cwd=command.folder,
        env=command.variables,
        stdin=stdin,
        stdout=command.stdout,
        stderr=command.stderr,
        pass_fds=inherited,
        **apart,
    )
