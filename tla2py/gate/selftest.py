"""The self-test of a gate: for each property a mutant that it notices, which shows that the gate can be red."""

from __future__ import annotations

import contextlib
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from tla2py.errors import ExitCode, InputError
from tla2py.execution.executor import ExecutorFactory
from tla2py.execution.job import write_input_files
from tla2py.execution.listener import Listener
from tla2py.execution.result import SweepResult
from tla2py.gate.lock import Lock
from tla2py.gate.reasons import Problem, Reason
from tla2py.model.finding import Acceptance, accepted_reason
from tla2py.model.mutant import MutantReport
from tla2py.model.row import RunRow
from tla2py.mutation.generate import Mutant
from tla2py.mutation.plan import Trial, file_choice, prepare_trial
from tla2py.mutation.run import MutantRunner, Task, simplify_run, status_of
from tla2py.store.address import below
from tla2py.store.store import Store
from tla2py.sweep.checks import DEADLOCK
from tla2py.sweep.sweep import Sweep
from tla2py.text import counted, cut
from tla2py.tlc.config.render import render_config
from tla2py.tlc.process.pool import hosts_kept
from tla2py.tlc.tools.toolchain import Toolchain

FOLDER = "self-test"
"""The store of the runs of the self-test, below that of the sweep's."""
_LONGEST = 200
# In a model of fewer states a change may do no harm.
_ENOUGH_STATES = 1000
_CHECKS = ("invariants", "properties", "postconditions", "possible")
# A mutant with the result of the original where it is to run.
_Pair: TypeAlias = tuple[Mutant, RunRow]


@dataclass(frozen=True, slots=True, kw_only=True)
class SelfTestResult:
    """What a self-test says of a property.

    ``mutant`` is one that it notices at ``point``. Without one, ``point`` is one that violates the property without any
    change, if any does, and ``tried`` counts the runs of mutants that do not violate it. ``where`` is the place of its definition.
    """

    name: str
    where: str
    mutant: Mutant | None = None
    point: int | None = None
    tried: int = 0

    @property
    def lock_text(self) -> str:
        """Return the mutant as the lock keeps it, its id first; "" without one."""
        found = self.mutant
        text = f"{found.mutant} {found.definition}, {found.operator}: {found.words}" if found else ""
        return cut(text, _LONGEST)

    def as_json(self) -> dict[str, object]:
        """The object that ``--json`` prints."""
        found = self.mutant
        return {
            "property": self.name,
            "status": "noticed" if found else "unnoticed" if self.point is None else "violated",
            "point": self.point,
            "mutant": found.mutant if found else None,
            "module": found.module if found else None,
            "line": found.line if found else None,
            "before": found.edit.before if found else None,
            "after": found.edit.after if found else None,
        }


def run_self_test(
    result: SweepResult,
    toolchain: Toolchain,
    executors: ExecutorFactory,
    lock: Lock | None,
    report: MutantReport | None,
    *,
    fresh: bool,
    listener: Listener,
) -> tuple[SelfTestResult, ...]:
    """What each checked property of a sweep notices: the mutant that the lock has, else the first one found.

    Those that ``report`` says it notices come first. Raises InputError as ``prepare_trial`` does.
    """
    sweep, plan, choice = result.sweep, result.plan, file_choice(result.sweep)
    rows = [row for row in result.runs if plan.runs[row.point - 1].inputs.log is None]
    rows.sort(key=lambda row: (row.distinct or 0, row.point))
    names = dict.fromkeys(name for row in rows for name in row.checked)
    kept: dict[str, str] = (lock.self_test if lock is not None else None) or {}
    found: dict[str, _Pair] = {}
    pairs: dict[str, list[_Pair]] = {}
    try:
        # The lock may have a mutant that the file does not choose any more.
        trial = prepare_trial(sweep, plan, replace(choice, operators=(), sample=None))
    except InputError as error:
        if error.code != "no-mutants":
            raise
        trial = None
    if trial is not None and names:
        some = [each for each in trial.mutants if each.concerns != "checks"]
        some = [each for each in some if not choice.operators or each.operator in choice.operators]
        most = min(choice.sample or len(some), len(some))
        some = random.Random(choice.seed).sample(some, most)  # noqa: S311 - a reproducible choice
        ids = {name: text.partition(" ")[0] for name, text in kept.items()}
        store = Store.create(below(result.store.path, FOLDER))
        with executors([sweep]) as start, store.lock(), hosts_kept():
            bench = MutantRunner(
                trial=trial, store=store, toolchain=toolchain, start=start, listener=listener, fresh=fresh
            )
            write_input_files(sweep, store)
            for name in names:
                again = [each for each in trial.mutants if each.mutant == ids.get(name)]
                pairs[name] = _pairs(trial, name, rows, again, report)
            found = _first_noticed(trial, bench, pairs)
            pairs = {name: _pairs(trial, name, rows, some, report) for name in names if name not in found}
            found |= _first_noticed(trial, bench, pairs)
    tested = []
    for name in names:
        mutant, row = found.get(name, (None, next((row for row in rows if name in row.violated_names), None)))
        where = _where(sweep, name, next(row.point for row in rows if name in row.checked))
        point, tried = row.point if row is not None else None, len(pairs.get(name, ()))
        tested.append(SelfTestResult(name=name, where=where, mutant=mutant, point=point, tried=tried))
    return tuple(tested)


