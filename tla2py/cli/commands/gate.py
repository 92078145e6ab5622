"""``tla2py gate``."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from tla2py.cli.console import err, print_commands, shielded, show
from tla2py.cli.options import ExecutorChoice, Fresh, Master, StorePath, with_sweep_options
from tla2py.cli.progress import ConsoleListener
from tla2py.errors import ExitCode, Tla2pyError
from tla2py.execution.options import SweepOptions
from tla2py.gate.run import GateOptions, LockMode, gate
from tla2py.reports.annotations import github_annotations, github_error
from tla2py.reports.evidence import evidence_of
from tla2py.reports.outputs import Outputs, error_place, report_root
from tla2py.reports.terminal import gate_summary, lock_lines
from tla2py.spark.choice import ExecutorName, choose_executor
from tla2py.sweep.judge import worst


@with_sweep_options
def gate_command(
    target: Annotated[
        list[str],
        typer.Argument(
            metavar="SWEEP.toml|DIR|STORE...", help="Sweep files, manifests, folders with configs, or stores."
        ),
    ],
    store: StorePath = None,
    sweep: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Judge the STORE by this sweep file.")
    ] = None,
    junit: Annotated[Path | None, typer.Option(metavar="FILE", help="Write JUnit XML.")] = None,
    sarif: Annotated[Path | None, typer.Option(metavar="FILE", help="Write SARIF 2.1.0.")] = None,
    summary: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Write Markdown; on GitHub Actions it is the job summary by default."
        ),
    ] = None,
    record: Annotated[bool, typer.Option("--record", help="Write a first SWEEP.lock.")] = False,
    update: Annotated[bool, typer.Option("--update", help="Accept the drift from SWEEP.lock.")] = False,
    locked: Annotated[bool, typer.Option("--locked", help="Fail if SWEEP.lock is missing, for CI.")] = False,
    strict: Annotated[
        bool, typer.Option("--strict", help="Fail on each finding that is not accepted.")
    ] = False,
    coverage: Annotated[
        bool | None,
        typer.Option(
            "--coverage/--no-coverage",
            help="Count fired actions at every point, or at none; default: with --record, and where the lock has counts.",
        ),
    ] = None,
    vacuity: Annotated[
        bool | None,
        typer.Option(
            "--vacuity/--no-vacuity",
            help="Run TLC again on points that hold, to find checks that cannot fail; default: with --record, then as the lock says.",
        ),
    ] = None,
    master: Master = None,
    executor: ExecutorChoice = ExecutorName.SPARK,
    fresh: Fresh = False,
    *,
    options: SweepOptions,
) -> None:
    """Compare sweeps with their expectations and locks, for CI.

    Missing runs of sweep files are executed first.

    Examples:
      tla2py gate sweep.toml --junit junit.xml
      tla2py gate sweep.toml --record
      tla2py gate models/ --record
    """
    github = os.environ.get("GITHUB_ACTIONS") == "true"
    gating = GateOptions(
        store=store,
        sweep_file=sweep,
        fresh=fresh,
        coverage=coverage,
        vacuity=vacuity,
        lock=LockMode.RECORD if record else LockMode.UPDATE if update else LockMode.READ,
        locked=locked,
        strict=strict,
        sweeps=options,
    )
    read = [path for path in (sweep, options.tla2tools) if path is not None]
    outputs = Outputs.of(junit=junit, sarif=sarif, summary=summary, targets=target, inputs=read)
    outputs.clear()
    listener = ConsoleListener()
    try:
        gated = gate(target, choose_executor(executor, master, listener, only_runs=True), gating, listener)
    except Tla2pyError as error:
        if github:
            print_commands([github_error(error, error_place(error))])
        outputs.write_error(", ".join(target), error)
        raise
    for each in gated if record or update else ():
        err().print(lock_lines(each))
    gates = [evidence_of(each, options, report_root()) for each in gated]
    with shielded(github):
        show(gate_summary(gates))
    if github:
        print_commands(github_annotations(gates))
    outputs.write(gates)
    raise typer.Exit(worst([ExitCode.OK, *(each.decision.exit_code for each in gated)]))
