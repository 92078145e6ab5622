"""Mutation from a sweep file or a module to the report, and the mutants written for plain TLC."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import msgspec

from tla2py.errors import InputError, writing
from tla2py.execution.executor import ExecutorFactory
from tla2py.execution.listener import SILENT, Listener
from tla2py.execution.preflight import checked_plan
from tla2py.execution.sweeps import SweepOptions, report_jar
from tla2py.model.mutant import MutantReport, MutantRow
from tla2py.mutation.plan import MutationChoice, Trial, prepare_trial
from tla2py.mutation.run import CostsShown, MutantRunner, Rounds
from tla2py.store.address import Address
from tla2py.store.refresh import refresh_tables
from tla2py.store.store import Store
from tla2py.sweep.load import module_sections, sweep_of_sections
from tla2py.sweep.sweep import Sweep
from tla2py.tlc.process.pool import hosts_kept
from tla2py.tlc.tools.toolchain import Toolchain


def export_mutants(trial: Trial, report: MutantReport, folder: Path) -> None:
    """Write each mutant with the config of the point that kills it, or else of the largest point that it ran at.

    Raises InputError (``output-unwritable``).
    """
    rows = {each.mutant: each for each in report.mutants}
    with writing(folder):
        for mutant in trial.mutants:
            row = rows[mutant.mutant]
            place = _place(row, report, trial)
            own = folder / mutant.mutant
            own.mkdir(parents=True, exist_ok=True)
            run, _ = trial.run([mutant], place)
            for name, text in trial.modules(mutant, place).items():
                (own / name).write_text(text, encoding="utf-8")
            (own / f"{run.main}.cfg").write_text(run.config_text, encoding="utf-8")
            # The word is TLC's; it turns the check off.
            deadlock = [] if run.options.check_deadlock else ["-deadlock"]
            arguments = [*deadlock, "-config", f"{run.main}.cfg", run.main]
            data = {**msgspec.to_builtins(row), "arguments": arguments}
            (own / "mutant.json").write_bytes(msgspec.json.format(msgspec.json.encode(data)))


def _place(row: MutantRow, report: MutantReport, trial: Trial) -> int:
    if row.point is not None:
        return row.point - 1
    reach = trial.reach[row.mutant]
    ran = [point - 1 for point in report.points if point - 1 in reach]
    return ran[-1] if ran else min(reach)


def sweep_to_mutate(file: Path, options: SweepOptions, *, listener: Listener = SILENT) -> Sweep:
    """The sweep of a file; a module alone has one point, with the config beside it.

    Raises InputError as ``SweepOptions.load`` does, and ``usage``.
    """
    if file.suffix != ".tla":
        if options.libraries:
            hint = 'in a sweep file write libraries = ["lib"]'
            raise InputError("usage", "-L needs a module", hint=hint)
        [sweep] = options.load([file], listener=listener)
        return sweep
    beside = file.with_suffix(".cfg")
    config = beside.name if beside.is_file() else None
    sections = module_sections(file, config=config, libraries=options.libraries)
    sweep = sweep_of_sections(file.with_suffix(".mutants.toml"), sections, options.loading(listener))
    return options.apply(sweep)


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutation:
    """The answers about the mutants of a trial, and the store that has the runs."""

    trial: Trial
    report: MutantReport
    store: Store


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

    Raises InputError as ``checked_plan`` and ``prepare_trial`` do, and ``no-holding-point``.
    """
    address = store or mutants_address(Path("runs") / sweep.name)
    report_jar(toolchain.jar, [address], listener)
    sweep, plan, _ = checked_plan(sweep, toolchain, listener)
    trial = prepare_trial(sweep, plan, choice)
    target = Store.create(address)
    with executors([sweep]) as start, target.lock(), hosts_kept():
        bench = MutantRunner(
            trial=trial, store=target, toolchain=toolchain, start=start, listener=listener, fresh=fresh
        )
        report = Rounds(trial=trial, bench=bench, costs=costs).report()
        target.write_mutants(report)
        target.write_probes(bench.further)
        refresh_tables(target)
    return Mutation(trial=trial, report=report, store=target)


def mutants_address(store: Address) -> Address:
    """The address of the store of mutants beside the store of their sweep."""
    name = f"{store}-mutants"
    return Path(name) if isinstance(store, Path) else name
