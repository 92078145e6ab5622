"""What tla2py costs on one machine, against its aims: ``python -m benchmarks.laptop``.

Every figure covers whole commands, including their start. The two ways of a row take turns within one run, and the row
shows the median of their differences or ratios.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from typing import NamedTuple

from packaging.requirements import Requirement

from benchmarks.sweeps import CORES, by_us, in_turn, small, sweep, timed
from tla2py.tlc.tools.toolchain import find_toolchain

SPECS = Path(__file__).resolve().parent.parent / "specs"
LOCAL = ("--executor", "local")
COMPACTION = """name = "compaction"
module = "FairCompaction.tla"
[model]
specification = "Spec"
invariants = ["TypeSafe", "CompactionHorizonCorrectness"]
[constants]
ConsumeTimesLimit = 2
ModelProducer = false
ModelConsumer = false
KeySpace = "{1}"
ValueSpace = "{1}"
[parameters]
MessageSentLimit = [1, 2]
CompactionTimesLimit = [1, 2, 3]
RetainNullKey = [false, true]
MaxCrashTimes = [0, 1]
"""
COMPACTION_POINTS = 24


class Row(NamedTuple):
    """A measurement and its aim; None if it only explains the row above."""

    what: str
    found: float
    unit: str
    aim: float | None = None
    at_least: bool = False

    def __str__(self) -> str:
        figure = f"{self.what:<66}{self.found:>8.2f} {self.unit:<6}"
        if self.aim is None:
            return figure
        met = self.found >= self.aim if self.at_least else self.found <= self.aim
        bound = "at least" if self.at_least else "at most"
        aim = f"{bound} {self.aim:g} {self.unit}"
        return f"{figure}{aim:<20}{'met' if met else 'missed'}"


def compaction(pairs: int) -> Row:
    """Our local sweep of compaction against the plain command over the same configs."""
    tools = find_toolchain()
    run = (
        f"cd configs/$0 && {tools.java.path} -XX:+UseParallelGC -Djava.io.tmpdir=. -cp {tools.jar.path} tlc2.TLC "
        "-workers 1 -metadir meta -config MC.cfg FairCompaction.tla > out"
    )

    def prepare(folder: Path) -> None:
        for file in (SPECS / "compaction").glob("*.tla"):
            shutil.copy(file, folder)
        (folder / "s.toml").write_text(COMPACTION)

    def plain(folder: Path) -> float:
        prepare(folder)
        timed([sys.executable, "-m", "tla2py", "cfg", "s.toml", "-o", "configs"], folder)
        seconds, _ = timed(["sh", "-c", f"ls configs | xargs -n 1 -P {CORES} sh -c '{run}'"], folder)
        outputs = [file.read_text() for file in (folder / "configs").glob("*/out")]
        ended = [text for text in outputs if "No error has been found" in text]
        if len(ended) != COMPACTION_POINTS:
            raise RuntimeError(f"the plain command checked {len(ended)} points")
        return seconds

    def ours(folder: Path) -> float:
        prepare(folder)
        return timed(sweep(*LOCAL), folder)[0]

    found = in_turn({"plain": plain, "ours": ours}, pairs)
    ratios = (a / b for a, b in zip(found["plain"], found["ours"], strict=True))
    what = f"{COMPACTION_POINTS} points of compaction, xargs -P {CORES} of plain TLC / local"
    return Row(what, median(ratios), "times", 4, at_least=True)


def query(pairs: int) -> Row:
    """A query of the store of KIP-320."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        command = [sys.executable, "-m", "tla2py"]
        timed([*command, "sweep", str(SPECS / "kip320" / "sweep.toml"), "-o", "store", *LOCAL], folder)
        statement = "SELECT verdict, count(*), max(distinct) FROM runs GROUP BY verdict"
        found = [timed([*command, "query", "store", statement], folder)[0] for _ in range(pairs)]
    return Row("query of the KIP-320 store", median(found), "s", 1)


def again(pairs: int) -> Row:
    """A sweep with nothing left to run."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        shutil.copy(SPECS.parent / "tests" / "specs" / "Counter.tla", folder)
        small(folder, 64)
        by_us(folder, 64, *LOCAL)
        found = [by_us(folder, 64, fresh=False) for _ in range(pairs)]
    return Row("second sweep of 64 points, nothing left", median(found), "s", 1)


def core(_: int) -> Row:
    """The size on disk of what ``pip install tla2py`` brings, as installed here."""
    names = {name for name in _required("tla2py") if name != "tla2py"}
    size = 0
    for name in names:
        for file in importlib.metadata.files(name) or ():
            path = Path(str(file.locate()))
            size += path.stat().st_blocks * 512 if path.is_file() else 0
    return Row(f"core install, {len(names)} packages", size / 2**20, "MiB", 400)


def _required(name: str, found: set[str] | None = None) -> Iterator[str]:
    """A distribution and all that it requires without extras."""
    found = set() if found is None else found
    if name in found:
        return
    found.add(name)
    yield name
    for text in importlib.metadata.requires(name) or ():
        requirement = Requirement(text)
        if requirement.marker is None or requirement.marker.evaluate({"extra": ""}):
            yield from _required(requirement.name.lower(), found)


ROWS: dict[str, Callable[[int], Row]] = {
    "compaction": compaction,
    "query": query,
    "again": again,
    "core": core,
}


def main() -> None:
    """Print the rows."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("rows", nargs="*", default=list(ROWS), help=f"of {', '.join(ROWS)}")
    parser.add_argument("--pairs", type=int, default=3)
    options = parser.parse_args()
    for name in options.rows:
        sys.stdout.write(f"{ROWS[name](options.pairs)}\n")
        sys.stdout.flush()
    sys.stdout.write(f"{options.pairs} pairs; load {os.getloadavg()[0]:.1f} on {CORES} cores\n")


if __name__ == "__main__":
    main()
