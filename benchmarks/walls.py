"""What the walls around a run cost: ``python -m benchmarks.walls``.

A command that does nothing is started without walls, in bubblewrap and behind the walls of the kernel alone, in turns, so
that other load on the machine affects all of them.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from pathlib import Path
from statistics import median
from unittest import mock

from tla2py.tlc.process.process import execute_argv
from tla2py.tlc.process.sandbox import Sandbox, sandbox_text, walls

STARTS = 50
GOAL_MILLISECONDS = 20


def milliseconds(*, walled: bool) -> float:
    """The time of one start, until its folder may be removed."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name, "run")
        folder.mkdir()
        ended = execute_argv(
            ("/bin/true",),
            folder,
            Path(name),
            timeout_seconds=60,
            memory_bytes=1 << 30,
            sandbox=Sandbox(folder=folder) if walled else None,
        )
    return ended.wall_seconds * 1000


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--starts", type=int, default=STARTS)
    starts = parser.parse_args().starts
    with mock.patch.dict(os.environ, {"PATH": ""}):
        alone = sandbox_text(walls())
    ways = {"no walls": (False, {}), sandbox_text(walls()): (True, {}), alone: (True, {"PATH": ""})}
    taken: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(starts):
        for name, (walled, environment) in ways.items():
            with mock.patch.dict(os.environ, environment):
                taken[name].append(milliseconds(walled=walled))
    base = median(taken["no walls"])
    lines = [f"{f'{starts} starts each':<34}{'ms':>8}{'least':>8}{'cost':>8}"]
    for name, found in taken.items():
        lines.append(f"{name:<34}{median(found):>8.1f}{min(found):>8.1f}{median(found) - base:>8.1f}")
    load = (
        f"the goal is at most {GOAL_MILLISECONDS} ms; load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"
    )
    sys.stdout.write("\n".join([*lines, load]) + "\n")


if __name__ == "__main__":
    main()
