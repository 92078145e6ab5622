"""The statuses of a sweep's mutants: each runs from the smallest point upward until something notices it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tla2py.execution.executor import ExecutorFactory
from tla2py.execution.listener import SILENT, Listener
from tla2py.execution.preflight import check_plan, lint_plan
from tla2py.mutation.execution.bench import Bench
from tla2py.mutation.execution.rounds import CostsShown, Rounds
from tla2py.mutation.row import MutantReport
from tla2py.mutation.trial import MutationChoice, Trial, file_choice, prepare_trial
from tla2py.store.storage import Address
from tla2py.store.store import Store
from tla2py.sweep.plan import plan_sweep
from tla2py.sweep.sweep import Sweep
from tla2py.tables.write import refresh_tables
from tla2py.toolchain.toolchain import Toolchain


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutation:
    """The answers about the mutants of a trial, the store that has the runs, and how many were executed now."""

    trial: Trial
    report: MutantReport
    store: Store
    executed: int


def run_mutation(
    sweep: Sweep,
    toolchain: Toolchain,
    executors: ExecutorFactory,
    choice: MutationChoice,
    *,
    store: Address | None = None,
    fresh: bool = False,
    listener: Listener = SILENT,
    costs: CostsShown = lambda *_: None,
) -> Mutation:
    """The statuses of a sweep's mutants; ``costs`` is called before the first of them runs.

    Raises InputError as ``plan_sweep``, ``lint_plan``, ``check_plan`` and ``prepare_trial`` do, and ``no-holding-point``.
    """
    listener.jar_chosen(toolchain.jar)
    plan = plan_sweep(sweep, toolchain.jar.sha256)
    lint_plan(sweep, plan, toolchain.jar, listener.warned)
    check_plan(sweep, plan, toolchain)
    trial = prepare_trial(sweep, plan, choice)
    target = Store.create(store or mutants_address(Path("runs") / sweep.name))
    with executors([sweep]) as start, target.lock():
        target.mend_mutants()
        bench = Bench(
            sweep=sweep,
            plan=plan,
            store=target,
            toolchain=toolchain,
            start=start,
            listener=listener,
            fresh=fresh,
        )
        report = Rounds(trial=trial, bench=bench, costs=costs).report()
        target.write_mutants(report)
        target.write_probes(bench.further)
        refresh_tables(target)
    return Mutation(trial=trial, report=report, store=target, executed=bench.executed)


def gate_mutants(
    sweep: Sweep,
    store: Address,
    toolchain: Toolchain,
    executors: ExecutorFactory,
    *,
    fresh: bool,
    listener: Listener,
) -> MutantReport | None:
    """The answers about the mutants that a sweep file asks for, with their store beside that of the sweep; None if it asks for none.

    Raises InputError as ``run_mutation`` does.
    """
    if sweep.file.mutation is None:
        return None
    return run_mutation(
        sweep,
        toolchain,
        executors,
        file_choice(sweep),
        store=mutants_address(store),
        fresh=fresh,
        listener=listener,
    ).report


def mutants_address(store: Address) -> Address:
    """The address of the store of mutants beside the store of their sweep."""
    name = f"{store}-mutants"
    return Path(name) if isinstance(store, Path) else name
