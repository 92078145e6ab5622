"""The missing runs of a sweep and their execution."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import tla2py
from tla2py.execution.executor import (
    NOTHING_KNOWN,
    Durations,
    Executor,
    ProgressReader,
    RunEnd,
    Work,
    earlier_durations,
    schedule_runs,
)
from tla2py.execution.known import KnownRuns, known_runs
from tla2py.execution.listener import Estimator, Listener, SweepProgress
from tla2py.model.outcome import Verdict
from tla2py.store.record import write_inputs
from tla2py.store.schema import parameter_columns, parameter_type
from tla2py.store.store import Manifest, ManifestParameter, Store, coded_points
from tla2py.store.write import Derive, derive_here, refresh_tables
from tla2py.sweep.grid import Point
from tla2py.sweep.plan import Plan, Runs
from tla2py.sweep.sweep import Sweep
from tla2py.tlc.process.reaper import scratch_folder
from tla2py.tlc.tools.toolchain import Toolchain

# A shared JVM pays off from this number of runs per slot.
_WARM_RUNS = 3
# How often the driver looks inside the runs, and at least how many times longer than that takes.
_LOOK_SECONDS = 1.0
_LOOK_SHARE = 50.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """The missing runs of a sweep, those expected to take longest first.

    ``long`` are the runs that took long before, perhaps with other modules, ``seconds`` what all took. ``known`` are the
    runs that the store has, ``earlier`` the times of its runs.
    """

    sweep: Sweep
    plan: Plan
    store: Store
    missing: Runs
    long: frozenset[str]
    known: KnownRuns
    seconds: float | None = None
    earlier: Durations = NOTHING_KNOWN


def prepare_job(
    sweep: Sweep, plan: Plan, store: Store, *, fresh: bool = False, earlier: Durations | None = None
) -> Job:
    """The job of a plan's runs; ``earlier`` are the times of similar runs, by default those of the store's points.

    The store must be locked, and have the manifest that names its earlier runs.
    """
    known = KnownRuns(len(plan.runs)) if fresh else known_runs(store, plan)
    places = plan.runs.missing(known)
    if earlier is None:
        earlier = earlier_durations(store) if places else NOTHING_KNOWN
    schedule = schedule_runs(plan, earlier, places)
    return Job(
        sweep=sweep,
        plan=plan,
        store=store,
        missing=plan.runs.at(schedule.places),
        long=schedule.long,
        seconds=schedule.seconds,
        known=known,
        earlier=earlier,
    )


def write_points(sweep: Sweep, plan: Plan, store: Store) -> None:
    """Write the manifest of a sweep's store, its points, and the files that its runs read."""
    form = manifest(sweep, plan)
    texts = {each.column: sweep.points.columns[each.name] for each in form.parameters}
    points = coded_points(plan.runs.ids, {name: (each.texts, each.codes) for name, each in texts.items()})
    store.write_manifest(form, points, plan.sources)
    write_input_files(sweep, store)


def write_input_files(sweep: Sweep, store: Store) -> None:
    """Write the files that a sweep's runs read."""
    files = [sha256 for group in sweep.input_files.values() for _, sha256 in group]
    write_inputs(store.storage, [*files, *(log.sha256 for log in sweep.logs.kept)])


def execute_job(
    job: Job,
    toolchain: Toolchain,
    executor: Callable[[], Executor],
    listener: Listener,
    name: str | None = None,
) -> int:
    """The number of runs executed.

    ``name`` is what the listener is told of runs that are not the points of the sweep; what these violate is not a
    violation of the model. ``executor`` is called only if runs are missing. The tables are refreshed however this
    ends. Raises what the executor raises.
    """
    sweep = job.sweep if name is None else replace(job.sweep, name=name)
    try:
        with listener.executing(sweep, len(job.missing), job.known.count) as report:

            def told(progress: SweepProgress) -> None:
                report(progress if name is None else replace(progress, violated=None))

            return _execute(job, toolchain, executor, told)
    except KeyboardInterrupt:
        recorded = job.store.recorded()
        listener.interrupted(sum(run_id not in recorded for run_id in job.missing.ids))
        raise


