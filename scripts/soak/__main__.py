"""Sweeps of the five systems under random faults: ``PYTHONPATH=. python scripts/soak``.

Each sweep covers a few points of a system's grid. While it runs, something is killed, stopped or interrupted; then the
command is repeated until it finishes. Its rows must equal those of an undisturbed sweep, and no process, temporary file
or traceback may remain.
"""

from __future__ import annotations

import argparse
import collections
import contextlib
import dataclasses
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
from faults import FAULTS, cut, some
from systems import SYSTEMS, TIMEOUT_MINUTES, make_sweep
from trial import TABLES, Trial, rows

from tla2py.store.refresh import stored_table
from tla2py.store.store import Store


class WrongError(AssertionError):
    """A failed check; the soak then exits with code 1."""


@dataclasses.dataclass
class Counts:
    """The figures of the report."""

    sweeps: int = 0
    commands: int = 0
    faults: collections.Counter[str] = dataclasses.field(default_factory=collections.Counter)
    missed: int = 0
    systems: collections.Counter[str] = dataclasses.field(default_factory=collections.Counter)
    executors: collections.Counter[str] = dataclasses.field(default_factory=collections.Counter)
    runs: int = 0
    again: int = 0
    rows: int = 0
    orphans: int = 0
    losses: int = 0
    wrong: list[str] = dataclasses.field(default_factory=list)


def check_left(trial: Trial, counts: Counts) -> None:
    """Check that no process and no temporary file outlives the driver by more than some seconds."""
    deadline = time.monotonic() + 30
    while (left := trial.processes()) and time.monotonic() < deadline:
        time.sleep(0.1)
    if left:
        counts.orphans += len(left)
        raise WrongError(f"processes are left: {[process.cmdline() for process in left]}")
    while (files := [*trial.scratch.iterdir()]) and time.monotonic() < deadline:
        time.sleep(0.1)
    if files:
        raise WrongError(f"left behind: {files}")


def disturb(trial: Trial, chance: random.Random, counts: Counts) -> None:
    """Repeat the command, each time with a fault."""
    for _ in range(chance.randint(1, 3)):
        names = [name for name in FAULTS if trial.executor == "spark" or "Python worker" not in name]
        name = chance.choice(names)
        before = trial.records()
        driver = start(trial, chance, counts)
        begun = time.monotonic()
        wait_for_work(driver, chance)
        try:
            injected = FAULTS[name](driver, trial)
        except AssertionError as error:
            raise WrongError(f"{name}: {error}") from error
        struck = time.monotonic()
        await_end(driver, trial, f"after {name}")
        took = time.monotonic() - struck
        if injected and name in ("Ctrl-C", "SIGTERM to the driver", "TLC hangs, then Ctrl-C") and took > 15:
            raise WrongError(f"after {name} the sweep went on for {took:.1f} seconds")
        if injected:
            counts.faults[name] += 1
        else:
            counts.missed += 1
        check_left(trial, counts)
        lost = before - trial.records()
        if lost:
            counts.losses += len(lost)
            raise WrongError(f"after {name} {len(lost)} records are gone")
        print(
            f"    {name}{'' if injected else ' (too late)'} after {struck - begun:.1f} s, ended {took:.1f} s later",
            flush=True,
        )
        if chance.random() < 0.2 and cut(trial):
            counts.faults["record cut off"] += 1


def await_end(driver: psutil.Popen, trial: Trial, when: str) -> int:
    """The exit code of the command; however slow the machine, one of its runs ends within their time limit.

    Without one in twice that time it hangs: it is killed, and the error says where its threads were.
    """
    while True:
        before = trial.records()
        with contextlib.suppress(subprocess.TimeoutExpired, psutil.TimeoutExpired):
            return driver.wait(timeout=2 * TIMEOUT_MINUTES * 60)
        if trial.records() == before:
            with contextlib.suppress(psutil.NoSuchProcess):
                driver.send_signal(signal.SIGABRT)
                psutil.wait_procs([driver], timeout=30)
                driver.kill()
            raise WrongError(f"{when} the sweep did not end: {trial.stderr()[-9000:]}")


def wait_for_work(driver: psutil.Process, chance: random.Random) -> None:
    """Wait until TLC runs, and then for a random time."""
    deadline = time.monotonic() + chance.choice([0.5, 600, 600, 600])
    while driver.is_running() and driver.status() != psutil.STATUS_ZOMBIE and time.monotonic() < deadline:
        if some(driver, "java.io.tmpdir"):
            time.sleep(chance.uniform(0, 3))
            return
        time.sleep(0.05)


