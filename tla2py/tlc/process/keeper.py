"""A keeper: a process between us and a program of the user's, so that nothing which the program starts outlives it.

A process whose parent ends is adopted by the first process of the system, where nobody finds it any more. The keeper
adopts such processes itself (on Linux). It ends with the program, with the same status, and when we end or say so; in
each case it first kills all that the program started.
"""

from __future__ import annotations

import contextlib
import os
import resource
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import IO

import psutil

from tla2py.tlc.process.os_facts import adopt_orphans, kill_group

# A new interpreter finds modules where this one does.
_PROGRAM = "import sys; sys.path[:] = {path!r}; from tla2py.tlc.process.keeper import keep; keep()"
# How long killed processes may take to end.
_PATIENCE_SECONDS = 5.0
_KILLED = 128 + signal.SIGKILL


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptProgram:
    """A program with a keeper; ``process`` is the keeper, whose standard input and output are the program's."""

    process: subprocess.Popen[bytes]
    control: socket.socket

    @property
    def stdin(self) -> IO[bytes]:
        """The program's standard input."""
        assert self.process.stdin is not None
        return self.process.stdin

    @property
    def stdout(self) -> IO[bytes]:
        """The program's standard output."""
        assert self.process.stdout is not None
        return self.process.stdout

    def wait(self, seconds: float) -> int | None:
        """Return the program's exit status, negative for a signal; None if it runs on after so many seconds."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            return self.process.wait(seconds)
        return None

    def end(self, seconds: float) -> None:
        """End the program by the end of its input, and kill it after so many seconds, with all that it started."""
        with contextlib.suppress(OSError):
            self.stdin.close()
        if self.wait(seconds) is None:
            self.control.close()
            if self.wait(_PATIENCE_SECONDS) is None:
                kill_group(self.process.pid)
                self.process.wait()
        self.control.close()
        self.stdout.close()


def start_kept(command: Sequence[str]) -> KeptProgram:
    """Start a program as the user's own, with a keeper. Raises OSError if it cannot be started."""
    control, theirs = socket.socketpair()
    try:
        with theirs:
            code = _PROGRAM.format(path=sys.path)
            process = subprocess.Popen(
                [sys.executable, "-I", "-c", code, str(theirs.fileno()), *command],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                pass_fds=(theirs.fileno(),),
                start_new_session=True,
            )
        kept = KeptProgram(process=process, control=control)
        answer = control.recv(100)
    except BaseException:
        control.close()
        raise
    if answer != b"0":
        kept.end(0)
        number = int(answer) if answer.isdigit() else 0
        raise OSError(number, os.strerror(number) if number else "it did not start")
    return kept


def keep() -> None:
    """Be the keeper that the command line describes: the descriptor of our end, then the program's command."""
    descriptor, *command = sys.argv[1:]
    adopt_orphans()
    control = socket.socket(fileno=int(descriptor))
    control.set_inheritable(False)
    try:
        program = subprocess.Popen(command, start_new_session=True)
    except OSError as error:
        control.sendall(str(error.errno or 0).encode())
        sys.exit(1)
    # Whoever reads the program's output has to see when the program closes it.
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(nothing, 1)
    control.sendall(b"0")
    threading.Thread(target=_end_with, args=(control,), daemon=True).start()
    status = _wait_for(program.pid)
    kill_descendants()
    _end_like(status)


def _end_with(control: socket.socket) -> None:
    """Wait until the other end is closed, which it also is when its process is gone, and kill everything."""
    with contextlib.suppress(OSError):
        control.recv(1)
    kill_descendants()
    os._exit(_KILLED)


def _wait_for(pid: int) -> int:
    """Return the exit status of a child, negative for a signal; reap the orphans that end before."""
    with contextlib.suppress(ChildProcessError):
        while True:
            ended, status = os.wait()
            if ended == pid:
                return os.waitstatus_to_exitcode(status)
    # The thread that kills everything has reaped it, and ends this process.
    threading.Event().wait()
    return _KILLED


def kill_descendants() -> None:
    """Kill all processes below this one, and those that come to be below it while their parents end."""
    until = time.monotonic() + _PATIENCE_SECONDS
    while time.monotonic() < until:
        left = [child for child in psutil.Process().children(recursive=True) if _is_alive(child)]
        if not left:
            return
        for child in left:
            with contextlib.suppress(psutil.Error):
                child.kill()
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        time.sleep(0.002)


def _is_alive(process: psutil.Process) -> bool:
    with contextlib.suppress(psutil.Error):
        return bool(process.status() != psutil.STATUS_ZOMBIE)
    return False


def _end_like(status: int) -> None:
    """End with an exit status, negative for a signal."""
    if status < 0:
        # The program may have left a core file, this process need not.
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if -status not in (signal.SIGKILL, signal.SIGSTOP):
            signal.signal(-status, signal.SIG_DFL)
        os.kill(os.getpid(), -status)
    os._exit(status)
