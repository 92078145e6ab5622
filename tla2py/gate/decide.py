"""The decision of a gate: what was planned and found against what was expected and locked; pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from tla2py.errors import EXIT_NOT_RUN, EXIT_UNEXPECTED
from tla2py.gate.decision import Decision, Found, PointDecision, Problem, Reason
from tla2py.gate.drift import Drift, DriftKind, drift, locked_point
from tla2py.gate.lock import Lock, LockedPoint, parameters_key
from tla2py.model.outcome import Verdict
from tla2py.model.run import Run
from tla2py.sweep.checks import ConfigProblemKind, config_facts, config_problems, only_deadlock
from tla2py.sweep.file import ExpectSection
from tla2py.sweep.grid import Point
from tla2py.sweep.judge import (
    ALL_EXCLUDED,
    FIGURES,
    ONLY_DEADLOCK,
    Expectation,
    Mismatch,
    MismatchKind,
    answers,
    doubts,
    judge_point,
    left_out,
    names_nothing,
    row_for,
)
from tla2py.sweep.plan import Plan
from tla2py.sweep.sweep import Sweep
from tla2py.syntax import Remark
from tla2py.tables.runs import RunRow
from tla2py.text import parameter_text

_NO_ANSWERS = {Verdict.BROKEN: Reason.BROKEN, Verdict.INCONCLUSIVE: Reason.INCONCLUSIVE}
_DOUBTS = {
    MismatchKind.NO_ANSWER: Reason.INCONCLUSIVE,
    MismatchKind.NOT_STARTED: Reason.BROKEN,
    MismatchKind.UNNAMED: Reason.UNNAMED,
    MismatchKind.UNDECIDED: Reason.UNDECIDED,
    MismatchKind.NO_STATES: Reason.NO_STATES,
}
_CONFIG_REASONS = {
    ConfigProblemKind.DROPPED: Reason.NOT_IN_CONFIG,
    ConfigProblemKind.NOTHING_CHECKED: Reason.NOTHING_CHECKED,
    ConfigProblemKind.MODEL_VALUE: Reason.MODEL_VALUE,
    ConfigProblemKind.SYMMETRY: Reason.SYMMETRY_LIVENESS,
}


def decide(sweep: Sweep, plan: Plan, found: Found, lock: Lock | None) -> Decision:
    """What a gate says of a sweep. Raises InputError as ``config_facts`` does."""
    locked = {point.key: point for point in lock.point} if lock is not None else {}
    points = tuple(
        _decide_point(sweep, point, run, found, None if lock is None else locked)
        for point, run in zip(plan.points, plan.runs, strict=True)
    )
    whole = None
    if found.other_inputs is not None:
        whole = _whole(Reason.OTHER_INPUTS, found.other_inputs)
    elif all(each.row is None for each in points):
        whole = _whole(Reason.NOTHING_RAN, "nothing ran: no point has a result")
    if whole is not None:
        return Decision(name=sweep.name, points=tuple(map(_dropped, points)), problems=(whole,))
    excluded = sum(left_out(each.expected, each.row) for each in points)
    remarks = _remarks(sweep)
    decision = Decision(
        name=sweep.name,
        points=points,
        problems=(*_translations(remarks), *_of_the_sweep(sweep, points, lock, excluded)),
        notices=(
            *(_named(each) for each in remarks if not each.doubtful),
            *_notices(sweep, points, lock, excluded),
        ),
    )
    if not any(problem.reason is Reason.DRIFT for problem in decision.all_problems):
        return decision
    when = "" if decision.acceptable else " once nothing else is wrong"
    accepting = f"if what drifted is meant, --update accepts it{when}"
    return replace(decision, notices=(*decision.notices, accepting))


def _whole(reason: Reason, text: str, exit_code: int = EXIT_NOT_RUN, where: str | None = None) -> Problem:
    """A problem of the sweep as a whole."""
    return Problem(reason=reason, text=text, exit_code=exit_code, where=where)


def _of_the_sweep(
    sweep: Sweep, points: Sequence[PointDecision], lock: Lock | None, excluded: int
) -> Iterator[Problem]:
    """The problems of a sweep as a whole, some of whose points have a result."""
    for each in sweep.unread:
        yield _whole(Reason.UNREAD, each.text)
    if excluded == len(points):
        yield _whole(Reason.ALL_EXCLUDED, ALL_EXCLUDED)
    present = {parameters_key(each.point.parameters) for each in points}
    for entry in lock.point if lock is not None else ():
        if entry.key not in present:
            gone = Drift(kind=DriftKind.POINT, before=parameter_text(entry.parameters))
            yield _whole(Reason.DRIFT, str(gone), EXIT_UNEXPECTED)


def _remarks(sweep: Sweep) -> list[Remark]:
    """What is to be said of the translations of PlusCal, once of each module."""
    modules = [module for spec in sweep.specs.values() for module in spec.modules]
    return list(dict.fromkeys(module.remark for module in modules if module.remark is not None))


def _translations(remarks: Sequence[Remark]) -> Iterator[Problem]:
    for each in remarks:
        if each.doubtful:
            yield _whole(Reason.TRANSLATION, _named(each), where=each.where)


def _named(remark: Remark) -> str:
    """A remark with the file's own name, wherever the repository is."""
    return f"{Path(remark.where).name}: {remark.text}"


