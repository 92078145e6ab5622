"""Spark's masters; nothing here imports pyspark."""

from __future__ import annotations

import os
import re

from tla2py.execution.executor import default_slots

# spark-submit sets this to the port of the JVM that it has started.
SUBMITTED = "PYSPARK_GATEWAY_PORT"


def submitted() -> bool:
    """Whether spark-submit started this process."""
    return SUBMITTED in os.environ


def local_cores(master: str) -> int | None:
    """The cores of a master of the form ``local``, ``local[N]`` or ``local[*]``, None for any other."""
    found = re.fullmatch(r"local(?:\[(\*|\d+)\])?", master)
    if not found:
        return None
    return default_slots(1) if found[1] == "*" else int(found[1] or "1")


def local_master(master: str, workers: int) -> str:
    """A local master with cores for at least one task, which retries a task if its Python worker is killed."""
    cores = local_cores(master)
    return master if cores is None else f"local[{max(cores, workers)},4]"
