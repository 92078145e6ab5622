"""Where a specification is blind to changes of logs, for the lock."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import replace

from tla2py.errors import ExitCode, StoreError
from tla2py.execution.log_mutants import (
    LogMutantRow,
    LogMutants,
    MutateOptions,
    general_field,
    log_mutants_address,
    mutant_rows,
    mutated_sweep,
    shares,
)
from tla2py.gate.decision import (
    DOUBTS,
    Decision,
    NeverFired,
    NotCounted,
    OtherInputs,
    PointDecision,
    Problem,
    ProposedRow,
    Reason,
    RunMismatch,
    StoreFacts,
    gate_command,
    plan_stored,
    remark_text,
)
from tla2py.gate.drift import OF_MODULES, Drift, DriftKind, Meanings, drift, locked_point
from tla2py.gate.lock import LOCK_VERSION, Lock, LockedPoint, parameters_key
from tla2py.lint.finding import Finding
from tla2py.lint.subject import NO_FINDINGS, Findings
from tla2py.model.logs import MutationSection
from tla2py.model.model import filled_text
from tla2py.model.mutant import MutantReport
from tla2py.model.outcome import Verdict
from tla2py.model.run import Run
from tla2py.mutation.mutant import one_line
from tla2py.mutation.mutate import mutants_address
from tla2py.mutation.trial import score
from tla2py.store.runs import RunRow, StoredLine, run_rows
from tla2py.store.store import Store
from tla2py.store.write import table_files
from tla2py.sweep.checks import ConfigFacts, ConfigProblemKind, config_facts, config_problems, only_deadlock
from tla2py.sweep.grid import Point
from tla2py.sweep.judge import (
    FIGURES,
    ONLY_DEADLOCK,
    TRUSTED,
    answers,
    doubts,
    expectation_place,
    judge_point,
    left_out,
    unnamed_violation,
)
from tla2py.sweep.plan import Plan
from tla2py.sweep.sections import Expectation, ExpectPoint
from tla2py.sweep.sweep import Sweep, overridden_text
from tla2py.text import counted, cut, parameter_text
from tla2py.tla.module import Remark


def mutate_options(sweep: Sweep) -> MutateOptions | None:
    """How a gate changes the logs of a sweep; None if it does not."""
    return MutateOptions.of(sweep) if sweep.file.logs.mutate else None


def stored_mutants(
    sweep: Sweep, store: Store, runs: Sequence[RunRow], options: MutateOptions
) -> tuple[LogMutants, OtherInputs | None]:
    """The changed logs that a store has, and how their inputs differ from those of the sweep file."""
    mutated, left_out, constant = mutated_sweep(sweep, runs, options)
    if mutated is None:
        return LogMutants(left_out=left_out, constant=constant), None
    try:
        own = Store.open(log_mutants_address(store.path))
    except StoreError:
        missing = OtherInputs(
            store=str(store.path),
            sweep_file=str(sweep.path),
            changes=["no logs were changed"],
            command=gate_command(sweep, store),
        )
        return LogMutants(), missing
    _, other_inputs = plan_stored(mutated, own, [*run_rows(table_files(own, "runs"))])
    return LogMutants(rows=mutant_rows(own), left_out=left_out, constant=constant), other_inputs


def blind_notices(lock: Lock | None, mutants: LogMutants | None) -> Iterator[str]:
    """What the notes of a gate tell of changed logs."""
    if mutants is None:
        return
    yield mutants.text
    if lock is not None and lock.mutants is None:
        yield "the lock does not cover changed logs; --update adds what is accepted of them"


def blindness(rows: Sequence[LogMutantRow]) -> dict[str, str]:
    """How many changed logs were accepted, by what was changed: a line of an action, or a field.

    Without what has a changed log that TLC gave no answer on: the next time it may have one.
    """
    open_ = {_kind(row) for row in rows if row.status not in ("accepted", "rejected")}
    return {kind: str(share) for kind, share in shares(rows, _kind).items() if kind not in open_}


def blind_drift(lock: Lock | None, mutants: LogMutants | None) -> Iterator[Drift]:
    """What is accepted more or less often than when the lock was written."""
    if lock is None or lock.mutants is None:
        return
    if mutants is None:
        yield Drift(kind=DriftKind.BLIND)
        return
    before, now = lock.mutants, blindness(mutants.rows)
    for kind in sorted(before.keys() | now.keys()):
        if before.get(kind) != now.get(kind):
            yield Drift(kind=DriftKind.BLIND, name=kind, before=before.get(kind), now=now.get(kind))


def _kind(row: LogMutantRow) -> str:
    return f"{row.change} {general_field(row) or row.action or 'line'}"


_LONGEST = 160


def stored_report(sweep: Sweep, plan: Plan, store: Store) -> tuple[MutantReport | None, OtherInputs | None]:
    """The mutants that ran for a store, and what is missing if their original is another one."""
    if sweep.file.mutation is None:
        return None, None
    try:
        own = Store.open(mutants_address(store.path))
        report = own.mutants()
        ran = own.points().run_ids() if report is not None else set()
    except StoreError:
        report, ran = None, set()
    if report is not None and all(plan.runs.ids[point - 1] in ran for point in report.points):
        return report, None
    missing = OtherInputs(
        store=str(store.path),
        sweep_file=str(sweep.path),
        changes=["mutants of the specification have not run"],
        command=gate_command(sweep, store),
    )
    return None, missing


def survivors(report: MutantReport, section: MutationSection | None) -> dict[str, str]:
    """The changes that no check notices, by the id of their mutant, without accepted ones."""
    accepted = section.accept if section is not None else {}
    return {
        each.mutant: cut(
            f"{each.definition}, {each.operator}: {one_line(each.before)} -> {one_line(each.after) or '(nothing)'}",
            _LONGEST,
        )
        for each in report.with_status("survived")
        if each.mutant not in accepted
    }


def survivor_drift(lock: Lock | None, report: MutantReport | None, sweep: Sweep) -> Iterator[Drift]:
    """The changes that are survivors now, and those that are no more: a check notices them, or the text is another."""
    if lock is None or lock.survivors is None:
        return
    if report is None:
        yield Drift(kind=DriftKind.NO_MUTANTS)
        return
    section = sweep.file.mutation
    accepted = section.accept if section is not None else {}
    before = {name: text for name, text in lock.survivors.items() if name not in accepted}
    now = survivors(report, section)
    for name in sorted(before.keys() - now.keys()):
        yield Drift(kind=DriftKind.SURVIVOR, before=f"{before[name]} [{name}]")
    for name in sorted(now.keys() - before.keys()):
        yield Drift(kind=DriftKind.SURVIVOR, now=f"{now[name]} [{name}]")


def survivor_notices(lock: Lock | None, report: MutantReport | None, sweep: Sweep) -> Iterator[str]:
    """What the notes of a gate say about mutants."""
    section = sweep.file.mutation
    if report is None or section is None:
        return
    share, alive = score(report), {each.mutant for each in report.with_status("survived")}
    yield f"{share.killed} of {counted(share.of, 'mutant')} killed, {len(alive)} survive"
    for name, reason in section.accept.items():
        yield (
            f"accepted survivor {name}: {reason}"
            if name in alive
            else f"{name} is accepted, but does not survive"
        )
    unknown = len(report.with_status("unknown"))
    if unknown:
        yield f"{counted(unknown, 'mutant')} took more than {section.budget} times the original's states or time"
    if lock is not None and lock.survivors is None:
        yield "the lock does not cover mutants; --update adds the survivors"


_UNANSWERED = {Verdict.BROKEN: Reason.BROKEN, Verdict.INCONCLUSIVE: Reason.INCONCLUSIVE}
_CONFIG_REASONS = {
    ConfigProblemKind.DROPPED: Reason.NOT_IN_CONFIG,
    ConfigProblemKind.NOTHING_CHECKED: Reason.NOTHING_CHECKED,
    ConfigProblemKind.MODEL_VALUE: Reason.MODEL_VALUE,
    ConfigProblemKind.SYMMETRY: Reason.SYMMETRY_LIVENESS,
}


def decide(
    sweep: Sweep,
    plan: Plan,
    found: StoreFacts,
    lock: Lock | None,
    findings: Findings = NO_FINDINGS,
    *,
    strict: bool = False,
    mutants: LogMutants | None = None,
    report: MutantReport | None = None,
) -> Decision:
    """The decision on a sweep, and on its changed logs and mutants if there are any; ``strict`` makes findings problems.

    Raises InputError as ``config_facts`` does.
    """
    locked = {point.key: point for point in lock.point} if lock is not None else None
    ignored = {each.finding.name for each in findings.accepted if each.finding.ignored}
    meanings = Meanings(plan.sources)
    points = tuple(
        _decide_point(sweep, point, run, found, meanings, locked, ignored)
        for point, run in zip(plan.points, plan.runs, strict=True)
    )
    failed = None
    if found.other_inputs is not None:
        failed = Problem(reason=Reason.OTHER_INPUTS, cause=found.other_inputs)
    elif all(each.row is None for each in points):
        failed = Problem(reason=Reason.NOTHING_RAN)
    if failed is not None:
        # No point keeps a result where the sweep as a whole has none.
        dropped = (replace(each, row=None, checks=(), problems=(), locked=None) for each in points)
        return Decision(name=sweep.name, points=tuple(dropped), problems=(failed,), findings=findings.open)
    changed, points = _changed_modules(points)
    excluded = sum(left_out(each.expected, each.row) for each in points)
    # A red point says it already.
    reported = {(each.reason.value, each.subject) for point in points for each in point.problems}
    doubts = tuple(each for each in findings.open if (each.code, each.subject) not in reported)
    modules = [module for spec in sweep.specs.values() for module in spec.modules]
    remarks = list(dict.fromkeys(module.remark for module in modules if module.remark is not None))
    decision = Decision(
        name=sweep.name,
        points=points,
        problems=(
            *(_finding_problem(each) for each in doubts if strict),
            *changed,
            *(
                Problem(reason=Reason.DRIFT, cause=each, exit_code=ExitCode.UNEXPECTED)
                for each in (*blind_drift(lock, mutants), *survivor_drift(lock, report, sweep))
            ),
            *_sweep_problems(sweep, points, lock, remarks, excluded),
        ),
        findings=() if strict else doubts,
        notices=(
            *([f"accepted: {findings.accepted_text}"] if findings.accepted else []),
            *([filled_text(plan.filled)] if plan.filled else []),
            *(remark_text(each) for each in remarks if not each.doubtful),
            *found.notes,
            *_notices(sweep, points, lock, excluded, found.tlc),
            *blind_notices(lock, mutants),
            *survivor_notices(lock, report, sweep),
        ),
    )
    if not any(problem.reason is Reason.DRIFT for problem in decision.all_problems):
        return decision
    when = "" if decision.acceptable else " once every other problem is fixed"
    return replace(
        decision, notices=(*decision.notices, f"if the drift is intended, --update accepts it{when}")
    )


def _changed_modules(
    points: tuple[PointDecision, ...],
) -> tuple[tuple[Problem, ...], tuple[PointDecision, ...]]:
    """The drift of what modules say, once for all points, and the points without it."""

    def concerns_modules(problem: Problem) -> bool:
        return isinstance(problem.cause, Drift) and problem.cause.kind in OF_MODULES

    changed = [each for point in points for each in point.problems if concerns_modules(each)]
    rest = (
        replace(point, problems=tuple(each for each in point.problems if not concerns_modules(each)))
        for point in points
    )
    return tuple(dict.fromkeys(replace(each, point=None) for each in changed)), tuple(rest)


def _finding_problem(finding: Finding) -> Problem:
    return Problem(
        reason=Reason.FINDING,
        cause=finding,
        exit_code=ExitCode.UNEXPECTED,
        subject=finding.name,
        where=str(finding.place),
    )


def _sweep_problems(
    sweep: Sweep, points: Sequence[PointDecision], lock: Lock | None, remarks: Sequence[Remark], excluded: int
) -> Iterator[Problem]:
    for remark in remarks:
        if remark.doubtful:
            yield Problem(reason=Reason.TRANSLATION, cause=remark, where=remark.where)
    yield from (Problem(reason=Reason.UNREAD, cause=unread) for unread in sweep.unread)
    if excluded == len(points):
        yield Problem(reason=Reason.ALL_EXCLUDED)
    present = {parameters_key(each.point.parameters) for each in points}
    for entry in lock.point if lock is not None else ():
        if entry.key not in present:
            gone = Drift(kind=DriftKind.POINT, before=parameter_text(entry.parameters))
            yield Problem(reason=Reason.DRIFT, cause=gone, exit_code=ExitCode.UNEXPECTED)


def _notices(
    sweep: Sweep, points: Sequence[PointDecision], lock: Lock | None, excluded: int, tlc: str | None
) -> Iterator[str]:
    if sweep.left_out:
        yield f"not gated: {', '.join(sweep.left_out)}"
    if text := overridden_text(sweep.expect, sweep.points, sweep.expected_rows):
        yield text
    if lock is None:
        vague = sum(
            each.row is not None
            and unnamed_violation(each.expected, each.row.verdict, [one.check for one in each.checks])
            for each in points
        )
        if vague:
            yield f"{vague} of {len(points)} points expect a violation without naming it; a lock pins it down"
        yield "no lock, so drift is not detected; --record writes one"
    elif all(each.fired is None for each in lock.point) and any(
        # Only counts that come out the same each time are locked.
        each.locked is not None and each.locked.distinct is not None
        for each in points
    ):
        yield "the lock does not cover which actions fire; --update --coverage adds them"
    if lock is not None and lock.version < LOCK_VERSION:
        yield "the lock is of an older version, so changed definitions are not detected; --update adds them"
    if lock is not None and lock.tlc is not None and tlc is not None and lock.tlc != tlc:
        yield f"the lock was accepted with TLC {lock.tlc}; this is TLC {tlc}"
    if only_deadlock([each.run for each in points]):
        yield ONLY_DEADLOCK
    if sweep.limits.trust:
        yield TRUSTED
    if excluded:
        yield f"{excluded} of {len(points)} points contradict an ASSUME and were not checked"


def _decide_point(
    sweep: Sweep,
    point: Point,
    run: Run,
    found: StoreFacts,
    meanings: Meanings,
    locked: Mapping[object, LockedPoint] | None,
    ignored: Container[str],
) -> PointDecision:
    expected = sweep.expectation(point)
    spec = sweep.spec(point.parameters)
    facts = config_facts(run, spec)
    row, line = found.rows.get(run.run_id), found.lines.get(run.run_id)
    problems = [
        Problem(
            reason=_CONFIG_REASONS[each.kind], cause=each, subject=each.check.label if each.check else None
        )
        for each in config_problems(facts, sweep.file.accept, ignored)
    ]
    if isinstance(expected, ExpectPoint) and expected.proposed is not None:
        proposal = ProposedRow(where=expectation_place(sweep, expected), why=expected.proposed)
        problems.append(Problem(reason=Reason.PROPOSED, cause=proposal))
    now = None
    if row is None:
        problems.append(Problem(reason=Reason.NOT_RUN))
    else:
        row = replace(row, point=point.index)
        # A log that is not explained has them anyway, one that is has them on request.
        asked = run.inputs.log is None or run.options.coverage
        fired = found.fired.get(run.run_id) if asked else None
        idle = found.idle.get(run.run_id, ()) if asked else ()
        problems += _mismatches(sweep, expected, row, facts, line)
        problems += _action_problems(expected, fired, idle, row.verdict)
        meaning = meanings.of(run, facts.config, spec)
        now = locked_point(point, run, facts, meaning, row, fired, idle, line.number if line else None)
    if locked is not None and now is not None:
        answered = not any(each.reason in (Reason.BROKEN, Reason.INCONCLUSIVE) for each in problems)
        before = locked.get(parameters_key(point.parameters))
        problems += [
            Problem(reason=Reason.DRIFT, cause=each, exit_code=ExitCode.UNEXPECTED)
            for each in drift(before, now, answered=answered)
        ]
    lengths = {name: length for (run_id, name), length in found.lengths.items() if run_id == run.run_id}
    return PointDecision(
        point=point,
        run=run,
        row=row,
        expected=expected,
        checks=tuple(answers(sweep, expected, row, facts.checked, lengths)),
        problems=tuple(replace(each, point=point.index) for each in problems),
        locked=now,
        line=line,
    )


def _mismatches(
    sweep: Sweep, expected: Expectation, row: RunRow, facts: ConfigFacts, line: StoredLine | None
) -> Iterator[Problem]:
    mismatches = list(judge_point(sweep, expected, row)) or doubts(
        expected, row, facts.checked, started=row.tlc_version is not None
    )
    for each in mismatches:
        other = Reason.FIGURES if each.kind in FIGURES else Reason.UNEXPECTED
        reason = DOUBTS.get(each.kind) or _UNANSWERED.get(row.verdict, other)
        cause = RunMismatch(mismatch=each, row=row, line=line)
        yield Problem(reason=reason, cause=cause, exit_code=each.exit_code)


def _action_problems(
    expected: Expectation, fired: Sequence[str] | None, idle: Sequence[str], verdict: Verdict
) -> Iterator[Problem]:
    if not expected.fires or verdict not in (Verdict.HOLDS, Verdict.VIOLATED):
        return
    counted = {*(fired or ()), *idle}
    unknown = [name for name in expected.fires if name not in counted]
    if unknown:
        # TLC counts an action within another as that one.
        yield Problem(reason=Reason.NOT_COUNTED, cause=NotCounted(actions=unknown, counted=sorted(counted)))
        return
    for name in expected.fires:
        if name in idle:
            cause = NeverFired(action=name)
            yield Problem(reason=Reason.NEVER_FIRED, cause=cause, exit_code=ExitCode.UNEXPECTED, subject=name)
