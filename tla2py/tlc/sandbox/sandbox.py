"""What a process that runs TLC gets of this machine: its own folder, its tools, and little else, unless it is trusted.

A module can name operators that read and write files, and Java classes given beside it can do anything. So a process
gets no variable of our environment, reads no files but those of its run, of its tools and of the system, writes to none
outside its folder nor more than so much to any, and finds no network. What a system cannot take away stays: nothing
fails because of that, and ``tla2py doctor`` tells. Files, and TCP, are taken by Landlock, all of the network by util-linux's
``unshare``, which becomes the process itself.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import resource
import signal
import subprocess
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import IO

import platformdirs

from tla2py.tlc.sandbox import reaper
from tla2py.tlc.sandbox.landlock import landlock_version, restrict_thread

# The largest file that a run may write: a queue or a set of fingerprints of billions of states stays below it.
FILE_LIMIT_BYTES = 64 * 1024**3
# What programs themselves need of a system: code, time zones, names, the configuration of Java.
_CODE = ("/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/usr", "/nix/store", "/gnu/store")
_SYSTEM = (
    *_CODE,
    "/proc",
    "/sys",
    "/dev/random",
    "/dev/urandom",
    "/etc/alternatives",
    "/etc/crypto-policies",
)
_ETC = (
    "ld.so.*",
    "localtime",
    "timezone",
    "nsswitch.conf",
    "passwd",
    "group",
    "host*",
    "resolv.conf",
    "java*",
)
_DEVICES = (Path("/dev/null"), Path("/dev/zero"), Path("/dev/full"))
# A Java that was installed by the system finds all it needs.
_OF_SYSTEM = ("/usr/", "/nix/store/", "/gnu/store/")
# A JVM takes options from these, and says so among its output.
_JAVA_VARIABLES = ("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS")
_BARE = {"PATH": os.defpath, "LC_ALL": "C.UTF-8"}
_NOWHERE = Path(os.devnull)
_UNSHARE = ("unshare", "-n"), ("unshare", "-U", "-n")


@dataclass(frozen=True, slots=True, kw_only=True)
class Sandbox:
    """What a process may do: write in ``folder``, read there, below ``readable`` and what the system needs.

    With ``server`` it waits on the loopback interface, so it is left that and can at most be kept from TCP elsewhere.
    """

    folder: Path
    readable: tuple[Path, ...]
    server: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Walls:
    """What can be taken away on this system: files, and the network of a process or only its TCP."""

    files: bool
    network: bool
    tcp: bool


def java_sandbox(java: Path, folder: Path, classes: Sequence[Path], *, server: bool = False) -> Sandbox:
    """The sandbox of a JVM with jars, or other files, that it needs."""
    return Sandbox(folder=folder, readable=(*_of_java(java), *classes), server=server)


def environment(folder: Path, *, trusted: bool) -> dict[str, str]:
    """The environment of a run in a folder: ours where it is trusted, else what a JVM needs."""
    own = {"LC_ALL": "C.UTF-8", "TLA2PY_FOLDER": str(folder)}
    if trusted:
        return {name: text for name, text in os.environ.items() if name not in _JAVA_VARIABLES} | own
    return {"PATH": os.defpath, "HOME": str(folder), "TMPDIR": str(folder / "tmp"), **own}


def start(
    command: Sequence[str],
    sandbox: Sandbox | None,
    *,
    folder: Path,
    variables: Mapping[str, str],
    stdin: int,
    stdout: int | IO[bytes],
    stderr: int | IO[bytes],
) -> subprocess.Popen[bytes]:
    """A process in a folder, the leader of a session of its own; without a sandbox it is free. Raises OSError."""

    def begin(argv: Sequence[str]) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            argv,
            cwd=folder,
            env=variables,
            stdin=stdin,
            stdout=stdout,
            stderr=stderr,
            start_new_session=True,
        )

    if sandbox is None:
        return begin(command)
    prefix = () if sandbox.server else _without_network()
    process = _restricted(sandbox, lambda: begin((*prefix, *command)))
    _limit_files(process.pid)
    return process


def run(
    command: Sequence[str], sandbox: Sandbox, *, timeout_seconds: float
) -> subprocess.CompletedProcess[bytes]:
    """What a command in a sandbox prints, and how it ends; its folder goes with us if we are killed. Raises OSError, ``subprocess.TimeoutExpired``."""
    guarded, descriptor = reaper.guarded(tuple(command))
    process = start(
        guarded,
        sandbox,
        folder=sandbox.folder,
        variables=environment(sandbox.folder, trusted=False),
        stdin=descriptor,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    with process:
        try:
            said, _ = process.communicate(timeout=timeout_seconds)
        except BaseException:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            raise
        finally:
            reaper.release(process.pid)
    if process.returncode == 1 and not sandbox.server and _was_refused(said):
        return run(command, replace(sandbox, server=True), timeout_seconds=timeout_seconds)
    return subprocess.CompletedProcess(command, process.returncode, said)


def walls() -> Walls:
    """What this system can take away."""
    return Walls(files=landlock_version() > 0, network=bool(_without_network()), tcp=landlock_version() >= 4)


def network_refused(exit_code: int | None, stderr: Path) -> bool:
    """Whether a process ended because its network could not be taken after all; no later one is tried with it."""
    if exit_code != 1:
        return False
    with stderr.open("rb") as said:
        return _was_refused(said.readline(200))


def _was_refused(said: bytes) -> bool:
    # Several may be refused at once, so it does not matter whether one was already.
    global _refused
    refused = bool(_tried()) and said.startswith(b"unshare: ")
    _refused |= refused
    return refused


_refused = False


def _without_network() -> tuple[str, ...]:
    """What, put before a command, has it run without a network; nothing where that cannot be."""
    return () if _refused else _tried()


@lru_cache(maxsize=1)
def _tried() -> tuple[str, ...]:
    # Only root may do it as it is; others, where they may at all, in a namespace of users as well.
    for prefix in _UNSHARE if os.geteuid() == 0 else _UNSHARE[1:]:
        with contextlib.suppress(OSError):
            if _quiet((*prefix, "/bin/sh", "-c", ":"), Sandbox(folder=_NOWHERE, readable=_system())) == 0:
                return prefix
    return ()


def _quiet(command: Sequence[str], sandbox: Sandbox) -> int:
    """The exit code of a command in a sandbox, but with the network. Raises OSError."""

    def begin() -> subprocess.Popen[bytes]:
        null = subprocess.DEVNULL
        return subprocess.Popen(command, cwd="/", env=_BARE, stdin=null, stdout=null, stderr=null)

    return _restricted(sandbox, begin).wait()


def _restricted(sandbox: Sandbox, begin: Callable[[], subprocess.Popen[bytes]]) -> subprocess.Popen[bytes]:
    """The process that is begun by a thread which has given up its rights, and takes no others with it."""
    begun: list[subprocess.Popen[bytes]] = []
    failed: list[BaseException] = []

    def give_up_and_begin() -> None:
        try:
            if landlock_version():
                # What cannot be taken, as below sixteen other sandboxes, stays.
                with contextlib.suppress(OSError):
                    restrict_thread(sandbox.readable, (sandbox.folder,), _DEVICES)
            begun.append(begin())
        except BaseException as error:
            failed.append(error)

    thread = threading.Thread(target=give_up_and_begin, name="sandbox")
    thread.start()
    try:
        thread.join()
    except BaseException:
        # Interrupted: what was begun must not be forgotten.
        thread.join()
        for process in begun:
            process.kill()
            process.wait()
        raise
    if failed:
        raise failed[0]
    return begun[0]


def _limit_files(pid: int) -> None:
    """Bound the size of each file that a process writes, where one process can do that for another."""
    if hasattr(resource, "prlimit"):
        with contextlib.suppress(OSError, ValueError):
            _, hard = resource.prlimit(pid, resource.RLIMIT_FSIZE)
            if hard == resource.RLIM_INFINITY or hard > FILE_LIMIT_BYTES:
                resource.prlimit(pid, resource.RLIMIT_FSIZE, (FILE_LIMIT_BYTES, FILE_LIMIT_BYTES))


@lru_cache(maxsize=1)
def _system() -> tuple[Path, ...]:
    """The files and folders of the system that programs need."""
    return (*map(Path, _SYSTEM), *(path for name in _ETC for path in Path("/etc").glob(name)))


@lru_cache(maxsize=8)
def _of_java(java: Path) -> tuple[Path, ...]:
    """What a Java reads; everything where it does not start with less, as one may whose libraries are elsewhere."""
    home = java.resolve().parent.parent
    enough = (*_system(), home)
    if not landlock_version() or str(home).startswith(_OF_SYSTEM):
        return enough
    key = hashlib.sha256(f"{home} {java.resolve().stat().st_mtime_ns}".encode()).hexdigest()[:32]
    found = platformdirs.user_cache_path("tla2py") / "sandboxes" / key
    if found.is_file():
        return enough
    if _quiet((str(java), "-version"), Sandbox(folder=_NOWHERE, readable=enough)) != 0:
        return (Path("/"),)
    with contextlib.suppress(OSError):
        found.parent.mkdir(parents=True, exist_ok=True)
        found.touch()
    return enough
