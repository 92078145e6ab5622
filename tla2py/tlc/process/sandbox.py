"""What a process of a run may use and reach: its machine, its private folder, and the walls around it."""

from __future__ import annotations

import atexit
import contextlib
import hashlib
import os
import subprocess
import tempfile
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

import platformdirs

from tla2py.errors import InputError, reason_of
from tla2py.model.run import WALLS, Limits, Wall, Walls
from tla2py.tlc.process.bubblewrap import bubblewrap, wrapping
from tla2py.tlc.process.child import (
    ChildProcess,
    Command,
    WallError,
    start_confined,
    start_plain,
    start_wrapped,
)
from tla2py.tlc.process.os_facts import (
    FACTS,
    can_filter,
    drop_privileges,
    exit_of,
    filter_thread,
    landlock_version,
    on_linux,
    restrict_thread,
    system_call_filter,
)
from tla2py.tlc.process.reaper import scratch_folder

_folders: dict[int, Path] = {}
_lock = threading.Lock()


def private_folder(name: str) -> Path:
    """A folder with this name, removed when this process ends; a forked child has its own."""
    pid = os.getpid()
    with _lock:
        if pid not in _folders:
            stack = contextlib.ExitStack()
            _folders[pid] = stack.enter_context(scratch_folder("tla2py-private-"))
            atexit.register(lambda: stack.close() if os.getpid() == pid else None)
        folder = _folders[pid] / name
        folder.mkdir(exist_ok=True)
        return folder


# The largest file that a run may write: queues and fingerprint sets of billions of states stay below it.
FILE_LIMIT_BYTES = 64 * 1024**3
# The parts of the system that programs need: code, time zones, names, the configuration of Java.
_CODE = ("/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/usr", "/nix/store", "/gnu/store")
_SYSTEM = (*_CODE, "/etc/alternatives", "/etc/crypto-policies")
_NAMES = ("nsswitch.conf", "passwd", "group", "host*", "resolv.conf")
_ETC = ("ld.so.*", "localtime", "timezone", *_NAMES, "java*")
_RANDOM = (Path("/dev/random"), Path("/dev/urandom"))
_DEVICES = (Path("/dev/null"), Path("/dev/zero"), Path("/dev/full"))
# A Java installed by the system needs nothing else.
_OF_SYSTEM = ("/usr/", "/nix/store/", "/gnu/store/")
# A JVM takes options from these, and prints that it does.
JAVA_VARIABLES = ("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS")
_PROBE_SECONDS = 20
# Landlock restricts signals since its sixth version.
_SIGNALS = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Sandbox:
    """The rights of a process: to write in ``folder``, and to read there, below ``readable`` and in the system.

    A ``server`` listens on the loopback interface, so it keeps a network, in which it can only accept connections.
    """

    folder: Path
    readable: tuple[Path, ...] = ()
    server: bool = False


def java_sandbox(java: Path, folder: Path, classes: Sequence[Path], *, server: bool = False) -> Sandbox:
    """The sandbox of a JVM that reads ``classes``, such as jars."""
    return Sandbox(folder=folder, readable=(*_of_java(java), *classes), server=server)


def environment(folder: Path, *, trusted: bool, declared: dict[str, str] | None = None) -> dict[str, str]:
    """The environment variables of a run in a folder: ours if it is trusted, otherwise what a JVM needs.

    ``declared`` are the run's own, which take precedence.
    """
    if trusted:
        given = {name: text for name, text in os.environ.items() if name not in JAVA_VARIABLES}
    else:
        given = {"PATH": os.defpath, "HOME": str(folder), "TMPDIR": str(folder / "tmp")}
    return {**given, "LC_ALL": "C.UTF-8", **(declared or {})}


def start(command: Command, sandbox: Sandbox | None) -> ChildProcess:
    """A process, unrestricted without a sandbox. Raises OSError, and WallError for a wall that cannot be put up."""
    if sandbox is None:
        return start_plain(command)
    by = walls()
    return replace(_start(by, command, sandbox), walls=by)


