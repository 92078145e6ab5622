"""A process that renders the templates of strangers, with limits on its time and memory.

Jinja2's sandbox keeps a template from running Python, not from computing for ever. A template cannot wait for anything,
so the CPU time of the process is the time that counts, whatever else the machine does.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import signal
import subprocess
import sys
import threading

import msgspec

from tla2py.model.config import Config

CPU_SECONDS = 5
MEMORY_BYTES = 1 << 30
"""The most that one template may take."""


class Request(msgspec.Struct, frozen=True):
    """A template and the config that it sees."""

    template: str
    config: Config


class Reply(msgspec.Struct, frozen=True):
    """The text, or the error at a line of the template; ``syntax`` if it is not a template at all."""

    text: str | None = None
    error: str = ""
    line: int | None = None
    syntax: bool = False


_lock = threading.Lock()
_process: tuple[int, subprocess.Popen[bytes]] | None = None


def render_apart(request: Request) -> Reply:
    """What the process replies; it is started once, and again after one that reached its limits."""
    global _process
    with _lock:
        # A forked child must not use its parent's.
        if _process is None or _process[0] != os.getpid():
            _process = os.getpid(), _start()
        process = _process[1]
        assert process.stdin is not None
        assert process.stdout is not None
        with contextlib.suppress(BrokenPipeError):
            process.stdin.write(msgspec.json.encode(request) + b"\n")
            process.stdin.flush()
        line = process.stdout.readline()
        if line.endswith(b"\n"):
            return msgspec.json.decode(line, type=Reply)
        _process = None
        _stop(process)
    if process.returncode == -signal.SIGXCPU:
        return Reply(error=f"it takes more than {CPU_SECONDS} seconds")
    return Reply(error="it takes more memory than a template may")


def _start() -> subprocess.Popen[bytes]:
    process = subprocess.Popen(
        [sys.executable, "-m", "tla2py.config.renderer"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        # None of our variables, where secrets may be.
        env={"PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "PATH": os.defpath, "LC_ALL": "C.UTF-8"},
        start_new_session=True,
    )
    pid = os.getpid()
    atexit.register(lambda: _stop(process) if os.getpid() == pid else None)
    return process


def _stop(process: subprocess.Popen[bytes]) -> None:
    """End a process, which also ends by itself when we do: its input is then closed."""
    for stream in (process.stdin, process.stdout):
        if stream is not None:
            with contextlib.suppress(OSError):
                stream.close()
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(timeout=1)
    process.kill()
    process.wait()
