"""Bubblewrap: namespaces in which a process sees only its own files and processes; and the limit on its disk.

Its first process inside is the command itself, so that nobody can read what bubblewrap was started with, and all of its
descendants die with it.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tla2py.model.run import TerminationReason
from tla2py.tlc.process.os_facts import memory_file, on_linux

_NAMESPACES = ("--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try")


def bubblewrap() -> str | None:
    """The path of bubblewrap's program, None if it is not installed."""
    found = shutil.which("bwrap") if on_linux() else None
    return None if found is None else str(Path(found).absolute())


@dataclass(frozen=True, slots=True, kw_only=True)
class Wrapping:
    """The beginning of a command line that runs a command in bubblewrap.

    The process inherits ``descriptors`` and ``status``, a file where bubblewrap writes what became of it.
    """

    argv: tuple[str, ...]
    descriptors: tuple[int, ...]
    status: int


def wrapping(
    program: str,
    folder: Path,
    *,
    readable: Iterable[Path],
    system: Sequence[Path],
    devices: Iterable[Path],
    variables: Mapping[str, str],
    code: bytes,
    network: bool,
) -> Wrapping:
    """The wrapping of a command that may write in ``folder``, and read what is ``readable`` and the ``system``.

    Links of the system stay links. ``code`` filters system calls; empty for none.
    """
    options = [*_NAMESPACES, *([] if network else ["--unshare-net"]), "--cap-drop", "ALL", "--as-pid-1"]
    for path in (each for each in system if each.exists()):
        options += ["--symlink", str(path.readlink())] if path.is_symlink() else ["--ro-bind", str(path)]
        options.append(str(path))
    for path in readable:
        if path.exists() and not any(path.is_relative_to(other) for other in system):
            options += ["--ro-bind", str(path), str(path)]
    # Root may write below /proc/sys even without capabilities, such as what the kernel runs when a program crashes.
    options += ["--proc", "/proc", "--remount-ro", "/proc"]
    for device in devices:
        options += ["--dev-bind-try", str(device), str(device)]
    options += ["--bind", str(folder), str(folder), "--remount-ro", "/", "--chdir", str(folder)]
    for name, value in variables.items():
        options += ["--setenv", name, value]
    # The environment may hold secrets, and every user of the machine can read command lines.
    arguments = memory_file(os.fsencode("\0".join([*options, ""])))
    status = memory_file()
    argv = [program, "--args", str(arguments), "--json-status-fd", str(status)]
    descriptors = [arguments]
    if code:
        descriptors.append(memory_file(code))
        argv += ["--seccomp", str(descriptors[-1])]
    return Wrapping(argv=(*argv, "--"), descriptors=tuple(descriptors), status=status)


def wrapped_status(descriptor: int) -> dict[str, int]:
    """What bubblewrap wrote so far of its command: ``child-pid``, and ``exit-code`` once it has ended; empty if it failed."""
    facts: dict[str, int] = {}
    for line in os.pread(descriptor, 1 << 16, 0).splitlines(keepends=True):
        if line.endswith(b"\n"):
            facts |= json.loads(line)
    return facts


# The reason to stop a run on a full disk; one that has written more than its share stops for "disk".
DISK_FULL: TerminationReason = "disk-full"
# A JVM does not always report failed writes, so output on a disk with less free space than this is not trusted.
_LEAST_BYTES = 1024**2
_POLL_SECONDS = 0.5
# The most that checking may take of the time, however many files there are.
_EFFORT = 0.02
_FULL = (b"No space left on device", b"Disk quota exceeded")
_TAIL_BYTES = 65536


class DiskQuota:
    """The limit on the bytes that a run writes into its folder: ``limit_bytes``, or its share of the free space.

    Each of the ``slots`` runs that this machine executes at once has an equal share.
    """

    def __init__(self, folder: Path, limit_bytes: int | None, slots: int) -> None:
        self._folder = folder
        if limit_bytes is None:
            limit_bytes = (_free_bytes(folder) or 2**63) // slots
        # The inputs that are there already do not count.
        self._limit = limit_bytes + sum(_sizes(folder))
        self._next = time.monotonic() + _POLL_SECONDS

    def look(self) -> TerminationReason | None:
        """The reason to stop the run, or None; calls shortly after a check do nothing."""
        now = time.monotonic()
        if now < self._next:
            return None
        if is_full(self._folder):
            return DISK_FULL
        over = sum(_sizes(self._folder)) > self._limit
        done = time.monotonic()
        self._next = done + max(_POLL_SECONDS, (done - now) / _EFFORT)
        return "disk" if over else None


def is_full(folder: Path) -> bool:
    """Whether the disk of a folder has hardly any free space."""
    free = _free_bytes(folder)
    return free is not None and free < _LEAST_BYTES


def reports_full_disk(folder: Path) -> bool:
    """Whether the end of a run's output says that the disk is full."""
    for name in ("stdout.txt", "stderr.txt"):
        with (folder / name).open("rb") as stream:
            stream.seek(max((folder / name).stat().st_size - _TAIL_BYTES, 0))
            tail = stream.read()
        if any(words in tail for words in _FULL):
            return True
    return False


def _free_bytes(folder: Path) -> int | None:
    """The free bytes, None if the file system does not report them."""
    with contextlib.suppress(OSError):
        found = os.statvfs(folder)
        return found.f_bavail * found.f_frsize if found.f_blocks else None
    return None


def _sizes(folder: Path) -> Iterator[int]:
    """The bytes on disk of every file below a folder, whose files may come and go."""
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            with contextlib.suppress(OSError):
                if entry.is_dir(follow_symlinks=False):
                    yield from _sizes(Path(entry.path))
                else:
                    yield entry.stat(follow_symlinks=False).st_blocks * 512
