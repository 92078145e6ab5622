"""The sandbox of an untrusted TLC process: its own folder, its tools, and little else.

A module can use operators that read and write files, and Java classes beside it can do anything. So a process gets none
of our environment variables, reads only files of its run, its tools and the system, writes only to its folder and
limited amounts, and has no network. Landlock restricts files and TCP; util-linux's ``unshare`` removes the network.
Where the system cannot restrict something nothing fails, and ``tla2py doctor`` reports it.
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

# The largest file that a run may write: queues and fingerprint sets of billions of states stay below it.
FILE_LIMIT_BYTES = 64 * 1024**3
# The parts of the system that programs need: code, time zones, names, the configuration of Java.
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
# A Java installed by the system needs nothing else.
_OF_SYSTEM = ("/usr/", "/nix/store/", "/gnu/store/")
# A JVM takes options from these, and prints that it does.
JAVA_VARIABLES = ("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS")
_BARE = {"PATH": os.defpath, "LC_ALL": "C.UTF-8"}
_NOWHERE = Path(os.devnull)
_UNSHARE = ("unshare", "-n"), ("unshare", "-U", "-n")


@dataclass(frozen=True, slots=True, kw_only=True)
class Sandbox:
    """The rights of a process: to write in ``folder``, and to read there, below ``readable`` and in the system.

    A ``server`` listens on the loopback interface, so it keeps its network, and only outgoing TCP can be blocked.
    """

    folder: Path
    readable: tuple[Path, ...]
    server: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Walls:
    """What this system can restrict: files, and a process's whole network or only its TCP."""

    files: bool
    network: bool
    tcp: bool


def java_sandbox(java: Path, folder: Path, classes: Sequence[Path], *, server: bool = False) -> Sandbox:
    """The sandbox of a JVM that reads ``classes``, such as jars."""
    return Sandbox(folder=folder, readable=(*_of_java(java), *classes), server=server)


def environment(folder: Path, *, trusted: bool, declared: dict[str, str] | None = None) -> dict[str, str]:
    """The environment variables of a run in a folder: ours if it is trusted, otherwise what a JVM needs.

    ``declared`` are the run's own, which take precedence.
    """
    own = {"LC_ALL": "C.UTF-8", "TLA2PY_FOLDER": str(folder)}
    if trusted:
        return (
            {name: text for name, text in os.environ.items() if name not in JAVA_VARIABLES}
            | own
            | (declared or {})
        )
    return {"PATH": os.defpath, "HOME": str(folder), "TMPDIR": str(folder / "tmp"), **own, **(declared or {})}


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
    """A process in a folder, as the leader of a new session; unrestricted without a sandbox. Raises OSError."""

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
    """The output and exit code of a command in a sandbox, whose folder is removed if we are killed.

    Raises OSError, ``subprocess.TimeoutExpired``.
    """
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
            output, _ = process.communicate(timeout=timeout_seconds)
        except BaseException:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            raise
        finally:
            reaper.release(process.pid)
    if process.returncode == 1 and not sandbox.server and _was_refused(output):
        return run(command, replace(sandbox, server=True), timeout_seconds=timeout_seconds)
    return subprocess.CompletedProcess(command, process.returncode, output)


def walls() -> Walls:
    """What this system can restrict."""
    return Walls(files=landlock_version() > 0, network=bool(_without_network()), tcp=landlock_version() >= 4)


def network_refused(exit_code: int | None, stderr: Path) -> bool:
    """Whether a process ended because removing its network failed after all; later ones then keep theirs."""
    if exit_code != 1:
        return False
    with stderr.open("rb") as stream:
        return _was_refused(stream.readline(200))


def _was_refused(output: bytes) -> bool:
    # Several processes may be refused at once, so the result does not depend on earlier ones.
    global _refused
    refused = bool(_tried()) and output.startswith(b"unshare: ")
    _refused |= refused
    return refused


_refused = False


def _without_network() -> tuple[str, ...]:
    """The prefix that makes a command run without network, empty if the system cannot do it."""
    return () if _refused else _tried()


@lru_cache(maxsize=1)
def _tried() -> tuple[str, ...]:
    # Only root may do it directly; others need a user namespace, where allowed.
    for prefix in _UNSHARE if os.geteuid() == 0 else _UNSHARE[1:]:
        with contextlib.suppress(OSError):
            if _quiet((*prefix, "/bin/sh", "-c", ":"), Sandbox(folder=_NOWHERE, readable=_system())) == 0:
                return prefix
    return ()


def _quiet(command: Sequence[str], sandbox: Sandbox) -> int:
    """The exit code of a command in a sandbox with network. Raises OSError."""

    def begin() -> subprocess.Popen[bytes]:
        null = subprocess.DEVNULL
        return subprocess.Popen(command, cwd="/", env=_BARE, stdin=null, stdout=null, stderr=null)

    return _restricted(sandbox, begin).wait()


def _restricted(sandbox: Sandbox, begin: Callable[[], subprocess.Popen[bytes]]) -> subprocess.Popen[bytes]:
    """The process that ``begin`` starts in a restricted thread; our other threads keep their rights."""
    begun: list[subprocess.Popen[bytes]] = []
    failed: list[BaseException] = []

    def give_up_and_begin() -> None:
        try:
            if landlock_version():
                # Restricting fails below sixteen other sandboxes, for example.
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
        # Interrupted: the process must not survive unnoticed.
        thread.join()
        for process in begun:
            process.kill()
            process.wait()
        raise
    if failed:
        raise failed[0]
    return begun[0]


def _limit_files(pid: int) -> None:
    """Limit the size of each file that a process writes, if the system can do this for another process."""
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
    """The paths that a Java reads; the whole file system if it does not start with less, as its libraries are elsewhere."""
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
