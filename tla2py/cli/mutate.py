"""``tla2py mutate``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import msgspec

from tla2py.cli import options as opt
from tla2py.cli.console import err, show, show_json
from tla2py.cli.options import argument, option
from tla2py.cli.progress import ConsoleListener
from tla2py.execution.sweeps import SweepOptions
from tla2py.model.mutant import LeftOut
from tla2py.mutation.mutate import export_mutants, run_mutation, sweep_to_mutate
from tla2py.mutation.plan import Trial, file_choice, prepare_trial
from tla2py.mutation.run import Cost
from tla2py.spark import ExecutorName
from tla2py.spark.choice import choose_executor
from tla2py.sweep.plan import plan_sweep
from tla2py.tlc.tools.toolchain import find_jar, find_toolchain
from tla2py.view.mutants import cost_lines, mutant_list, mutation_view


@opt.with_sweep_options
def mutate_command(
    file: Annotated[Path, argument("SWEEP.toml", "A sweep file, or a module with its config beside it.")],
    store: Annotated[
        str | None, option("-o --store STORE", "Where to keep the runs; default runs/NAME-mutants.")
    ] = None,
    operators: Annotated[
        str | None, option("--operators NAME,...", "Only mutants of these operators.")
    ] = None,
    actions: Annotated[
        str | None, option("--actions NAME,...", "Only mutants that change these definitions.")
    ] = None,
    sample: Annotated[
        int | None, option("--sample N", "Only so many mutants, chosen at random.", min=1)
    ] = None,
    seed: Annotated[int | None, option("--seed N", "The seed of that choice.")] = None,
    points: Annotated[
        str | None, option("--points 1,3-5", "Only these points of the sweep; default: all.")
    ] = None,
    given: Annotated[
        Path | None, option("--from FILE", "Mutants to run instead, a JSON object on each line.")
    ] = None,
    export: Annotated[
        Path | None, option("--export DIR", "Also write each mutant to a folder for plain TLC.")
    ] = None,
    dry_run: Annotated[bool, option("--dry-run", "List the mutants; run nothing.")] = False,
    master: opt.Master = None,
    executor: opt.ExecutorChoice = ExecutorName.LOCAL,
    fresh: opt.Fresh = False,
    *,
    options: SweepOptions,
    as_json: opt.Json = False,
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
    for part in mutation_view(mutation):
        show(part)


def _names(text: str | None) -> tuple[str, ...]:
    return tuple(name.strip() for name in (text or "").split(",") if name.strip())
