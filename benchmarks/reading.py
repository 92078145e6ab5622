"""How fast TLC's log is read, compared with ``json.loads`` of the same trace in ITF: ``python benchmarks/reading.py``.

The generated log looks as TLC prints it with ``-tool``: one trace of many states over the variables of a replicated log,
whose largest variable changes in every state. Every figure is from the fastest of some runs, each in a separate process to
measure its peak memory (MiB beyond the interpreter's own).
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from tla2py.store.foreign import read_log, trace_to_itf

REPLICAS = ("b1", "b2", "b3")
RUNS = 2


def write_log(path: Path, size: int) -> None:
    """Write a log of at least ``size`` bytes with one trace."""
    with path.open("wb") as log:
        for text in _log(size):
            log.write(text)


def _log(size: int) -> Iterator[bytes]:
    yield _message(2262, 0, "TLC2 Version 2.15 of Day Month 20??")
    yield _message(2110, 1, "Invariant Consistent is violated.")
    yield _message(2121, 1, "The behavior up to this point is:")
    written, index = 0, 0
    while written < size:
        index += 1
        head = (
            "<Initial predicate>"
            if index == 1
            else "<Append line 40, col 3 to line 52, col 60 of module Log>"
        )
        message = _message(2217, 4, f"{index}: {head}\n{state_text(index)}\n")
        written += len(message)
        yield message
    yield _message(
        2199, 0, f"{index} states generated, {index} distinct states found, 0 states left on queue."
    )
    yield _message(2186, 0, "Finished in 100ms at (2001-02-03 04:05:06)")


def _message(code: int, level: int, body: str) -> bytes:
    return f"@!@!@STARTMSG {code}:{level} @!@!@\n{body}\n@!@!@ENDMSG {code} @!@!@\n".encode()


def state_text(index: int) -> str:
    """Eight variables; those that count the steps of one replica change only in every third state."""
    turn, step = index % len(REPLICAS), index // len(REPLICAS)
    counts = [step + (turn >= place) for place in range(len(REPLICAS))]
    records = [[count + offset for offset in range(12)] for count in counts]
    logs = " @@\n  ".join(
        f"{name} :>\n      << " + ",\n         ".join(f"[epoch |-> {n % 5}, id |-> {n}]" for n in ids) + " >>"
        for name, ids in zip(REPLICAS, records, strict=True)
    )
    lines = [
        f"/\\ step = {step}",
        f"/\\ leader = {REPLICAS[step % 3]}",
        f"/\\ isr = {{{', '.join(REPLICAS[: 1 + step % 3])}}}",
        "/\\ epochs = ("
        + " @@ ".join(f"{name} :> {n % 7}" for name, n in zip(REPLICAS, counts, strict=True))
        + ")",
        f"/\\ hw = [local |-> {step % 50}, global |-> {step % 31}]",
        f'/\\ status = <<"FOLLOWER", "LEADER", "turn {turn}">>',
        f"/\\ requests = {{<<{step % 11}, b1>>, <<{step % 13}, b2>>}}",
        f"/\\ logs = ( {logs} )",
    ]
    return "\n".join(lines)


def whole(log: Path) -> int:
    """The number of states, read as a whole trace."""
    with log.open("rb") as lines:
        return sum(len(trace.states) for trace in read_log(lines).traces)


def loads(itf: Path) -> int:
    """The number of states that ``json.loads`` reads."""
    return len(json.loads(itf.read_bytes())["states"])


def write_itf(log: Path, itf: Path) -> None:
    """Write a log's trace in ITF."""
    with log.open("rb") as lines:
        (trace,) = read_log(lines).traces
    itf.write_text(json.dumps(trace_to_itf(trace), ensure_ascii=False, separators=(",", ":")))


def measured(work: Callable[[Path], int], path: Path) -> tuple[float, float, int]:
    """The fastest run's CPU seconds, its peak memory in MiB, and the number of states it read."""
    with multiprocessing.get_context("spawn").Pool(1, maxtasksperchild=1) as pool:
        runs = [pool.apply(_measure, (work, path)) for _ in range(RUNS)]
    return min(runs)


def _measure(work: Callable[[Path], int], path: Path) -> tuple[float, float, int]:
    # A new process inherits its parent's peak; this resets it on Linux.
    Path("/proc/self/clear_refs").write_text("5")
    before = _peak_mib()
    start = time.process_time()
    states = work(path)
    seconds = time.process_time() - start
    return seconds, _peak_mib() - before, states


def _peak_mib() -> float:
    status = Path("/proc/self/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0]) / 1024


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--mib", type=int, default=100, help="size of the log in MiB")
    size = parser.parse_args().mib << 20
    with tempfile.TemporaryDirectory() as name:
        log, itf = Path(name) / "run.log", Path(name) / "trace.itf.json"
        write_log(log, size)
        write_itf(log, itf)
        base, *_ = rows = [
            ("json.loads of it in ITF", itf, measured(loads, itf)),
            ("the log, as a whole trace", log, measured(whole, log)),
        ]
        lines = [f"{'':<26}{'MiB':>7}{'states':>9}{'CPU s':>8}{'MiB/s':>8}{'memory':>9}{'ratio':>7}"]
        for title, path, (seconds, memory, states) in rows:
            mib = path.stat().st_size / (1 << 20)
            lines.append(
                f"{title:<26}{mib:>7.1f}{states:>9}{seconds:>8.2f}{mib / seconds:>8.1f}{memory:>9.0f}"
                f"{seconds / base[2][0]:>7.2f}"
            )
    sys.stdout.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
