"""Sweeps from their files to their results: what the command, Python and the Spark job share."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from tla2py.errors import ExitCode, InputError, StoreError
from tla2py.execution.executor import Executor, ExecutorFactory
from tla2py.execution.job import execute_job, prepare_job
from tla2py.execution.known import known_runs
from tla2py.execution.listener import SILENT, Listener
from tla2py.execution.preflight import check_plan, lint_plan
from tla2py.lint import Finding
from tla2py.model.outcome import Verdict
from tla2py.store.storage import Address, below
from tla2py.store.store import Store
from tla2py.sweep.judge import Mismatch, exit_code, judge, left_out
from tla2py.sweep.plan import Plan, plan_sweep
from tla2py.sweep.sweep import Sweep, load_sweep, sweep_of_configs
from tla2py.sweep.vacuity import check_expectations
from tla2py.tables.runs import RunRow, run_rows
from tla2py.text import parse_duration, parse_memory
from tla2py.toolchain.pluscal import Translator
from tla2py.toolchain.toolchain import Jar, Toolchain, find_toolchain


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepOptions:
    """Options that go before what a sweep file says; None leaves the file's.

    ``timeout`` and ``memory`` are written as in a sweep file, such as ``90s`` and ``2GiB``. ``libraries`` are further
    module folders of a manifest, or of a module with configs.
    """

    libraries: tuple[Path, ...] = ()
    tla2tools: Path | None = None
    translate: bool = True
    timeout: str | None = None
    memory: str | None = None
    workers: int | None = None
    trust: bool | None = None

    def load(
        self,
        files: Sequence[Path],
        configs: str | None = None,
        *,
        listener: Listener = SILENT,
    ) -> list[Sweep]:
        """The sweeps of files, with PlusCal translated; with ``configs`` the files are modules, see ``sweep_of_configs``.

        Raises InputError as ``load_sweep`` and ``sweep_of_configs`` do.
        """
        translate = None
        if self.translate:
            translate = Translator(lambda: find_toolchain(self.tla2tools), listener.translated)
        if configs is None:
            found = (load_sweep(file, self.libraries, translate=translate) for file in files)
        else:
            found = (sweep_of_configs(file, configs, self.libraries, translate=translate) for file in files)
        return [self.apply(sweep) for sweep in found]

    def apply(self, sweep: Sweep) -> Sweep:
        """The sweep with these limits, and with as many workers at every point."""
        limits, options, special = sweep.limits, sweep.options, sweep.special
        if self.timeout is not None:
            limits = replace(limits, timeout_seconds=parse_duration(self.timeout, "--timeout"))
        if self.memory is not None:
            limits = replace(limits, memory_bytes=parse_memory(self.memory, "--memory"))
        if self.trust is not None:
            limits = replace(limits, trust=self.trust)
        if self.workers is not None:
            options = replace(options, workers=self.workers)
            special = {index: replace(each, workers=self.workers) for index, each in special.items()}
        return replace(sweep, limits=limits, options=options, special=special)


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepResult:
    """The result of a sweep: its rows of the table ``runs``, and what differs from its expectations.

    ``executed`` counts the runs that were executed now, ``cached`` those that the store had. ``warnings`` are the
    linter's, ``findings`` the points that are not as expected.
    """

    sweep: Sweep
    plan: Plan
    store: Store
    executed: int
    cached: int
    runs: Sequence[RunRow]
    warnings: tuple[Finding, ...]
    findings: tuple[Mismatch, ...]

    @property
    def exit_code(self) -> ExitCode:
        """The exit code of a command that ran this sweep."""
        complete = len(self.runs) == len(self.sweep.points) and not self.sweep.unread
        return ExitCode(exit_code(self.findings, complete=complete and not self.unchecked))

    @property
    def unchecked(self) -> bool:
        """Whether every point contradicts an ASSUME, so that nothing was checked."""
        rows = {row.point: row for row in self.runs}
        return all(
            left_out(self.sweep.expectation(point), rows.get(point.index)) for point in self.sweep.points
        )

    @property
    def empty_points(self) -> tuple[int, ...]:
        """The points that hold because TLC found no state at all."""
        return tuple(row.point for row in self.runs if row.verdict is Verdict.HOLDS and row.distinct == 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepPreview:
    """What a sweep would run: its plan, and the ids of the runs that its store has."""

    sweep: Sweep
    plan: Plan
    cached: frozenset[str]


def preview_sweeps(
    sweeps: Sequence[Sweep],
    jar: Jar,
    *,
    store: Address | None = None,
    fresh: bool = False,
    listener: Listener = SILENT,
) -> Iterator[SweepPreview]:
    """Previews of what ``run_sweeps`` would do; this takes no Java. Raises InputError as it does."""
    addresses = store_addresses(sweeps, store)
    plans = [plan_sweep(sweep, jar.sha256) for sweep in sweeps]
    for sweep, plan, address in zip(sweeps, plans, addresses, strict=True):
        lint_plan(sweep, plan, jar, listener.warned)
        check_expectations(sweep, plan)
        cached = frozenset() if fresh else frozenset(known_runs(Store(address), plan))
        yield SweepPreview(sweep=sweep, plan=plan, cached=cached)


def run_sweeps(
    sweeps: Sequence[Sweep],
    toolchain: Toolchain,
    executors: ExecutorFactory,
    *,
    store: Address | None = None,
    fresh: bool = False,
    listener: Listener = SILENT,
) -> tuple[SweepResult, ...]:
    """The results of sweeps that share one executor, after all of them were checked and then run.

    ``store`` is the store of a single sweep, or the folder of the stores of several; the default is ``runs/NAME``.
    Raises InputError before a store is made: as ``plan_sweep``, ``lint_plan``, ``check_plan`` and ``store_addresses``
    do.
    """
    addresses = store_addresses(sweeps, store)
    plans = [plan_sweep(sweep, toolchain.jar.sha256) for sweep in sweeps]
    warnings = []
    for sweep, plan in zip(sweeps, plans, strict=True):
        warnings.append(lint_plan(sweep, plan, toolchain.jar, listener.warned))
        check_plan(sweep, plan, toolchain)
        listener.planned(sweep, plan)
    with executors(sweeps) as start:
        return tuple(
            _run(sweep, plan, warned, address, toolchain, start, fresh=fresh, listener=listener)
            for sweep, plan, warned, address in zip(sweeps, plans, warnings, addresses, strict=True)
        )


def run_sweep(
    sweep: Sweep,
    toolchain: Toolchain,
    executors: ExecutorFactory,
    *,
    store: Address | None = None,
    fresh: bool = False,
    listener: Listener = SILENT,
) -> SweepResult:
    """The result of one sweep, see ``run_sweeps``."""
    [result] = run_sweeps([sweep], toolchain, executors, store=store, fresh=fresh, listener=listener)
    return result


def store_addresses(sweeps: Sequence[Sweep], store: Address | None) -> list[Address]:
    """The address of each sweep's store. Raises InputError (``same-store``) when two would share one."""
    if len(sweeps) == 1:
        return [store or Path("runs") / sweeps[0].name]
    addresses = [below(store or "runs", sweep.name) for sweep in sweeps]
    for sweep, address in zip(sweeps, addresses, strict=True):
        same = [str(each.path) for each, its in zip(sweeps, addresses, strict=True) if its == address]
        if len(same) > 1:
            raise InputError(
                "same-store",
                f"{' and '.join(same)} have one name, {sweep.name}, and so one store",
                hint=f'write name = "other" at the top of {same[-1]}'
                if same[-1].endswith(".toml")
                else "run them one at a time, each with a store of its own: -o STORE",
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
    """Execute what a store lacks of a sweep, and judge what the store then has."""
    store = Store.create(address)
    with store.lock():
        _report_other_modules(store, sweep, listener)
        job = prepare_job(sweep, plan, store, fresh=fresh)
        with listener.executing(sweep, len(job.missing), job.cached) as report:
            try:
                executed = execute_job(job, toolchain, start, report)
            except KeyboardInterrupt:
                there = store.records()
                listener.interrupted(sum(run.run_id not in there for run in job.missing))
                raise
        runs = run_rows(store.table("runs"))
    result = SweepResult(
        sweep=sweep,
        plan=plan,
        store=store,
        executed=executed,
        cached=job.cached,
        runs=runs,
        warnings=warnings,
        findings=tuple(judge(sweep, runs)),
    )
    listener.finished(result)
    return result


def _report_other_modules(store: Store, sweep: Sweep, listener: Listener) -> None:
    with contextlib.suppress(StoreError):
        before = store.manifest().modules
        if not {spec.root.name for spec in sweep.specs.values()} & set(before):
            listener.store_taken_over(store.path, before, sweep)
