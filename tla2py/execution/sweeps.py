"""Sweeps loaded with the options of a command and executed, for the command, Python and the Spark job."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, TypeAlias

import msgspec

from tla2py.errors import InputError, StoreError
from tla2py.execution.executor import Executor, ExecutorFactory
from tla2py.execution.job import Job, execute_jobs, known_runs, prepare_job, write_input_files, write_points
from tla2py.execution.listener import SILENT, Listener
from tla2py.execution.preflight import checked_plan, sweep_findings, without_refused
from tla2py.execution.result import SweepResult
from tla2py.execution.vacuity import execute_probes
from tla2py.model.finding import Finding
from tla2py.model.outcome import Verdict
from tla2py.model.run import SandboxNeed
from tla2py.store.address import Address, below
from tla2py.store.read import run_rows
from tla2py.store.refresh import hold_tables, refresh_tables, table_files, tables_current
from tla2py.store.store import LIMITED, PASSED, Store
from tla2py.sweep.file import folder_file, sweep_file_of
from tla2py.sweep.judge import judge
from tla2py.sweep.load import configs_sections, load_sweep, sweep_of_configs
from tla2py.sweep.options import Loading, chosen_places, given_files
from tla2py.sweep.plan import Plan
from tla2py.sweep.repository import check_jar, check_named, check_untrusted
from tla2py.sweep.sweep import Sweep
from tla2py.text import parse_duration, parse_memory
from tla2py.tlc.process.pool import hosts_kept
from tla2py.tlc.process.sandbox import check_sandbox
from tla2py.tlc.tools.jar import Jar
from tla2py.tlc.tools.pluscal import Translator
from tla2py.tlc.tools.toolchain import Toolchain, find_jar, find_toolchain, jar_of


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepOptions:
    """Options that override a sweep file.

    ``timeout`` and ``memory`` are written as in a sweep file, such as ``90s`` and ``2GiB``. ``libraries`` are further
    module folders of a folder, or of a module with configs. ``settings`` are other values for this time, each ``NAME=VALUE``;
    ``points``, as in ``3,5-9``, and ``failed`` say which points run, see ``only_failed``. ``constants`` (``NAME=VALUE``),
    ``no_deadlock`` and ``inputs`` change all configs of a folder, or those given for a module.
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
    settings: tuple[str, ...] = ()
    points: str | None = None
    failed: bool = False
    constants: tuple[str, ...] = ()
    no_deadlock: bool = False
    inputs: tuple[Path, ...] = ()

    @property
    def limited(self) -> bool:
        """Whether sweeps run only some of their points, or with other values than their files have."""
        return bool(self.settings) or self.points is not None or self.failed

    def load(
        self, files: Sequence[Path], configs: str | None = None, *, listener: Listener = SILENT
    ) -> list[Sweep]:
        """The sweeps of files, with PlusCal translated; with ``configs`` the files are modules, see ``sweep_of_configs``.

        With ``trust`` False the files are those of strangers. Raises InputError as ``load_sweep``, ``sweep_of_configs`` and
        ``chosen_places`` do, and then also as ``check_untrusted`` and ``check_jar`` do; ``usage`` for settings without a sweep file.
        """
        if self.settings and (configs is not None or any(folder_file(file) is not None for file in files)):
            hint = "name a sweep file, or write the values into the configs"
            raise InputError("usage", "--set gives values to a sweep file", hint=hint)
        if self.trust is False:
            self.check_tools()
            for file in files:
                if configs is None:
                    check_untrusted(file)
                else:
                    check_named(sweep_file_of(configs_sections(file, configs, ()), file))
        how = self.loading(listener)
        found = (
            load_sweep(file, self.libraries, how, settings=self.settings)
            if configs is None
            else sweep_of_configs(file, configs, self.libraries, how)
            for file in files
        )
        sweeps = []
        for sweep in found:
            if self.trust is False and sweep.selection.limits.trust:
                where = sweep.file.place("tlc", "trust")
                listener.told(f"{where}: trust = true does not count, because of --no-trust")
            sweep = self.apply(sweep)
            if self.points is not None:
                chosen = frozenset(place + 1 for place in chosen_places(self.points, len(sweep.points)))
                # A config that cannot be read is not one of the points.
                sweep = sweep.select(chosen=chosen, unread=())
            sweeps.append(sweep)
        return sweeps

    def loading(self, listener: Listener) -> Loading:
        """How sweeps are loaded."""
        return Loading(
            translate=self.translator(listener),
            no_lint=self.no_lint,
            constants=self.constants,
            no_deadlock=self.no_deadlock,
            inputs=given_files(self.inputs),
        )

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
        limits, options = sweep.selection.limits, sweep.selection.options
        if self.timeout is not None:
            limits = replace(limits, timeout_seconds=parse_duration(self.timeout, "--timeout"))
        if self.memory is not None:
            limits = replace(limits, memory_bytes=parse_memory(self.memory, "--memory"))
        if self.trust is not None:
            limits = replace(limits, trust=self.trust)
        limits = replace(limits, sandbox=self.sandbox)
        check_sandbox(limits, strange=self.trust is False)
        if self.workers is not None:
            options = replace(options, workers=self.workers)
        sweep = sweep.select(limits=limits, options=options)
        refusable = sweep.selection.is_folder and sweep.specification.community is not None
        return without_refused(sweep, find_jar(self.tla2tools)) if refusable else sweep


