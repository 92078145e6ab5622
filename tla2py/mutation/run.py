"""The bench that executes runs of mutants into a store, the rounds in which they run, and what each run answers."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

import msgspec

from tla2py.errors import InputError
from tla2py.execution.executor import Executor
from tla2py.execution.job import execute_jobs, manifest, prepare_job, write_input_files
from tla2py.execution.listener import Listener
from tla2py.execution.schedule import NOTHING_KNOWN, Durations, parameter_key
from tla2py.model.mutant import Killer, LeftOut, MutantReport, MutantRow, Status
from tla2py.model.outcome import Outcome, Verdict, Violation
from tla2py.model.row import RunRow
from tla2py.model.run import Limits, Run, RunResult
from tla2py.mutation.generate import Mutant
from tla2py.mutation.plan import Trial
from tla2py.store.manifest import ManifestParameter
from tla2py.store.read import run_rows, run_seconds
from tla2py.store.refresh import refresh_tables, table_files
from tla2py.store.schema import parameter_columns
from tla2py.store.store import ManifestPoint, Store, points_table
from tla2py.text import parameter_text
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
class MutantRunner:
    """Executes runs into a store, which must be locked.

    ``points`` are the store's: a run of a mutant, or of the original, at a point of the sweep. ``further`` are the ids of the
    other runs.
    """

    trial: Trial
    store: Store
    toolchain: Toolchain
    start: Callable[[], Executor]
    listener: Listener
    fresh: bool
    points: list[ManifestPoint] = field(default_factory=list)
    further: set[str] = field(default_factory=set)
    _sources: dict[str, str] = field(default_factory=dict)

    def execute(
        self, tasks: Sequence[Task], limits: Limits, name: str, *, took: float | None = None
    ) -> dict[str, RunRow]:
        """The rows of ``runs``, by run id, after executing tasks that become points, of expected ``took`` seconds each."""
        sweep, plan = self.trial.sweep, self.trial.plan
        number = max([len(plan.points), *(each.point for each in self.points)])
        for each in tasks:
            original = each.mutant == ORIGINAL
            number += not original
            point = each.place + 1 if original else number
            parameters = {self._parameter: each.mutant, **plan.points[each.place].parameters}
            self.points.append(ManifestPoint(point=point, run_id=each.run.run_id, parameters=parameters))
            self._sources |= each.texts
        form = manifest(sweep, plan)
        columns = parameter_columns([self._parameter, *(each.name for each in form.parameters)])
        first = ManifestParameter(name=self._parameter, kind="mutant", column=columns[0], type="text")
        rest = [
            msgspec.structs.replace(each, column=column)
            for each, column in zip(form.parameters, columns[1:], strict=True)
        ]
        form = msgspec.structs.replace(form, parameters=[first, *rest])
        table = points_table(form.parameters, self.points)
        self.store.write_manifest(form, table, {**plan.sources, **self._sources})
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
            result = self.store.read_record(run_id, lambda one: interpret_record(one.record, one.stdout))
            if result is not None:
                found[run_id] = result
        return found

    def _execute(self, tasks: Sequence[Task], limits: Limits, name: str, took: float | None) -> bool:
        """Execute the runs that the store lacks, and tell whether there were any."""
        points = [self.trial.plan.points[each.place] for each in tasks]
        plan = self.trial.plan.further(points, [each.run for each in tasks], self._sources, limits)
        earlier = NOTHING_KNOWN
        if took is not None:
            keys = {parameter_key(point.parameters) for point in points}
            earlier = Durations(dict.fromkeys(keys, took))
        job = prepare_job(self.trial.sweep, plan, self.store, fresh=self.fresh, earlier=earlier)
        if job.missing:
            execute_jobs([job], self.toolchain, self.start, self.listener, name)
        return bool(job.missing)

    @property
    def _parameter(self) -> str:
        name = "mutant"
        while name in self.trial.sweep.kinds:
            name += "_"
        return name


_STILLBORN = (Outcome.ERROR_SPEC_PARSE, Outcome.ERROR_CONFIG_PARSE)


def status_of(result: RunRow, budget: int) -> Status | None:
    """The status that a run with a budget of states gives its mutant; None if it holds there."""
    cut_off = (result.distinct or 0) >= budget
    if result.outcome in _STILLBORN:
        return "stillborn"
    if result.outcome is Outcome.NOT_STARTED:
        return "unknown"
    match result.verdict:
        case Verdict.HOLDS:
            # TLC found no initial state.
            return "unknown" if cut_off else "stillborn" if result.distinct == 0 else None
        case Verdict.INCONCLUSIVE:
            return "unknown"
        case Verdict.VIOLATED if cut_off and {each.kind for each in result.violated} == {"temporal_property"}:
            # A behaviour may leave the part of the graph that TLC saw.
            return "unknown"
    return "killed"


def killers_of(result: RunRow) -> tuple[Killer, ...]:
    """What notices the mutant: the checks that are violated, an assumption, or an error of evaluation."""
    if result.verdict is Verdict.BROKEN:
        return (Killer("evaluation", ""),)
    return killers(result.violated) or (Killer("assumption", ""),)


def killers(violated: Iterable[Violation]) -> tuple[Killer, ...]:
    """Violations as killers."""
    return tuple(Killer(each.kind, each.name) for each in violated)


def simplify_run(run: Run, **changed: Any) -> Run:
    """Return the run up to the first violation and without further files, except for what is ``changed`` of its options."""
    options: dict[str, Any] = {"find": "first", "coverage": False, "graph": False, "behaviours": False}
    return replace(run, options=replace(run.options, **(options | changed)))


# The states of a graph that is still compared.
_MOST_STATES = 50_000
# Of the mutants that an invariant alone notices, so many are tried at once on it without a conjunct.
_TRIED = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """What a mutant that survives costs at a point: what the original cost there."""

    point: int
    parameters: str
    distinct: int
    wall_seconds: float
    mutants: int


CostsShown: TypeAlias = Callable[[Trial, Sequence[Cost], Sequence[LeftOut]], None]


@dataclass(slots=True)
class _Answer:
    """What is known of a mutant.

    ``asked`` are the labels of what was checked where it ran. ``alike`` tells whether it has as many states as the original wherever it holds, ``cut_off`` whether it ever had too many.
    """

    status: Status | None = None
    killed_by: tuple[Killer, ...] = ()
    place: int | None = None
    trace_length: int | None = None
    run_id: str | None = None
    asked: set[str] = field(default_factory=set)
    alike: bool = True
    cut_off: bool = False


@dataclass(slots=True, kw_only=True)
class Rounds:
    """The rounds of the mutants of a trial."""

    trial: Trial
    bench: MutantRunner
    costs: CostsShown
    _order: list[int] = field(default_factory=list)
    _answers: dict[str, _Answer] = field(default_factory=dict)
    _originals: dict[int, RunRow] = field(default_factory=dict)

    def report(self) -> MutantReport:
        """The statuses of all mutants. Raises InputError (``no-holding-point``)."""
        trial = self.trial
        write_input_files(trial.sweep, self.bench.store)
        left_out = self._run_originals()
        self._order = sorted(self._originals, key=lambda place: (self._originals[place].distinct or 0, place))
        if not self._order:
            raise InputError(
                "no-holding-point",
                f"there is no point where a mutant could be noticed: {left_out[0].reason}",
                hint="mutants run where the original holds: leave out checks that it violates, or add points",
            )
        mutants = [each for each in trial.mutants if each.mutant not in trial.duplicates]
        self._answers = {each.mutant: _Answer() for each in mutants}
        for each in mutants:
            if not trial.reach[each.mutant] & self._originals.keys():
                self._answers[each.mutant].status = "unknown"
        self.costs(trial, [self._cost(place, mutants) for place in self._order], left_out)
        behaviour = [each for each in mutants if each.concerns != "checks"]
        for place in self._order:
            self._round(behaviour, place)
        for answer in self._answers.values():
            if answer.cut_off and answer.status is None:
                answer.status = "unknown"
        self._ask_others(behaviour)
        self._compare_graphs(behaviour)
        self._weaken_checks(behaviour, [each for each in mutants if each.concerns == "checks"])
        # What the points check, the smallest first.
        asked = Counter(name for answer in self._answers.values() for name in answer.asked)
        checks = {name: asked[name] for place in self._order for name in self._originals[place].checked}
        return MutantReport(
            sweep=trial.sweep.name,
            mutants=tuple(self._row(each) for each in trial.mutants),
            points=tuple(place + 1 for place in self._order),
            left_out=tuple(left_out),
            checks=checks,
            total=trial.total,
        )

    def _run_originals(self) -> list[LeftOut]:
        """Run the original at every point; returns those that mutants do not run at."""
        trial, plan = self.trial, self.trial.plan
        tasks = [Task(mutant=ORIGINAL, place=p, run=plan.runs[p], texts={}) for p in trial.places]
        rows = self.bench.execute(tasks, plan.limits, f"{trial.sweep.name}: the original")
        left_out = []
        for each in tasks:
            row = rows.get(each.run.run_id)
            if row is not None and row.verdict is Verdict.HOLDS and row.distinct:
                self._originals[each.place] = row
            else:
                names = ", ".join(row.violated_names) if row is not None else ""
                why = row.verdict.value if row is not None else "not run"
                reason = f"the original is {why}{f': {names}' if names else ''}"
                parameters = parameter_text(plan.points[each.place].parameters)
                left_out.append(LeftOut(point=each.place + 1, parameters=parameters, reason=reason))
        return left_out

    def _cost(self, place: int, mutants: Sequence[Mutant]) -> Cost:
        row = self._originals[place]
        return Cost(
            point=place + 1,
            parameters=parameter_text(self.trial.plan.points[place].parameters),
            distinct=row.distinct or 0,
            wall_seconds=row.wall_seconds or 0.0,
            mutants=sum(place in self.trial.reach[each.mutant] for each in mutants),
        )

    def _limits(self, place: int) -> Limits:
        return self.trial.limits(self._originals[place])

    def _states(self, place: int) -> int:
        return self.trial.states(self._originals[place])

    def _task(self, mutant: Mutant, place: int, *more: Mutant, **options: Any) -> Task:
        budget = None if options.get("graph") else self._states(place)
        run, texts = self.trial.run([mutant, *more], place, budget)
        return Task(mutant=mutant.mutant, place=place, run=simplify_run(run, **options), texts=texts)

    def _round(self, mutants: Sequence[Mutant], place: int) -> None:
        """Run the mutants that nothing has noticed so far at a point."""
        original = self._originals[place]
        tasks = [
            self._task(each, place)
            for each in mutants
            if self._answers[each.mutant].status is None and place in self.trial.reach[each.mutant]
        ]
        if not tasks:
            return
        name = f"mutants at point {place + 1} ({self._order.index(place) + 1} of {len(self._order)})"
        _, took = run_seconds(table_files(self.bench.store, "runs")).get(original.run_id, (None, None))
        rows = self.bench.execute(tasks, self._limits(place), name, took=took)
        for each in tasks:
            row, answer = rows.get(each.run.run_id), self._answers[each.mutant]
            status = status_of(row, self._states(place)) if row is not None else "unknown"
            if status == "unknown" and row is not None and row.verdict is Verdict.HOLDS:
                # A larger point allows more states, and may show what is wrong.
                answer.cut_off, status = True, None
            if status is None and row is not None:
                answer.alike = answer.alike and row.distinct == original.distinct
            answer.status = status
            if status != "stillborn":
                answer.asked.update(original.checked)
            if status == "killed" and row is not None:
                answer.killed_by, answer.place = killers_of(row), place
                answer.trace_length, answer.run_id = row.trace_length, row.run_id

    def _ask_others(self, mutants: Sequence[Mutant]) -> None:
        """Ask which other checks notice the killed mutants where they die."""
        tasks: dict[int, list[Task]] = {}
        for each in mutants:
            answer = self._answers[each.mutant]
            if answer.place is None or answer.killed_by[0].kind in ("evaluation", "assumption"):
                continue
            if len(self._originals[answer.place].checked) > 1:
                tasks.setdefault(answer.place, []).append(self._task(each, answer.place, find="each"))
        for place, some in tasks.items():
            name = f"which checks notice mutants at point {place + 1}"
            results = self.bench.execute_further(some, self._limits(place), name)
            for task in some:
                answer, result = self._answers[task.mutant], results.get(task.run.run_id)
                if result is not None:
                    answer.killed_by = tuple(dict.fromkeys((*answer.killed_by, *killers(result.violations))))

    def _compare_graphs(self, mutants: Sequence[Mutant]) -> None:
        """Find the survivors that have the original's initial states and steps at every point."""
        same = [
            each
            for each in mutants
            if each.concerns == "behaviour"
            and self._answers[each.mutant].status is None
            and self._answers[each.mutant].alike
            and all(map(self._is_comparable, self.trial.reach[each.mutant] & self._originals.keys()))
        ]
        store = self.bench.store
        for place in self._order:
            here = [each for each in same if place in self.trial.reach[each.mutant]]
            if not here:
                continue
            tasks = [self._task(each, place, graph=True) for each in here]
            run, texts = self.trial.run([], place)
            original = Task(mutant=ORIGINAL, place=place, run=simplify_run(run, graph=True), texts=texts)
            name = f"state graphs at point {place + 1}"
            self.bench.execute_further([original, *tasks], self._limits(place), name)
            facts = graph_facts(store, original.run.run_id)
            differ = {each.mutant for each in tasks if graph_facts(store, each.run.run_id) != facts}
            same = [each for each in same if each.mutant not in differ]
        for each in same:
            self._answers[each.mutant].status = "equivalent"

    def _is_comparable(self, place: int) -> bool:
        """Whether graphs are small enough at a point, and show every variable of every state."""
        config = self.trial.plan.runs[place].config
        small = (self._originals[place].distinct or 0) <= _MOST_STATES
        return small and not (config.symmetry or config.view)

    def _weaken_checks(self, mutants: Sequence[Mutant], weakened: Sequence[Mutant]) -> None:
        """Find the conjuncts of invariants without which a mutant goes unnoticed."""
        waiting = {each.mutant: self._noticed_by(each, mutants) for each in weakened}
        while any(waiting.values()):
            tried: dict[int, list[tuple[Mutant, Task]]] = {}
            for check in weakened:
                some = waiting[check.mutant]
                for each in some[:_TRIED]:
                    place = self._answers[each.mutant].place
                    if place is not None:
                        tried.setdefault(place, []).append((check, self._task(each, place, check)))
                del some[:_TRIED]
            for place, pairs in tried.items():
                name = f"mutants without a conjunct of an invariant at point {place + 1}"
                results = self.bench.execute_further([task for _, task in pairs], self._limits(place), name)
                for check, task in pairs:
                    answer, result = self._answers[check.mutant], results.get(task.run.run_id)
                    if answer.status is not None or result is None or result.verdict is not Verdict.HOLDS:
                        continue
                    # It was not cut off.
                    if (result.stats.distinct or 0) < self._states(place):
                        answer.status, answer.place = "killed", place
                        answer.killed_by = (Killer("mutant", task.mutant),)
                        waiting[check.mutant].clear()

    def _noticed_by(self, check: Mutant, mutants: Sequence[Mutant]) -> list[Mutant]:
        """The mutants that only the invariants of a weakened check notice, those at smaller points first."""
        own = {Killer("invariant", name) for name in check.checks}
        noticed: dict[int | None, list[Mutant]] = {}
        for each in mutants:
            if own.issuperset(self._answers[each.mutant].killed_by):
                noticed.setdefault(self._answers[each.mutant].place, []).append(each)
        places = [place for place in self._order if place in self.trial.reach[check.mutant]]
        return [each for place in places for each in noticed.get(place, ())]

    def _row(self, mutant: Mutant) -> MutantRow:
        answer = self._answers.get(mutant.mutant, _Answer(status="duplicate"))
        return MutantRow(
            mutant=mutant.mutant,
            operator=mutant.operator,
            definition=mutant.definition,
            module=mutant.module,
            line=mutant.line,
            column=mutant.column,
            before=mutant.edit.before,
            after=mutant.edit.after,
            status=answer.status or "survived",
            killed_by=answer.killed_by,
            point=None if answer.place is None else answer.place + 1,
            trace_length=answer.trace_length,
            run_id=answer.run_id,
        )
