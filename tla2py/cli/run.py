"""``tla2py sweep``."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated

import typer

from tla2py.analysis.law_search import Budget, SearchOptions, parse_budget, search_code
from tla2py.analysis.questions import keep_because
from tla2py.analysis.view import open_view
from tla2py.cli import checking
from tla2py.cli import options as opt
from tla2py.cli.console import err, out, show, show_json, show_lines
from tla2py.cli.options import argument, option
from tla2py.cli.progress import ConsoleListener, SweepListener
from tla2py.errors import InputError
from tla2py.execution import validate
from tla2py.execution.check import ModelOptions, with_named_files
from tla2py.execution.listener import SILENT
from tla2py.execution.plain import PlainCommands, point_runs
from tla2py.execution.preflight import ACCEPT_UNUSED
from tla2py.execution.sweeps import SweepOptions, only_failed, preview_sweeps, run_sweeps
from tla2py.gate.second import checked_second
from tla2py.model.finding import Finding
from tla2py.spark import ExecutorName
from tla2py.spark.choice import choose_executor
from tla2py.sweep.file import folder_file
from tla2py.sweep.judge import worst
from tla2py.tlc.process.reaper import scratch_folder
from tla2py.tlc.tools.jar import SECOND_JAR
from tla2py.tlc.tools.toolchain import find_jar, find_toolchain
from tla2py.view.logs import log_mutants_view, validation_text
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
        from tla2py.query.query import answer_query

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
            toolchain=replace(toolchain, others=tuple(result.sweep.jars.values())),
        )
        for line in plain.lines(point_runs(result.plan, result.sweep.numbers)):
            # Standard output has nothing but the rows then.
            (err() if as_json else out()).print(line, markup=False, soft_wrap=True)
    raise typer.Exit(worst([search_code(each) for each in results]))


@opt.with_limited_options
def check_command(
    module: Annotated[
        Path,
        argument(
            "MODULE.tla",
            "The module; with --points, --set or --failed a sweep file, of which one point is left.",
        ),
    ],
    config: Annotated[
        Path | None,
        option("--config FILE.cfg", "A TLC config, or a module with one; default: MODULE.cfg, if any."),
    ] = None,
    constant: opt.Constants = None,
    invariant: Annotated[
        list[str] | None, option("--invariant NAME", "An invariant to check; repeatable.")
    ] = None,
    property_: Annotated[
        list[str] | None, option("--property NAME", "A temporal property to check; repeatable.")
    ] = None,
    specification: Annotated[
        str | None,
        option("--specification NAME", "The specification; default: the config's, otherwise Spec."),
    ] = None,
    init: Annotated[
        str | None, option("--init NAME", "Instead of a specification: the initial predicate.")
    ] = None,
    next_: Annotated[str | None, option("--next NAME", "With --init: the next-state relation.")] = None,
    no_deadlock: Annotated[bool, option("--no-deadlock", "Do not check for deadlock.")] = False,
    overrides: Annotated[
        list[Path] | None,
        option(
            "--overrides JAR|DIR", "Java classes that override definitions, with their modules; repeatable."
        ),
    ] = None,
    environment: opt.Environment = None,
    environment_texts: opt.EnvironmentTexts = None,
    inputs: opt.InputFiles = None,
    second: Annotated[
        Path | None, option("--second JAR", "Run it with this TLC too, and fail where the two disagree.")
    ] = None,
    *,
    options: SweepOptions,
    full: Annotated[bool, option("--full", "Print whole states, not only what changed.")] = False,
    no_why: opt.NoWhy = False,
    show_command: opt.ShowCommand = False,
    as_json: opt.Json = False,
    watch: opt.Watch = False,
) -> None:
    """Run TLC once on one model and print its counterexample, if any.

    Examples:
      tla2py check DieHard.tla --invariant NotSolved -c "Jug={small, big}"
      tla2py check sweep.toml --point 5
      tla2py check DieHard.tla --watch
    """
    model = ModelOptions(
        config=config,
        constants=constant or (),
        invariants=invariant or (),
        properties=property_ or (),
        specification=specification,
        init=init,
        next=next_,
        check_deadlock=False if no_deadlock else None,
        overrides=overrides or (),
        environment=environment or (),
        inputs=inputs or (),
    )
    model = with_named_files(model, environment_texts or (), say=_say)
    check = checking.Checking(
        file=module,
        model=model,
        options=options,
        full=full,
        as_json=as_json,
        why=not no_why,
        show_command=show_command,
    )
    if second is not None:
        # A jar that is missing is told before the first TLC runs.
        find_jar(second, SECOND_JAR)
    if watch:
        checking.watch(check)
    checked = check.run(ConsoleListener())
    if second is None:
        check.show(checked)
        raise typer.Exit(checked.exit_code)
    opinion, wrong = checked_second(
        checked,
        lambda jar: replace(check, jar=jar, as_json=True).run(SILENT),
        second,
    )
    check.show(checked, opinion, wrong)
    raise typer.Exit(checked.exit_code if wrong is None else worst([checked.exit_code, wrong.exit_code]))


def _say(line: str) -> None:
    err().print(line, style="dim", markup=False)


class _LogListener(ConsoleListener):
    """A listener that also prints what --accept and ``[accept]`` do not apply to."""

    def found(self, finding: Finding) -> None:
        """Print the finding; others are those of sweeps."""
        if finding.code == ACCEPT_UNUSED:
            self.warned(finding)


@opt.with_sweep_options
def validate_command(
    files: Annotated[
        list[Path], argument("SPEC.tla LOG...", "A module and its logs, or a sweep file that lists logs.")
    ],
    config: Annotated[
        Path | None, option("--config FILE.cfg", "A TLC config; default: SPEC.cfg, if any.")
    ] = None,
    constant: opt.Constants = None,
    environment: opt.Environment = None,
    environment_texts: opt.EnvironmentTexts = None,
    inputs: opt.InputFiles = None,
    accept: Annotated[
        list[str] | None,
        option("--accept FINDING", "Accept a finding, such as log-number.FIELD; repeatable."),
    ] = None,
    store: Annotated[
        str | None, option("-o --store STORE", "Where to keep the results; default: nowhere.")
    ] = None,
    master: opt.Master = None,
    executor: opt.ExecutorChoice = ExecutorName.LOCAL,
    fresh: opt.Fresh = False,
    mutate_logs: Annotated[
        bool, option("--mutate-logs", "Also change each log that holds, and show what goes unnoticed.")
    ] = False,
    sample: Annotated[
        int | None, option("--sample N", "At most so many changed logs; default: as in the file.", min=1)
    ] = None,
    seed: Annotated[
        int | None, option("--seed N", "Choose other changes; default: seed in the sweep file.")
    ] = None,
    why: Annotated[bool, option("--why", "Show all of the reasons why logs fail.")] = False,
    *,
    options: SweepOptions,
    as_json: opt.Json = False,
) -> None:
    """Check logs of a running system: tell whether a behaviour of the specification explains each.

    A module that reads a log with the CommunityModules gets it as it is; tla2py finds out how. Any other module is the
    specification itself: each line of a log names an action, its arguments and parts of the state, see docs/logs.md.

    Examples:
      tla2py validate Spec.tla traces/*.ndjson -c 'RM={"rm1", "rm2"}'
      tla2py validate Trace.tla trace.ndjson --env CONFIG=config.ndjson --input config.ndjson
      tla2py validate sweep.toml -o runs/logs --mutate-logs --sample 500
    """
    if sample is not None and not mutate_logs:
        raise InputError("usage", "--sample applies to changed logs", hint="add --mutate-logs")
    listener = _LogListener()
    model = ModelOptions(
        config=config,
        constants=constant or (),
        environment=environment or (),
        inputs=inputs or (),
        accept=accept or (),
    )
    model = with_named_files(model, environment_texts or (), files[0], say=_say)
    sweep = validate.sweep_of_logs(files, model, options, listener=listener)
    toolchain = find_toolchain(options.tla2tools)
    executors = choose_executor(executor, master, listener, only_runs=True)
    with scratch_folder("tla2py-logs-") as folder:
        at = store or folder / "store"
        [result] = run_sweeps([sweep], toolchain, executors, store=at, fresh=fresh, listener=listener)
        rows = validate.log_results(result.store)
        mutants = None
        if mutate_logs:
            mutants = validate.run_log_mutants(
                result, toolchain, executors, sample=sample, seed=seed, fresh=fresh, listener=listener
            )
        if as_json:
            found = validate.log_objects(rows, result.runs)
            if mutants is None:
                show_json(found)
            else:
                show_json(
                    {"logs": found, "mutants": list(map(asdict, mutants.rows)), "left_out": mutants.left_out}
                )
        else:
            for line in validation_text(result, rows, why=why):
                show(line)
            if mutants is not None:
                for part in log_mutants_view(mutants):
                    show(part)
    raise typer.Exit(validate.validation_code(rows))