Rounds: TypeAlias = Callable[
    [Sweep, Plan, Store, Callable[[], int], Listener], Iterator[Sequence[int]] | None
]
"""The numbers of the points of a sweep to run next, from its plan, its store and the number of concurrent runs.

The store has the results of one round before the next is asked for. None if the sweep runs all its points.
"""


def preview_sweeps(
    sweeps: Sequence[Sweep], jar: Jar, *, store: Address | None, fresh: bool, listener: Listener
) -> Iterator[tuple[Sweep, Plan, Mapping[str, Verdict]]]:
    """Each sweep, the plan of its points that run, and the runs that its store has; needs no Java.

    Raises InputError as ``run_sweeps`` does.
    """
    report_jar(jar, store_addresses(sweeps, store), listener)
    checked = [checked_plan(sweep, jar, listener) for sweep in sweeps]
    for (sweep, plan, _), address in zip(checked, store_addresses(sweeps, store), strict=True):
        plan = plan if sweep.selection.chosen is None else plan.part(sweep.numbers)
        cached = {} if fresh else known_runs(Store(address), plan)
        if not fresh:
            _report_other_jar(Store(address), sweep, jar, listener)
        yield sweep, plan, cached


def run_sweeps(
    sweeps: Sequence[Sweep],
    toolchain: Toolchain,
    executors: ExecutorFactory,
    *,
    store: Address | None = None,
    fresh: bool = False,
    rounds: Rounds | None = None,
    listener: Listener = SILENT,
) -> tuple[SweepResult, ...]:
    """The results of sweeps, which share one executor and are all checked before the first is run.

    ``store`` is the store of a single sweep, or the folder of the stores of several; the default is ``runs/NAME``. With
    ``rounds`` only the points run that it chooses; the result is that of a sweep limited to these. Raises InputError, before
    any store is created, as ``checked_plan`` and ``store_addresses`` do, and ``usage`` for ``fresh`` with such rounds.
    """
    addresses = store_addresses(sweeps, store)
    report_jar(toolchain.jar, addresses, listener)
    planned = []
    for each in sweeps:
        sweep, plan, warnings = checked_plan(each, toolchain, listener)
        listener.planned(sweep, plan)
        planned.append((sweep, plan, warnings))
    with executors([sweep for sweep, *_ in planned]) as start, contextlib.ExitStack() as stack:
        # Each sweep keeps its store locked until it is finished.
        locks = [stack.enter_context(contextlib.ExitStack()) for _ in planned]
        run = _SweepRun(toolchain=toolchain, start=start, listener=listener)
        prepared = [
            run.prepare(*each, address, lock, fresh=fresh, aside=store is None, rounds=rounds)
            for each, address, lock in zip(planned, addresses, locks, strict=True)
        ]
        counts = execute_jobs([each.job for each in prepared], toolchain, start, listener)
        results = []
        for prepared_sweep, executed, lock in zip(prepared, counts, locks, strict=True):
            with lock:
                result = run.finish(prepared_sweep, executed)
            run.report(result, prepared_sweep.warnings)
            results.append(result)
        return tuple(results)


def report_jar(jar: Jar, addresses: Sequence[Address], listener: Listener) -> None:
    """Report which jar was chosen, unless it is that of the last sweep of each store."""
    for address in addresses:
        with contextlib.suppress(StoreError):
            if Store(address).manifest().jar == jar.sha256:
                continue
        listener.jar_chosen(jar)
        return


def store_addresses(sweeps: Sequence[Sweep], store: Address | None) -> list[Address]:
    """The address of each sweep's store. Raises InputError (``same-store``) if two would share one."""
    if len(sweeps) == 1:
        return [store or Path("runs") / sweeps[0].name]
    addresses = [below(store or "runs", sweep.name) for sweep in sweeps]
    for sweep, address in zip(sweeps, addresses, strict=True):
        same = [str(each.file.path) for each, its in zip(sweeps, addresses, strict=True) if its == address]
        if len(same) > 1:
            raise InputError(
                "same-store",
                f"{' and '.join(same)} have the same name, {sweep.name}, and would share a store",
                hint=f'write name = "other" at the top of {same[-1]}'
                if same[-1].endswith(".toml")
                else "run them one at a time, each with its own store: -o STORE",
            )
    return addresses


