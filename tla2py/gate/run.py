"""Commands that rerun one point of a gate or show its counterexamples."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from pathlib import Path

from tla2py.analysis.view import StoreView, open_view
from tla2py.errors import InputError
from tla2py.execution.executor import ExecutorFactory
from tla2py.execution.listener import SILENT, Listener
from tla2py.execution.log_mutants import LogMutants, run_log_mutants
from tla2py.execution.options import SweepOptions
from tla2py.execution.preflight import lasting_findings, sweep_findings
from tla2py.execution.sweeps import run_sweeps
from tla2py.gate.decide import blindness, decide, mutate_options, stored_mutants, stored_report, survivors
from tla2py.gate.decision import (
    Decision,
    PointDecision,
    Problem,
    StoreFacts,
    plan_stored,
    proposals,
    read_found,
    sweep_file_of,
    write_proposals,
)
from tla2py.gate.lock import Lock, lock_path, parameters_key, read_lock, write_lock
from tla2py.lint.subject import Findings
from tla2py.model.mutant import MutantReport
from tla2py.model.run import Run
from tla2py.mutation.mutate import gate_mutants
from tla2py.store.points import is_store
from tla2py.store.storage import Address, folder_of, is_remote
from tla2py.store.store import Store
from tla2py.sweep.folder import folder_file
from tla2py.sweep.judge import check_expectations
from tla2py.sweep.plan import Plan
from tla2py.sweep.repository import check_inside
from tla2py.sweep.rules import lint_sweep
from tla2py.sweep.sweep import Sweep
from tla2py.tlc.process.command import CONFIG_NAME, build_argv, shell_command
from tla2py.tlc.tools.community import class_file
from tla2py.tlc.tools.toolchain import Toolchain, find_toolchain

# Options that only tla2py needs.
_INTERNAL = ("-tool", "-Djava.io.tmpdir=")


@dataclass(frozen=True, slots=True, kw_only=True)
class Again:
    """Commands that run a point alone: ``ours``, or ``java`` in the ``folder`` that ``files`` writes."""

    ours: str
    files: str
    folder: str
    java: str

    @property
    def plain(self) -> str:
        """The plain ``java`` run in one line."""
        return f"{self.files} && cd {self.folder} && {self.java}"


def commands_again(
    sweep: Sweep,
    point: PointDecision,
    toolchain: Toolchain | None,
    libraries: Sequence[Path],
    tla2tools: Path | None,
) -> Again:
    """The commands that run a point alone; they name ``java`` and ``tla2tools.jar`` if there is no toolchain."""
    file = str(sweep.path)
    jar = ["--tla2tools", str(tla2tools)] if tla2tools is not None else []
    folders = [part for folder in libraries for part in ("-L", str(folder))]
    java = toolchain.java.path if toolchain else Path("java")
    tools = toolchain.jar.named if toolchain else Path("tla2tools.jar")
    ours = ["tla2py", "check", file, "--point", str(point.point.index), *folders, *jar]
    classes = [each.path for each in sweep.classes if class_file(each) in point.run.options.overrides]
    files = ["tla2py", "cfg", file, *folders, "-o", "points"]
    return Again(
        ours=shlex.join(ours),
        files=shlex.join(files),
        folder=f"points/{point.point.index:04d}",
        java=_plain_command(point.run, java, tools, classes),
    )


def command_to_look(view: StoreView, point: PointDecision) -> str:
    """The command that shows a point's counterexamples."""
    # The store may number its points by another sweep file.
    stored = view.points.of_run(point.run.run_id)
    assert stored is not None
    return shlex.join(["tla2py", "trace", str(view.store.path), str(stored.point)])


def _plain_command(run: Run, java: Path, jar: Path, overrides: Sequence[Path]) -> str:
    """TLC's command line, with its variables, in the folder of a point's files, without tla2py's own options."""
    argv = build_argv(
        java,
        jar,
        Path(),
        run.main,
        CONFIG_NAME,
        run.options,
        run.limits,
        (),
        overrides,
        properties=run.inputs.java_properties,
        tuned=False,
    )
    return shell_command(run.inputs.environment, (part for part in argv if not part.startswith(_INTERNAL)))


class LockMode(Enum):
    """What a gate does with the lock: read it, write a first one, or accept the drift."""

    READ = "read"
    RECORD = "record"
    UPDATE = "update"


