"""The disk quota of a run: how much it has written, and whether anything more can be."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path

from tla2py.model.run import TerminationReason

# Why a run is stopped: it has written more than its share, or its disk is full.
DISK: TerminationReason = "disk"
DISK_FULL: TerminationReason = "disk-full"
# A JVM does not always say that it could not write. What comes to be on a disk with less room than this is not trusted.
_LEAST_BYTES = 1024**2
_POLL_SECONDS = 0.5
# Looking takes at most this part of the time, however many files there are.
_EFFORT = 0.02
_FULL = (b"No space left on device", b"Disk quota exceeded")
_TAIL_BYTES = 65536


class DiskQuota:
    """The bytes that a run may write to the disk of its folder: ``limit_bytes``, or its share of what is free now.

    The share is equal for each of the ``slots`` runs that this machine executes at once.
    """

    def __init__(self, folder: Path, limit_bytes: int | None, slots: int) -> None:
        self._folder = folder
        if limit_bytes is None:
            limit_bytes = (_free_bytes(folder) or 2**63) // slots
        self._limit = limit_bytes
        self._next = time.monotonic() + _POLL_SECONDS

    def look(self) -> TerminationReason | None:
        """Why the run has to be stopped, if it has; often nothing is looked at, since it was a moment ago."""
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
    """Whether hardly anything more can be written on the disk of a folder."""
    free = _free_bytes(folder)
    return free is not None and free < _LEAST_BYTES


def tells_full_disk(folder: Path) -> bool:
    """Whether the last words of a run are that it could not write."""
    for name in ("stdout.txt", "stderr.txt"):
        with (folder / name).open("rb") as stream:
            stream.seek(max((folder / name).stat().st_size - _TAIL_BYTES, 0))
            tail = stream.read()
        if any(words in tail for words in _FULL):
            return True
    return False


def _free_bytes(folder: Path) -> int | None:
    """The bytes that may still be written, None where the file system does not tell."""
    try:
        found = os.statvfs(folder)
    except OSError:
        return None
    return found.f_bavail * found.f_frsize if found.f_blocks else None


def _sizes(folder: Path) -> Iterator[int]:
    """The bytes on disk of every file below a folder; files may come and go meanwhile."""
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
