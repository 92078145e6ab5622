"""Sweeps loaded with the options of a command and executed, for the command, Python and the Spark job."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from tla2py.errors import ExitCode, InputError, StoreError
from tla2py.execution.executor import Executor, ExecutorFactory
from tla2py.execution.job import execute_job, known_runs, prepare_job, write_points
from tla2py.execution.listener import SILENT, Listener
from tla2py.execution.preflight import (
    checked_plan,
    earlier_jars,
    lint_plan,
    sweep_findings,
    with_readable_logs,
    without_refused,
)
from tla2py.execution.probes import execute_probes
from tla2py.model.finding import Finding, Findings
from tla2py.model.outcome import Verdict
from tla2py.model.row import RunRow
from tla2py.model.run import Run, SandboxNeed
from tla2py.store.runs import run_rows
from tla2py.store.storage import Address, below
from tla2py.store.store import Store
from tla2py.store.write import table_files
from tla2py.sweep.file import sweep_file_of
from tla2py.sweep.judge import Mismatch, check_expectations, exit_code, judge, left_out
from tla2py.sweep.load import configs_sections, load_sweep, sweep_of_configs
from tla2py.sweep.plan import Plan, plan_sweep
from tla2py.sweep.repository import check_jar, check_named, check_untrusted
from tla2py.sweep.sweep import Sweep
from tla2py.text import counted, parse_duration, parse_memory
from tla2py.tlc.process.sandbox import check_sandbox
from tla2py.tlc.tools.jar import Jar
from tla2py.tlc.tools.pluscal import Translator
from tla2py.tlc.tools.toolchain import Toolchain, find_jar, find_toolchain


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepOptions:
    """Options that override a sweep file.

    ``timeout`` and ``memory`` are written as in a sweep file, such as ``90s`` and ``2GiB``. ``libraries`` are further
    module folders of a folder, or of a module with configs.
    """

    libraries: tuple[Path, ...] = ()
    tla2tools: Path | None = None
    translate: bool = True
    timeout: str | None = None
    memory: str | None = None
    workers: int | None = None
    trust: bool | None = None
    sandbox: SandboxNeed = "auto"
    no_lint: bool = False

    def load(
        self, files: Sequence[Path], configs: str | None = None, *, listener: Listener = SILENT
    ) -> list[Sweep]:
        """The sweeps of files, with PlusCal translated; with ``configs`` the files are modules, see ``sweep_of_configs``.

        With ``trust`` False the files are those of strangers. Raises InputError as ``load_sweep`` and
        ``sweep_of_configs`` do, and then also as ``check_untrusted`` and ``check_jar`` do.
        """
        if self.trust is False:
            self.check_tools()
            for file in files:
                if configs is None:
                    check_untrusted(file)
                else:
                    check_named(file, *sweep_file_of(configs_sections(file, configs, ()), file))
        translate = self.translator(listener)
        found = (
            load_sweep(file, self.libraries, translate=translate, no_lint=self.no_lint)
            if configs is None
            else sweep_of_configs(file, configs, self.libraries, translate=translate, no_lint=self.no_lint)
            for file in files
        )
        sweeps = []
        for sweep in found:
            if self.trust is False and sweep.limits.trust:
                where = sweep.source.place("tlc", "trust")
                listener.told(f"{where}: trust = true does not count, because of --no-trust")
            sweeps.append(self.apply(sweep))
        return sweeps

    def translator(self, listener: Listener) -> Translator | None:
        """What translates PlusCal, unless that is not wanted."""
        return Translator(lambda: find_toolchain(self.tla2tools), listener.warned) if self.translate else None

    def check_tools(self) -> None:
        """Raise InputError (``needs-trust``) for a project's own jar, unless trust is given or not refused."""
        if self.trust is False:
            check_jar(find_jar(self.tla2tools))

    def apply(self, sweep: Sweep) -> Sweep:
        """The sweep with these limits and workers at every point.

        A folder's sweep loses the points that may not run, see ``without_refused``. Raises InputError (``sandbox-missing``),
        and as ``without_refused`` and ``find_jar`` do.
        """
        limits, options = sweep.limits, sweep.options
        if self.timeout is not None:
            limits = replace(limits, timeout_seconds=parse_duration(self.timeout, "--timeout"))
        if self.memory is not None:
            limits = replace(limits, memory_bytes=parse_memory(self.memory, "--memory"))
        if self.trust is not None:
            limits = replace(limits, trust=self.trust)
        limits = replace(limits, sandbox=self.sandbox)
        check_sandbox(limits)
        if self.workers is not None:
            options = replace(options, workers=self.workers)
        sweep = replace(sweep, limits=limits, options=options)
        refusable = sweep.of_folder and sweep.community is not None
        return without_refused(sweep, find_jar(self.tla2tools)) if refusable else sweep


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
) -> Iterator[tuple[Sweep, Plan, Mapping[str, Verdict]]]:
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
        cached = {} if fresh else known_runs(Store(address), plan)
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
        cached=len(job.known),
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
    for tlc, sha256, runs in earlier_jars(store, missing):
        listener.told(
            f"{sweep.name}: the jar has changed from TLC {tlc}, sha256 {sha256[:12]}, to {jar}; "
            f"{counted(runs, 'recorded run')} no longer appl{'ies' if runs == 1 else 'y'}"
        )


def _report_other_modules(store: Store, sweep: Sweep, listener: Listener) -> None:
    with contextlib.suppress(StoreError):
        before = store.manifest().modules
        if not {spec.root.name for spec in sweep.specs.values()} & set(before):
            listener.told(
                f"{store.path} belonged to {', '.join(before)} and now shows only {sweep.name}; "
                'to keep both, set name = "..." in the sweep file, or use -o'
            )
