"""What a sweep reports, on standard error: a live line on a terminal, a plain line now and then elsewhere."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence

from rich.console import RenderableType
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.status import Status

from tla2py.analysis.view import StoreView
from tla2py.cli.console import err, show
from tla2py.cli.options import print_remark
from tla2py.errors import ToolchainError
from tla2py.execution.executor import RunProgress, slots_text
from tla2py.execution.listener import EarlierJar, Listener
from tla2py.execution.listener import Progress as SweepProgress
from tla2py.execution.sweeps import SweepResult
from tla2py.gate.outputs import finding_text
from tla2py.lint.finding import Finding
from tla2py.model.run import Limits
from tla2py.store.storage import Address
from tla2py.sweep.checks import only_deadlock
from tla2py.sweep.grid import Point
from tla2py.sweep.judge import ONLY_DEADLOCK
from tla2py.sweep.plan import Plan
from tla2py.sweep.sweep import Sweep
from tla2py.text import counted
from tla2py.tla.module import Remark
from tla2py.tlc.process.sandbox import sandbox_text, walls
from tla2py.tlc.tools.jar import Jar
from tla2py.view.progress import inside_runs, left_text, log_line, run_text
from tla2py.view.sweep import (
    cached_line,
    interrupted_line,
    jar_changed_line,
    judgement_lines,
    sweep_summary,
    taken_over_line,
)

# The wait before the first line and the longest wait between two, so that the log of hours stays readable.
_FIRST_SECONDS = 5.0
_MOST_SECONDS = 60.0
# How often the rows that are made are counted.
_LOOK_SECONDS = 0.5


class ConsoleListener(Listener):
    """A listener that prints to standard error."""

    def warned(self, finding: Finding | Remark) -> None:
        """Print the finding."""
        if isinstance(finding, Finding):
            err().print(finding_text(finding))
        else:
            print_remark(finding)

    def store_taken_over(self, store: Address, modules: Sequence[str], sweep: Sweep) -> None:
        """Print the warning."""
        err().print(taken_over_line(store, modules, sweep))

    def jar_chosen(self, jar: Jar) -> None:
        """Name the jar if the project or the machine chooses it."""
        if jar.choice is not None:
            err().print(jar.choice)

    def jar_changed(self, sweep: Sweep, before: EarlierJar, jar: Jar) -> None:
        """Print how many runs that costs."""
        err().print(jar_changed_line(sweep, before, jar))

    def without_spark(self) -> None:
        """Name the extra that brings Spark."""
        err().print("running on threads, since pyspark is not installed: pip install 'tla2py[spark]'")

    def fewer_slots(self, slots: int, memory_bytes: int) -> None:
        """Print why so few runs go on at once."""
        err().print(slots_text(slots, memory_bytes), style="yellow")

    def spark_failed(self, error: ToolchainError) -> None:
        """Print why Spark did not start."""
        err().print(f"running on threads, since {error.message}", style="yellow")

    @contextlib.contextmanager
    def executing(self, sweep: Sweep, missing: int, cached: int) -> Iterator[Callable[[SweepProgress], None]]:
        """Show the progress."""
        with reporting(sweep.name, missing, cached, sweep.limits) as report:
            yield report

    def interrupted(self, left: int) -> None:
        """Print how to go on."""
        err().print(interrupted_line(left))

    def finished(self, result: SweepResult) -> None:
        """Print it if there was nothing to run."""
        if not result.executed:
            err().print(cached_line(result))


class SweepListener(ConsoleListener):
    """A listener that also prints the results of each sweep as it ends, its table only if it is ``alone``."""

    def __init__(self, *, alone: bool) -> None:
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
        if self._alone:
            # With the store's index and rows, which would need the memory twice.
            view = StoreView(result.store)
            view.run_rows = result.runs
            show(sweep_summary(view))
        console = err()
        for line in judgement_lines(result):
            console.print(line)


@contextlib.contextmanager
def reporting(
    name: str, missing: int, cached: int, limits: Limits
) -> Iterator[Callable[[SweepProgress], None]]:
    """A function that shows the progress of a sweep."""
    if not missing:
        yield lambda _: None
        return
    console = err()
    there = f", {cached} are there already" if cached else ""
    behind = "trusted" if limits.trust else f"sandbox: {sandbox_text(walls())}"
    console.print(f"{name}: {counted(missing, 'run')} to execute{there}; {behind}")
    if not console.is_terminal:
        yield _plain_lines(missing)
        return
    columns = (
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[running]} running"),
        TextColumn("[red]{task.fields[violated]} violated"),
        TimeElapsedColumn(),
        TextColumn("{task.fields[left]}"),
    )
    with _LiveProgress(*columns, console=console, transient=True, refresh_per_second=1) as live:
        task = live.add_task(name, total=missing, running=0, violated=0, left="")

        def report(progress: SweepProgress) -> None:
            live.inside = progress.inside
            live.update(
                task,
                completed=progress.done,
                running=progress.running,
                violated=progress.violated,
                left=left_text(progress.left),
            )

        yield report


@contextlib.contextmanager
def deriving(total: int, done: Callable[[], int]) -> Iterator[None]:
    """Show on a terminal how many runs' rows are made; ``done`` counts them, in a thread."""
    console = err()
    if not console.is_terminal:
        yield
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    ended = threading.Event()
    with Progress(*columns, console=console, transient=True, refresh_per_second=1) as live:
        task = live.add_task("rows of runs", total=total)

        def watch() -> None:
            while not ended.wait(_LOOK_SECONDS):
                live.update(task, completed=done())

        thread = threading.Thread(target=watch, name="deriving", daemon=True)
        thread.start()
        try:
            yield
        finally:
            ended.set()
            thread.join()


class _LiveProgress(Progress):
    """A bar, and what happens inside the runs below it."""

    inside: Sequence[tuple[Point, RunProgress]] = ()

    def get_renderables(self) -> Iterable[RenderableType]:
        """The parts of the display."""
        yield from super().get_renderables()
        yield from inside_runs(self.inside)


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