@dataclass(frozen=True, slots=True, kw_only=True)
class GateOptions:
    """Options of a gate.

    ``sweep_file`` is the file to judge a store by. ``coverage`` is whether to count actions at every point; None counts
    them at the points whose lock has them, and everywhere for a first lock. ``vacuity`` is whether to ask TLC what could
    not fail, by default for a first lock and where the lock says that it was asked. ``locked`` makes a missing lock an
    error, ``strict`` makes each finding that is not accepted a problem.
    """

    store: Address | None = None
    sweep_file: Path | None = None
    fresh: bool = False
    coverage: bool | None = None
    vacuity: bool | None = None
    lock: LockMode = LockMode.READ
    locked: bool = False
    strict: bool = False
    sweeps: SweepOptions = field(default_factory=SweepOptions)


@dataclass(frozen=True, slots=True, kw_only=True)
class Gated:
    """The decision on a sweep and what it was made from.

    ``mutants`` are the changed logs and ``report`` the mutants of the specification, None unless the sweep file asks for them. ``toolchain`` is None for a store. ``written`` counts the points of the lock written, None if none was; ``accepted``
    is the drift that this accepted.
    """

    sweep: Sweep
    plan: Plan
    view: StoreView
    found: StoreFacts
    lock: Lock | None
    findings: Findings
    strict: bool
    decision: Decision
    mutants: LogMutants | None = None
    report: MutantReport | None = None
    toolchain: Toolchain | None = None
    written: int | None = None
    accepted: tuple[Problem, ...] = ()


def gate(
    targets: Sequence[str],
    executors: ExecutorFactory,
    options: GateOptions | None = None,
    listener: Listener = SILENT,
) -> tuple[Gated, ...]:
    """The decisions on sweep files, whose missing runs are executed first, and on stores.

    Raises InputError (``lock-exists``, ``gate-store``, ``gate-sweep``, ``no-lock``), and as ``run_sweeps`` does.
    """
    options = options or GateOptions()
    stores = [target for target in targets if _is_store(target)]
    paths = [folder_of(target) for target in targets if not _is_store(target)]
    files = [folder_file(path) or path for path in paths]
    for path in map(lock_path, files):
        if options.lock is LockMode.RECORD and path.exists():
            raise InputError(
                "lock-exists", f"{path} already exists", hint="--update accepts the drift from it"
            )
    if stores and (options.store is not None or options.fresh):
        raise InputError(
            "gate-store",
            f"{stores[0]} is a store; 'tla2py gate' does not run its points",
            hint="leave out -o and --fresh",
        )
    if options.sweep_file is not None and (files or len(stores) > 1):
        raise InputError(
            "gate-sweep", "--sweep applies to a single store", hint="to run a sweep file, name only the file"
        )
    gated = [_gate_store(store, options, listener) for store in stores]
    if files:
        found = [*_gate_files(files, executors, options, listener)]
        if options.lock is LockMode.RECORD and sum(map(_propose, found)):
            found = [*_gate_files(files, executors, replace(options, fresh=False), listener)]
        gated += found
    if options.lock is LockMode.READ:
        return tuple(gated)
    return tuple(_accept(each) if each.decision.acceptable else each for each in gated)


def _is_store(target: str) -> bool:
    """Whether a target is a store; any other folder is one of configs."""
    return is_remote(target) or is_store(folder_of(target))


def _gate_files(
    files: Sequence[Path], executors: ExecutorFactory, options: GateOptions, listener: Listener
) -> Iterator[Gated]:
    loaded = _load(files, options, listener)
    toolchain = find_toolchain(options.sweeps.tla2tools)
    results = run_sweeps(
        [sweep for sweep, _ in loaded],
        toolchain,
        executors,
        store=options.store,
        fresh=options.fresh,
        listener=listener,
    )
    for result, (_, lock) in zip(results, loaded, strict=True):
        view = open_view(result.store.path)
        found, changing, mutants = read_found(view), mutate_options(result.sweep), None
        if changing is not None:
            mutants = run_log_mutants(
                result, toolchain, executors, changing, fresh=options.fresh, listener=listener
            )
        report = gate_mutants(
            result.sweep, result.store.path, toolchain, executors, fresh=options.fresh, listener=listener
        )
        yield _decided(
            result.sweep,
            result.plan,
            view,
            found,
            lock,
            result.findings,
            options.strict,
            mutants,
            report,
            toolchain,
        )


