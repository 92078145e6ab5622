"""The runs of a sweep that its store lacks, and their execution."""

from __future__ import annotations

import contextlib
import functools
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from tla2py.execution.executor import Executor, Part, PartEnd, Work
from tla2py.execution.listener import Listener
from tla2py.execution.progress import RunEnd, SweepProgress, read_progress
from tla2py.execution.schedule import NOTHING_KNOWN, Durations, Estimator, earlier_durations, schedule_runs
from tla2py.model.outcome import Outcome, Verdict
from tla2py.model.run import RETRIED
from tla2py.store.address import is_remote
from tla2py.store.fragments import read_list, read_rows
from tla2py.store.manifest import Manifest, ManifestParameter
from tla2py.store.record import Archive, write_inputs
from tla2py.store.refresh import Derive, derive_here, intact_files, refresh_tables, tables_current
from tla2py.store.schema import parameter_columns, parameter_type
from tla2py.store.store import Store
from tla2py.sweep.grid import Point
from tla2py.sweep.plan import Plan, Runs
from tla2py.sweep.sweep import Sweep
from tla2py.tlc.output.result import interpret_record
from tla2py.tlc.process.pool import keeps_hosts
from tla2py.tlc.process.reaper import scratch_folder
from tla2py.tlc.tools.toolchain import Toolchain
from tla2py.version import __version__

# A shared JVM pays off from this number of runs per slot.
_WARM_RUNS = 3
# How often the driver looks inside the runs, and at least how many times longer than that takes.
_LOOK_SECONDS = 1.0
_LOOK_SHARE = 50.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """The missing runs of a sweep, those expected to take longest first.

    ``long`` are the runs that took long before, perhaps with other modules. ``known`` are the
    verdicts of the runs that the store has, ``earlier`` the times of its runs. Without ``tables`` only records are written.
    """

    sweep: Sweep
    plan: Plan
    store: Store
    missing: Runs
    long: frozenset[str]
    known: dict[str, Verdict]
    earlier: Durations = NOTHING_KNOWN
    tables: bool = True


def prepare_job(
    sweep: Sweep, plan: Plan, store: Store, *, fresh: bool = False, earlier: Durations | None = None
) -> Job:
    """The job of a plan's runs; ``earlier`` are the times of similar runs, by default those of the store's points.

    The store must be locked, and have the manifest that names its earlier runs.
    """
    known = {} if fresh else known_runs(store, plan)
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
        known=known,
        earlier=earlier,
    )


def write_points(sweep: Sweep, plan: Plan, store: Store) -> None:
    """Write the manifest of a sweep's store, its points, and the files that its runs read."""
    import pyarrow as pa

    from tla2py.store.pack import integer_column, text_column

    form, ids = manifest(sweep, plan), plan.runs.ids
    points = {"point": integer_column(range(1, len(ids) + 1)), "run_id": text_column(ids)}
    for each in form.parameters:
        points[each.column] = text_column(sweep.points.column(each.name)).dictionary_encode()
    store.write_manifest(form, pa.table(points), plan.sources)
    write_input_files(sweep, store)


def write_input_files(sweep: Sweep, store: Store) -> None:
    """Write the files that a sweep's runs read."""
    files = [sha256 for group in sweep.specification.input_files.values() for _, sha256 in group]
    write_inputs(store.storage, [*files, *(log.sha256 for log in sweep.specification.logs.kept)])


