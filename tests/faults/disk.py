"""A disk of its own for a test, small, in a mount namespace of its own."""

from __future__ import annotations

import contextlib
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest


@dataclass(frozen=True, kw_only=True)
class Disk:
    """A file system in memory, mounted on ``folder`` for those who are started with ``prefix``, for others at ``seen``."""

    holder: int
    folder: Path

    @property
    def prefix(self) -> Sequence[str]:
        """What starts a process that has the disk."""
        return ("nsenter", "--preserve-credentials", "-U", "-m", "-t", str(self.holder))

    @property
    def seen(self) -> Path:
        """The folder as everybody sees it."""
        return Path(f"/proc/{self.holder}/root{self.folder}")

    def mount(self, *arguments: str | Path) -> None:
        subprocess.run([*self.prefix, "mount", *arguments], check=True)

    def grow(self, size: str) -> None:
        self.mount("-o", f"remount,size={size}", self.folder)

    def turn_read_only(self, folder: Path) -> None:
        """Let nobody write below a folder of the disk any more, not even root."""
        self.mount("--bind", folder, folder)
        self.mount("-o", "remount,bind,ro", folder)

    def turn_back(self, folder: Path) -> None:
        subprocess.run([*self.prefix, "umount", folder], check=True)


@contextlib.contextmanager
def small_disk(folder: Path, size: str) -> Iterator[Disk]:
    """A disk of this size on a folder. Skips the test where the system lets nobody mount anything."""
    folder.mkdir(parents=True)
    script = 'mount -t tmpfs -o "size=$1" tmpfs "$2" && echo mounted && exec sleep 3600'
    holder = subprocess.Popen(
        ["unshare", "-r", "-m", "sh", "-c", script, "sh", size, folder],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    with holder:
        assert holder.stdout is not None
        assert holder.stderr is not None
        try:
            if holder.stdout.readline() != "mounted\n":
                pytest.skip(f"this system permits no mounts: {holder.stderr.read().strip()}")
            yield Disk(holder=holder.pid, folder=folder)
        finally:
            holder.kill()
