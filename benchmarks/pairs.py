"""This checkout beside an earlier one: ``python -m benchmarks.pairs CHECKOUT [ROW...]``.

CHECKOUT is a folder with another commit, as ``git worktree add`` makes one; both run with this Python, which needs what
the other requires. Each row runs the same commands with both packages in turn and compares the CPU seconds of all
processes that they start, Spark's and the JVMs' included.
"""

from __future__ import annotations

import argparse
import contextlib
import ctypes
import os
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median, quantiles
from typing import NamedTuple

from benchmarks.logs import make_logs
from benchmarks.stores import tla2py_command
from benchmarks.sweeps import CORES, SPEC, small

ROOT = Path(__file__).resolve().parent.parent
LOCAL = ("--executor", "local")
COUNT = ("query", "store", "SELECT verdict, count(*) FROM runs GROUP BY verdict")
# Written by each package itself, since the files of a store may differ.
LARGE = """
import sys
from pathlib import Path
from benchmarks.stores import write_base, write_large
folder = Path(sys.argv[1])
write_base(folder / "base")
write_large(folder / "large", folder / "base", int(sys.argv[2]), missing=20)
"""
ADD = """
import sys
from pathlib import Path
from benchmarks.stores import add_first
add_first(Path(sys.argv[1]), Path(sys.argv[2]), 20)
"""
_SET_CHILD_SUBREAPER = 36


class Side(NamedTuple):
    """One of the two packages: the checkout that it is imported from, and the folder that a row prepared for it."""

    checkout: Path
    folder: Path

    def run(self, command: Sequence[str], folder: Path | None = None) -> float:
        """The CPU seconds of a command and all it starts. Raises RuntimeError if it fails."""
        env = {**os.environ, "PYTHONPATH": str(self.checkout)}
        env.pop("PYTHONDONTWRITEBYTECODE", None)
        with tempfile.TemporaryFile("w+") as stderr:
            before = _cpu_seconds()
            done = subprocess.run(
                command,
                cwd=folder or self.folder,
                env=env,
                stdout=subprocess.DEVNULL,
                stderr=stderr,
                check=False,
            )
            with contextlib.suppress(ChildProcessError):
                while True:
                    os.wait()
            used = _cpu_seconds() - before
            stderr.seek(0)
            said = stderr.read()
            if done.returncode not in (0, 1) or "Traceback" in said:
                raise RuntimeError(f"{' '.join(command[:6])} exited with {done.returncode}: {said[-2000:]}")
        return used

    def ours(self, *arguments: str, folder: Path | None = None) -> float:
        """The CPU seconds of a command of tla2py."""
        return self.run(tla2py_command(*arguments), folder)


class Row(NamedTuple):
    """What is prepared once for a side, and what is measured in turn."""

    prepare: Callable[[Side], None]
    measure: Callable[[Side], float]


def _cpu_seconds() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def _sweep(points: int, *options: str) -> Row:
    def prepare(side: Side) -> None:
        shutil.copy(SPEC, side.folder)
        small(side.folder, points)

    def measure(side: Side) -> float:
        shutil.rmtree(side.folder / "store", ignore_errors=True)
        return side.ours("sweep", "s.toml", "-o", "store", *options)

    return Row(prepare, measure)


def _stored(points: int, *command: str) -> Row:
    def prepare(side: Side) -> None:
        swept = _sweep(points, *LOCAL)
        swept.prepare(side)
        swept.measure(side)

    return Row(prepare, lambda side: side.ours(*command))


def _large(points: int, command: Sequence[str], *, grown: bool) -> Row:
    def prepare(side: Side) -> None:
        side.run([sys.executable, "-c", LARGE, str(side.folder), str(points)])
        side.ours(*COUNT, folder=side.folder / "large")

    def measure(side: Side) -> float:
        if not grown:
            return side.ours(*command, folder=side.folder / "large")
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place) / "large"
            shutil.copytree(side.folder / "large", folder)
            side.run([sys.executable, "-c", ADD, str(folder), str(side.folder / "base")])
            return side.ours(*command, folder=folder)

    return Row(prepare, measure)


def _check() -> Row:
    def prepare(side: Side) -> None:
        for file in ("TwoPhase.tla", "TwoPhase.cfg"):
            shutil.copy(ROOT / "specs" / "two_phase" / file, side.folder)

    return Row(prepare, lambda side: side.ours("check", "TwoPhase.tla"))


def _validate() -> Row:
    def measure(side: Side) -> float:
        shutil.rmtree(side.folder / "store", ignore_errors=True)
        logs = sorted(str(file) for file in (side.folder / "logs").iterdir())
        return side.ours("validate", "TwoPhase.tla", *logs, "-o", "store")

    return Row(lambda side: make_logs(side.folder, 50, 60), measure)


def _plan(points: int) -> Row:
    def prepare(side: Side) -> None:
        shutil.copy(SPEC, side.folder)
        small(side.folder, points)

    return Row(prepare, lambda side: side.ours("sweep", "s.toml", "--dry-run"))


ROWS = {
    "local": ("sweep of 24 points on threads", _sweep(24, *LOCAL)),
    # With a master of this machine earlier commits let threads execute short sweeps.
    "spark": ("sweep of 24 points on a Spark worker", _sweep(24, "--master", "local-cluster[1,2,1024]")),
    "again": ("sweep of 64 points, nothing left to run", _stored(64, "sweep", "s.toml", "-o", "store")),
    "query": ("query of 64 points", _stored(64, *COUNT)),
    "check": ("check of two-phase commit", _check()),
    "validate": ("validate of 50 logs of 60 lines", _validate()),
    "added": ("4,000 runs and 20 added, until a query answers", _large(4000, COUNT, grown=True)),
    "report": ("report of 500 points", _large(500, ("report", "store", "-o", "page.html"), grown=False)),
    "plan": ("plan of 100,000 points", _plan(100_000)),
}


def main() -> None:
    """Print a line for each row: the median CPU seconds of both, the median ratio, and its quartiles."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("checkout", type=Path)
    parser.add_argument("rows", nargs="*", help=f"of {', '.join(ROWS)}")
    parser.add_argument("--pairs", type=int, default=9)
    options = parser.parse_args()
    # So that the usage of processes whose parents have ended counts too.
    ctypes.CDLL(None).prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    for name in options.rows or ROWS:
        what, row = ROWS[name]
        with tempfile.TemporaryDirectory() as place:
            sides = [
                Side(options.checkout.resolve(), Path(place) / "before"),
                Side(ROOT, Path(place) / "now"),
            ]
            for side in sides:
                side.folder.mkdir()
                row.prepare(side)
                row.measure(side)
            found = [
                [row.measure(side) for side in sides[:: 1 - 2 * (turn % 2)]][:: 1 - 2 * (turn % 2)]
                for turn in range(options.pairs)
            ]
        before, now = (median(each) for each in zip(*found, strict=True))
        ratios = [now / before for before, now in found]
        low, middle, high = quantiles(ratios, n=4)
        sys.stdout.write(
            f"{name:<10}{what:<48}{before:>7.2f} s {now:>7.2f} s {middle:>6.2f} times ({low:.2f} to {high:.2f})\n"
        )
        sys.stdout.flush()
    sys.stdout.write(f"{options.pairs} pairs; load {os.getloadavg()[0]:.1f} on {CORES} cores\n")


if __name__ == "__main__":
    main()