def _propose(gated: Gated) -> bool:
    """Write the rows to propose for a folder; returns whether there are any."""
    path = gated.sweep.path
    if folder_file(path) is None or not (rows := proposals(gated.sweep, gated.decision)):
        return False
    write_proposals(path, rows)
    return True


def _gate_store(path: str, options: GateOptions, listener: Listener) -> Gated:
    store = Store.open(path)
    view = open_view(path)
    [(sweep, lock)] = _load([sweep_file_of(store, options.sweep_file)], options, listener)
    plan, other_inputs = plan_stored(sweep, store, view.run_rows)
    check_expectations(sweep, plan)
    changing, mutants = mutate_options(sweep), None
    if changing is not None and other_inputs is None:
        mutants, other_inputs = stored_mutants(sweep, store, view.run_rows, changing)
    report = None
    if other_inputs is None:
        report, other_inputs = stored_report(sweep, plan, store)
    found = read_found(view, other_inputs)
    linted = lasting_findings(lint_sweep(sweep, plan, None))
    findings = sweep_findings(sweep, plan, store, view.run_rows, linted)
    return _decided(sweep, plan, view, found, lock, findings, options.strict, mutants, report)


def _decided(
    sweep: Sweep,
    plan: Plan,
    view: StoreView,
    found: StoreFacts,
    lock: Lock | None,
    findings: Findings,
    strict: bool,
    mutants: LogMutants | None,
    report: MutantReport | None,
    toolchain: Toolchain | None = None,
) -> Gated:
    return Gated(
        sweep=sweep,
        plan=plan,
        view=view,
        found=found,
        lock=lock,
        findings=findings,
        strict=strict,
        decision=decide(sweep, plan, found, lock, findings, strict=strict, mutants=mutants, report=report),
        mutants=mutants,
        report=report,
        toolchain=toolchain,
    )


def _load(paths: Sequence[Path], options: GateOptions, listener: Listener) -> list[tuple[Sweep, Lock | None]]:
    sweeps = options.sweeps.load(paths, listener=listener)
    return [_with_lock(sweep, path, options) for sweep, path in zip(sweeps, paths, strict=True)]


def _with_lock(sweep: Sweep, path: Path, options: GateOptions) -> tuple[Sweep, Lock | None]:
    """A sweep and its lock; the options say what the sweep counts and asks."""
    if options.sweeps.trust is False:
        check_inside(lock_path(path), path)
    lock = read_lock(lock_path(path))
    if options.locked and lock is None:
        raise InputError(
            "no-lock",
            f"no lock at {lock_path(path)}",
            hint="restore the committed lock, or write a first one with --record and without --locked",
        )
    counted = {point.key for point in lock.point if point.fired is not None} if lock is not None else set()
    every = options.lock is LockMode.RECORD if options.coverage is None else options.coverage
    points = frozenset(
        point.index
        for point in sweep.points
        if every or (options.coverage is None and parameters_key(point.parameters) in counted)
    )
    asked = options.lock is LockMode.RECORD or (lock is not None and lock.vacuity)
    vacuity = asked if options.vacuity is None else options.vacuity
    return replace(
        sweep, counted=points, vacuity=sweep.options.mode == "check" and (sweep.vacuity or vacuity)
    ), lock


def _accept(gated: Gated) -> Gated:
    """The decision against a lock just written from the results."""
    path = lock_path(gated.sweep.path)
    points = [point.locked for point in gated.decision.points if point.locked is not None]
    blind = blindness(gated.mutants.rows) if gated.mutants is not None else None
    alive = survivors(gated.report, gated.sweep.file.mutation) if gated.report is not None else None
    lock = Lock(
        point=points, tlc=gated.found.tlc, vacuity=gated.sweep.vacuity, mutants=blind, survivors=alive
    )
    write_lock(path, lock)
    again = _decided(
        gated.sweep,
        gated.plan,
        gated.view,
        gated.found,
        read_lock(path),
        gated.findings,
        gated.strict,
        gated.mutants,
        gated.report,
        gated.toolchain,
    )
    return replace(again, written=len(points), accepted=gated.decision.all_problems)
