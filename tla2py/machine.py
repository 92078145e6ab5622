"""What this machine has for runs: memory, cores and room on disk, as far as this process may use them."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from pathlib import Path

import psutil

_CGROUP = Path("/sys/fs/cgroup")


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """``memory_bytes`` and ``cores`` that this process may use; ``limited`` says that a cgroup sets one of them."""

    memory_bytes: int
    cores: float
    limited: bool


def this_machine(cgroup: Path = _CGROUP) -> Machine:
    """What the hardware has, less what a container allows (cgroup v2)."""
    memory = psutil.virtual_memory().total
    cores: float = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    allowed = _read(cgroup / "memory.max")
    limited = False
    if allowed.isdigit() and int(allowed) < memory:
        memory, limited = int(allowed), True
    quota, _, period = _read(cgroup / "cpu.max").partition(" ")
    if quota.isdigit() and period.isdigit() and int(quota) / int(period) < cores:
        cores, limited = int(quota) / int(period), True
    return Machine(memory_bytes=memory, cores=cores, limited=limited)


def free_bytes(folder: Path) -> int:
    """The room on the disk of a folder. Raises OSError."""
    return shutil.disk_usage(folder).free


def _read(file: Path) -> str:
    try:
        return file.read_text().strip()
    except OSError:
        return ""
