"""What the validation of logs costs, against its aims: ``python -m benchmarks.logs``.

CPU seconds are those of the whole command with its start, its planning and all JVMs. The ways of a row take turns. The rows
``etcd`` and ``ways`` need ``--jars``, a folder with tla2tools-2.20.jar and CommunityModules.jar, and ``etcd`` needs ``--logs``,
a folder with etcd-raft/Traceetcdraft.tla and its logs.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from statistics import median
from typing import NamedTuple

from benchmarks.laptop import Row
from benchmarks.scale import run
from benchmarks.sweeps import CORES
from tla2py.tlc.tools.java import find_java

TWO_PHASE = Path(__file__).resolve().parent.parent / "specs" / "two_phase"
NEWER = "tla2tools-2.20.jar"
COMMUNITY = "CommunityModules.jar"
# The exit codes of a validation that ran.
RAN = (0, 1)


class Cost(NamedTuple):
    """What a command took: its CPU seconds with those of its children, and its wall seconds."""

    cpu: float
    wall: float


def cost(command: Sequence[str], folder: Path, env: dict[str, str] | None = None) -> Cost:
    """What a command takes in a folder. Raises RuntimeError if it fails."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, env={**os.environ, **(env or {})}, check=False
    )
    after, end = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    if done.returncode not in RAN:
        raise RuntimeError(f"{' '.join(command[:6])} exited with {done.returncode}: {done.stderr[-2000:]}")
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Cost(cpu, end - start)


def transaction(seed: int, lines: int) -> str:
    """A log of two-phase commit of this length: resource managers repeat themselves until all have prepared."""
    choose = random.Random(seed)  # noqa: S311 - not for secrets
    names = ["rm1", "rm2", "rm3"]
    steps: list[tuple[str, dict[str, str], object]] = [
        ("RMPrepare", {"r": name}, {"rmState": {name: "prepared"}}) for name in choose.sample(names, 3)
    ]
    while len(steps) < lines - 4:
        steps.append(("TMRcvPrepared", {"r": choose.choice(names)}, {"tmState": "init"}))
    steps += [("TMRcvPrepared", {"r": name}, {"tmState": "init"}) for name in names]
    steps.append(("TMCommit", {}, {"tmState": "committed"}))
    return "".join(
        json.dumps({"action": action, "args": args, "state": state, "clock": clock}) + "\n"
        for clock, (action, args, state) in enumerate(steps, 1)
    )


def make_logs(folder: Path, count: int, lines: int, module: str = "TwoPhase") -> None:
    """Write a specification and so many different logs."""
    for suffix in ("tla", "cfg"):
        shutil.copy(TWO_PHASE / f"{module}.{suffix}", folder)
    shutil.copy(TWO_PHASE / "TwoPhase.tla", folder)
    (folder / "logs").mkdir()
    for number in range(count):
        (folder / f"logs/{number:04}.ndjson").write_text(transaction(number, lines))


def validate(module: str, *options: str) -> list[str]:
    """The command that validates all logs of a folder."""
    text = f"{sys.executable} -m tla2py validate {module}.tla logs/*.ndjson {' '.join(options)}"
    return ["sh", "-c", text]


def small_logs(options: argparse.Namespace) -> Iterator[Row]:
    """Logs under 100 lines within a sweep of many."""
    taken = []
    for _ in range(options.pairs):
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place)
            make_logs(folder, options.count, 60)
            taken.append(cost(validate("TwoPhase", "-o", "store"), folder).cpu / options.count)
    what = f"small: CPU of a log of 60 lines among {options.count}"
    yield Row(what, median(taken), "s", aim=0.5)


