"""The execution of sweeps, shared by the command, Python and the Spark job."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tla2py.errors import ExitCode, InputError, StoreError
from tla2py.execution.executor import Executor, ExecutorFactory
from tla2py.execution.job import execute_job, prepare_job, write_points
from tla2py.execution.known import KnownRuns, known_runs
from tla2py.execution.listener import SILENT, Listener, earlier_jars, with_readable_logs
from tla2py.execution.preflight import checked_plan, lint_plan, sweep_findings
from tla2py.execution.probes import execute_probes
from tla2py.model.finding import Finding, Findings
from tla2py.model.outcome import Verdict
from tla2py.model.row import RunRow
from tla2py.model.run import Run
from tla2py.store.runs import run_rows
from tla2py.store.storage import Address, below
from tla2py.store.store import Store
from tla2py.store.write import table_files
from tla2py.sweep.judge import Mismatch, check_expectations, exit_code, judge, left_out
from tla2py.sweep.plan import Plan, plan_sweep
from tla2py.sweep.sweep import Sweep
from tla2py.tlc.tools.jar import Jar
from tla2py.tlc.tools.toolchain import Toolchain


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepResult:
    """The result of a sweep: its rows of the table ``runs`` and the mismatches with its expectations.

    ``executed`` counts the runs executed now, ``cached`` those that the store had.
    """

    sweep: Sweep
    plan: Plan
    store: Store
    executed: int
    cached: int
    runs: Sequence[RunRow]
    mismatches: tuple[Mismatch, ...]
    findings: Findings

    @property
    def exit_code(self) -> ExitCode:
        """The exit code of a command that ran this sweep."""
        complete = len(self.runs) == len(self.sweep.points) and not self.sweep.unread
        return exit_code(self.mismatches, complete=complete and not self.unchecked)

    @property
    def unchecked(self) -> bool:
        """Whether nothing was checked, because every point contradicts an ASSUME."""
        points = self.sweep.points
        return len(self.runs) == len(points) and all(
            left_out(self.sweep.expectation(points[row.point - 1]), row) for row in self.runs
        )

    @property
    def empty_points(self) -> tuple[int, ...]:
        """The points that hold only because TLC found no state."""
        return tuple(row.point for row in self.runs if row.verdict is Verdict.HOLDS and row.distinct == 0)


def preview_sweeps(
    sweeps: Sequence[Sweep],
    jar: Jar,
    *,
    store: Address | None,
    fresh: bool,
    listener: Listener,
) -> Iterator[tuple[Sweep, Plan, KnownRuns]]:
    """Each sweep, its plan, and the runs that its store has; needs no Java.

    Raises InputError as ``run_sweeps`` does.
    """
    listener.jar_chosen(jar)
    sweeps = [with_readable_logs(sweep, jar) for sweep in sweeps]
    addresses = store_addresses(sweeps, store)
    plans = [plan_sweep(sweep, jar.sha256) for sweep in sweeps]
    for sweep, plan, address in zip(sweeps, plans, addresses, strict=True):
        lint_plan(sweep, plan, jar, listener.warned)
        check_expectations(sweep, plan)
        cached = KnownRuns(len(plan.runs)) if fresh else known_runs(Store(address), plan)
        if not fresh:
            _report_other_jars(Store(address), sweep, plan.runs.at(plan.runs.missing(cached)), jar, listener)
        yield sweep, plan, cached


def run_sweeps(
    sweeps: Sequence[Sweep],
    toolchain: Toolchain,
    executors: ExecutorFactory,
    *,
    store: Address | None = None,
    fresh: bool = False,
    listener: Listener = SILENT,
) -> tuple[SweepResult, ...]:
    """The results of sweeps, which share one executor and are all checked before the first is run.

    ``store`` is the store of a single sweep, or the folder of the stores of several; the default is ``runs/NAME``.
    Raises InputError, before any store is created, as ``checked_plan`` and ``store_addresses`` do.
    """
    listener.jar_chosen(toolchain.jar)
    addresses = store_addresses(sweeps, store)
    planned = []
    for each in sweeps:
        sweep, plan, warnings = checked_plan(each, toolchain, listener)
        listener.planned(sweep, plan)
        planned.append((sweep, plan, warnings))
    with executors([sweep for sweep, *_ in planned]) as start:
        return tuple(
            _run(*each, address, toolchain, start, fresh=fresh, listener=listener)
            for each, address in zip(planned, addresses, strict=True)
        )


def store_addresses(sweeps: Sequence[Sweep], store: Address | None) -> list[Address]:
    """The address of each sweep's store. Raises InputError (``same-store``) if two would share one."""
    if len(sweeps) == 1:
        return [store or Path("runs") / sweeps[0].name]
    addresses = [below(store or "runs", sweep.name) for sweep in sweeps]
    for sweep, address in zip(sweeps, addresses, strict=True):
        same = [str(each.path) for each, its in zip(sweeps, addresses, strict=True) if its == address]
        if len(same) > 1:
            raise InputError(
                "same-store",
                f"{' and '.join(same)} have the same name, {sweep.name}, and would share a store",
                hint=f'write name = "other" at the top of {same[-1]}'
                if same[-1].endswith(".toml")
                else "run them one at a time, each with its own store: -o STORE",
            )
    return addresses


def _run(
    sweep: Sweep,
    plan: Plan,
    warnings: tuple[Finding, ...],
    address: Address,
    toolchain: Toolchain,
    start: Callable[[], Executor],
    *,
    fresh: bool,
    listener: Listener,
) -> SweepResult:
    """Execute a sweep's missing runs and judge all of them."""
    store = Store.create(address)
    with store.lock():
        _report_other_modules(store, sweep, listener)
        job = prepare_job(sweep, plan, store, fresh=fresh)
        write_points(sweep, plan, store)
        if not fresh:
            _report_other_jars(store, sweep, job.missing, toolchain.jar, listener)
        executed = execute_job(job, toolchain, start, listener)
        runs = run_rows(table_files(store, "runs"))
        if sweep.vacuity:
            executed += execute_probes(sweep, plan, store, runs, toolchain, start, listener)
        elif store.probes() is None:
            store.write_probes(())
        findings = sweep_findings(sweep, plan, store, runs, warnings)
        store.write_findings(findings)
    result = SweepResult(
        sweep=sweep,
        plan=plan,
        store=store,
        executed=executed,
        cached=job.known.count,
        runs=runs,
        mismatches=tuple(judge(sweep, runs)),
        findings=findings,
    )
    for finding in findings.open:
        if finding not in warnings:
            listener.found(finding)
    listener.finished(result)
    return result


def _report_other_jars(
    store: Store, sweep: Sweep, missing: Sequence[Run], jar: Jar, listener: Listener
) -> None:
    for before in earlier_jars(store, missing):
        listener.jar_changed(sweep, before, jar)


def _report_other_modules(store: Store, sweep: Sweep, listener: Listener) -> None:
    with contextlib.suppress(StoreError):
        before = store.manifest().modules
        if not {spec.root.name for spec in sweep.specs.values()} & set(before):
            listener.store_taken_over(store.path, before, sweep)