def _dropped(point: PointDecision) -> PointDecision:
    """The point with its result dropped, because the sweep as a whole failed."""
    return replace(point, row=None, checks=(), problems=(), locked=None)


def _notices(sweep: Sweep, points: Sequence[PointDecision], lock: Lock | None, excluded: int) -> list[str]:
    notices = [f"not gated: {', '.join(sweep.left_out)}"] if sweep.left_out else []
    vague = [
        point
        for point in points
        if point.row is not None
        and names_nothing(point.expected, point.row.verdict, [one.check for one in point.checks])
    ]
    if lock is None and vague:
        notices.append(
            f"what of several is to be violated is not said at {len(vague)} of {len(points)} points; a lock guards it"
        )
    if lock is None:
        notices.append("there is no lock, so drift is not guarded; --record writes one")
    elif all(each.fired is None for each in lock.point) and any(_certain(each.locked) for each in points):
        notices.append("which actions fire is not guarded; --update --coverage adds it to the lock")
    if only_deadlock([each.run for each in points]):
        notices.append(ONLY_DEADLOCK)
    if excluded:
        notices.append(f"{excluded} of {len(points)} points contradict an ASSUME and were not checked")
    return notices


def _certain(locked: LockedPoint | None) -> bool:
    """Whether what a point counts comes out the same each time, so that a lock may have it."""
    return locked is not None and locked.distinct is not None


def _decide_point(
    sweep: Sweep, point: Point, run: Run, found: Found, locked: Mapping[object, LockedPoint] | None
) -> PointDecision:
    expected = row_for(sweep.expect or ExpectSection(), point.parameters)
    spec = sweep.specs[point.parameters.get("module", next(iter(sweep.specs)))]
    facts = config_facts(run, spec)
    row = found.rows.get(run.run_id)
    fired, idle = found.fired.get(run.run_id), found.idle.get(run.run_id, ())

    def problem(
        reason: Reason, text: object, exit_code: int = EXIT_NOT_RUN, subject: str | None = None
    ) -> Problem:
        return Problem(reason=reason, text=str(text), exit_code=exit_code, point=point.index, subject=subject)

    problems = [
        problem(_CONFIG_REASONS[each.kind], each, subject=each.check.label if each.check else None)
        for each in config_problems(facts)
    ]
    now = None
    if row is None:
        problems.append(problem(Reason.NOT_RUN, "the point has no result"))
    else:
        row = replace(row, point=point.index)
        mismatches = [*judge_point(sweep, expected, row)] or [
            *doubts(sweep, expected, row, facts.checked, started=row.tlc_version is not None)
        ]
        problems += [
            problem(_reason(each, row.verdict), _text(each, row), each.exit_code) for each in mismatches
        ]
        problems += _action_problems(problem, expected, fired, idle, row.verdict)
        now = locked_point(point, run, facts, row, fired, idle)
    if locked is not None and now is not None:
        answered = not any(each.reason in (Reason.BROKEN, Reason.INCONCLUSIVE) for each in problems)
        before = locked.get(parameters_key(point.parameters))
        problems += [
            problem(Reason.DRIFT, each, EXIT_UNEXPECTED) for each in drift(before, now, answered=answered)
        ]
    lengths = {name: length for (run_id, name), length in found.lengths.items() if run_id == run.run_id}
    return PointDecision(
        point=point,
        run=run,
        row=row,
        expected=expected,
        checks=tuple(answers(sweep, expected, row, facts.checked, lengths)),
        problems=tuple(problems),
        locked=now,
    )


def _reason(mismatch: Mismatch, verdict: Verdict) -> Reason:
    if mismatch.kind in _DOUBTS:
        return _DOUBTS[mismatch.kind]
    if verdict in _NO_ANSWERS:
        return _NO_ANSWERS[verdict]
    return Reason.FIGURES if mismatch.kind in FIGURES else Reason.UNEXPECTED


def _text(mismatch: Mismatch, row: RunRow) -> str:
    """A mismatch with TLC's message, unless it is a doubt about an answer."""
    place = f"{row.message_place}: " * (row.message_place is not None)
    message = f": {' '.join(f'{place}{row.message}'.split())[:300]}" if row.message else ""
    if mismatch.kind in _DOUBTS and mismatch.kind is not MismatchKind.NOT_STARTED:
        return str(mismatch)
    return mismatch.text(row.outcome if row.verdict in _NO_ANSWERS else None) + message


def _action_problems(
    problem: Callable[..., Problem],
    expected: Expectation,
    fired: Sequence[str] | None,
    idle: Sequence[str],
    verdict: Verdict,
) -> list[Problem]:
    if not expected.fires or verdict not in (Verdict.HOLDS, Verdict.VIOLATED):
        return []
    counted = {*(fired or ()), *idle}
    unknown = [name for name in expected.fires if name not in counted]
    if unknown:
        # An action that stands within another is counted as that one.
        why = f"TLC counts {', '.join(sorted(counted))}" if counted else "TLC printed no coverage"
        return [problem(Reason.NOT_COUNTED, f"whether {', '.join(unknown)} fired is not known: {why}")]
    return [
        problem(Reason.NEVER_FIRED, f"action {name} never fired, expected to", EXIT_UNEXPECTED, name)
        for name in expected.fires
        if name in idle
    ]
