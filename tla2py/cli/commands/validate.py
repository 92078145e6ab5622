"""``tla2py validate``."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from tla2py.cli.console import show, show_json
from tla2py.cli.options import (
    Constants,
    Environment,
    ExecutorChoice,
    Fresh,
    InputFiles,
    Json,
    Master,
    with_sweep_options,
)
from tla2py.cli.progress import ConsoleListener
from tla2py.errors import InputError
from tla2py.execution import validate
from tla2py.execution.log_mutants import MutateOptions, run_log_mutants
from tla2py.execution.options import ModelOptions, SweepOptions
from tla2py.execution.sweeps import run_sweeps
from tla2py.spark.choice import ExecutorName, choose_executor
from tla2py.terminal.log_mutants import log_mutants_view
from tla2py.terminal.logs import remark_text, validation_text
from tla2py.tlc.sandbox.reaper import scratch_folder
from tla2py.toolchain.toolchain import find_toolchain


@with_sweep_options
def validate_command(
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="SPEC.tla LOG...", help="A module and its logs, or a sweep file that lists logs."
        ),
    ],
    config: Annotated[
        Path | None,
        typer.Option("--config", metavar="FILE.cfg", help="A TLC config; default: SPEC.cfg, if any."),
    ] = None,
    constant: Constants = None,
    environment: Environment = None,
    inputs: InputFiles = None,
    store: Annotated[
        str | None,
        typer.Option("-o", "--store", metavar="STORE", help="Where to keep the results; default: nowhere."),
    ] = None,
    master: Master = None,
    executor: ExecutorChoice = ExecutorName.LOCAL,
    fresh: Fresh = False,
    mutate_logs: Annotated[
        bool,
        typer.Option("--mutate-logs", help="Also change each log that holds, and show what goes unnoticed."),
    ] = False,
    sample: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, help="At most so many changed logs; default: as in the file."),
    ] = None,
    seed: Annotated[
        int | None, typer.Option(metavar="N", help="Choose other changes; default: seed in the sweep file.")
    ] = None,
    why: Annotated[bool, typer.Option("--why", help="Show all of the reasons why logs fail.")] = False,
    *,
    options: SweepOptions,
    as_json: Json = False,
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
    listener = ConsoleListener()
    model = ModelOptions(
        config=config, constants=constant or (), environment=environment or (), inputs=inputs or ()
    )
    sweep = validate.sweep_of_logs(files, model, options, listener=listener)
    toolchain = find_toolchain(options.tla2tools)
    executors = choose_executor(executor, master, listener, only_runs=True)
    with scratch_folder("tla2py-logs-") as folder:
        at = store or folder / "store"
        [result] = run_sweeps([sweep], toolchain, executors, store=at, fresh=fresh, listener=listener)
        rows, remarks = validate.log_results(result.store), validate.log_remarks(result.store)
        mutants = None
        if mutate_logs:
            choice = MutateOptions.of(sweep, sample, seed)
            mutants = run_log_mutants(result, toolchain, executors, choice, fresh=fresh, listener=listener)
        if as_json:
            found = validate.log_objects(rows, result.runs)
            if mutants is None:
                show_json(found)
            else:
                show_json(
                    {"logs": found, "mutants": list(map(asdict, mutants.rows)), "left_out": mutants.left_out}
                )
        else:
            beside = sweep.path.parent
            full, texts = why or len(rows) == 1, list(validate.line_texts(sweep, rows))
            for line in validation_text(result.store, beside, rows, result.runs, texts, full=full):
                show(line)
            for place, text in remarks:
                show(remark_text(beside, place, text))
            if mutants is not None:
                for part in log_mutants_view(mutants):
                    show(part)
    raise typer.Exit(validate.validation_code(rows))
