"""``tla2py sweep``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tla2py.cli.console import out, show, show_lines
from tla2py.cli.options import ExecutorChoice, Fresh, Master, StorePath, with_sweep_options
from tla2py.cli.progress import ConsoleListener, SweepListener
from tla2py.errors import InputError
from tla2py.execution.options import SweepOptions
from tla2py.execution.sweeps import SweepResult, preview_sweeps, run_sweeps
from tla2py.explore.view import open_view
from tla2py.spark.choice import ExecutorName, choose_executor
from tla2py.store.storage import Address
from tla2py.sweep.judge import worst
from tla2py.sweep.load.folder import folder_file
from tla2py.sweep.sweep import Sweep
from tla2py.terminal.overview import overview
from tla2py.terminal.planned import planned
from tla2py.toolchain.toolchain import find_jar, find_toolchain

# The points that a dry run lists on a terminal.
_LISTED = 40
SweepFiles = Annotated[
    list[Path], typer.Argument(metavar="SWEEP.toml|DIR...", help="Sweep files, or folders with configs.")
]
DryRun = Annotated[
    bool,
    typer.Option(
        "--dry-run",
        help="Show the points, the combinations left out and why, and which points are cached; run nothing.",
    ),
]
Configs = Annotated[
    str | None,
    typer.Option(
        "--configs",
        metavar="'*.cfg'",
        help="Run a module, given instead of a sweep file, once with each matching config.",
    ),
]

Refine = Annotated[
    int | None,
    typer.Option(
        "--refine",
        metavar="N",
        min=1,
        help="For each law of a violated property, also run N points that could refute it; see explain.",
    ),
]


@with_sweep_options
def sweep_command(
    sweep: SweepFiles,
    store: StorePath = None,
    master: Master = None,
    executor: ExecutorChoice = ExecutorName.SPARK,
    fresh: Fresh = False,
    configs: Configs = None,
    dry_run: DryRun = False,
    refine: Refine = None,
    *,
    options: SweepOptions,
) -> None:
    """Run TLC on every point of a sweep, in parallel, and store the results as tables.

    A second run executes only what is missing. Several sweeps share one Spark session and one summary table.

    Examples:
      tla2py sweep specs/kip320/sweep.toml
      tla2py sweep specs/*/sweep.toml
      tla2py sweep models/
      tla2py sweep --configs 'models/*.cfg' Spec.tla
      tla2py sweep sweep.toml --master spark://host:7077 -o /shared/store
      tla2py sweep sweep.toml -o s3://bucket/mine
    """
    if options.libraries and configs is None and not any(folder_file(path) for path in sweep):
        raise InputError(
            "usage", "-L needs --configs or a folder", hint='in a sweep file write libraries = ["lib"]'
        )
    listener = SweepListener(alone=len(sweep) == 1)
    sweeps = options.load(sweep, configs, listener=listener)
    if dry_run:
        for each in preview_sweeps(
            sweeps, find_jar(options.tla2tools), store=store, fresh=fresh, listener=listener
        ):
            show_lines(planned(*each, most=_LISTED if out().is_terminal else None))
        return
    toolchain = find_toolchain(options.tla2tools)
    executors = choose_executor(executor, master, listener, only_runs=True)
    results = run_sweeps(sweeps, toolchain, executors, store=store, fresh=fresh, listener=listener)
    if refine is not None:
        from tla2py.cli.refine import refine as refine_laws

        def again(one: Sweep, at: Address) -> SweepResult:
            (result,) = run_sweeps([one], toolchain, executors, store=at, listener=ConsoleListener())
            return result

        for result in results:
            refine_laws(result, refine, again)
    if len(results) > 1:
        show(overview([(each.plan, open_view(each.store.path)) for each in results]))
    raise typer.Exit(worst([each.exit_code for each in results]))
