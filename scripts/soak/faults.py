"""The faults of the soak."""

from __future__ import annotations

import contextlib
import glob
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import psutil
from trial import SECRET, Trial

from tests.integration.spy import write_spy

Fault: TypeAlias = Callable[[psutil.Process, Trial], bool]


def some(driver: psutil.Process, *words: str) -> psutil.Process | None:
    """A random descendant of the driver with all of these words in its command line."""
    found = []
    with contextlib.suppress(psutil.Error):
        for process in driver.children(recursive=True):
            with contextlib.suppress(psutil.Error):
                line = " ".join(process.cmdline())
                if all(word in line for word in words) and process.name() not in ("sh", "bwrap"):
                    found.append(process)
    return random.choice(found) if found else None  # noqa: S311


def signalled(number: int, *words: str) -> Fault:
    """A fault: a signal to a descendant of the driver, or to the driver itself without ``words``."""

    def inject(driver: psutil.Process, _: Trial) -> bool:
        victim = some(driver, *words) if words else driver
        if victim is None or not driver.is_running():
            return False
        with contextlib.suppress(psutil.Error):
            victim.send_signal(number)
            return True
        return False

    return inject


def hang(driver: psutil.Process, _: Trial) -> bool:
    """A hanging TLC, in a sweep that is then interrupted."""
    victim = some(driver, "java.io.tmpdir")
    if victim is None:
        return False
    with contextlib.suppress(psutil.Error):
        victim.suspend()
        time.sleep(0.3)
        driver.send_signal(signal.SIGINT)
        return True
    return False


def twice(driver: psutil.Process, _: Trial) -> bool:
    """Two interrupts in quick succession."""
    with contextlib.suppress(psutil.Error):
        driver.send_signal(signal.SIGINT)
        time.sleep(0.05)
        driver.send_signal(signal.SIGINT)
        return True
    return False


def cut(trial: Trial) -> bool:
    """Truncate a loose record or a pack, or an index, as a crash of the machine would; the driver has ended."""
    files = sorted(file for file in trial.store.glob("records/*") if file.suffix in (".zip", ".parquet"))
    if files:
        file = random.choice(files)  # noqa: S311
        file.write_bytes(file.read_bytes()[: file.stat().st_size * 2 // 3])
    return bool(files)


def lose_streams(_: psutil.Process, trial: Trial) -> bool:
    """A run whose output files are removed, as a trusted run may do."""
    files = streams(trial)
    if files:
        random.choice(files).unlink(missing_ok=True)  # noqa: S311
    return bool(files)


def attack(driver: psutil.Process, trial: Trial) -> bool:
    """An untrusted run that attacks the sweep's processes, files and secrets; each attack must fail."""
    victims = [driver, *driver.children(recursive=True)]
    if not driver.is_running():
        return False
    folder = trial.base / f"spy-{len([*trial.base.glob('spy-*')])}"
    folder.mkdir()
    files = [*streams(trial), *trial.scratch.glob("tla2py-*"), trial.store / "store.json", trial.sweep]
    tries = {f"write{number}": ("write", str(file)) for number, file in enumerate(files)}
    for process in victims:
        commands = {
            "secret": f"grep -q {SECRET} /proc/{process.pid}/environ",
            "memory": f"head -c 1 /proc/{process.pid}/mem",
            "limit": f"prlimit --pid {process.pid} --cpu=1:1",
            "slow": f"renice -n 19 -p {process.pid}",
            "kill": f"kill -9 {process.pid}",
        }
        tries |= {f"{name}{process.pid}": ("run", command) for name, command in commands.items()}
    tries["remove"] = ("run", f"rm -r {trial.store} {trial.scratch} {trial.sweep}")
    # It forks in any case; check_left looks for its child.
    daemon = {"daemon": ("run", f"setsid -f tail -F {trial.scratch}/none")}
    module = write_spy(folder, tries | daemon)
    command = [sys.executable, "-m", "tla2py", "check", str(module), "--overrides", str(folder / "spy")]
    command += ["--invariant", "Told", "--json", "--no-trust", "--sandbox", "require"]
    environment = {**os.environ, "TMPDIR": str(trial.scratch)}
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 1, done.stderr
    found = json.loads(done.stdout)["traces"][0]["states"][0]["state"]["found"]
    assert found.pop("daemon") == "exit 0", found
    succeeded = {name: tries[name] for name, what in found.items() if what in ("done", "exit 0")}
    assert not succeeded, succeeded
    return True


def report_over_sweep(_: psutil.Process, trial: Trial) -> bool:
    """A gate whose report would replace its sweep file; it must not start."""
    before = trial.sweep.read_bytes()
    command = [sys.executable, "-m", "tla2py", "gate", str(trial.sweep), "--executor", "local"]
    command += ["--junit", str(trial.sweep)]
    done = subprocess.run(command, cwd=trial.base, capture_output=True, timeout=300, check=False)
    assert done.returncode == 2, done.stderr
    assert trial.sweep.read_bytes() == before
    return True


def streams(trial: Trial) -> list[Path]:
    """The files that runs of the trial print to at this moment."""
    patterns = ("tla2py-*/*/stdout.txt", "tla2py-host-*/out")
    # Path.glob fails if a folder goes meanwhile.
    names = [name for pattern in patterns for name in glob.glob(pattern, root_dir=trial.scratch)]  # noqa: PTH207
    return [trial.scratch / name for name in sorted(names)]


FAULTS: dict[str, Fault] = {
    "kill -9 of a TLC": signalled(signal.SIGKILL, "java.io.tmpdir"),
    "kill -9 of the driver": signalled(signal.SIGKILL),
    "SIGTERM to the driver": signalled(signal.SIGTERM),
    "Ctrl-C": signalled(signal.SIGINT),
    "Ctrl-C twice": twice,
    "TLC hangs, then Ctrl-C": hang,
    "kill -9 of a Python worker, or of its daemon": signalled(signal.SIGKILL, "pyspark.daemon"),
    "streams of a TLC removed": lose_streams,
    "an untrusted run attacks the sweep": attack,
    "a report in place of the sweep file": report_over_sweep,
}