@dataclass(frozen=True, slots=True, kw_only=True)
class _PreparedSweep:
    """A sweep with the job of its missing runs; its store is locked.

    ``part`` is the plan of the points that run, ``missing`` are the ids of the runs that the store lacked. With ``aside`` a
    limited sweep leaves the points and tables of the store as they are; ``had_tables`` says that these were up to date.
    ``searched`` is how many runs a search has executed, None if all points run.
    """

    sweep: Sweep
    plan: Plan
    part: Plan
    warnings: tuple[Finding, ...]
    records: Store
    job: Job
    missing: frozenset[str]
    aside: bool
    had_tables: bool
    searched: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class _SweepRun:
    """How sweeps are run: with which tools, on which executor, reporting to whom."""

    toolchain: Toolchain
    start: Callable[[], Executor]
    listener: Listener

    def prepare(
        self,
        sweep: Sweep,
        plan: Plan,
        warnings: tuple[Finding, ...],
        address: Address,
        lock: contextlib.ExitStack,
        *,
        fresh: bool,
        aside: bool,
        rounds: Rounds | None,
    ) -> _PreparedSweep:
        """Lock a sweep's store, write its points there, and return the job of its missing runs."""
        selection = sweep.selection
        aside = aside and selection.is_limited
        # What no point can show is not known of some.
        sweep = sweep.select(vacuity=selection.vacuity and not selection.is_limited)
        part = plan if selection.chosen is None else plan.part(sweep.numbers)
        search = None
        if rounds is not None:
            search = rounds(sweep, plan, Store(address), lambda: self.start().slots, self.listener)
        if search is not None and fresh:
            hint = "leave out --fresh, or name another store with -o"
            text = "--search continues from stored runs, so it cannot be combined with --fresh"
            raise InputError("usage", text, hint=hint)

        records = Store.create(address)
        lock.enter_context(records.lock())
        if not aside:
            _report_other_modules(records, sweep, self.listener)
        if not fresh:
            _report_other_jar(records, sweep, self.toolchain.jar, self.listener)
        job = replace(prepare_job(sweep, part, records, fresh=fresh), tables=not aside)
        missing = frozenset(job.missing.ids) if search is None else frozenset[str]()
        running = [n for n, run_id in zip(sweep.numbers, part.runs.ids, strict=True) if run_id in missing]
        if running:
            note_passed(records, sweep, "sweep", running, (), whole=False)

        # What a killed sweep left is taken in by the next reader.
        had_tables = aside and tables_current(records)
        if aside:
            write_input_files(sweep, records)
        else:
            write_points(sweep, plan, records)
        prepared = _PreparedSweep(
            sweep=sweep,
            plan=plan,
            part=part,
            warnings=warnings,
            records=records,
            job=job,
            missing=missing,
            aside=aside,
            had_tables=had_tables,
            searched=None,
        )
        return prepared if search is None else self._search(prepared, search)

    def _search(self, prepared: _PreparedSweep, search: Iterator[Sequence[int]]) -> _PreparedSweep:
        """Run the points that a search chooses, round by round, and return the sweep limited to these."""
        sweep, plan, records = prepared.sweep, prepared.plan, prepared.records
        missing = set[str]()
        searched = 0
        # A search reads the tables between its rounds, and leaves its laws.
        refresh_tables(records)
        with hosts_kept():
            for numbers in search:
                job = prepare_job(sweep, plan.part(numbers), records)
                missing.update(job.missing.ids)
                searched += sum(execute_jobs([job], self.toolchain, self.start, self.listener))
        refresh_tables(records)
        ran = frozenset(row.point for row in run_rows(table_files(records, "runs")))
        sweep = sweep.select(chosen=ran, vacuity=False)
        job = prepare_job(sweep, plan.part(sweep.numbers), records)
        return replace(prepared, sweep=sweep, job=job, missing=frozenset(missing), searched=searched)

    def finish(self, prepared: _PreparedSweep, executed: int) -> SweepResult:
        """Judge the points of a sweep whose runs have been executed, so many of them now."""
        sweep, plan, records = prepared.sweep, prepared.plan, prepared.records
        executed += prepared.searched or 0
        shown = _limited_store(records, sweep, plan, prepared.part) if prepared.aside else records
        if prepared.had_tables and executed:
            hold_tables(records, prepared.missing)
        runs = run_rows(table_files(shown, "runs"))
        chosen = sweep.selection.chosen
        if chosen is not None:
            runs = [row for row in runs if row.point in chosen]
        if sweep.selection.vacuity:
            executed += execute_probes(sweep, plan, shown, runs, self.toolchain, self.start, self.listener)

        findings = sweep_findings(sweep, plan, shown, runs, prepared.warnings)
        shown.write_findings(findings)
        mismatches = tuple(judge(sweep, runs))
        expected = {row.point for row in runs} - {each.point for each in mismatches}
        whole = not sweep.selection.is_limited
        note_passed(records, sweep, "sweep", sweep.numbers, expected, whole=whole)
        executors = {row.run_id: str(row.executor) for row in runs if row.run_id in prepared.missing}
        return SweepResult(
            sweep=sweep,
            plan=plan,
            store=shown,
            records=records,
            executed=executed,
            cached=len(prepared.job.known),
            runs=runs,
            mismatches=mismatches,
            findings=findings,
            executors=Counter(executors.values()),
            searched=prepared.searched is not None,
        )

    def report(self, result: SweepResult, warnings: Sequence[Finding]) -> None:
        """Report the findings that were not known before the runs, and that the sweep is finished."""
        for finding in result.findings.open:
            if finding not in warnings:
                self.listener.found(finding)
        self.listener.finished(result)


