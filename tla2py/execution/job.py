"""The main job: a sweep into a store, executing only what is missing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import tla2py
from tla2py.errors import StoreError
from tla2py.execution.executor import Completed, Executor, Work, completed, settled
from tla2py.execution.schedule import earlier_durations, long_runs, longest_first
from tla2py.model.outcome import Verdict
from tla2py.model.run import Run
from tla2py.store.storage import is_remote
from tla2py.store.store import Manifest, ManifestParameter, ManifestPoint, Store
from tla2py.sweep.plan import Plan
from tla2py.sweep.sweep import Sweep
from tla2py.tables.runs import LimitsRow, limits_rows
from tla2py.tables.schema import parameter_columns, parameter_type
from tla2py.tables.write import refresh_tables, tables_current
from tla2py.tlc.output.result import interpret_record
from tla2py.toolchain.toolchain import Toolchain

# From so many runs per slot on a JVM that stays pays.
_WARM_RUNS = 3


@dataclass(slots=True)
class Progress:
    """How far a sweep is; ``done`` counts runs, which are fewer than points where two points are one model."""

    total: int
    cached: int = 0
    done: int = 0
    violated: int = 0
    running: int = 0
    latest: Completed | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Performed:
    """What a sweep did: how many runs were executed, how many were there already, whether the tables changed."""

    executed: int
    cached: int
    tables_written: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """A sweep made ready: the plan, the store, and which runs are missing, those expected to be longest first.

    ``long`` are those that took long when they were last run, maybe of other modules.
    """

    sweep: Sweep
    plan: Plan
    store: Store
    missing: tuple[Run, ...]
    long: frozenset[str]
    cached: int
    known: dict[str, Verdict] = field(default_factory=dict)


def prepare(sweep: Sweep, plan: Plan, store: Store, *, fresh: bool = False) -> Job:
    """Look at what the store has and write down what is about to be run. The store must be locked."""
    # Before what it says of the runs until now is written over.
    durations = earlier_durations(store)
    known = {} if fresh else settled_runs(store, plan)
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


def perform(
    job: Job, toolchain: Toolchain, executor: Callable[[], Executor], report: Callable[[Progress], None]
) -> Performed:
    """Execute what is missing and bring the tables up to date; ``report`` hears of every change.

    ``executor`` is called only when there is something to execute. Whatever ends this early, the tables are written
    from the records there are. Raises what the executor raises.
    """
    progress = Progress(total=len(job.missing) + job.cached, cached=job.cached)
    progress.violated = sum(verdict is Verdict.VIOLATED for verdict in job.known.values())
    executed = 0
    written = False
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
                executed += 1
                progress.done += 1
                progress.violated += news.verdict is Verdict.VIOLATED
                progress.latest = news
                tick()
    finally:
        written = refresh_tables(job.store)
    return Performed(executed=executed, cached=job.cached, tables_written=written)


def manifest(sweep: Sweep, plan: Plan) -> Manifest:
    """What a store says of the sweep it was made from."""
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


def settled_runs(store: Store, plan: Plan) -> dict[str, Verdict]:
    """The runs of a plan whose records stand, with their verdicts.

    The table of runs is asked first, since it is one file; records it does not know, those of a sweep that was killed,
    are read one by one, and a damaged one counts as missing.
    """
    present = store.records().keys()
    table = {row.run_id: row for row in _runs_table(store)}
    # A record may have been cut off since the table was written, by a disk that had no room or a machine that went down.
    trusted = not table or is_remote(store.path) or _tables_stand(store)
    known = {}
    store.expect(
        dict.fromkeys(run.run_id for run in plan.runs if run.run_id in present and run.run_id not in table)
    )
    for run in plan.runs:
        if run.run_id not in present or run.run_id in known:
            continue
        row = table.get(run.run_id)
        if row is not None and not trusted and not _whole(store, run.run_id):
            continue
        if row is not None:
            outcome, verdict = row.outcome, row.verdict
            timeout, memory, disk = row.timeout_seconds, row.memory_bytes, row.disk_bytes
        else:
            try:
                with store.archive(run.run_id) as archive:
                    result = interpret_record(archive.record, archive.stdout)
                    limits = archive.record.limits
            except StoreError as error:
                if error.code != "record-damaged":
                    raise
                continue
            news = completed(run.run_id, result)
            outcome, verdict = news.outcome, news.verdict
            timeout, memory, disk = limits.timeout_seconds, limits.memory_bytes, limits.disk_bytes
        if settled(outcome, timeout, memory, disk, run):
            known[run.run_id] = verdict
    return known


def _tables_stand(store: Store) -> bool:
    try:
        return tables_current(store)
    except StoreError:
        return False


def _whole(store: Store, run_id: str) -> bool:
    try:
        with store.archive(run_id):
            return True
    except StoreError:
        return False


def _runs_table(store: Store) -> list[LimitsRow]:
    try:
        with store.storage.open("tables/runs.parquet") as source:
            return list(limits_rows(source))
    except (OSError, ValueError):
        return []