def _start(by: Walls, command: Command, sandbox: Sandbox) -> ChildProcess:
    command.protect_streams()
    blocks = FILE_LIMIT_BYTES // 512
    shell = ("/bin/sh", "-c", f'ulimit -f {blocks} 2>/dev/null; exec "$@"', "tla2py")
    limited = replace(command, argv=(*shell, *command.argv))
    if by.by == "bubblewrap":
        if (program := bubblewrap()) is None:
            raise WallError(None, "bubblewrap is gone")
        wrapped = wrapping(
            program,
            sandbox.folder,
            readable=sandbox.readable,
            system=_system(),
            devices=(*_DEVICES, *_RANDOM),
            variables=command.variables,
            code=system_call_filter(server=sandbox.server) if can_filter() else b"",
            network=sandbox.server,
        )
        return start_wrapped(limited, wrapped)
    if by.by == "none":
        return start_plain(limited)

    def give_up(group: int) -> None:
        with _named_wall("capabilities"):
            drop_privileges()
        if "files" not in by.missing:
            readable = (*sandbox.readable, *_system(), *FACTS, *_RANDOM)
            with _named_wall("Landlock"):
                restrict_thread(readable, (sandbox.folder,), _DEVICES)
        if can_filter():
            with _named_wall("seccomp"):
                filter_thread(system_call_filter(server=sandbox.server, group=group))

    return start_confined(limited, give_up)