def _execute(
    job: Job, toolchain: Toolchain, executor: Callable[[], Executor], report: Callable[[SweepProgress], None]
) -> int:
    progress = SweepProgress(violated=job.known.violated)
    derive: Derive = derive_here
    try:
        if job.missing:
            pool = executor()
            # What is loose from now on is of this sweep.
            job.store.pack()
            # A shared JVM takes longer for its first run and less than half for the others.
            short = {*job.missing.ids} - job.long
            warm = job.sweep.file.tlc.warm and len(short) >= _WARM_RUNS * pool.slots
            work = Work(
                sources=job.plan.sources,
                toolchain=replace(toolchain, overrides=job.sweep.classes),
                store=job.store.path,
                warm=frozenset(short if warm else ()),
                long=job.long,
                slots=pool.slots,
                cpu_seconds=job.seconds,
            )
            with scratch_folder("tla2py-progress-") as folder:
                course = _Course(job, pool, folder, progress)

                def tick() -> None:
                    course.look()
                    report(progress)

                tick()
                for end in pool.execute(job.missing, replace(work, progress=folder), tick):
                    course.end(end)
                    tick()
            derive = pool.derive
    finally:
        # Runs whose records are lost are executed here, or in the next sweep if this one was interrupted.
        refresh_tables(job.store, derive=derive, lost=lambda _: None)
    return progress.done


class _Course:
    """The course of a job, from the ends of its runs and, once a second, from a look inside them."""

    def __init__(self, job: Job, pool: Executor, folder: Path, progress: SweepProgress) -> None:
        self._job = job
        self._pool = pool
        self._reader = ProgressReader(folder)
        self._progress = progress
        self._open = {*job.missing.ids}
        self._ends: list[RunEnd] = []
        self._due = time.monotonic() + _LOOK_SECONDS

    @functools.cached_property
    def _estimator(self) -> Estimator:
        # Made only when it is needed, since short sweeps may have many points.
        missing = {run_id: self._point(run_id).parameters for run_id in self._job.missing.ids}
        timeout = self._job.sweep.limits.timeout_seconds
        return Estimator(missing, self._job.earlier, slots=self._pool.slots, timeout_seconds=timeout)

    @functools.cached_property
    def _places(self) -> dict[str, int]:
        return {run_id: place for place, run_id in enumerate(self._job.plan.runs.ids)}

    def _point(self, run_id: str) -> Point:
        return self._job.plan.points[self._places[run_id]]

    def end(self, end: RunEnd) -> None:
        """Count the end of a run once, wherever it is reported."""
        if end.run_id in self._open:
            self._open.remove(end.run_id)
            self._ends.append(end)
            self._progress.done = len(self._job.missing) - len(self._open)
            violated = self._progress.violated or 0
            self._progress.violated = violated + (end.verdict is Verdict.VIOLATED)

    def look(self) -> None:
        """Update the progress."""
        progress, now = self._progress, time.monotonic()
        progress.running = self._pool.running()
        if not self._open:
            progress.inside, progress.left = (), None
            return
        if now < self._due:
            return
        running = self._reader.running()
        for end in self._reader.ended():
            self.end(end)
        if self._pool.distant:
            # A task reports its runs when it ends; their records are there before.
            recorded = len(self._open & self._job.store.record_ids().loose)
            progress.done = max(progress.done, len(self._job.missing) - len(self._open) + recorded)
        for end in self._ends:
            if end.wall_seconds is not None:
                self._estimator.end(end.run_id, end.wall_seconds)
        self._ends.clear()
        progress.inside = [(self._point(each.run_id), each) for each in running]
        progress.left = self._estimator.left(progress.done, {each.run_id: each.seconds for each in running})
        # A sweep of very many points is looked at less often.
        self._due = time.monotonic() + max(_LOOK_SECONDS, _LOOK_SHARE * (time.monotonic() - now))


def manifest(sweep: Sweep, plan: Plan) -> Manifest:
    """The manifest of a sweep's store."""
    columns = parameter_columns([p.name for p in sweep.parameters])
    parameters = [
        ManifestParameter(
            name=p.name,
            kind=p.kind,
            column=column,
            type=parameter_type({*sweep.points.columns[p.name]}),
        )
        for p, column in zip(sweep.parameters, columns, strict=True)
    ]
    return Manifest(
        tla2py_version=tla2py.__version__,
        name=sweep.name,
        modules=[spec.root.name for spec in sweep.specs.values()],
        sweep=sweep.text,
        sweep_file=str(sweep.path),
        files=plan.paths,
        configs=plan.configs,
        parameters=parameters,
    )
