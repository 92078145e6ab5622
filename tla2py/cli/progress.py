"""What a sweep reports, on standard error: a live line on a terminal, a plain line now and then elsewhere."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator, Sequence

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from tla2py.cli.console import err, show
from tla2py.cli.translate import print_remark
from tla2py.execution.executor import slots_text
from tla2py.execution.jars import EarlierJar
from tla2py.execution.listener import Listener
from tla2py.execution.listener import Progress as SweepProgress
from tla2py.execution.sweeps import SweepResult
from tla2py.explore.view import open_view
from tla2py.lint import Finding
from tla2py.reports.lint import finding_text
from tla2py.store.storage import Address
from tla2py.sweep.checks import only_deadlock
from tla2py.sweep.judge import ONLY_DEADLOCK
from tla2py.sweep.plan import Plan
from tla2py.sweep.sweep import Sweep
from tla2py.syntax import Remark
from tla2py.terminal.figures import seconds
from tla2py.terminal.summary import sweep_summary
from tla2py.terminal.sweep import (
    cached_line,
    interrupted_line,
    jar_changed_line,
    judgement_lines,
    taken_over_line,
)
from tla2py.text import counted
from tla2py.toolchain.jar import Jar

# The wait before the first line and the longest wait between two, so that the log of hours stays readable.
_FIRST_SECONDS = 5.0
_MOST_SECONDS = 60.0


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

    @contextlib.contextmanager
    def executing(self, sweep: Sweep, missing: int, cached: int) -> Iterator[Callable[[SweepProgress], None]]:
        """Show the progress."""
        with reporting(sweep.name, missing, cached) as report:
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
        if only_deadlock(plan.runs):
            err().print(f"{sweep.name}: {ONLY_DEADLOCK}")

    def finished(self, result: SweepResult) -> None:
        """Print the results."""
        super().finished(result)
        if self._alone:
            show(sweep_summary(open_view(result.store.path)))
        for line in judgement_lines(result):
            err().print(line)


@contextlib.contextmanager
def reporting(name: str, missing: int, cached: int) -> Iterator[Callable[[SweepProgress], None]]:
    """A function that shows the progress of a sweep."""
    if not missing:
        yield lambda _: None
        return
    console = err()
    there = f", {cached} are there already" if cached else ""
    console.print(f"{name}: {counted(missing, 'run')} to execute{there}")
    if not console.is_terminal:
        yield _plain_lines(missing)
        return
    columns = (
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[running]} running"),
        TextColumn("[red]{task.fields[violated]} violated"),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=console, transient=True) as live:
        task = live.add_task(name, total=missing, running=0, violated=0)
        yield lambda p: live.update(task, completed=p.done, running=p.running, violated=p.violated)


def _plain_lines(missing: int) -> Callable[[SweepProgress], None]:
    start = time.monotonic()
    last, shown, wait = start, 0, _FIRST_SECONDS

    def report(progress: SweepProgress) -> None:
        nonlocal last, shown, wait
        now = time.monotonic()
        if shown == missing or (now - last < wait and progress.done < missing):
            return
        last, shown, wait = now, progress.done, min(2 * wait, _MOST_SECONDS)
        err().print(
            f"{progress.done}/{missing} done, {progress.running} running, {progress.violated} violated, "
            f"{seconds(now - start)}"
        )

    return report