def _limited_store(records: Store, sweep: Sweep, plan: Plan, part: Plan) -> Store:
    """The store within a store that shows a limited sweep: its whole grid, and the results of the points that ran."""
    from tla2py.store.pack import copy_records

    records.pack()
    records.storage.remove_folder(LIMITED)
    shown = Store.create(below(records.path, LIMITED))
    with shown.lock():
        write_points(sweep, plan, shown)
        copy_records(records.storage, records.record_ids(), shown.storage, part.runs.ids)
        refresh_tables(shown)
    return shown


Judge: TypeAlias = Literal["sweep", "gate"]
"""Who judges points."""


def only_failed(sweeps: Sequence[Sweep], store: Address | None, judge: Judge) -> list[Sweep]:
    """The sweeps, of which only the points run that were not as expected, or not judged, the last time.

    ``store`` is as in ``run_sweeps``. Raises InputError as ``store_addresses`` does.
    """
    found = []
    for sweep, address in zip(sweeps, store_addresses(sweeps, store), strict=True):
        passed, texts = _passed(Store(address))[judge], sweep.points.texts()
        failed = frozenset(number for number in sweep.numbers if texts[number - 1] not in passed)
        found.append(sweep.select(chosen=failed))
    return found


def _passed(store: Store) -> dict[Judge, frozenset[str]]:
    """The points, as ``Points.texts`` has them, that were as expected when each judged them last."""
    found: dict[Judge, frozenset[str]] = {"sweep": frozenset(), "gate": frozenset()}
    # What is not known to be as expected runs again.
    with contextlib.suppress(OSError, ValueError), store.storage.open(PASSED) as source:
        found |= msgspec.json.decode(source.read(), type=dict[Judge, frozenset[str]])
    return found


def note_passed(
    store: Store, sweep: Sweep, judge: Judge, judged: Iterable[int], expected: Iterable[int], *, whole: bool
) -> None:
    """Note which of the points that are ``judged`` are as ``expected``; ``whole`` drops what is known of others."""
    texts, before = sweep.points.texts(), _passed(store)
    ran, fine = (frozenset(texts[number - 1] for number in numbers) for numbers in (judged, expected))
    passed = before.copy()
    passed[judge] = fine if whole else passed[judge] - ran | fine
    if judge == "sweep":
        # What a sweep finds as expected may still not be so for a gate.
        known = passed["gate"] & fine
        passed["gate"] = known if whole else passed["gate"] - ran | known
    if passed != before:
        data = msgspec.json.encode(passed, order="deterministic")
        store.storage.write({PASSED: lambda sink: sink.write(data)})


def _report_other_jar(store: Store, sweep: Sweep, jar: Jar, listener: Listener) -> None:
    with contextlib.suppress(StoreError):
        before = store.manifest().jar
        # The points of one jar say nothing of another's.
        if before and before != jar.sha256:
            listener.told(
                f"{sweep.name}: the jar has changed from {jar_of(before) or f'sha256 {before[:12]}'} to {jar}; "
                "runs with the earlier jar do not count"
            )


def _report_other_modules(store: Store, sweep: Sweep, listener: Listener) -> None:
    with contextlib.suppress(StoreError):
        before = store.manifest().modules
        if not {spec.root.name for spec in sweep.specification.modules.values()} & set(before):
            listener.told(
                f"{store.path} belonged to {', '.join(before)} and now shows only {sweep.name}; "
                'to keep both, set name = "..." in the sweep file, or use -o'
            )