def execute_jobs(
    jobs: Sequence[Job],
    toolchain: Toolchain,
    executor: Callable[[], Executor],
    listener: Listener,
    name: str | None = None,
) -> list[int]:
    """The number of runs executed of each job; the runs of all jobs share the slots.

    ``name`` is what the listener is told of runs that are not the points of the sweep; what these violate is not a
    violation of the model. ``executor`` is called only if runs are missing. The tables are refreshed however this
    ends. Raises what the executor raises.
    """
    courses = [_Course(job, name) for job in jobs]
    running = [course for course in courses if course.open]
    derive: Derive = derive_here
    try:
        with contextlib.ExitStack() as stack:
            pool: Executor | None = None
            ends: Iterator[PartEnd] = iter(())
            # Tell of one job after the other, whichever the pool executes.
            tell: list[Callable[[], None]] = []
            for course in courses:
                sweep = course.job.sweep if name is None else replace(course.job.sweep, name=name)
                missing, known = course.job.missing, course.job.known
                with listener.executing(sweep, len(missing), len(known)) as report:
                    if not missing:
                        continue
                    if pool is None:
                        pool = executor()
                        parts = [each.start(pool, toolchain, stack) for each in running]
                        closing = contextlib.closing(pool.execute(parts, lambda: tell[-1]()))
                        ends = stack.enter_context(closing)
                    tell.append(functools.partial(course.tell, report))
                    tell[-1]()
                    while course.open and (found := next(ends, None)) is not None:
                        number, end = found
                        running[number].end(end)
                        tell[-1]()
            # An executor may tell of a failure after the last run.
            deque(ends, 0)
            if pool is not None:
                derive = pool.derive
    except KeyboardInterrupt:
        left = ((job.missing.ids, job.store.recorded()) for job in jobs)
        listener.interrupted(sum(run_id not in recorded for ids, recorded in left for run_id in ids))
        raise
    finally:
        # Runs whose records are lost are executed here, or in the next sweep if this one was interrupted.
        for job in jobs:
            if job.tables:
                refresh_tables(job.store, derive=derive, lost=lambda _: None)
    return [course.progress.done for course in courses]


class _Course:
    """The course of a job, from the ends of its runs and, once a second, from a look inside them.

    ``open`` are the runs that have not ended.
    """

    _pool: Executor
    _folder: Path

    def __init__(self, job: Job, name: str | None) -> None:
        self.job = job
        self.open = {*job.missing.ids}
        known = sum(verdict is Verdict.VIOLATED for verdict in job.known.values())
        self.progress = SweepProgress(violated=known if name is None else None)
        self._ends: list[RunEnd] = []
        self._due = time.monotonic() + _LOOK_SECONDS

    def start(self, pool: Executor, toolchain: Toolchain, stack: contextlib.ExitStack) -> Part:
        """The missing runs for a pool, with what they need until the stack is closed."""
        job, self._pool = self.job, pool
        self._folder = stack.enter_context(scratch_folder("tla2py-progress-"))
        # What is loose from now on is of this sweep.
        job.store.pack()
        # A shared JVM takes longer for its first run and less than half for the others.
        short = self.open - job.long
        enough = keeps_hosts() or len(short) >= _WARM_RUNS * pool.slots
        warm = job.sweep.file.sections.tlc.warm and enough
        return job.missing, Work(
            sources=job.plan.sources,
            toolchain=replace(toolchain, overrides=job.sweep.specification.classes),
            store=job.store.path,
            warm=frozenset(short if warm else ()),
            slots=pool.slots,
            progress=self._folder,
        )

    def tell(self, report: Callable[[SweepProgress], None]) -> None:
        """Report the progress."""
        self._look()
        report(self.progress)

    @functools.cached_property
    def _estimator(self) -> Estimator:
        # Made only when it is needed, since short sweeps may have many points.
        missing = {run_id: self._point(run_id).parameters for run_id in self.job.missing.ids}
        timeout = self.job.sweep.selection.limits.timeout_seconds
        return Estimator(missing, self.job.earlier, slots=self._pool.slots, timeout_seconds=timeout)

    @functools.cached_property
    def _places(self) -> dict[str, int]:
        return {run_id: place for place, run_id in enumerate(self.job.plan.runs.ids)}

    def _point(self, run_id: str) -> Point:
        return self.job.plan.points[self._places[run_id]]

    def end(self, end: RunEnd) -> None:
        """Count the end of a run."""
        self.open.remove(end.run_id)
        self._ends.append(end)
        self.progress.done += 1
        if self.progress.violated is not None:
            self.progress.violated += end.verdict is Verdict.VIOLATED

    def _look(self) -> None:
        progress, now = self.progress, time.monotonic()
        progress.running = self._pool.running()
        if not self.open:
            progress.inside, progress.left = (), None
            return
        if now < self._due:
            return
        running = read_progress(self._folder)
        for end in self._ends:
            self._estimator.end(end.run_id, end.wall_seconds)
        self._ends.clear()
        progress.inside = [(self._point(each.run_id), each) for each in running]
        progress.left = self._estimator.left({each.run_id: each.seconds for each in running})
        # A sweep of very many points is looked at less often.
        self._due = time.monotonic() + max(_LOOK_SECONDS, _LOOK_SHARE * (time.monotonic() - now))


