"""Progress of a sweep on standard error: a live line on a terminal, a plain line now and then elsewhere."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from tla2py.cli.console import err
from tla2py.execution.job import Progress as SweepProgress
from tla2py.terminal.figures import seconds
from tla2py.text import counted

# Before the first line, and at most between two: a log of hours is to be read too.
_FIRST_SECONDS = 5.0
_MOST_SECONDS = 60.0


@contextlib.contextmanager
def reporting(name: str, missing: int, cached: int) -> Iterator[Callable[[SweepProgress], None]]:
    """A function that shows how far a sweep is."""
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
    last, told, wait = start, 0, _FIRST_SECONDS

    def report(progress: SweepProgress) -> None:
        nonlocal last, told, wait
        now = time.monotonic()
        if told == missing or (now - last < wait and progress.done < missing):
            return
        last, told, wait = now, progress.done, min(2 * wait, _MOST_SECONDS)
        err().print(
            f"{progress.done}/{missing} done, {progress.running} running, {progress.violated} violated, "
            f"{seconds(now - start)}"
        )

    return report
