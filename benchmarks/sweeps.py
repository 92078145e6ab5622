"""What whole sweeps cost: ``python -m benchmarks.sweeps``.

Every figure covers a whole command, including its start. The ways take turns within one run, and a ratio is the median of
the ratios to the first command of the same turn. The plain command is ``xargs -P CORES`` over
``java -XX:+UseParallelGC -cp tla2tools.jar tlc2.TLC``, each run with its own folder for temporary files; otherwise TLC's
releases up to 1.7.4 delete each other's modules.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median

import tla2py
from tla2py.execution.executor import default_slots
from tla2py.tlc.tools.toolchain import find_toolchain

SPEC = Path(__file__).resolve().parent.parent / "tests" / "specs" / "Counter.tla"
CORES = default_slots(1)
SWEEP = """name = "bench"
module = "Counter.tla"
[model]
init = "Init"
next = "Next"
invariants = ["Below"]
check_deadlock = false
[constants]
Procs = "{{p1, p2}}"
{constants}
[parameters]
{parameters}
[tlc]
timeout = "30m"
"""
CONFIG = (
    "CONSTANTS Procs = {{p1, p2}}\nMax = {size}\nBound = {bound}\nINIT Init\nNEXT Next\nINVARIANT Below\n"
)
SMALL = 23  # 576 states
PEER = """
import sys, tlakit.cli, tlakit.api as api
from pathlib import Path
jar, points, workers, most = Path(sys.argv[1]), *map(int, sys.argv[2:])
spec = api.load("Counter.tla", tlakit.cli.CliRunner(tools_jar=jar, community_jar=False))
grid = {"Procs": [{"p1", "p2"}], "Max": [most], "Bound": list(range(1000, 1000 + points))}
options = {"init": "Init", "next_": "Next", "invariants": ["Below"], "check_deadlock": False}
done = spec.sweep(grid, workers=workers, **options)
assert done.ok and {run.result.stats.distinct for run in done} == {576}, done[0]
"""


def timed(command: Sequence[str], folder: Path) -> tuple[float, int]:
    """A command's wall seconds, and the largest resident set of its first process in bytes."""
    start = time.monotonic()
    process = subprocess.Popen(
        command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )
    peak = 0
    while process.poll() is None:
        with contextlib.suppress(OSError, IndexError):
            status = Path(f"/proc/{process.pid}/status").read_text()
            peak = max(peak, int(status.partition("VmHWM:")[2].split()[0]) * 1024)
        # The pipe is not read meanwhile: none of these commands prints more than it holds.
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(0.02)
    seconds = time.monotonic() - start
    if process.returncode:
        stderr = process.stderr.read() if process.stderr else ""
        raise RuntimeError(f"{' '.join(command)} exited with {process.returncode}: {stderr[-2000:]}")
    return seconds, peak


def sweep(*options: str) -> list[str]:
    """The command line of a sweep into ``store``."""
    return [sys.executable, "-m", "tla2py", "sweep", "s.toml", "-o", "store", *options]


def small(folder: Path, points: int) -> None:
    """Write a sweep file of equal small points."""
    values = f"Bound = {{ from = 1000, to = {999 + points} }}"
    (folder / "s.toml").write_text(SWEEP.format(constants=f"Max = {SMALL}", parameters=values))


def by_xargs(folder: Path, points: int) -> float:
    """The wall seconds of the plain command over the same points."""
    tools = find_toolchain()
    for index in range(points):
        (folder / f"MC{index}.cfg").write_text(CONFIG.format(size=SMALL, bound=1000 + index))
    run = (
        f"mkdir t$0 && {tools.java.path} -XX:+UseParallelGC -Djava.io.tmpdir=t$0 -cp {tools.jar.path} tlc2.TLC "
        "-workers 1 -deadlock -metadir m$0 -config MC$0.cfg Counter.tla > out$0"
    )
    numbers = " ".join(map(str, range(points)))
    seconds, _ = timed(["sh", "-c", f"echo {numbers} | xargs -n 1 -P {CORES} sh -c '{run}'"], folder)
    if not all("576 distinct states found" in (folder / f"out{n}").read_text() for n in range(points)):
        raise RuntimeError("the plain command found a wrong number of states")
    return seconds


