"""What this machine has for runs: memory, cores and room on disk, as far as this process may use them."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import psutil


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """``memory_bytes`` and ``cores`` that this process may use; ``limited`` says that a cgroup sets one of them."""

    memory_bytes: int
    cores: float
    limited: bool

    @property
    def kind(self) -> str:
        """What to call it."""
        return "container" if self.limited else "machine"


def this_machine(root: Path = Path("/")) -> Machine:
    """What the hardware has, less what the cgroups allow that this process is in, or else the one of its container."""
    memory = psutil.virtual_memory().total
    cores: float = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    limited = False
    for folder in _cgroups(root):
        for name in ("memory.max", "memory.limit_in_bytes"):
            allowed = _read(folder / name)
            if allowed.isdigit() and int(allowed) < memory:
                memory, limited = int(allowed), True
        quota, _, period = _read(folder / "cpu.max").partition(" ")
        if not quota:
            quota, period = _read(folder / "cpu.cfs_quota_us"), _read(folder / "cpu.cfs_period_us")
        if quota.isdigit() and period.isdigit() and int(quota) / int(period) < cores:
            cores, limited = int(quota) / int(period), True
    return Machine(memory_bytes=memory, cores=cores, limited=limited)


def _cgroups(root: Path) -> Iterator[Path]:
    """The folders of the cgroups of this process, of version 2 and 1, and those that they are in."""
    for line in _read(root / "proc/self/cgroup").splitlines():
        _, controllers, path = [*line.split(":", 2), "", ""][:3]
        if controllers in ("", "memory", "cpu", "cpu,cpuacct"):
            top = root / "sys/fs/cgroup" / controllers
            below = top / path.strip("/")
            yield from (folder for folder in (below, *below.parents) if folder.is_relative_to(top))
    yield root / "sys/fs/cgroup"


def free_bytes(folder: Path) -> int:
    """The room on the disk of a folder. Raises OSError."""
    return shutil.disk_usage(folder).free


def _read(file: Path) -> str:
    try:
        return file.read_text().strip()
    except OSError:
        return ""
