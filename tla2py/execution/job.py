"""The runs of a sweep that a store lacks, and their execution."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import tla2py
from tla2py.execution.executor import Executor, Work
from tla2py.execution.known import known_runs
from tla2py.execution.listener import Progress
from tla2py.execution.schedule import earlier_durations, long_runs, longest_first
from tla2py.model.outcome import Verdict
from tla2py.model.run import Run
from tla2py.store.store import Manifest, ManifestParameter, ManifestPoint, Store
from tla2py.sweep.plan import Plan
from tla2py.sweep.sweep import Sweep
from tla2py.tables.schema import parameter_columns, parameter_type
from tla2py.tables.write import refresh_tables
from tla2py.toolchain.toolchain import Toolchain

# From so many runs per slot on a JVM that stays pays.
_WARM_RUNS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """The runs of a sweep that a store lacks, those expected to take longest first.

    ``long`` are those that took long when they were last run, maybe with other modules. ``cached`` counts the runs that
    the store has, ``known`` has their verdicts.
    """

    sweep: Sweep
    plan: Plan
    store: Store
    missing: tuple[Run, ...]
    long: frozenset[str]
    cached: int
    known: dict[str, Verdict] = field(default_factory=dict)


def prepare_job(sweep: Sweep, plan: Plan, store: Store, *, fresh: bool = False) -> Job:
    """The job of a sweep, whose manifest is written to the store. The store must be locked."""
    # The durations of earlier runs, before the manifest that names them is overwritten.
    durations = earlier_durations(store)
    known = {} if fresh else known_runs(store, plan)
    store.write_manifest(manifest(sweep, plan), plan.sources)
    missing = {run.run_id: run for run in plan.runs if run.run_id not in known}
    order = longest_first(plan, durations)
    return Job(
        sweep=sweep,
        plan=plan,
        store=store,
        missing=tuple(sorted(missing.values(), key=lambda run: order[run.run_id])),
        long=long_runs(plan, durations),
        cached=len({run.run_id for run in plan.runs}) - len(missing),
        known=known,
    )


def execute_job(
    job: Job, toolchain: Toolchain, executor: Callable[[], Executor], report: Callable[[Progress], None]
) -> int:
    """The number of runs executed; the tables are then up to date. ``report`` is called on every change.

    ``executor`` is called only when there is something to execute. However this ends, the tables are written from the
    records in the store. Raises what the executor raises.
    """
    progress = Progress(total=len(job.missing) + job.cached, cached=job.cached)
    progress.violated = sum(verdict is Verdict.VIOLATED for verdict in job.known.values())
    try:
        if job.missing:
            pool = executor()
            # A JVM that stays takes longer for its first run, and less than half for all others.
            short = {run.run_id for run in job.missing} - job.long
            warm = job.sweep.file.tlc.warm and len(short) >= _WARM_RUNS * pool.slots
            work = Work(
                sources=job.plan.sources,
                toolchain=replace(toolchain, overrides=job.sweep.overrides),
                store=job.store.path,
                warm=frozenset(short if warm else ()),
                slots=pool.slots,
            )

            def tick() -> None:
                progress.running = pool.running()
                report(progress)

            tick()
            for news in pool.execute(job.missing, work, tick):
                progress.done += 1
                progress.violated += news.verdict is Verdict.VIOLATED
                progress.latest = news
                tick()
    finally:
        refresh_tables(job.store)
    return progress.done


def manifest(sweep: Sweep, plan: Plan) -> Manifest:
    """The manifest of the store that a sweep is run into."""
    columns = parameter_columns([p.name for p in sweep.parameters])
    parameters = [
        ManifestParameter(
            name=p.name,
            kind=p.kind,
            column=column,
            type=parameter_type([point.parameters[p.name] for point in plan.points]),
        )
        for p, column in zip(sweep.parameters, columns, strict=True)
    ]
    points = [
        ManifestPoint(point=point.index, run_id=run.run_id, parameters=dict(point.parameters))
        for point, run in zip(plan.points, plan.runs, strict=True)
    ]
    return Manifest(
        tla2py_version=tla2py.__version__,
        name=sweep.name,
        modules=[spec.root.name for spec in sweep.specs.values()],
        sweep=sweep.text,
        sweep_file=str(sweep.path),
        files=plan.paths,
        parameters=parameters,
        points=points,
    )