def by_us(folder: Path, points: int, *options: str, fresh: bool = True) -> float:
    """The wall seconds of our sweep."""
    if fresh:
        shutil.rmtree(folder / "store", ignore_errors=True)
    seconds, _ = timed(sweep(*options), folder)
    expect(folder, points)
    return seconds


def expect(folder: Path, points: int) -> None:
    """Raise RuntimeError if a store of small points has a wrong number of states."""
    runs = tla2py.open_store(folder / "store").arrow("runs")
    if runs["distinct"].to_pylist() != [576] * points:
        raise RuntimeError("the sweep found a wrong number of states")


def by_peer(folder: Path, points: int, python: Path, jar: Path) -> float:
    """The wall seconds of a sweep by tlakit 0.1.1 with the same number of workers."""
    numbers = map(str, (points, CORES, SMALL))
    return timed([str(python), "-c", PEER, str(jar), *numbers], folder)[0]


def table(title: str, taken: dict[str, list[float]]) -> list[str]:
    """The median time of each way, and its median speed-up over the first."""
    base = next(iter(taken.values()))
    lines = [f"{title:<46}{'wall s':>8}{'faster':>8}"]
    for name, found in taken.items():
        ratio = median(plain / one for one, plain in zip(found, base, strict=True))
        lines.append(f"{name:<46}{median(found):>8.2f}{ratio:>8.2f}")
    lines.append(
        f"the first took {min(base):.2f} to {max(base):.2f} s; load {os.getloadavg()[0]:.1f} on {CORES} cores"
    )
    return lines


def in_turn(ways: dict[str, Callable[[Path], float]], pairs: int) -> dict[str, list[float]]:
    """The wall seconds of each way; the ways take turns, each in its own folder."""
    taken: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(pairs):
        for name, way in ways.items():
            with tempfile.TemporaryDirectory() as place:
                folder = Path(place)
                shutil.copy(SPEC, folder)
                taken[name].append(way(folder))
    return taken


def small_points(pairs: int, points: int, peer: tuple[Path, Path] | None) -> list[str]:
    """Sweeps of small points, ours and other tools'."""

    def ours(*options: str) -> Callable[[Path], float]:
        def way(folder: Path) -> float:
            small(folder, points)
            return by_us(folder, points, *options)

        return way

    def again(folder: Path) -> float:
        small(folder, points)
        by_us(folder, points, "--executor", "local")
        return by_us(folder, points, fresh=False)

    ways: dict[str, Callable[[Path], float]] = {
        f"xargs -P {CORES}": lambda folder: by_xargs(folder, points),
        "tla2py sweep --executor local": ours("--executor", "local"),
        "tla2py sweep": ours(),
        "tla2py sweep, nothing left to run": again,
    }
    if peer is not None:
        python, jar = (path.absolute() for path in peer)  # they run in another folder
        ways["tlakit 0.1.1, on its rolling jar"] = lambda folder: by_peer(folder, points, python, jar)
    return table(f"{points} points of 576 states, {pairs} pairs", in_turn(ways, pairs))