def on_spark(options: argparse.Namespace) -> Iterator[Row]:
    """Logs of 100 lines on Spark."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        make_logs(folder, options.many, 100)
        # Spark's processes are not ours to wait for.
        ours = run(validate("TwoPhase", "-o", "store", "--executor", "spark"), folder)
    yield Row(f"spark: CPU of a log of 100 lines among {options.many}", ours.cpu / options.many, "s", aim=0.5)
    yield Row("spark: the whole command, wall", ours.seconds, "s")


def etcd(options: argparse.Namespace) -> Iterator[Row]:
    """The logs of etcd, by us and by the plain command."""
    if not options.logs or not options.jars:
        return
    found: dict[str, list[Cost]] = {"ours": [], "plain": []}
    for _ in range(options.pairs):
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place) / "etcd"
            shutil.copytree(options.logs / "etcd-raft", folder)
            env = newer(options.jars, Path(place))
            count = len([*(folder / "logs").iterdir()])
            once = (
                f"JSON=$0 {find_java().path} -XX:+UseParallelGC -cp {options.jars / NEWER}:{options.jars / COMMUNITY} "
                "tlc2.TLC -workers 1 -metadir $0.states -config Traceetcdraft.cfg Traceetcdraft.tla > $0.out"
            )
            plain = ["sh", "-c", f"ls logs/*.ndjson | xargs -n 1 -P {CORES} sh -c '{once}'"]
            found["ours"].append(cost(validate("Traceetcdraft"), folder, env))
            found["plain"].append(cost(plain, folder))
    pairs = list(zip(found["plain"], found["ours"], strict=True))
    wall = median(plain.wall / ours.wall for plain, ours in pairs)
    cpu = median(plain.cpu / ours.cpu for plain, ours in pairs)
    yield Row(
        f"etcd: {count} logs, xargs -P {CORES} of plain TLC / ours, wall", wall, "times", aim=3, at_least=True
    )
    yield Row("etcd: the same in CPU seconds", cpu, "times")
    yield Row("etcd: ours, CPU of a log", median(ours.cpu for _, ours in pairs) / count, "s")


def ways(options: argparse.Namespace) -> Iterator[Row]:
    """A log of 1,000 lines that the module reads, and that its operator is replaced by."""
    if not options.jars:
        return
    ratios = []
    for _ in range(options.pairs):
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place)
            make_logs(folder, 1, 1000, "TwoPhaseTrace")
            # The bundled TLC evaluates neither postconditions nor statistics; the lines are counted all the same.
            module, config = folder / "TwoPhaseTrace.tla", folder / "TwoPhaseTrace.cfg"
            module.write_text(module.read_text().partition("\\* Every step")[0] + "====\n")
            config.write_text(config.read_text().replace("POSTCONDITION Accepted", ""))
            env = newer(options.jars, folder)
            read = cost(validate("TwoPhaseTrace"), folder, env)
            literal = cost(validate("TwoPhaseTrace"), folder)
            ratios.append(literal.cpu / read.cpu)
    yield Row(
        "ways: a log of 1,000 lines, written into a module / read by it, CPU", median(ratios), "times", aim=2
    )


def newer(jars: Path, folder: Path) -> dict[str, str]:
    """The environment with the newer TLC, and with the CommunityModules installed in a cache of its own."""
    env = {"XDG_CACHE_HOME": str(folder / "cache"), "TLA2TOOLS_JAR": str(jars / NEWER)}
    install = ["tools", "install", "community-modules", "--from-file", str(jars / COMMUNITY)]
    cost([sys.executable, "-m", "tla2py", *install], folder, env)
    return env


ROWS: dict[str, Callable[[argparse.Namespace], Iterator[Row]]] = {
    "small": small_logs,
    "etcd": etcd,
    "spark": on_spark,
    "ways": ways,
}


def main() -> None:
    """Print the rows."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("rows", nargs="*", default=[*ROWS])
    parser.add_argument("--pairs", type=int, default=3)
    parser.add_argument("--count", type=int, default=200, help="logs of the row small")
    parser.add_argument("--many", type=int, default=1000, help="logs of the row spark")
    parser.add_argument("--logs", type=Path, help="a folder with etcd-raft")
    parser.add_argument("--jars", type=Path, help=f"a folder with {NEWER} and {COMMUNITY}")
    options = parser.parse_args()
    for name in options.rows:
        for row in ROWS[name](options):
            sys.stdout.write(f"{row}\n")
            sys.stdout.flush()
    sys.stdout.write(f"load {os.getloadavg()[0]:.1f} on {CORES} cores\n")


if __name__ == "__main__":
    main()
