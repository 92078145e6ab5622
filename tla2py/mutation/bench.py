"""The bench that executes runs of mutants into a store, and their state graphs as facts to compare."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import msgspec

from tla2py.execution.executor import Executor
from tla2py.execution.job import execute_jobs, manifest, prepare_job
from tla2py.execution.listener import NOTHING_KNOWN, Durations, Listener, parameter_key
from tla2py.model.row import RunRow
from tla2py.model.run import Limits, Run, RunResult
from tla2py.store.runs import run_rows, run_seconds
from tla2py.store.schema import parameter_columns
from tla2py.store.store import Manifest, ManifestParameter, ManifestPoint, Store, points_table
from tla2py.store.write import refresh_tables, table_files
from tla2py.sweep.plan import Plan
from tla2py.sweep.sweep import Sweep
from tla2py.tlc.output.result import interpret_record
from tla2py.tlc.tools.toolchain import Toolchain

# A step with its label, or a state; what follows a state's label tells whether it is initial.
_STEP = re.compile(rb'^(-?\d+ -> -?\d+)(?: \[label="((?:[^"\\]|\\.)*)")?', re.MULTILINE)
_STATE = re.compile(rb'^(-?\d+) \[label="(?:[^"\\]|\\.)*"(.*)$', re.MULTILINE)


def graph_facts(store: Store, run_id: str) -> frozenset[bytes]:
    """The states of a run's graph, those that are initial, and the steps with their actions."""
    found = set[bytes]()
    with store.archive(run_id) as archive:
        for part in archive.graph_parts():
            for block in archive.graph_blocks(part):
                found.update(step + b" " + label for step, label in _STEP.findall(block))
                found.update(
                    state + (b" initial" if b"style = filled" in rest else b"")
                    for state, rest in _STATE.findall(block)
                )
    return frozenset(found)


ORIGINAL = "original"


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """A run of a mutant, or of the original, at the point in a place of the plan; ``mutant`` is an id."""

    mutant: str
    place: int
    run: Run
    texts: Mapping[str, str]


@dataclass(slots=True, kw_only=True)
class Bench:
    """Executes runs into a store, which must be locked.

    ``points`` are the store's: a run of a mutant, or of the original, at a point of the sweep. ``further`` are the ids of the
    other runs.
    """

    sweep: Sweep
    plan: Plan
    store: Store
    toolchain: Toolchain
    start: Callable[[], Executor]
    listener: Listener
    fresh: bool = False
    executed: int = 0
    points: list[ManifestPoint] = field(default_factory=list)
    further: set[str] = field(default_factory=set)
    _sources: dict[str, str] = field(default_factory=dict)

    def execute(
        self, tasks: Sequence[Task], limits: Limits, name: str, *, took: tuple[float, float] | None = None
    ) -> dict[str, RunRow]:
        """The rows of ``runs``, by run id, after executing tasks that become points; ``took`` is as of ``took``."""
        number = max([len(self.plan.points), *(each.point for each in self.points)])
        for each in tasks:
            original = each.mutant == ORIGINAL
            number += not original
            parameters = {self._parameter: each.mutant, **self.plan.points[each.place].parameters}
            self.points.append(
                ManifestPoint(
                    point=each.place + 1 if original else number,
                    run_id=each.run.run_id,
                    parameters=parameters,
                )
            )
            self._sources |= each.texts
        form = self._manifest()
        table = points_table(form.parameters, self.points)
        self.store.write_manifest(form, table, {**self.plan.sources, **self._sources})
        if not self._execute(tasks, limits, name, took):
            refresh_tables(self.store)
        return {row.run_id: row for row in run_rows(table_files(self.store, "runs"))}

    def execute_further(self, tasks: Sequence[Task], limits: Limits, name: str) -> dict[str, RunResult]:
        """The results, by run id, of tasks that do not become points."""
        self.further |= {each.run.run_id for each in tasks}
        for each in tasks:
            self._sources |= each.texts
        self._execute(tasks, limits, name, None)
        found = {}
        for each in tasks:
            run_id = each.run.run_id
            result = self.store.read_record(
                run_id, lambda archive: interpret_record(archive.record, archive.stdout)
            )
            if result is not None:
                found[run_id] = result
        return found

    def took(self, run_id: str) -> tuple[float, float] | None:
        """The CPU and wall-clock seconds of a run that is a point."""
        return run_seconds(table_files(self.store, "runs")).get(run_id)

    def _execute(
        self, tasks: Sequence[Task], limits: Limits, name: str, took: tuple[float, float] | None
    ) -> bool:
        """Execute the runs that the store lacks, and tell whether there were any."""
        points = [self.plan.points[each.place] for each in tasks]
        plan = self.plan.further(points, [each.run for each in tasks], self._sources, limits)
        earlier = NOTHING_KNOWN
        if took is not None:
            keys = {parameter_key(point.parameters) for point in points}
            earlier = Durations(dict.fromkeys(keys, took[1]))
        job = prepare_job(self.sweep, plan, self.store, fresh=self.fresh, earlier=earlier)
        if job.missing:
            self.executed += sum(execute_jobs([job], self.toolchain, self.start, self.listener, name))
        return bool(job.missing)

    @property
    def _parameter(self) -> str:
        name = "mutant"
        while name in self.sweep.kinds:
            name += "_"
        return name

    def _manifest(self) -> Manifest:
        form = manifest(self.sweep, self.plan)
        columns = parameter_columns([self._parameter, *(each.name for each in form.parameters)])
        first = ManifestParameter(name=self._parameter, kind="mutant", column=columns[0], type="text")
        rest = [
            msgspec.structs.replace(each, column=column)
            for each, column in zip(form.parameters, columns[1:], strict=True)
        ]
        return msgspec.structs.replace(form, parameters=[first, *rest])
