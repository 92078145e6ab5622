"""``tla2py gate``."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from tla2py.cli import options as opt
from tla2py.cli.console import err, print_commands, shielded, show, show_json
from tla2py.cli.options import argument, option
from tla2py.cli.progress import ConsoleListener
from tla2py.errors import ExitCode
from tla2py.execution.sweeps import SweepOptions
from tla2py.gate import outputs
from tla2py.gate.report_model import evidence_of
from tla2py.gate.run import GateOptions, gate
from tla2py.gate.sarif import SarifReport
from tla2py.gate.terminal import gate_summary, lock_lines
from tla2py.spark.choice import choose_executor
from tla2py.sweep.judge import worst


@opt.with_folder_options
def gate_command(
    target: Annotated[
        list[str], argument("SWEEP.toml|DIR|STORE...", "Sweep files, folders with configs, or stores.")
    ],
    store: opt.StorePath = None,
    sweep: Annotated[Path | None, option("--sweep FILE", "Judge the STORE by this sweep file.")] = None,
    junit: Annotated[Path | None, option("--junit FILE", "Write JUnit XML.")] = None,
    sarif: Annotated[Path | None, option("--sarif FILE", "Write SARIF 2.1.0.")] = None,
    summary: Annotated[
        Path | None,
        option("--summary FILE", "Write Markdown; on GitHub Actions it is the job summary by default."),
    ] = None,
    record: Annotated[bool, option("--record", "Write a first SWEEP.lock.")] = False,
    update: Annotated[bool, option("--update", "Accept the drift from SWEEP.lock.")] = False,
    locked: Annotated[bool, option("--locked", "Fail if SWEEP.lock is missing, for CI.")] = False,
    strict: Annotated[bool, option("--strict", "Fail on each finding that is not accepted.")] = False,
    coverage: Annotated[
        bool | None,
        option(
            "--coverage/--no-coverage",
            "Count fired actions at every point, or at none; default: with --record, and where the lock has counts.",
        ),
    ] = None,
    vacuity: Annotated[
        bool | None,
        option(
            "--vacuity/--no-vacuity",
            "Run TLC again on points that hold, to find checks that cannot fail; default: with --record, then as the lock says.",
        ),
    ] = None,
    second: Annotated[
        Path | None,
        option("--second JAR", "Run each point with this TLC too, and fail where the two disagree."),
    ] = None,
    self_test: Annotated[
        bool, option("--self-test", "Show of each property that it can fail: run a mutant that it notices.")
    ] = False,
    master: opt.Master = None,
    executor: opt.ExecutorChoice = None,
    fresh: opt.Fresh = False,
    no_why: opt.NoWhy = False,
    show_command: opt.ShowCommand = False,
    *,
    options: SweepOptions,
    as_json: opt.Json = False,
) -> None:
    """Compare sweeps with their expectations and locks, for CI.

    Missing runs of sweep files are executed first.

    Examples:
      tla2py gate sweep.toml --junit junit.xml
      tla2py gate sweep.toml --record
      tla2py gate models/ --record
      tla2py gate sweep.toml --second 1.7.4 --json
    """
    github = os.environ.get("GITHUB_ACTIONS") == "true"
    gating = GateOptions(
        store=store,
        sweep_file=sweep,
        fresh=fresh,
        coverage=coverage,
        vacuity=vacuity,
        lock="record" if record else "update" if update else "read",
        locked=locked,
        strict=strict,
        second=second,
        self_test=self_test,
        why=not no_why,
        sweeps=options,
    )
    formats = ((outputs.JunitReport, junit), (SarifReport, sarif), (outputs.MarkdownReport, summary))
    files = [kind(path) for kind, path in formats if path is not None]
    read = [path for path in (sweep, options.tla2tools) if path is not None]
    outputs.check_reports(files, target, read)
    reports: list[outputs.Report] = [
        *([outputs.Annotations(print_commands)] if github and not as_json else []),
        *files,
    ]
    if summary is None and (job := os.environ.get("GITHUB_STEP_SUMMARY")):
        reports.append(outputs.JobSummary(Path(job)))
    for report in reports:
        report.clear()
    listener = ConsoleListener()
    root = outputs.report_root()
    with outputs.reporting_failure(reports, ", ".join(target)):
        gated = gate(target, choose_executor(executor, master, listener, only_runs=True), gating, listener)
        gates = [evidence_of(each, options, root, show_command=show_command) for each in gated]
    for each in gated if record or update else ():
        err().print(lock_lines(each))
    try:
        with outputs.describing_failure("the decision could not be printed; the reports have it"):
            if as_json:
                show_json([outputs.gate_object(each.decision) for each in gates])
            else:
                with shielded(github):
                    show(gate_summary(gates))
    finally:
        outputs.write_decisions(reports, gates)
    raise typer.Exit(worst([ExitCode.OK, *(each.decision.exit_code for each in gated)]))
