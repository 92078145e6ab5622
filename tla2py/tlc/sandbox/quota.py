"""The disk quota of a run, and full disks."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path

from tla2py.model.run import TerminationReason

# The reasons to stop a run: it has written more than its share, or its disk is full.
DISK: TerminationReason = "disk"
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
        return DISK if over else None


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
    try:
        found = os.statvfs(folder)
    except OSError:
        return None
    return found.f_bavail * found.f_frsize if found.f_blocks else None


def _sizes(folder: Path) -> Iterator[int]:
    """The bytes on disk of every file below a folder, whose files may come and go."""
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                try:
                    if entry.is_dir(follow_symlinks=False):
                        yield from _sizes(Path(entry.path))
                    else:
                        yield entry.stat(follow_symlinks=False).st_blocks * 512
                except OSError:
                    continue
    except OSError:
        return
