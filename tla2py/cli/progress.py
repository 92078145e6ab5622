"""What a sweep reports, on standard error: a live line on a terminal, a plain line now and then elsewhere."""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Callable, Iterable, Iterator, Sequence

from rich.console import RenderableType
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.status import Status
from rich.table import Table
from rich.text import Text

from tla2py.analysis.view import StoreView
from tla2py.cli.console import err, show
from tla2py.cli.options import print_remark
from tla2py.execution.listener import Listener
from tla2py.execution.progress import RunProgress, SweepProgress
from tla2py.execution.result import SweepResult
from tla2py.execution.schedule import TimeLeft
from tla2py.model.finding import Finding
from tla2py.sweep.checks import only_deadlock
from tla2py.sweep.grid import Point
from tla2py.sweep.judge import ONLY_DEADLOCK
from tla2py.sweep.plan import Plan
from tla2py.sweep.sweep import Sweep
from tla2py.text import counted, cut, parameter_text
from tla2py.tla.module import Remark
from tla2py.tlc.process.os_facts import memory_in_use, this_machine
from tla2py.tlc.process.sandbox import sandbox_text, walls
from tla2py.tlc.tools.jar import Jar
from tla2py.toml import toml_string
from tla2py.view.layout import number, seconds
from tla2py.view.sweep import interrupted_line, judgement_lines, sweep_summary
from tla2py.view.tools import finding_text, points_without_answer

# Small sweeps show no runs; of many runs a terminal shows those that have lasted longest.
_SHOWN_SECONDS = 3.0
_SHOWN_RUNS = 8
_LABEL = 40


def run_text(progress: RunProgress) -> str:
    """What happens inside a run: time, counts and memory."""
    limits = progress.limits
    words = ("{} states generated", "{} distinct", "{} per second", "depth {}", "queue {}")
    parts = [f"{seconds(progress.seconds)} of {seconds(limits.timeout_seconds)}"]
    counts = zip(words, _counts(progress), strict=True)
    parts += [text.format(number(count)) for text, count in counts if count is not None]
    parts += [f"{_memory(progress.memory_bytes)} of {_memory(limits.memory_bytes)}"]
    return ", ".join(parts)


def _counts(progress: RunProgress) -> tuple[int | None, ...]:
    """States generated, distinct and per second, depth and queue."""
    stats, rate = progress.stats, progress.states_per_second
    return stats.generated, stats.distinct, None if rate is None else int(rate), stats.depth, stats.queue


def left_text(left: TimeLeft | None) -> str:
    """Return ``about 5m left``, the middle of the bounds; "" if nothing is known."""
    if left is None or not math.isfinite(left.high):
        return ""
    return f"about {_about((left.low + left.high) / 2)} left"


def _parameters(point: Point) -> str:
    """A point's parameters; the config, which alone tells the points of a folder apart, before what may be cut."""
    return parameter_text(dict(sorted(point.parameters.items(), key=lambda each: each[0] != "config")))


def log_line(progress: SweepProgress, missing: int, elapsed: float) -> str:
    """The line of a sweep in a log, with the longest run and the time left."""
    violated = "" if progress.violated is None else f"{progress.violated} violated, "
    line = f"{progress.done}/{missing} done, {progress.running} running, {violated}{seconds(elapsed)}"
    if progress.done == missing:
        return line
    if text := left_text(progress.left):
        line += f", {text}"
    for point, run in progress.inside[:1]:
        line += f"; longest: point {point.index} ({cut(_parameters(point), _LABEL)}), {run_text(run)}"
    return line


def progress_lines(inside: Sequence[tuple[Point, RunProgress]]) -> Iterator[Table | Text]:
    """A table with a line for each run that has lasted some seconds, and the machine's memory."""
    long = [(point, run) for point, run in inside if run.seconds >= _SHOWN_SECONDS]
    if not long:
        return
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    # In a narrow terminal only the parameters are cut.
    table.add_column("point")
    for head in ("time", "generated", "distinct", "per second", "depth", "queue", "memory"):
        table.add_column(head, justify="right", no_wrap=True)
    for point, run in long[:_SHOWN_RUNS]:
        table.add_row(
            Text(f"{point.index} {_parameters(point)}", no_wrap=True, overflow="ellipsis"),
            seconds(run.seconds) if run.seconds >= 60 else f"{run.seconds:.0f}s",
            *map(number, _counts(run)),
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


_EXECUTORS = {"local": "threads of this machine", "spark": "Spark"}
# The wait before the first line and the longest wait between two, so that the log of hours stays readable.
_FIRST_SECONDS = 5.0
_MOST_SECONDS = 60.0


class ConsoleListener(Listener):
    """A listener that prints to standard error."""

    def __init__(self) -> None:
        self._headed = set[str]()

    def warned(self, finding: Finding | Remark, *same: Finding) -> None:
        """Print the finding, and where else it holds."""
        if isinstance(finding, Finding):
            err().print(finding_text(finding, *same))
        else:
            print_remark(finding)

    def told(self, text: str) -> None:
        """Print it."""
        err().print(Text(text, "yellow"))

    def jar_chosen(self, jar: Jar) -> None:
        """Name the jar if the project or the machine chooses it."""
        if jar.choice is not None:
            err().print(jar.choice)

    @contextlib.contextmanager
    def executing(self, sweep: Sweep, missing: int, cached: int) -> Iterator[Callable[[SweepProgress], None]]:
        """Show the progress."""
        console, again = err(), sweep.name in self._headed
        self._headed.add(sweep.name)
        if not missing:
            yield lambda _: None
            return
        if not again:
            there = f", {cached} are there already" if cached else ""
            console.print(f"{sweep.name}: {counted(missing, 'run')} to execute{there}{_behind(sweep)}")
        hint = _bounding_hint(sweep)
        if not console.is_terminal:
            show_line = _plain_lines(missing)

            def report_line(progress: SweepProgress) -> None:
                show_line(progress)
                hint(progress)

            yield report_line
            return
        columns = (
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[running]} running"),
            TextColumn("[red]{task.fields[violated]}"),
            TimeElapsedColumn(),
            TextColumn("{task.fields[left]}"),
        )
        with _LiveProgress(*columns, console=console, transient=True, refresh_per_second=1) as live:
            task = live.add_task(sweep.name, total=missing, running=0, violated="", left="")

            def report(progress: SweepProgress) -> None:
                live.inside = progress.inside
                live.update(
                    task,
                    completed=progress.done,
                    running=progress.running,
                    violated="" if progress.violated is None else f"{progress.violated} violated",
                    left=left_text(progress.left),
                )
                hint(progress)

            yield report

    def interrupted(self, left: int) -> None:
        """Print how to go on."""
        err().print(interrupted_line(left))

    def finished(self, result: SweepResult) -> None:
        """Print it if there was nothing to run."""
        if not result.executed and result.runs:
            runs = "the one run is" if result.cached == 1 else f"all {result.cached} runs are"
            err().print(f"nothing to run: {runs} in {result.records.path} already")
        ran = [f"{counted(runs, 'run')} by {_EXECUTORS[name]}" for name, runs in result.executors.items()]
        if ran:
            err().print(f"{result.sweep.name}: {', '.join(ran)}", style="dim")