def manifest(sweep: Sweep, plan: Plan) -> Manifest:
    """The manifest of a sweep's store."""
    columns = parameter_columns([p.name for p in sweep.parameters])
    parameters = [
        ManifestParameter(
            name=p.name, kind=p.kind, column=column, type=parameter_type({*sweep.points.column(p.name)})
        )
        for p, column in zip(sweep.parameters, columns, strict=True)
    ]
    return Manifest(
        tla2py_version=__version__,
        name=sweep.name,
        modules=[spec.root.name for spec in sweep.specification.modules.values()],
        sweep=sweep.file.text,
        sweep_file=str(sweep.file.path),
        files=plan.paths,
        configs=plan.configs,
        jar=plan.runs[0].jar_sha256 if plan.points else "",
        parameters=parameters,
        settings=list(sweep.selection.settings),
    )


class _Ended(NamedTuple):
    """How a run ended, and the limits it ran under."""

    outcome: Outcome
    verdict: Verdict
    timeout_seconds: float
    memory_bytes: int
    disk_bytes: int | None


def known_runs(store: Store, plan: Plan) -> dict[str, Verdict]:
    """The verdicts of the planned runs that need not be executed again, by run id.

    A run with trust is executed each time: its id does not cover what it reads. The verdicts come from the table of
    runs. Records missing from it, those of a killed sweep, are read one by one; a damaged record counts as missing.
    """
    # Nothing is looked up, nor Arrow imported, before the first sweep.
    if plan.limits.trust or not store.storage.names("records"):
        return {}
    recorded = store.recorded()
    # The first place of each run that has a record.
    left: dict[str, int] = {}
    for place, run_id in enumerate(plan.runs.ids):
        if run_id in recorded:
            left.setdefault(run_id, place)
    known: dict[str, Verdict] = {}

    def look(run_id: str, place: int, ended: _Ended) -> None:
        if _reusable(ended, plan, place) and _has_outputs(store, run_id, plan):
            known[run_id] = ended.verdict

    # A full disk or a crash may have truncated a record after the table was written.
    trusted = is_remote(store.path) or tables_current(store)
    with contextlib.suppress(OSError, ValueError):
        # Another version may know more outcomes.
        outcomes, tables = set(Outcome), read_list(store.storage)
        # A record was found damaged, and nothing was derived since.
        doubted = tables is not None and not tables.made_from
        files = intact_files(store, "runs") if left and not doubted else None
        newer = {*tables.newer} if tables is not None else set()
        for run_id, outcome, verdict, *limits in (
            read_rows(files, ("run_id", *_Ended._fields)) if files else ()
        ):
            if run_id not in left or run_id in newer or outcome not in outcomes:
                continue
            if trusted or store.read_record(run_id, lambda _: True):
                look(run_id, left.pop(run_id), _Ended(Outcome(outcome), Verdict(verdict), *limits))
    store.prefetch(left)
    for run_id, place in left.items():
        if (ended := store.read_record(run_id, _ended)) is not None:
            look(run_id, place, ended)
    return known


def _reusable(ended: _Ended, plan: Plan, place: int) -> bool:
    """Whether a run would end the same now: not after a kill, nor if its limits have risen."""
    limits = plan.limits
    if ended.outcome in RETRIED:
        # TLC is not started for a config that it cannot read.
        return plan.runs[place].refused is not None
    if ended.outcome is Outcome.TIMEOUT:
        return limits.timeout_seconds <= ended.timeout_seconds
    if ended.outcome is Outcome.OUT_OF_MEMORY:
        return limits.memory_bytes <= ended.memory_bytes
    if ended.outcome is Outcome.OUT_OF_DISK:
        # Without a limit of its own a run gets a share of the free space, which changes.
        limit = limits.disk_bytes
        return limit is not None and ended.disk_bytes is not None and limit <= ended.disk_bytes
    return True


def _has_outputs(store: Store, run_id: str, plan: Plan) -> bool:
    """Whether the store still has the files that a run wrote, if the plan keeps any."""
    if not plan.outputs:
        return True
    outputs = store.read_record(run_id, lambda archive: archive.record.outputs)
    names = {path.partition("/")[0] for path, _ in outputs or ()}
    return outputs is not None and names <= store.storage.names(f"outputs/{run_id}")


def _ended(archive: Archive) -> _Ended:
    """How a run ended, by its record."""
    result, limits = interpret_record(archive.record, archive.stdout), archive.record.limits
    return _Ended(
        result.outcome, result.verdict, limits.timeout_seconds, limits.memory_bytes, limits.disk_bytes
    )