def _pairs(
    trial: Trial, name: str, rows: Sequence[RunRow], mutants: Sequence[Mutant], report: MutantReport | None
) -> list[_Pair]:
    """The mutants with where they run: the smallest point that shows the property to hold, and one of enough states."""
    known = {
        (each.mutant, each.point)
        for each in (report.mutants if report is not None else ())
        if any(killer.label == name for killer in each.killed_by)
    }
    held = [row for row in rows if name in row.held and row.point - 1 in trial.places]
    enough = [row for row in held if (row.distinct or 0) >= _ENOUGH_STATES] or held[-1:]
    points = {row.point for row in (*held[:1], *enough[:1])} | {point for _, point in known}
    pairs = [
        (each, row)
        for row in held
        if row.point in points
        for each in mutants
        if row.point - 1 in trial.reach[each.mutant]
    ]
    return sorted(pairs, key=lambda pair: (pair[0].mutant, pair[1].point) not in known)


def _first_noticed(
    trial: Trial, bench: MutantRunner, pairs: Mapping[str, Sequence[_Pair]]
) -> dict[str, _Pair]:
    """The first of each property's pairs that it notices, checked alone; one is tried, then twice as many each time."""
    found: dict[str, _Pair] = {}
    tried = 1
    while any(pairs.values()):
        now = [(name, *pair) for name, some in pairs.items() for pair in some[:tried]]
        tasks = [_task(trial, *each) for each in now]
        limits = max((trial.limits(row) for *_, row in now), key=lambda each: each.timeout_seconds)
        rows = bench.execute(tasks, limits, "self-test")
        for (name, mutant, original), task in zip(now, tasks, strict=True):
            row = rows.get(task.run.run_id)
            killed = row is not None and status_of(row, trial.states(original)) == "killed"
            if row is not None and killed and name in row.violated_names:
                found.setdefault(name, (mutant, original))
        pairs = {name: some[tried:] for name, some in pairs.items() if name not in found}
        tried *= 2
    return found


def _task(trial: Trial, name: str, mutant: Mutant, original: RunRow) -> Task:
    """The run of a mutant that checks one property and nothing else."""
    place = original.point - 1
    run, texts = trial.run([mutant], place, trial.states(original))
    run, deadlock = simplify_run(run), name == DEADLOCK.label
    lists: dict[str, Any] = {
        key: tuple(each for each in getattr(run.config, key) if each == name) for key in _CHECKS
    }
    config = replace(run.config, **lists, check_deadlock=deadlock)
    text, options = render_config(config, run.template), replace(run.options, check_deadlock=deadlock)
    run = replace(run, config=config, config_text=text, options=options)
    return Task(mutant=f"{mutant.mutant} {name}", place=place, run=run, texts=texts)


def _where(sweep: Sweep, name: str, point: int) -> str:
    """The place of a property's definition, else the sweep file."""
    spec = sweep.spec(sweep.points[point - 1].parameters)
    definition = spec.definitions.get(name)
    with contextlib.suppress(KeyError):
        if definition is not None and (module := spec.file_of(definition)).path is not None:
            return module.where(definition.span)
    return str(sweep.file.path)


def self_test_problems(tested: Sequence[SelfTestResult] | None, acceptance: Acceptance) -> Iterator[Problem]:
    """The properties that nothing shows to notice anything, unless they are accepted."""
    reason = Reason.SELF_TEST
    if tested == () and accepted_reason(acceptance, reason.value, None) is None:
        text = "no property was tested: logs have changed logs instead, see mutate in [logs]"
        yield Problem(reason=reason, text=text, exit_code=ExitCode.UNEXPECTED)
    for each in tested or ():
        if each.point is None and accepted_reason(acceptance, reason.value, each.name) is None:
            tried = f"none of {counted(each.tried, 'run')} of mutants violates it"
            why = tried if each.tried else "no mutant can run where it holds"
            text = f"nothing shows that {each.name} can fail: {why}"
            code = ExitCode.UNEXPECTED
            yield Problem(reason=reason, text=text, exit_code=code, subject=each.name, where=each.where)


def self_test_notices(
    tested: Sequence[SelfTestResult] | None, acceptance: Acceptance, lock: Lock | None
) -> Iterator[str]:
    """What the notes of a gate say of its self-test."""
    if not tested:
        return
    yield f"self-test: {sum(each.point is not None for each in tested)} of {len(tested)} properties can fail"
    kept = (lock.self_test if lock is not None else None) or {}
    if gone := [each.name for each in tested if kept.get(each.name, each.lock_text) != each.lock_text]:
        yield f"self-test: the lock's mutants are gone or no longer noticed: {', '.join(gone)}"
    if new := [
        each.name for each in tested if each.mutant is not None and kept.get(each.name) != each.lock_text
    ]:
        how = "--record" if lock is None else "--update"
        yield f"self-test: the lock does not keep the mutants of {', '.join(new)}; {how} keeps them"
    for each in tested:
        reason = accepted_reason(acceptance, Reason.SELF_TEST.value, each.name)
        if reason is not None:
            accepted = f"accepted: self-test {each.name} ({reason})"
            yield accepted if each.point is None else f"self-test {each.name} is accepted, but it can fail"
