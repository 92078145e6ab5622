"""``tla2py sweep``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tla2py.analysis.law_search import Budget, SearchOptions, parse_budget, search_code
from tla2py.analysis.questions import keep_because
from tla2py.analysis.view import open_view
from tla2py.cli import options as opt
from tla2py.cli.console import err, out, show, show_json, show_lines
from tla2py.cli.options import argument, option
from tla2py.cli.progress import SweepListener
from tla2py.errors import InputError
from tla2py.execution.plain import PlainCommands, point_runs
from tla2py.execution.sweeps import SweepOptions, only_failed, preview_sweeps, run_sweeps
from tla2py.spark.choice import choose_executor
from tla2py.sweep.file import folder_file
from tla2py.sweep.judge import worst
from tla2py.tlc.tools.toolchain import find_jar, find_toolchain
from tla2py.view.sweep import overview, planned

# The points that a dry run lists on a terminal.
_LISTED = 40


@opt.with_folder_options
def sweep_command(
    sweep: Annotated[list[Path], argument("SWEEP.toml|DIR...", "Sweep files, or folders with configs.")],
    store: opt.StorePath = None,
    master: opt.Master = None,
    executor: opt.ExecutorChoice = None,
    fresh: opt.Fresh = False,
    configs: Annotated[
        str | None,
        option(
            "--configs '*.cfg'",
            "Run a module, given instead of a sweep file, once with each matching config.",
        ),
    ] = None,
    dry_run: Annotated[
        bool,
        option(
            "--dry-run",
            "Show the points, the combinations left out and why, and which points are cached; run nothing.",
        ),
    ] = False,
    search: Annotated[
        bool,
        option("--search", "Run only the points that decide the laws of what is checked; see docs/laws.md."),
    ] = False,
    budget: Annotated[
        str | None,
        option("--budget N|DURATION", "With --search: so many runs, 10m of time, or 2hcpu of CPU."),
    ] = None,
    within: Annotated[
        str | None,
        option(
            "--within PERCENT",
            "With --search: the share of the other points that may contradict a law; default: 5%.",
        ),
    ] = None,
    seed: Annotated[int, option("--seed N", "With --search: draw other points.")] = 0,
    no_why: opt.NoWhy = False,
    show_command: opt.ShowCommand = False,
    *,
    options: SweepOptions,
    as_json: opt.Json = False,
) -> None:
    """Run TLC on every point of a sweep, in parallel, and store the results as tables.

    A second run executes only what is missing. Several sweeps share one Spark session and one summary table. With --json,
    print the rows of the table runs instead, each with the name of its sweep.

    Examples:
      tla2py sweep specs/kip320/sweep.toml
      tla2py sweep specs/*/sweep.toml
      tla2py sweep models/
      tla2py sweep --configs 'models/*.cfg' Spec.tla
      tla2py sweep sweep.toml --master spark://host:7077 -o /shared/store
      tla2py sweep sweep.toml -o s3://bucket/mine
      tla2py sweep sweep.toml --set Max=4 --points 3,5-9
      tla2py sweep sweep.toml --search --budget 30m
    """
    if options.libraries and configs is None and not any(folder_file(path) for path in sweep):
        raise InputError(
            "usage", "-L needs --configs or a folder", hint='in a sweep file write libraries = ["lib"]'
        )
    if options.limited and search:
        hint = "leave out --set, --points and --failed"
        raise InputError("usage", "--search chooses among all points of the sweep file", hint=hint)
    if as_json and dry_run:
        raise InputError("usage", "--json prints the rows of runs", hint="leave out --dry-run")
    searching = SearchOptions(
        always=search,
        budget=parse_budget(budget) if budget else Budget(),
        within=within,
        seed=seed,
    )
    listener = SweepListener(alone=len(sweep) == 1 and not as_json)
    sweeps = options.load(sweep, configs, listener=listener)
    if options.failed:
        sweeps = only_failed(sweeps, store, "sweep")
    if dry_run:
        for each in preview_sweeps(
            sweeps, find_jar(options.tla2tools), store=store, fresh=fresh, listener=listener
        ):
            show_lines(planned(*each, most=_LISTED if out().is_terminal else None))
        return
    toolchain = find_toolchain(options.tla2tools)
    executors = choose_executor(executor, master, listener, only_runs=True)
    results = run_sweeps(
        sweeps, toolchain, executors, store=store, fresh=fresh, rounds=searching.rounds, listener=listener
    )
    for result in () if no_why else results:
        failure = keep_because(result.store, toolchain, fresh=fresh)
        if failure is not None:
            err().print(f"{result.sweep.name}: no causes of violations: {failure}", markup=False)
    if as_json:
        # Imported on use: it brings DuckDB.
        from tla2py.analysis.query import answer_query

        rows = []
        for result in results:
            columns, found = answer_query(result.store, "SELECT * FROM runs ORDER BY point")
            rows += [{"sweep": result.sweep.name, **dict(zip(columns, row, strict=True))} for row in found]
        show_json(rows)
    elif len(results) > 1:
        show(overview([open_view(each.store.path) for each in results]), wrapped=True)
    for result in results if show_command else ():
        plain = PlainCommands(
            sweep=result.sweep,
            libraries=options.libraries,
            toolchain=toolchain,
        )
        for line in plain.lines(point_runs(result.plan, result.sweep.numbers)):
            # Standard output has nothing but the rows then.
            (err() if as_json else out()).print(line, markup=False, soft_wrap=True)
    raise typer.Exit(worst([search_code(each) for each in results]))