@contextlib.contextmanager
def _named_wall(name: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise WallError(error.errno, f"{name}: {error.strerror}") from error


def run(
    command: Sequence[str], sandbox: Sandbox, *, timeout_seconds: float, by: Walls | None = None
) -> subprocess.CompletedProcess[bytes]:
    """The output and exit code of a command in a sandbox, whose folder is removed if we are killed.

    ``by`` are other walls than those of this machine. Raises OSError, ``subprocess.TimeoutExpired``.
    """
    by = by or walls()
    with tempfile.TemporaryFile() as output:
        asked = Command(
            argv=command,
            folder=sandbox.folder,
            scratch=sandbox.folder,
            variables=environment(sandbox.folder, trusted=False),
            stdout=output,
            stderr=subprocess.STDOUT,
        )
        started = _start(by, asked, sandbox)
        try:
            with exit_of(started.process.pid) as ended:
                in_time = ended(timeout_seconds)
        finally:
            code, _ = started.end()
        output.seek(0)
        text = output.read()
    if not in_time:
        raise subprocess.TimeoutExpired(list(command), timeout_seconds)
    if code is None:
        raise WallError(None, text.decode("utf-8", "replace").strip())
    return subprocess.CompletedProcess(command, code, text)


def walls() -> Walls:
    """The walls around a sandboxed process on this machine."""
    found = _wrapped_walls(program)[0] if (program := bubblewrap()) is not None else None
    return found or _kernel_walls()


def why_not_bubblewrap() -> str:
    """The reason why bubblewrap is not used; empty if it is."""
    if not on_linux():
        return NO_WALLS
    program = bubblewrap()
    return "bubblewrap is not installed" if program is None else _wrapped_walls(program)[1]


@lru_cache(maxsize=8)
def _wrapped_walls(program: str) -> tuple[Walls | None, str]:
    """The walls of bubblewrap, or None and the reason why it does not work."""
    found = Walls(by="bubblewrap", missing=() if can_filter() else ("network",))
    reason = _failure(found)
    return (None, f"{program} does not work: {reason}") if reason else (found, "")


@lru_cache(maxsize=1)
def _kernel_walls() -> Walls:
    """The walls of the kernel alone."""
    if not on_linux():
        return Walls(by="none", missing=WALLS)
    version, filters = landlock_version(), can_filter()
    standing: dict[Wall, bool] = {
        "files": version > 0,
        "network": filters,
        # Landlock keeps a process from tracing others.
        "secrets": version > 0,
        "processes": version >= _SIGNALS and filters,
        "lifetime": filters,
        "privileges": True,
    }
    found = Walls(by="kernel", missing=tuple(wall for wall in WALLS if not standing[wall]))
    if version and _failure(found):
        # It fails below sixteen other sandboxes, for example.
        gone = {*found.missing, "files", "secrets", "processes"}
        return replace(found, missing=tuple(wall for wall in WALLS if wall in gone))
    return found


def _failure(by: Walls) -> str:
    """The reason why a process cannot start behind these walls; empty if it can."""
    with tempfile.TemporaryDirectory(prefix="tla2py-", ignore_cleanup_errors=True) as folder:
        try:
            sandbox = Sandbox(folder=Path(folder))
            done = run(("/bin/sh", "-c", ":"), sandbox, timeout_seconds=_PROBE_SECONDS, by=by)
        except (OSError, subprocess.TimeoutExpired) as error:
            return reason_of(error)
    return done.stdout.decode("utf-8", "replace").strip() if done.returncode != 0 else ""


@lru_cache(maxsize=1)
def _system() -> tuple[Path, ...]:
    """The files and folders of the system that programs need."""
    return (*map(Path, _SYSTEM), *(path for name in _ETC for path in sorted(Path("/etc").glob(name))))


@lru_cache(maxsize=8)
def _of_java(java: Path) -> tuple[Path, ...]:
    """The paths that a Java reads; the whole file system if it does not start with less, as its libraries are elsewhere."""
    home = java.resolve().parent.parent
    if "files" in walls().missing or str(home).startswith(_OF_SYSTEM):
        return (home,)
    key = hashlib.sha256(f"{home} {java.resolve().stat().st_mtime_ns}".encode()).hexdigest()[:32]
    found = platformdirs.user_cache_path("tla2py") / "sandboxes" / key
    if found.is_file():
        return (home,)
    with tempfile.TemporaryDirectory(prefix="tla2py-", ignore_cleanup_errors=True) as folder:
        sandbox = Sandbox(folder=Path(folder), readable=(home,))
        try:
            done = run((str(java), "-version"), sandbox, timeout_seconds=_PROBE_SECONDS)
        except subprocess.TimeoutExpired:
            return (Path("/"),)
    if done.returncode != 0:
        return (Path("/"),)
    with contextlib.suppress(OSError):
        found.parent.mkdir(parents=True, exist_ok=True)
        found.touch()
    return (home,)


# What TLC can reach without each wall.
_REACHED: dict[Wall, str] = {
    "files": "this account's files",
    "network": "the network",
    "secrets": "the environment and memory of other processes",
    "processes": "other processes by signals, limits and priorities",
    "lifetime": "the time after its run",
    "privileges": "this account's privileges",
}
NO_WALLS = "no walls on this system"
_APART = "run in a container or virtual machine of its own what you do not trust"


def remedy() -> str:
    """What to do where walls are missing."""
    return f"install bubblewrap, or {_APART}" if on_linux() else _APART


def sandbox_text(found: Walls) -> str:
    """What puts the walls up, and which are missing: ``bubblewrap``; ``kernel, without processes``."""
    if found.by == "none":
        return "none"
    name = "Landlock and seccomp" if found.by == "kernel" else found.by
    return f"{name}, without {' and '.join(found.missing)}" if found.missing else name


def reached_text(found: Walls) -> str:
    """What TLC can reach, with the reason; empty if all walls stand."""
    if not found.missing:
        return ""
    reached = f"TLC can reach {' and '.join(_REACHED[wall] for wall in found.missing)}"
    reason = why_not_bubblewrap()
    return f"{reached} ({reason})" if reason else reached


def missing_walls(limits: Limits) -> str | None:
    """The reason why a run that requires all walls cannot start; None if it can."""
    if limits.sandbox == "auto":
        return None
    if limits.trust:
        return "a trusted run has no sandbox"
    return reached_text(walls()) or None


def check_sandbox(limits: Limits, *, strange: bool = False) -> None:
    """Raise InputError (``sandbox-missing``) for a run that requires walls which this machine lacks.

    What is ``strange``, as with --no-trust, does not run where no wall stands.
    """
    option, reason = "--sandbox require", missing_walls(limits)
    if strange and reason is None and (found := walls()).by == "none":
        option, reason = "--no-trust", reached_text(found)
    if reason is not None:
        raise InputError("sandbox-missing", f"{option}: {reason}", hint=remedy())
