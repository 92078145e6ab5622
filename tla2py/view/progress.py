"""What happens inside runs, on the terminal and in a log."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from rich.table import Table
from rich.text import Text

from tla2py.execution.executor import RunProgress
from tla2py.execution.listener import Progress, TimeLeft
from tla2py.sweep.grid import Point
from tla2py.text import cut, parameter_text
from tla2py.tlc.process.sandbox import memory_in_use, this_machine
from tla2py.view.layout import number, seconds

# Small sweeps show no runs; of many runs a terminal shows those that have lasted longest.
_SHOWN_SECONDS = 3.0
_SHOWN_RUNS = 8
_LABEL = 40


def run_text(progress: RunProgress) -> str:
    """What happens inside a run: time, counts and memory."""
    stats, limits = progress.stats, progress.limits
    rate = None if progress.states_per_second is None else int(progress.states_per_second)
    counts = [
        (stats.generated, "{} states generated"),
        (stats.distinct, "{} distinct"),
        (rate, "{} per second"),
        (stats.depth, "depth {}"),
        (stats.queue, "queue {}"),
    ]
    parts = [f"{seconds(progress.seconds)} of {seconds(limits.timeout_seconds)}"]
    parts += [words.format(number(count)) for count, words in counts if count is not None]
    parts += [f"{_memory(progress.memory_bytes)} of {_memory(limits.memory_bytes)}"]
    return ", ".join(parts)


def left_text(left: TimeLeft | None) -> str:
    """``about 5m left``, ``2m to 9m left``, ``up to 9m left``; "" if nothing is known."""
    if left is None or not math.isfinite(left.high):
        return ""
    low, high = _about(left.low), _about(left.high)
    if low == high or left.high <= 1.5 * left.low:
        return f"about {high} left"
    return f"up to {high} left" if left.low < 10 else f"{low} to {high} left"


def log_line(progress: Progress, missing: int, elapsed: float) -> str:
    """The line of a sweep in a log, with the longest run and the time left."""
    line = f"{progress.done}/{missing} done, {progress.running} running, {progress.violated} violated, {seconds(elapsed)}"
    if progress.done == missing:
        return line
    if text := left_text(progress.left):
        line += f", {text}"
    for point, run in progress.inside[:1]:
        line += f"; longest: point {point.index} ({cut(parameter_text(point.parameters), _LABEL)}), {run_text(run)}"
    return line


def inside_runs(inside: Sequence[tuple[Point, RunProgress]]) -> Iterator[Table | Text]:
    """A table with a line for each run that has lasted some seconds, and the machine's memory."""
    long = [(point, run) for point, run in inside if run.seconds >= _SHOWN_SECONDS]
    if not long:
        return
    table = Table.grid(padding=(0, 2))
    # In a narrow terminal only the parameters are cut.
    table.add_column()
    heads = ("time", "generated", "distinct", "per second", "depth", "queue", "memory")
    for _ in heads:
        table.add_column(justify="right", no_wrap=True)
    table.add_row("point", *heads, style="dim")
    for point, run in long[:_SHOWN_RUNS]:
        stats, rate = run.stats, run.states_per_second
        counts = (
            stats.generated,
            stats.distinct,
            None if rate is None else int(rate),
            stats.depth,
            stats.queue,
        )
        table.add_row(
            Text(f"{point.index} {parameter_text(point.parameters)}", no_wrap=True, overflow="ellipsis"),
            seconds(run.seconds) if run.seconds >= 60 else f"{run.seconds:.0f}s",
            *map(number, counts),
            _memory(run.memory_bytes),
        )
    yield table
    machine, limits = this_machine(), long[0][1].limits
    more = f"and {len(long) - _SHOWN_RUNS} more; " if len(long) > _SHOWN_RUNS else ""
    most = f"each may take {seconds(limits.timeout_seconds)} and {_memory(limits.memory_bytes)}"
    used = f"{_memory(memory_in_use())} of {_memory(machine.memory_bytes)}"
    yield Text(f"{more}{most}; memory of this {machine.kind}: {used} in use", "dim")


def _memory(size: int) -> str:
    return f"{size / 1024**2:.0f}MiB" if size < 1024**3 else f"{size / 1024**3:.3g}GiB"


def _about(value: float) -> str:
    """A duration in few digits, rounded up."""
    if value < 60:
        return f"{max(math.ceil(value / 5) * 5, 5)}s"
    return f"{math.ceil(value / 60)}m" if value < 3600 else f"{value / 3600:.1f}h"