def _behind(sweep: Sweep) -> str:
    """Return the end of a sweep's first line: that its runs are trusted, or which walls are missing; "" if none is."""
    if sweep.selection.limits.trust:
        return "; trusted"
    found = walls()
    return f"; sandbox: {sandbox_text(found)}" if found.missing or found.by == "none" else ""


# A folder that runs longer than this may have a config that nobody meant to run.
_BOUND_SECONDS = 60.0


def _bounding_hint(sweep: Sweep) -> Callable[[SweepProgress], None]:
    """Return what says once, after a minute of a folder's sweep, how to bound it; for other sweeps it says nothing."""
    due = time.monotonic() + _BOUND_SECONDS
    silent = not sweep.selection.is_folder

    def report(progress: SweepProgress) -> None:
        nonlocal silent
        if silent or time.monotonic() < due:
            return
        silent = True
        longest = next((point.parameters.get("config") for point, _ in progress.inside), None)
        row = toml_string(longest or "NAME.cfg")
        err().print(
            f"{sweep.name} has run for a minute: --timeout 30s bounds each config, and exclude = [{{ config = {row} }}] "
            f"under [grid] in {sweep.file.path} leaves one out",
            style="yellow",
            markup=False,
        )

    return report


class SweepListener(ConsoleListener):
    """A listener that also prints the results of each sweep as it ends, its table only if it is ``alone``."""

    def __init__(self, *, alone: bool) -> None:
        super().__init__()
        self._alone = alone

    def jar_chosen(self, jar: Jar) -> None:
        """Name the jar, and say if it is old."""
        super().jar_chosen(jar)
        if jar.old is not None:
            err().print(jar.old)

    def found(self, finding: Finding) -> None:
        """Print the finding; a gate shows it with its decision."""
        self.warned(finding)

    def planned(self, sweep: Sweep, plan: Plan) -> None:
        """Warn of a sweep that checks nothing but deadlock."""
        if only_deadlock([run for _, run in plan.samples()]):
            err().print(f"{sweep.name}: {ONLY_DEADLOCK}")

    def finished(self, result: SweepResult) -> None:
        """Print the results."""
        super().finished(result)
        console = err()
        for line in judgement_lines(result):
            console.print(line)
        if not result.runs:
            return
        # With the store's index and rows, which would need the memory twice.
        view = StoreView(result.store)
        view.run_rows = result.runs
        if self._alone:
            show(sweep_summary(view))
        else:
            # One table of all sweeps follows, which does not say why a point has no answer.
            for part in points_without_answer(view, result.runs):
                console.print(part)


class _LiveProgress(Progress):
    """A bar, and what happens inside the runs below it."""

    inside: Sequence[tuple[Point, RunProgress]] = ()

    def get_renderables(self) -> Iterable[RenderableType]:
        """The parts of the display."""
        yield from super().get_renderables()
        yield from progress_lines(self.inside)


def check_report(status: Status) -> Callable[[RunProgress], None]:
    """A function that shows the progress of a run: on a terminal in its status, in a log on a line now and then."""
    console, due = err(), _rarely()

    def report(progress: RunProgress) -> None:
        if console.is_terminal:
            status.update(f"running TLC: {run_text(progress)}")
        elif due():
            console.print(f"running TLC: {run_text(progress)}")

    return report


def _plain_lines(missing: int) -> Callable[[SweepProgress], None]:
    start, shown, due = time.monotonic(), 0, _rarely()

    def report(progress: SweepProgress) -> None:
        nonlocal shown
        if shown < missing and (due() or progress.done == missing):
            shown = progress.done
            err().print(log_line(progress, missing, time.monotonic() - start))

    return report


def _rarely() -> Callable[[], bool]:
    """A function that returns whether a line in a log is due: after 5 seconds, and then ever more rarely."""
    last, wait = time.monotonic(), _FIRST_SECONDS

    def due() -> bool:
        nonlocal last, wait
        now = time.monotonic()
        if now - last < wait:
            return False
        last, wait = now, min(2 * wait, _MOST_SECONDS)
        return True

    return due
