"""Memory, cores and disk space that this process may use."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import psutil


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """Memory and cores that this process may use; ``limited`` is whether a cgroup limits one of them."""

    memory_bytes: int
    cores: float
    limited: bool

    @property
    def kind(self) -> str:
        """``container`` or ``machine``."""
        return "container" if self.limited else "machine"


def this_machine(root: Path = Path("/")) -> Machine:
    """The resources of the hardware, limited by the cgroups of this process."""
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


def memory_in_use(root: Path = Path("/")) -> int:
    """The bytes in use on this machine or in this container, without caches."""
    if this_machine(root).limited:
        for folder in _cgroups(root):
            for name, cache in (
                ("memory.current", "inactive_file"),
                ("memory.usage_in_bytes", "total_inactive_file"),
            ):
                if (used := _read(folder / name)).isdigit():
                    stat = dict(line.split() for line in _read(folder / "memory.stat").splitlines())
                    return max(int(used) - int(stat.get(cache, 0)), 0)
    memory = psutil.virtual_memory()
    return int(memory.total - memory.available)


def _cgroups(root: Path) -> Iterator[Path]:
    """The cgroup folders, of version 1 and 2, of this process and their parents."""
    for line in _read(root / "proc/self/cgroup").splitlines():
        _, controllers, path = [*line.split(":", 2), "", ""][:3]
        if controllers in ("", "memory", "cpu", "cpu,cpuacct"):
            top = root / "sys/fs/cgroup" / controllers
            below = top / path.strip("/")
            yield from (folder for folder in (below, *below.parents) if folder.is_relative_to(top))
    yield root / "sys/fs/cgroup"


def _read(file: Path) -> str:
    try:
        return file.read_text().strip()
    except OSError:
        return ""