def start(trial: Trial, chance: random.Random, counts: Counts) -> psutil.Popen:
    """Start the command, now and then without a reader of its output."""
    unread = chance.random() < 0.3
    counts.commands += 1
    counts.faults["output that nobody reads"] += unread
    return trial.start(trial.store, unread=unread)


def end_well(trial: Trial, code: int, reference: Path, chance: random.Random, counts: Counts) -> None:
    """Repeat the command until no run is killed; then compare its rows with the reference's."""
    for _ in range(4):
        driver = start(trial, chance, counts)
        ended = await_end(driver, trial, "at the end")
        check_left(trial, counts)
        outcomes = [row["outcome"] for row in rows(trial.store, "runs")]
        if "killed" not in outcomes:
            break
    if ended != code:
        raise WrongError(f"exit code {ended}, and {code} without faults: {trial.stderr()[-2000:]}")
    for table in TABLES:
        here, there = rows(trial.store, table), rows(reference, table)
        counts.rows += len(here)
        if here != there:
            counts.losses += max(len(there) - len(here), 0)
            raise WrongError(f"the rows of {table} differ: {len(here)}, and {len(there)} without faults")
    if [*trial.store.rglob(".tmp-*")]:
        raise WrongError("half-written files are left in the store")
    if "Traceback" in trial.stderr():
        raise WrongError(f"a traceback: {trial.stderr()[-2000:]}")


def soak(minutes: float, seed: int, base: Path, counts: Counts) -> Iterator[str]:
    """Sweep until the time is over; yields a message per failed sweep."""
    chance = random.Random(seed)  # noqa: S311
    random.seed(seed)
    end = time.monotonic() + minutes * 60
    while time.monotonic() < end:
        system = SYSTEMS[counts.sweeps % len(SYSTEMS)]
        folder = base / f"{counts.sweeps:04d}"
        folder.mkdir()
        sweep = make_sweep(folder, system, chance)
        executor = chance.choice(["local", "local", "spark"])
        print(f"{counts.sweeps}: {system.folder}, {executor}", flush=True)
        undisturbed = Trial(folder / "alone", sweep, "local")
        code = undisturbed.start(undisturbed.store).wait(timeout=900)
        assert code != 2, (undisturbed.base / "stderr.txt").read_text()
        trial = Trial(folder / "trial", sweep, executor)
        counts.sweeps += 1
        counts.systems[system.folder] += 1
        counts.executors[executor] += 1
        try:
            disturb(trial, chance, counts)
            end_well(trial, code, undisturbed.store, chance, counts)
            found = stored_table(Store(trial.store), "runs", ["executions"])["executions"].to_pylist()
            counts.runs += len(found)
            counts.again += sum(found)
        except WrongError as error:
            yield f"sweep {counts.sweeps - 1} ({system.folder}, {executor}, {folder}): {error}"
        else:
            shutil.rmtree(folder)


def report(counts: Counts, minutes: float, seed: int) -> str:
    """The report, as Markdown."""
    lines = [
        "| what | count |",
        "|---|---:|",
        f"| minutes | {minutes:.0f} |",
        f"| sweeps ({', '.join(f'{n} {name}' for name, n in sorted(counts.systems.items()))}) | {counts.sweeps} |",
        f"| of these by executor ({', '.join(f'{n} {name}' for name, n in sorted(counts.executors.items()))}) | {counts.sweeps} |",
        f"| commands given | {counts.commands} |",
        f"| runs in the stores at the end (executions of TLC: {counts.again}) | {counts.runs} |",
        f"| rows compared with those of the same sweep left alone | {counts.rows} |",
        *(f"| {name} | {n} |" for name, n in sorted(counts.faults.items())),
        f"| faults injected, all | {counts.faults.total()} |",
        f"| faults that came too late, the sweep being over | {counts.missed} |",
        f"| records or rows lost | {counts.losses} |",
        f"| orphans | {counts.orphans} |",
        f"| sweeps with anything wrong | {len(counts.wrong)} |",
        "",
        f"`python scripts/soak --minutes {minutes:.0f} --seed {seed}`",
    ]
    return "\n".join(lines) + "\n"


def main() -> int:
    """Run the soak; returns 1 if anything was wrong."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--seed", type=int, default=random.randrange(10**6))  # noqa: S311
    parser.add_argument("--report", type=Path, help="where to write the report")
    options = parser.parse_args()
    counts = Counts()
    begun = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="soak-", ignore_cleanup_errors=True) as base:
        for wrong in soak(options.minutes, options.seed, Path(base), counts):
            print(f"WRONG: {wrong}", flush=True)
            counts.wrong.append(wrong)
    text = report(counts, (time.monotonic() - begun) / 60, options.seed)
    print(text)
    if options.report:
        options.report.parent.mkdir(parents=True, exist_ok=True)
        options.report.write_text(text)
    return 1 if counts.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
