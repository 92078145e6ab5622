"""The faults of the soak."""

from __future__ import annotations

import contextlib
import random
import signal
import time
from collections.abc import Callable

import psutil
from trial import Trial


def some(driver: psutil.Process, *words: str) -> psutil.Process | None:
    """A random descendant of the driver with all of these words in its command line."""
    found = []
    with contextlib.suppress(psutil.Error):
        for process in driver.children(recursive=True):
            with contextlib.suppress(psutil.Error):
                line = " ".join(process.cmdline())
                if all(word in line for word in words) and not line.startswith("/bin/sh"):
                    found.append(process)
    return random.choice(found) if found else None  # noqa: S311


def signalled(number: int, *words: str) -> Callable[[psutil.Process], bool]:
    """A fault: a signal to a descendant of the driver, or to the driver itself without ``words``."""

    def inject(driver: psutil.Process) -> bool:
        victim = some(driver, *words) if words else driver
        if victim is None or not driver.is_running():
            return False
        with contextlib.suppress(psutil.Error):
            victim.send_signal(number)
            return True
        return False

    return inject


def hang(driver: psutil.Process) -> bool:
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


def twice(driver: psutil.Process) -> bool:
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


FAULTS: dict[str, Callable[[psutil.Process], bool]] = {
    "kill -9 of a TLC": signalled(signal.SIGKILL, "java.io.tmpdir"),
    "kill -9 of the driver": signalled(signal.SIGKILL),
    "SIGTERM to the driver": signalled(signal.SIGTERM),
    "Ctrl-C": signalled(signal.SIGINT),
    "Ctrl-C twice": twice,
    "TLC hangs, then Ctrl-C": hang,
    "kill -9 of a Python worker, or of its daemon": signalled(signal.SIGKILL, "pyspark.daemon"),
}