def mixed(pairs: int, longest: int, others: int) -> list[str]:
    """A sweep with one point that takes half the time, compared with max(longest point, all points / cores)."""
    sizes = [longest, *(longest // 8 - index for index in range(others))]
    taken: dict[str, list[float]] = {"lower bound": [], "tla2py sweep": []}
    for _ in range(pairs):
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place)
            shutil.copy(SPEC, folder)
            text = SWEEP.format(constants="Bound = 100000", parameters=f"Max = {sizes}")
            (folder / "s.toml").write_text(text)
            seconds, _ = timed(sweep(), folder)
            walls = tla2py.open_store(folder / "store").arrow("runs")["wall_seconds"].to_pylist()
            taken["lower bound"].append(max(max(walls), sum(walls) / CORES))
            taken["tla2py sweep"].append(seconds)
    return table(f"one point of {(longest + 1) ** 2} states and {others} others", taken)


def long_run(pairs: int, size: int) -> list[str]:
    """One long run, plain and by ``tla2py check``."""
    tools = find_toolchain()

    def plain(folder: Path) -> float:
        (folder / "MC.cfg").write_text(CONFIG.format(size=size, bound=100000))
        java = [
            str(tools.java.path),
            "-XX:+UseParallelGC",
            f"-Djava.io.tmpdir={folder}",
            "-cp",
            str(tools.jar.path),
        ]
        tlc = ["tlc2.TLC", "-workers", "1", "-deadlock", "-config", "MC.cfg", "Counter.tla"]
        return timed([*java, *tlc], folder)[0]

    def check(folder: Path) -> float:
        (folder / "MC.cfg").write_text(CONFIG.format(size=size, bound=100000))
        command = [
            sys.executable,
            "-m",
            "tla2py",
            "check",
            "Counter.tla",
            "--config",
            "MC.cfg",
            "--no-deadlock",
        ]
        return timed([*command, "--workers", "1", "--timeout", "30m"], folder)[0]

    return table(
        f"{(size + 1) ** 2} states, {pairs} pairs",
        in_turn({"plain TLC": plain, "tla2py check": check}, pairs),
    )


def cost(points: int, *options: str) -> str:
    """The cost of a sweep of small points: its seconds, seconds per point, and the driver's MiB, as columns."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        shutil.copy(SPEC, folder)
        small(folder, points)
        seconds, peak = timed(sweep(*options), folder)
        expect(folder, points)
    return f"{seconds:>9.1f}{seconds / points:>9.3f}{peak / 2**20:>12.0f}"


def growth(most: int) -> list[str]:
    """The cost per point, and the driver's memory, as the number of points grows; local and on Spark."""
    lines = [
        f"{'points':>8}{'local s':>9}{'a point':>9}{'driver MiB':>12}{'Spark s':>9}{'a point':>9}{'driver MiB':>12}"
    ]
    points = 16
    while points <= most:
        line = f"{points:>8}"
        for options in (("--executor", "local"), ()):
            line += cost(points, *options)
        lines.append(line)
        points *= 4
    return lines


def driver(points: Sequence[int]) -> list[str]:
    """The memory of a local sweep's driver, for each number of points."""
    lines = [f"{'points':>8}{'local s':>9}{'a point':>9}{'driver MiB':>12}"]
    for count in points:
        lines.append(f"{count:>8}{cost(count, '--executor', 'local')}")
    return lines


def traces(most: int) -> list[str]:
    """The cost of a sweep with one counterexample, and of showing it, as it gets longer."""
    lines = [
        f"{'states':>8}{'sweep s':>9}{'a state':>9}{'driver MiB':>12}{'trace s':>9}{'a state':>9}{'MiB':>6}"
    ]
    states = 10
    while states <= most:
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place)
            shutil.copy(SPEC, folder)
            # The sum of one counter exceeds Bound after this many steps.
            constants = f"Bound = {states - 1}"
            text = SWEEP.format(constants=constants, parameters=f"Max = [{states + 5}]")
            (folder / "s.toml").write_text(
                text.replace("{p1, p2}", "{p1}") + '[expect]\nverdict = "violated"\n'
            )
            seconds, peak = timed(sweep("--executor", "local"), folder)
            if tla2py.open_store(folder / "store").arrow("runs")["trace_length"].to_pylist() != [states]:
                raise RuntimeError("the counterexample has a wrong length")
            command = [sys.executable, "-m", "tla2py", "trace", "store", "1", "--format", "itf"]
            shown, shown_peak = timed(command, folder)
        lines.append(
            f"{states:>8}{seconds:>9.1f}{seconds / states:>9.4f}{peak / 2**20:>12.0f}"
            f"{shown:>9.1f}{shown / states:>9.4f}{shown_peak / 2**20:>6.0f}"
        )
        states *= 10
    return lines


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("parts", nargs="*", default=["small", "mixed", "long", "growth", "driver", "traces"])
    parser.add_argument("--pairs", type=int, default=3)
    parser.add_argument("--points", type=int, default=64)
    parser.add_argument("--most", type=int, default=256, help="points of the largest sweep of growth")
    parser.add_argument("--size", type=int, default=4000, help="where each counter of the long run ends")
    parser.add_argument(
        "--peer", nargs=2, type=Path, metavar=("PYTHON", "JAR"), help="compare with tlakit on this jar"
    )
    options = parser.parse_args()
    parts: dict[str, Callable[[], list[str]]] = {
        "small": lambda: small_points(options.pairs, options.points, options.peer),
        "mixed": lambda: mixed(options.pairs, options.size, 48),
        "long": lambda: long_run(options.pairs, options.size),
        "growth": lambda: growth(options.most),
        "traces": lambda: traces(10000),
        "driver": lambda: driver((100, 2000)),
    }
    for part in options.parts:
        sys.stdout.write("\n".join([*parts[part](), ""]) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
