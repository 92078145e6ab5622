"""The lines that a sweep prints besides its table: unexpected results, and notices."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.text import Text

from tla2py.execution.jars import EarlierJar
from tla2py.execution.sweeps import SweepResult
from tla2py.model.model import filled_text
from tla2py.store.storage import Address
from tla2py.sweep.expectations import overridden_text
from tla2py.sweep.judge import ALL_EXCLUDED, NO_STATES, TRUSTED
from tla2py.sweep.sweep import Sweep
from tla2py.tables.details import run_notes
from tla2py.tables.files import table_files
from tla2py.text import counted
from tla2py.toolchain.jar import Jar


def judgement_lines(result: SweepResult) -> Iterator[Text]:
    """A line for what is accepted, a line per unexpected result, or one line if all points are as expected."""
    name = result.sweep.name
    if result.findings.accepted:
        yield Text(f"{name}: accepted: {result.findings.accepted_text}")
    if result.plan.filled:
        yield Text(f"{name}: {filled_text(result.plan.filled)}", "dim")
    sweep = result.sweep
    if text := overridden_text(sweep.expect, sweep.points, sweep.expected_rows):
        yield Text(f"{name}: {text}", "dim")
    for mismatch in result.mismatches:
        yield Text(f"{name}, point {mismatch.point}: {mismatch}", "bold red")
    for unread in result.sweep.unread:
        yield Text(f"{name}: {unread}", "bold red")
    if empty := result.empty_points:
        points = ", ".join(map(str, empty))
        yield Text(f"{name}, point {points}: {NO_STATES}", "yellow")
    for note in run_notes(table_files(result.store, "diagnostics"), result.runs):
        yield Text(f"{name}, {note}", "yellow")
    if result.sweep.limits.trust:
        yield Text(f"{name}: {TRUSTED}", "yellow")
    if result.unchecked:
        yield Text(f"{name}: {ALL_EXCLUDED}", "bold red")
    elif result.sweep.file.expect is not None and not result.mismatches:
        count = len(result.sweep.points)
        points = "the one point is" if count == 1 else f"all {count} points are"
        yield Text(f"{name}: {points} as expected", "green")


def cached_line(result: SweepResult) -> Text:
    """The line for a sweep whose runs are all cached."""
    runs = "the one run is" if result.cached == 1 else f"all {result.cached} runs are"
    return Text(f"nothing to run: {runs} in {result.store.path} already")


def interrupted_line(left: int) -> Text:
    """The line for an interrupted sweep with runs left."""
    return Text(f"interrupted with {counted(left, 'run')} left; repeat the command to run them", "yellow")


def jar_changed_line(sweep: Sweep, before: EarlierJar, jar: Jar) -> Text:
    """The notice that recorded runs do not apply, because another jar made them."""
    return Text(
        f"{sweep.name}: the jar has changed from TLC {before.tlc}, sha256 {before.sha256[:12]}, to {jar}; "
        f"{counted(before.runs, 'recorded run')} no longer appl{'ies' if before.runs == 1 else 'y'}",
        "yellow",
    )


def taken_over_line(store: Address, modules: Sequence[str], sweep: Sweep) -> Text:
    """The warning that a store held results of other modules."""
    hint = 'to keep both, set name = "..." in the sweep file, or use -o'
    return Text(f"{store} belonged to {', '.join(modules)} and now shows only {sweep.name}; {hint}", "yellow")
