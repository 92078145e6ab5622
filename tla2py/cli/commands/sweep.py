"""``tla2py sweep``."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import typer

from tla2py.cli.commands.lint import warn_sweep
from tla2py.cli.console import err, harmless, show
from tla2py.cli.executors import shared_executor
from tla2py.cli.options import ExecutorName, Jar, Libraries, Memory, Timeout, Trust, Workers
from tla2py.cli.progress import reporting
from tla2py.cli.translate import Translate, use_translator
from tla2py.errors import InputError, StoreError
from tla2py.execution.executor import Executor
from tla2py.execution.job import perform, prepare, settled_runs
from tla2py.explore.view import StoreView, open_view
from tla2py.model.outcome import Verdict
from tla2py.store.storage import Address, below
from tla2py.store.store import Store
from tla2py.sweep.checks import only_deadlock
from tla2py.sweep.file import ExpectSection
from tla2py.sweep.judge import (
    ALL_EXCLUDED,
    NO_STATES,
    ONLY_DEADLOCK,
    Mismatch,
    exit_code,
    judge,
    left_out,
    row_for,
    worst,
)
from tla2py.sweep.plan import Plan, plan_sweep
from tla2py.sweep.sweep import Sweep, load_sweep, sweep_of_configs
from tla2py.sweep.vacuity import check_expectations
from tla2py.terminal.overview import overview
from tla2py.terminal.planned import planned
from tla2py.terminal.summary import sweep_summary
from tla2py.text import parse_duration, parse_memory
from tla2py.toolchain.toolchain import Jar as FoundJar
from tla2py.toolchain.toolchain import Toolchain, find_jar, find_toolchain
from tla2py.toolchain.unicode import check_readable

SweepFiles = Annotated[
    list[Path], typer.Argument(metavar="SWEEP.toml...", help="The sweep file, or several.")
]
StorePath = Annotated[
    str | None,
    typer.Option(
        "-o",
        "--store",
        metavar="STORE",
        help="Where to put results, a folder or a URI such as s3://bucket/path; default runs/NAME. "
        "Of several sweeps, the folder of their stores.",
    ),
]
Master = Annotated[
    str | None,
    typer.Option(
        "--master",
        metavar="URL",
        help="The Spark master, such as spark://HOST:7077; default local[*], or what spark-submit was given.",
    ),
]
ExecutorChoice = Annotated[
    ExecutorName, typer.Option("--executor", help="Spark, or threads of this machine.")
]
DryRun = Annotated[
    bool,
    typer.Option(
        "--dry-run", help="Show the points, what is left out and why, and what is cached; run nothing."
    ),
]
Configs = Annotated[
    str | None,
    typer.Option(
        "--configs",
        metavar="'*.cfg'",
        help="Run a module, given in place of the sweep file, with each of these configs.",
    ),
]
Fresh = Annotated[bool, typer.Option("--fresh", help="Execute every run again.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class Swept:
    """A sweep that was run: its plan and its store, and what is not as expected."""

    sweep: Sweep
    plan: Plan
    view: StoreView
    executed: int
    findings: Sequence[Mismatch]

    @property
    def exit_code(self) -> int:
        """The exit code it calls for."""
        complete = len(self.view.run_rows) == len(self.sweep.points) and not self.sweep.unread
        return exit_code(self.findings, complete=complete and not self.unchecked)

    @property
    def unchecked(self) -> bool:
        """Whether every point contradicts an ASSUME, so that nothing was checked."""
        expect = self.sweep.expect or ExpectSection()
        rows = {row.point: row for row in self.view.run_rows}
        return all(
            left_out(row_for(expect, point.parameters), rows.get(point.index)) for point in self.sweep.points
        )


def sweep_command(
    sweep: SweepFiles,
    store: StorePath = None,
    master: Master = None,
    executor: ExecutorChoice = ExecutorName.SPARK,
    fresh: Fresh = False,
    configs: Configs = None,
    library: Libraries = None,
    dry_run: DryRun = False,
    tla2tools: Jar = None,
    translate: Translate = True,
    timeout: Timeout = None,
    memory: Memory = None,
    workers: Workers = None,
    trust: Trust = None,
) -> None:
    """Run TLC on every point of a sweep, in parallel, into a store of tables.

    Run again, it executes only what is missing. Several sweeps share one start of Spark and end in one table.
    Examples: tla2py sweep specs/kip320/sweep.toml; tla2py sweep specs/*/sweep.toml;
    tla2py sweep --configs 'models/*.cfg' Spec.tla; tla2py sweep sweep.toml --master spark://host:7077 -o /shared/store;
    tla2py sweep sweep.toml -o s3://bucket/mine
    """
    if library and configs is None:
        raise InputError(
            "usage", "-L is for --configs", hint='a sweep file names its folders: libraries = ["lib"]'
        )
    use_translator(tla2tools, translate)
    asked = [
        load_sweep(path) if configs is None else _config_sweep(path, configs, library or ()) for path in sweep
    ]
    sweeps = [with_options(each, timeout, memory, workers, trust) for each in asked]
    stores = store_paths(sweeps, store)
    if dry_run:
        _show_planned(sweeps, stores, find_jar(tla2tools), fresh=fresh)
        return
    toolchain = find_toolchain(tla2tools)
    # Whatever is wrong with any of them is told before a store is made and before anything runs.
    plans = [plan_sweep(loaded, toolchain.jar.sha256) for loaded in sweeps]
    for loaded, plan in zip(sweeps, plans, strict=True):
        warn_sweep(loaded, plan, toolchain.jar)
        check_plan(loaded, plan, toolchain)
        if only_deadlock(plan.runs):
            err().print(f"{loaded.name}: {ONLY_DEADLOCK}")
    swept = []
    with shared_executor(executor, master, sweeps) as start:
        for loaded, plan, path in zip(sweeps, plans, stores, strict=True):
            done = run_sweep(loaded, plan, path, toolchain, start, fresh=fresh)
            swept.append(done)
            if len(sweeps) == 1:
                show(sweep_summary(done.view))
            else:
                tell_findings(done)
    if len(sweeps) == 1:
        tell_findings(swept[0])
    else:
        show(overview([(one.plan, one.view) for one in swept]))
    raise typer.Exit(worst([one.exit_code for one in swept]))


def _config_sweep(module: Path, pattern: str, libraries: Sequence[Path]) -> Sweep:
    if module.suffix != ".tla":
        raise InputError(
            "usage",
            f"--configs is for a module, and {module} is none",
            hint="quote the pattern: tla2py sweep --configs 'models/*.cfg' Spec.tla",
        )
    return sweep_of_configs(module, pattern, libraries)


def _show_planned(sweeps: Sequence[Sweep], stores: Sequence[Address], jar: FoundJar, *, fresh: bool) -> None:
    plans = [plan_sweep(sweep, jar.sha256) for sweep in sweeps]
    for sweep, plan, path in zip(sweeps, plans, stores, strict=True):
        warn_sweep(sweep, plan, jar)
        check_expectations(sweep, plan)
        known = {} if fresh else settled_runs(Store(path), plan)
        for line in planned(sweep, plan, known):
            typer.echo(harmless(line))


def store_paths(sweeps: Sequence[Sweep], store: str | None) -> list[Address]:
    """Where each sweep's store is. Raises InputError (``same-store``) when two would share one."""
    if len(sweeps) == 1:
        return [store or Path("runs") / sweeps[0].name]
    paths = [below(store or "runs", sweep.name) for sweep in sweeps]
    for sweep, path in zip(sweeps, paths, strict=True):
        same = [str(each.path) for each, where in zip(sweeps, paths, strict=True) if where == path]
        if len(same) > 1:
            raise InputError(
                "same-store",
                f"{' and '.join(same)} have one name, {sweep.name}, and so one store",
                hint=f'write name = "other" at the top of {same[-1]}'
                if same[-1].endswith(".toml")
                else "run them one at a time, each with a store of its own: -o STORE",
            )
    return paths


def check_plan(sweep: Sweep, plan: Plan, toolchain: Toolchain) -> None:
    """See, before a store is made, that TLC can read the modules and that every expectation speaks of something."""
    check_expectations(sweep, plan)
    if not sweep.entries:  # of a manifest's models one that cannot be read stops no other
        check_readable(plan.sources, plan.paths, toolchain)


def run_sweep(
    sweep: Sweep,
    plan: Plan,
    path: Address,
    toolchain: Toolchain,
    start: Callable[[], Executor],
    *,
    fresh: bool = False,
) -> Swept:
    """Execute what is missing of a sweep, with progress on standard error, and judge what is in its store."""
    store = Store.create(path)
    with store.lock():
        _tell_other(store, sweep)
        job = prepare(sweep, plan, store, fresh=fresh)
        with reporting(sweep.name, len(job.missing), job.cached) as report:
            try:
                done = perform(job, toolchain, start, report)
            except KeyboardInterrupt:
                there = store.records()
                left = sum(run.run_id not in there for run in job.missing)
                err().print(
                    f"interrupted with {left} run{'s' * (left != 1)} left; the same command executes them",
                    style="yellow",
                )
                raise
    view = open_view(path)
    if not done.executed:
        runs = "the one run is" if done.cached == 1 else f"all {done.cached} runs are"
        err().print(f"nothing to run: {runs} in {path} already")
    findings = judge(sweep, view.run_rows)
    return Swept(sweep=sweep, plan=job.plan, view=view, executed=done.executed, findings=findings)


def _tell_other(store: Store, sweep: Sweep) -> None:
    """Say on standard error that a store has been another module's until now."""
    with contextlib.suppress(StoreError):
        before = store.manifest().modules
        if not {spec.root.name for spec in sweep.specs.values()} & set(before):
            hint = 'name = "..." in the sweep file, or -o, keeps them apart'
            told = f"{store.path} was that of {', '.join(before)} and now shows {sweep.name} alone; {hint}"
            err().print(told, style="yellow", markup=False)


def tell_findings(swept: Swept) -> None:
    """Say on standard error which points are not as expected, or that all are."""
    for finding in swept.findings:
        err().print(f"{swept.sweep.name}, point {finding.point}: {finding}", style="bold red")
    for unread in swept.sweep.unread:
        err().print(f"{swept.sweep.name}: {unread.text}", style="bold red")
    empty = [
        str(row.point) for row in swept.view.run_rows if row.verdict is Verdict.HOLDS and row.distinct == 0
    ]
    if empty:
        told = f"{swept.sweep.name}, point {', '.join(empty)}: {NO_STATES}"
        err().print(told, style="yellow", markup=False)
    if swept.unchecked:
        told = f"{swept.sweep.name}: {ALL_EXCLUDED}"
        err().print(told, style="bold red", markup=False)
    elif swept.sweep.expect is not None and not swept.findings:
        count = len(swept.sweep.points)
        points = "the one point is" if count == 1 else f"all {count} points are"
        err().print(f"{swept.sweep.name}: {points} as expected", style="green")


def with_options(
    sweep: Sweep, timeout: str | None, memory: str | None, workers: int | None, trust: bool | None
) -> Sweep:
    """A sweep with the options of the command line in place of its own."""
    limits, options, special = sweep.limits, sweep.options, sweep.special
    if timeout is not None:
        limits = replace(limits, timeout_seconds=parse_duration(timeout, "--timeout"))
    if memory is not None:
        limits = replace(limits, memory_bytes=parse_memory(memory, "--memory"))
    if trust is not None:
        limits = replace(limits, trust=trust)
    if workers is not None:
        options = replace(options, workers=workers)
        special = {index: replace(each, workers=workers) for index, each in special.items()}
    return replace(sweep, limits=limits, options=options, special=special)
