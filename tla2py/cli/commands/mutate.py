"""``tla2py mutate``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import msgspec
import typer

from tla2py.cli.console import err, show, show_json
from tla2py.cli.options import ExecutorChoice, Fresh, Json, Master, with_sweep_options
from tla2py.cli.progress import ConsoleListener
from tla2py.execution.options import SweepOptions
from tla2py.mutation.execution.export import export_mutants
from tla2py.mutation.execution.mutate import run_mutation
from tla2py.mutation.execution.rounds import Cost
from tla2py.mutation.execution.sweeps import sweep_to_mutate
from tla2py.mutation.row import LeftOut
from tla2py.mutation.trial import Trial, file_choice, prepare_trial
from tla2py.spark.choice import ExecutorName, choose_executor
from tla2py.sweep.plan import plan_sweep
from tla2py.terminal.mutants import cost_lines, mutant_list, mutation_view
from tla2py.toolchain.toolchain import find_jar, find_toolchain


@with_sweep_options
def mutate_command(
    file: Annotated[
        Path,
        typer.Argument(metavar="SWEEP.toml", help="A sweep file, or a module with its config beside it."),
    ],
    store: Annotated[
        str | None,
        typer.Option(
            "-o", "--store", metavar="STORE", help="Where to keep the runs; default runs/NAME-mutants."
        ),
    ] = None,
    operators: Annotated[
        str | None, typer.Option(metavar="NAME,...", help="Only mutants of these operators.")
    ] = None,
    actions: Annotated[
        str | None, typer.Option(metavar="NAME,...", help="Only mutants that change these definitions.")
    ] = None,
    sample: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="Only so many mutants, chosen at random.")
    ] = None,
    seed: Annotated[int | None, typer.Option(metavar="N", help="The seed of that choice.")] = None,
    points: Annotated[
        str | None, typer.Option(metavar="1,3-5", help="Only these points of the sweep; default: all.")
    ] = None,
    given: Annotated[
        Path | None,
        typer.Option("--from", metavar="FILE", help="Mutants to run instead, a JSON object on each line."),
    ] = None,
    export: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Also write each mutant to a folder for plain TLC.")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="List the mutants; run nothing.")] = False,
    master: Master = None,
    executor: ExecutorChoice = ExecutorName.LOCAL,
    fresh: Fresh = False,
    *,
    options: SweepOptions,
    as_json: Json = False,
) -> None:
    """Change the specification in many small ways, and show which changes no check notices.

    Each mutant runs from the smallest point upward until a check is violated. A survivor is a question: should a check notice this?

    Examples:
      tla2py mutate sweep.toml
      tla2py mutate sweep.toml --points 1,2 --sample 50
      tla2py mutate Lease.tla --operators drop-guard,drop-update
    """
    listener = ConsoleListener()
    sweep = sweep_to_mutate(file, options, listener=listener)
    own = file_choice(sweep)
    choice = replace(
        own,
        operators=_names(operators) or own.operators,
        actions=_names(actions),
        sample=sample or own.sample,
        seed=own.seed if seed is None else seed,
        given=given,
        points=points or own.points,
    )
    if dry_run:
        plan = plan_sweep(sweep, find_jar(options.tla2tools).sha256)
        for line in mutant_list(prepare_trial(sweep, plan, choice)):
            show(line)
        return

    def show_costs(trial: Trial, costs: Sequence[Cost], left_out: Sequence[LeftOut]) -> None:
        for line in cost_lines(trial, costs, left_out):
            err().print(line)

    toolchain = find_toolchain(options.tla2tools)
    executors = choose_executor(executor, master, listener, only_runs=True)
    mutation = run_mutation(
        sweep, toolchain, executors, choice, store=store, fresh=fresh, listener=listener, costs=show_costs
    )
    if export is not None:
        export_mutants(mutation.trial, mutation.report, export)
    if as_json:
        rows = msgspec.to_builtins(mutation.report.mutants)
        show_json([{key: row[key] for key in row if key != "run_id"} for row in rows])
        return
    for part in mutation_view(
        mutation.report, {each.mutant: each for each in mutation.trial.mutants}, mutation.store.path
    ):
        show(part)


def _names(text: str | None) -> tuple[str, ...]:
    return tuple(name.strip() for name in (text or "").split(",") if name.strip())
