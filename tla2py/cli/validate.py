"""``tla2py validate``."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from tla2py.cli import options as opt
from tla2py.cli.console import print_note, show, show_json
from tla2py.cli.options import argument, option
from tla2py.cli.progress import ConsoleListener
from tla2py.errors import InputError
from tla2py.execution import validate
from tla2py.execution.check import ModelOptions, with_named_files
from tla2py.execution.preflight import ACCEPT_UNUSED
from tla2py.execution.sweeps import SweepOptions, run_sweeps
from tla2py.model.finding import Finding
from tla2py.spark import ExecutorName
from tla2py.spark.choice import choose_executor
from tla2py.tlc.process.reaper import scratch_folder
from tla2py.tlc.tools.toolchain import find_toolchain
from tla2py.view.logs import log_mutants_view, validation_text


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
    model = with_named_files(model, environment_texts or (), files[0], say=print_note)
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
