"""``tla2py gate``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from typing import Annotated

import typer

from tla2py.cli.console import err
from tla2py.cli.gate_outputs import Outputs
from tla2py.cli.options import (
    ExecutorChoice,
    Fresh,
    Jar,
    Libraries,
    Master,
    Memory,
    Timeout,
    Translate,
    Trust,
    Workers,
)
from tla2py.cli.progress import ConsoleListener
from tla2py.errors import EXIT_OK, InputError, Tla2pyError
from tla2py.execution.preflight import only_warnings
from tla2py.execution.sweeps import SweepOptions, run_sweeps
from tla2py.explore.view import StoreView, open_view
from tla2py.gate.again import command_to_look, commands_again
from tla2py.gate.decide import decide
from tla2py.gate.decision import Decision, Found
from tla2py.gate.lock import Lock, lock_path, parameters_key, read_lock, write_lock
from tla2py.gate.stale import plan_stored, sweep_file_of
from tla2py.lint.finding import Finding
from tla2py.lint.sweeps.rules import lint_sweep
from tla2py.reports.evidence import Evidence, read_found, read_trace
from tla2py.spark.choice import ExecutorName, choose_executor
from tla2py.store.storage import folder_of, is_remote
from tla2py.store.store import Store
from tla2py.sweep.judge import worst
from tla2py.sweep.plan import Plan
from tla2py.sweep.sweep import Sweep
from tla2py.sweep.vacuity import check_expectations
from tla2py.text import counted
from tla2py.toolchain.toolchain import Toolchain, find_toolchain


@dataclass(frozen=True, slots=True, kw_only=True)
class _Options:
    """What the command line says beside the targets."""

    store: str | None
    sweep_file: Path | None
    master: str | None
    executor: ExecutorName
    fresh: bool
    coverage: bool | None
    record: bool
    locked: bool
    sweeps: SweepOptions
    listener: ConsoleListener


@dataclass(frozen=True, slots=True, kw_only=True)
class _Gated:
    """A sweep that was decided upon, and what it was decided from."""

    sweep: Sweep
    plan: Plan
    view: StoreView
    found: Found
    lock: Lock | None
    toolchain: Toolchain | None
    warned: tuple[Finding, ...]


def gate_command(
    target: Annotated[
        list[str],
        typer.Argument(metavar="SWEEP.toml|STORE...", help="Sweep files, manifests, stores of sweeps."),
    ],
    store: Annotated[
        str | None,
        typer.Option("-o", "--store", metavar="STORE", help="Where results are and go; default runs/NAME."),
    ] = None,
    sweep: Annotated[
        Path | None, typer.Option(metavar="FILE", help="The sweep file to judge a STORE by.")
    ] = None,
    junit: Annotated[Path | None, typer.Option(metavar="FILE", help="Write JUnit XML.")] = None,
    sarif: Annotated[Path | None, typer.Option(metavar="FILE", help="Write SARIF 2.1.0.")] = None,
    summary: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Write Markdown; on GitHub it goes to the job's summary by itself."
        ),
    ] = None,
    record: Annotated[
        bool, typer.Option("--record", help="Write SWEEP.lock beside the sweep file, where there is none.")
    ] = False,
    update: Annotated[bool, typer.Option("--update", help="Accept what drifted from SWEEP.lock.")] = False,
    locked: Annotated[
        bool, typer.Option("--locked", help="Fail where SWEEP.lock is missing, as CI may want to.")
    ] = False,
    coverage: Annotated[
        bool | None,
        typer.Option(
            "--coverage/--no-coverage",
            help="Count at every point which actions fire, or at none; default: with --record, and where a lock has it.",
        ),
    ] = None,
    master: Master = None,
    executor: ExecutorChoice = ExecutorName.SPARK,
    fresh: Fresh = False,
    library: Libraries = None,
    tla2tools: Jar = None,
    translate: Translate = True,
    timeout: Timeout = None,
    memory: Memory = None,
    workers: Workers = None,
    trust: Trust = None,
) -> None:
    """Compare sweeps with what is expected of them and with their locks; for CI.

    Given a sweep file it runs what is missing first. Examples: tla2py gate sweep.toml --junit junit.xml;
    tla2py gate sweep.toml --record
    """
    options = _Options(
        store=store,
        sweep_file=sweep,
        master=master,
        executor=executor,
        fresh=fresh,
        coverage=coverage,
        record=record,
        locked=locked,
        sweeps=SweepOptions(
            libraries=tuple(library or ()),
            tla2tools=tla2tools,
            translate=translate,
            timeout=timeout,
            memory=memory,
            workers=workers,
            trust=trust,
        ),
        listener=ConsoleListener(),
    )
    outputs = Outputs.of(junit=junit, sarif=sarif, summary=summary)
    outputs.clear()
    try:
        _check_locks(target, record=record)
        gated = list(_gate(target, options))
        gates = [_decide(each, options) for each in gated]
        if record or update:
            gates = [_accept(each, gate, options) for each, gate in zip(gated, gates, strict=True)]
    except Tla2pyError as error:
        outputs.write_error(", ".join(target), error)
        raise
    outputs.write(gates)
    raise typer.Exit(worst([EXIT_OK, *(gate.decision.exit_code for gate in gates)]))


def _is_store(target: str) -> bool:
    return is_remote(target) or folder_of(target).is_dir()


def _check_locks(targets: list[str], *, record: bool) -> None:
    for target in targets:
        path = lock_path(Path(target))
        if record and not _is_store(target) and path.exists():
            raise InputError(
                "lock-exists", f"{path} is there already", hint="--update accepts what drifted from it"
            )


def _gate(targets: list[str], options: _Options) -> Iterator[_Gated]:
    """What every target is to be decided from; sweep files are run first, with one start of Spark."""
    stores = [target for target in targets if _is_store(target)]
    files = [folder_of(target) for target in targets if not _is_store(target)]
    if stores and (options.store is not None or options.fresh):
        raise InputError(
            "gate-store", f"{stores[0]} is a store: it is judged, not run", hint="leave -o and --fresh out"
        )
    if options.sweep_file is not None and (files or len(stores) > 1):
        raise InputError("gate-sweep", "--sweep is for one store", hint="name the sweep file alone to run it")
    for stored in stores:
        yield _gate_store(stored, options)
    if not files:
        return
    loaded = _load(files, options)
    toolchain = find_toolchain(options.sweeps.tla2tools)
    results = run_sweeps(
        [sweep for sweep, _ in loaded],
        toolchain,
        choose_executor(options.executor, options.master, options.listener, only_runs=True),
        store=options.store,
        fresh=options.fresh,
        listener=options.listener,
    )
    for result, (_, lock) in zip(results, loaded, strict=True):
        view = open_view(result.store.path)
        yield _Gated(
            sweep=result.sweep,
            plan=result.plan,
            view=view,
            found=read_found(view),
            lock=lock,
            toolchain=toolchain,
            warned=result.warnings,
        )


def _load(paths: Sequence[Path], options: _Options) -> list[tuple[Sweep, Lock | None]]:
    """Sweeps and their locks."""
    sweeps = options.sweeps.load(paths, listener=options.listener)
    return [_with_lock(sweep, path, options) for sweep, path in zip(sweeps, paths, strict=True)]


def _with_lock(sweep: Sweep, path: Path, options: _Options) -> tuple[Sweep, Lock | None]:
    """A sweep and its lock; actions are counted where the lock has them, and at all points for a first lock."""
    lock = read_lock(lock_path(path))
    if options.locked and lock is None:
        raise InputError(
            "no-lock",
            f"{lock_path(path)} is not there",
            hint="get the committed one back; --record, without --locked, writes a first one",
        )
    counted = {point.key for point in lock.point if point.fired is not None} if lock is not None else set()
    every = options.record if options.coverage is None else options.coverage
    points = frozenset(
        point.index
        for point in sweep.points
        if every or (options.coverage is None and parameters_key(point.parameters) in counted)
    )
    return replace(sweep, counted=points), lock


def _gate_store(path: str, options: _Options) -> _Gated:
    """What a store is to be decided from; nothing is run."""
    store = Store.open(path)
    view = open_view(path)
    [(sweep, lock)] = _load([sweep_file_of(store, options.sweep_file)], options)
    plan, other_inputs = plan_stored(sweep, store, view.run_rows)
    check_expectations(sweep, plan)
    found = read_found(view, other_inputs)
    warned = only_warnings(lint_sweep(sweep, plan, None))
    return _Gated(sweep=sweep, plan=plan, view=view, found=found, lock=lock, toolchain=None, warned=warned)


def _decide(gated: _Gated, options: _Options) -> Evidence:
    decision = decide(gated.sweep, gated.plan, gated.found, gated.lock)
    # A gate may be green with them, so whoever reads no more than its report is to see them.
    warned = tuple(f"{each.place}: {each.message}" for each in gated.warned)
    decision = replace(decision, notices=(*decision.notices, *warned))
    # Every report shows the same ones.
    trace = cache(partial(read_trace, gated.view))
    return Evidence(
        decision=decision,
        sweep=gated.sweep,
        root=Outputs.root(),
        trace=lambda point, name: trace(point.run.run_id, name),
        again=lambda point: commands_again(
            gated.sweep, point, gated.toolchain, options.sweeps.libraries, options.sweeps.tla2tools
        ),
        look=lambda point: command_to_look(gated.view, point),
    )


def _accept(gated: _Gated, gate: Evidence, options: _Options) -> Evidence:
    """Write the lock and decide again, or say why what was found is not to be locked."""
    decision: Decision = gate.decision
    path = lock_path(gated.sweep.path)
    if not decision.acceptable:
        err().print(
            f"{path} is not written: {decision.name} is not as expected", style="bold red", markup=False
        )
        return gate
    points = [point.locked for point in decision.points if point.locked is not None]
    write_lock(path, points)
    err().print(f"wrote {path}: {counted(len(points), 'point')}", style="green", markup=False)
    return _decide(replace(gated, lock=read_lock(path)), options)
