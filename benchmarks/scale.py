"""What large stores cost, against the goals: ``python -m benchmarks.scale [ROW...]``.

Every figure covers whole commands, including their start, on stores of real records that were copied under other run
ids (``benchmarks.stores``). CPU seconds are those of all processes of a command.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from benchmarks.laptop import Row
from benchmarks.stores import add_first, sweep_command, tla2py_command, write_base, write_large
from benchmarks.sweeps import CORES

MANY, FEW, DERIVED, EXPLAINED = 100_000, 1_000, 20_000, 10_000
COUNT = ("query", "store", "SELECT count(*) FROM runs")


class Cost(NamedTuple):
    """What a command took: wall and CPU seconds of all its processes, and CPU seconds and bytes of the first."""

    seconds: float
    cpu: float
    first_cpu: float
    first_bytes: int


class Folders:
    """The folders with large stores, each written when it is first needed."""

    def __init__(self, place: Path) -> None:
        self._place = place

    def large(self, points: int) -> Path:
        """The folder with the store of so many points, whose tables are current."""
        folder = self._place / f"large{points}"
        if not folder.exists():
            write_large(folder, self._base, points)
            run(tla2py_command(*COUNT), folder)
        return folder

    def add(self, folder: Path) -> None:
        """Add the record of the first point to a store."""
        add_first(folder, self._base)

    @property
    def _base(self) -> Path:
        folder = self._place / "base"
        if not folder.exists():
            write_base(folder)
        return folder


def run(command: Sequence[str], folder: Path, variables: Mapping[str, str] | None = None) -> Cost:
    """Run a command, with more variables in its environment. Raises RuntimeError if it fails."""
    start = time.monotonic()
    process = subprocess.Popen(
        command,
        cwd=folder,
        env={**os.environ, **(variables or {})},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    used: dict[int, float] = {}
    peak = 0
    while process.poll() is None:
        used |= _cpu_seconds({process.pid, *used})
        with contextlib.suppress(OSError, IndexError):
            status = Path(f"/proc/{process.pid}/status").read_text()
            peak = max(peak, int(status.partition("VmHWM:")[2].split()[0]) * 1024)
        # The pipe is not read meanwhile: none of these commands prints more than it holds.
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(0.05)
    seconds = time.monotonic() - start
    if process.returncode not in (0, 1):
        stderr = process.stderr.read() if process.stderr else ""
        raise RuntimeError(f"{' '.join(command)} exited with {process.returncode}: {stderr[-2000:]}")
    return Cost(seconds, sum(used.values()), used.get(process.pid, 0.0), peak)


def _cpu_seconds(known: set[int]) -> dict[int, float]:
    """The CPU seconds of known processes and of those that they started."""
    parents, seconds = {}, {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            fields = stat.read_text().rpartition(")")[2].split()
            number = int(stat.parent.name)
            parents[number] = int(fields[1])
            seconds[number] = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    while more := {number for number, parent in parents.items() if parent in known} - known:
        known |= more
    return {number: seconds[number] for number in known if number in seconds}


def added(folders: Folders) -> list[Row]:
    """The tables after one run was added."""
    folder = folders.large(MANY)
    folders.add(folder)
    cost = run(tla2py_command(*COUNT), folder)
    return [
        Row(f"{MANY} runs, one added: tables current", cost.seconds, "s", 2),
        Row("  its CPU seconds", cost.cpu, "s"),
    ]


def derived(folders: Folders) -> list[Row]:
    """All tables from the records: Spark on two cores against one process."""
    folder = folders.large(DERIVED)
    alone = run(tla2py_command("tables", "store"), folder)
    spark = run(tla2py_command("tables", "store", "--master", "local[2]"), folder)
    what = f"tables anew from {DERIVED} records, one process / Spark on two cores"
    share = 100 * spark.first_cpu / spark.cpu
    return [
        Row(what, alone.seconds / spark.seconds, "times", 1.3, at_least=True),
        Row("  the same in CPU seconds", alone.cpu / spark.cpu, "times"),
        Row("  the driver's share of the CPU seconds", share, "%", 10),
    ]


def memory(folders: Folders) -> list[Row]:
    """The memory of the process of a sweep that has nothing left to run, and of one that makes the tables anew."""
    sweep, tables = [], []
    for points in (MANY, FEW):
        folder = folders.large(points)
        folders.add(folder)
        tables.append(run(tla2py_command("tables", "store"), folder).first_bytes)
        sweep.append(run(sweep_command(), folder).first_bytes)
    return [
        Row(f"memory of a sweep, {MANY} points / {FEW}", sweep[0] / sweep[1], "times", 1.5),
        Row(f"memory of making the tables anew, {MANY} runs / {FEW}", tables[0] / tables[1], "times", 1.5),
    ]


def dry_run(folders: Folders) -> list[Row]:
    """A preview of a large sweep."""
    folder = folders.large(MANY)
    cost = run(sweep_command("--dry-run"), folder)
    return [
        Row(f"--dry-run of {MANY} points", cost.seconds, "s", 5),
        Row("  its CPU seconds", cost.cpu, "s"),
    ]


def shown(folders: Folders) -> list[Row]:
    """``explain`` and ``report`` of 10,000 points, five hundred of them violated."""
    folder = folders.large(EXPLAINED)
    rows = []
    for name, options in (("explain", ()), ("report", ("-o", "page.html"))):
        cost = run(tla2py_command(name, "store", *options), folder)
        rows.append(Row(f"{name} of {EXPLAINED} points", cost.seconds, "s", 20))
        rows.append(Row("  its CPU seconds", cost.cpu, "s"))
        rows.append(Row("  its memory", cost.first_bytes / 2**20, "MiB"))
    return rows


ROWS: dict[str, Callable[[Folders], list[Row]]] = {
    "shown": shown,
    "derived": derived,
    "dry-run": dry_run,
    "added": added,
    "memory": memory,
}


def main() -> None:
    """Print the rows."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("rows", nargs="*", default=list(ROWS), help=f"of {', '.join(ROWS)}")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        folders = Folders(Path(place))
        for name in options.rows:
            for row in ROWS[name](folders):
                sys.stdout.write(f"{row}\n")
                sys.stdout.flush()
    sys.stdout.write(f"load {os.getloadavg()[0]:.1f} on {CORES} cores\n")


if __name__ == "__main__":
    main()
