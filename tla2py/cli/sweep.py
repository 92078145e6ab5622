"""``tla2py sweep``."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from tla2py.cli.console import err, show
from tla2py.cli.options import ExecutorName, Jar, Memory, Timeout, Workers
from tla2py.cli.progress import reporting
from tla2py.executor import Executor, LocalExecutor, default_slots
from tla2py.expect import exit_code, judge
from tla2py.perform import perform, prepare
from tla2py.report.text import sweep_summary
from tla2py.store import Store
from tla2py.sweep import Sweep, load_sweep
from tla2py.tlc.toolchain import find_toolchain
from tla2py.units import parse_duration, parse_memory

SweepFile = Annotated[Path, typer.Argument(metavar="SWEEP.toml", help="The sweep file.")]
StorePath = Annotated[
    Path | None,
    typer.Option("-o", "--store", metavar="STORE", help="Where to put results; default runs/NAME."),
]
Master = Annotated[str, typer.Option("--master", metavar="URL", help="The Spark master.")]
ExecutorChoice = Annotated[
    ExecutorName, typer.Option("--executor", help="Spark, or threads of this machine.")
]
Fresh = Annotated[bool, typer.Option("--fresh", help="Execute every run again.")]


def sweep_command(
    sweep: SweepFile,
    store: StorePath = None,
    master: Master = "local[*]",
    executor: ExecutorChoice = ExecutorName.SPARK,
    fresh: Fresh = False,
    tla2tools: Jar = None,
    timeout: Timeout = None,
    memory: Memory = None,
    workers: Workers = None,
) -> None:
    """Run TLC on every point of a sweep, in parallel, into a store of tables.

    Run again, it executes only what is missing. Example: tla2py sweep specs/kip320/sweep.toml
    """
    loaded = with_options(load_sweep(sweep), timeout, memory, workers)
    toolchain = find_toolchain(tla2tools)
    path = store or Path("runs") / loaded.name
    opened = Store.create(path)
    with opened.lock():
        job = prepare(loaded, opened, toolchain.jar.sha256, fresh=fresh)
        with contextlib.ExitStack() as stack:
            report = stack.enter_context(reporting(loaded.name, len(job.missing), job.cached))

            def start() -> Executor:
                return stack.enter_context(open_executor(executor, master, loaded.options.workers))

            try:
                done = perform(job, toolchain, start, report)
            except KeyboardInterrupt:
                left = sum(not opened.record_file(run.run_id).exists() for run in job.missing)
                err().print(
                    f"interrupted with {left} run{'s' * (left != 1)} left; the same command executes them", style="yellow"
                )
                raise
    from tla2py.explore import open_view

    view = open_view(path)
    if not done.executed:
        err().print(f"nothing to run: all {done.cached} runs are in {path} already")
    show(sweep_summary(view))
    runs = view.arrow("runs").to_pylist()
    findings = judge(loaded, runs)
    for finding in findings:
        err().print(f"point {finding.point}: {finding.text}", style="bold red")
    if loaded.expect is not None and not findings:
        err().print(f"all {len(runs)} points are as expected", style="green")
    raise typer.Exit(exit_code(findings, complete=len(runs) == len(loaded.points)))


def with_options(sweep: Sweep, timeout: str | None, memory: str | None, workers: int | None) -> Sweep:
    """A sweep with the options of the command line in place of its own."""
    limits, options = sweep.limits, sweep.options
    if timeout is not None:
        limits = replace(limits, timeout_seconds=parse_duration(timeout, "--timeout"))
    if memory is not None:
        limits = replace(limits, memory_bytes=parse_memory(memory, "--memory"))
    if workers is not None:
        options = replace(options, workers=workers)
    return replace(sweep, limits=limits, options=options)


@contextlib.contextmanager
def open_executor(name: ExecutorName, master: str, workers: int) -> Iterator[Executor]:
    """The executor a command asks for, closed at the end."""
    if name is ExecutorName.LOCAL:
        yield LocalExecutor(default_slots(workers))
        return
    from tla2py.spark.executor import SparkExecutor
    from tla2py.spark.session import spark_session

    with spark_session(master, workers=workers) as session:
        yield SparkExecutor(session)
