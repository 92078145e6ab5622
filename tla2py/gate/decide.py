"""The decision of a gate: what was planned and found against what was expected and locked; pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from tla2py.errors import EXIT_INCONCLUSIVE, EXIT_NOT_RUN, EXIT_UNEXPECTED
from tla2py.gate.decision import REASONS, CheckedOne, Decision, Found, PointDecision, Problem
from tla2py.gate.drift import drift, locked_point
from tla2py.gate.lock import Lock, LockedPoint, parameters_key
from tla2py.model.outcome import OUTCOME_WORDS, REMEDIES, Outcome, Verdict
from tla2py.model.run import Run
from tla2py.sweep.checks import Check, ConfigFacts, config_facts, config_problems, only_deadlock
from tla2py.sweep.file import ExpectPoint, ExpectSection, ToldPoint
from tla2py.sweep.grid import Point
from tla2py.sweep.judge import ended_early, expected_verdict, judge, left_out, row_for
from tla2py.sweep.plan import Plan
from tla2py.sweep.sweep import Sweep
from tla2py.syntax import Remark
from tla2py.tables.runs import RunRow
from tla2py.text import parameter_text

# How the findings begin that compare a figure.
_FIGURES = ("trace length ", "distinct ", "generated ")
_ALLOW = 'to allow it, write a row for the point with verdict = "inconclusive"'


def decide(sweep: Sweep, plan: Plan, found: Found, lock: Lock | None) -> Decision:
    """What a gate says of a sweep. Raises InputError as ``config_facts`` does."""
    locked = {point.key: point for point in lock.point} if lock is not None else {}
    points = tuple(
        _decide_point(sweep, point, run, found, None if lock is None else locked)
        for point, run in zip(plan.points, plan.runs, strict=True)
    )
    if found.other_inputs is not None:
        problem = Problem(reason="other-inputs", text=found.other_inputs, exit_code=EXIT_NOT_RUN)
        return Decision(name=sweep.name, points=_silent(points), problems=(problem,))
    if all(each.row is None for each in points):
        problem = Problem(
            reason="nothing-ran", text="nothing ran: no point has a result", exit_code=EXIT_NOT_RUN
        )
        return Decision(name=sweep.name, points=_silent(points), problems=(problem,))
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
    if not any(problem.reason == "drift" for problem in decision.all_problems):
        return decision
    when = "" if decision.acceptable else " once nothing else is wrong"
    accepting = f"if what drifted is meant, --update accepts it{when}"
    return replace(decision, notices=(*decision.notices, accepting))


def _of_the_sweep(
    sweep: Sweep, points: Sequence[PointDecision], lock: Lock | None, excluded: int
) -> Iterator[Problem]:
    """What is wrong with a sweep as a whole, some of whose points have a result."""
    for each in sweep.unread:
        yield Problem(reason="unread", text=each.text, exit_code=EXIT_NOT_RUN)
    if excluded == len(points):
        text = "nothing was checked: every point contradicts an ASSUME"
        yield Problem(reason="all-excluded", text=text, exit_code=EXIT_NOT_RUN)
    present = {parameters_key(each.point.parameters) for each in points}
    for entry in lock.point if lock is not None else ():
        if entry.key not in present:
            text = f"the locked point {parameter_text(entry.parameters)} is no longer in the sweep"
            yield Problem(reason="drift", text=text, exit_code=EXIT_UNEXPECTED)


def _remarks(sweep: Sweep) -> list[Remark]:
    """What is to be said of the translations of PlusCal, once of each module."""
    modules = [module for spec in sweep.specs.values() for module in spec.modules]
    return list(dict.fromkeys(module.remark for module in modules if module.remark is not None))


def _translations(remarks: Sequence[Remark]) -> Iterator[Problem]:
    for each in remarks:
        if each.doubtful:
            yield Problem(reason="translation", text=_named(each), exit_code=EXIT_NOT_RUN, where=each.where)


def _named(remark: Remark) -> str:
    """A remark with the file's own name, wherever the repository is."""
    return f"{Path(remark.where).name}: {remark.text}"


def _silent(points: Sequence[PointDecision]) -> tuple[PointDecision, ...]:
    """The points of a sweep that has a problem as a whole: none of them says anything."""
    return tuple(
        PointDecision(
            point=each.point,
            run=each.run,
            row=None,
            expected=each.expected,
            checks=(),
            problems=(),
            locked=None,
        )
        for each in points
    )


def _notices(sweep: Sweep, points: Sequence[PointDecision], lock: Lock | None, excluded: int) -> list[str]:
    notices = [f"not gated: {', '.join(sweep.left_out)}"] if sweep.left_out else []
    vague = [
        point
        for point in points
        if point.row is not None
        and _unnamed(point.row.verdict, point.expected, [one.check for one in point.checks])
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
        notices.append("only deadlock is checked: there are no invariants and no properties")
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
    problems = [
        Problem(reason=reason, text=text, exit_code=EXIT_NOT_RUN, point=point.index, subject=subject)
        for reason, text, subject in config_problems(facts)
    ]
    now = None
    if row is None:
        text = "the point has no result"
        problems.append(Problem(reason="not-run", text=text, exit_code=EXIT_NOT_RUN, point=point.index))
    else:
        row = replace(row, point=point.index)
        problems += _result_problems(sweep, point, row, expected, facts)
        problems += _fire_problems(point, expected, fired, idle, row)
        now = locked_point(point, run, facts, row, fired, idle)
    if locked is not None and now is not None:
        answered = not any(problem.reason in ("broken", "inconclusive") for problem in problems)
        for text in drift(locked.get(parameters_key(point.parameters)), now, answered=answered):
            problems.append(Problem(reason="drift", text=text, exit_code=EXIT_UNEXPECTED, point=point.index))
    return PointDecision(
        point=point,
        run=run,
        row=row,
        expected=expected,
        checks=tuple(_checked(sweep, run, row, expected, facts, found)),
        problems=tuple(problems),
        locked=now,
    )


def _result_problems(
    sweep: Sweep, point: Point, row: RunRow, expected: ExpectPoint | ExpectSection, facts: ConfigFacts
) -> list[Problem]:
    verdict, outcome = row.verdict, row.outcome
    place = f"{row.message_place}: " * (row.message_place is not None)
    message = f": {' '.join(f'{place}{row.message}'.split())[:300]}" if row.message else ""
    reasons = {Verdict.BROKEN: "broken", Verdict.INCONCLUSIVE: "inconclusive"}
    problems = [
        Problem(
            reason=reasons.get(verdict, "figures" if finding.text.startswith(_FIGURES) else "unexpected"),
            text=(_without_answer(finding.text, verdict, outcome) if verdict in reasons else finding.text)
            + message,
            exit_code=finding.exit_code,
            point=point.index,
        )
        for finding in judge(sweep, [row])
    ]

    def add(reason: str, text: str, exit_code: int, subject: str | None = None) -> None:
        problems.append(
            Problem(reason=reason, text=text, exit_code=exit_code, point=point.index, subject=subject)
        )

    if problems:
        return problems
    if verdict is Verdict.INCONCLUSIVE and (
        outcome is Outcome.KILLED or (not _by_name(expected) and sweep.options_of(point).mode == "check")
    ):
        allowed = "being killed is no answer" if outcome is Outcome.KILLED else _ALLOW
        add("inconclusive", f"{OUTCOME_WORDS[outcome]}; {allowed}", EXIT_INCONCLUSIVE)
    if verdict is Verdict.BROKEN and (outcome is Outcome.NOT_STARTED or row.tlc_version is None):
        add("broken", f"TLC did not run{message}", EXIT_NOT_RUN)
    if _unnamed(verdict, expected, facts.checked) and not isinstance(expected, ToldPoint):
        text = "expected to be violated, but not what of the "
        add("unnamed", f"{text}{len(facts.checked)} that are checked; write violates = [...]", EXIT_NOT_RUN)
    if row.undecided:
        text = f"no answer within the limits on {', '.join(row.undecided)}"
        add("undecided", text, EXIT_INCONCLUSIVE)
    if verdict is Verdict.HOLDS and not (row.generated and row.distinct) and expected.distinct != 0:
        add("no-states", REASONS["no-states"].rstrip(".").lower(), EXIT_NOT_RUN)
    return problems


def _without_answer(text: str, verdict: Verdict, outcome: Outcome) -> str:
    """What became of a point in place of its verdict, which is the reason already, and how to get an answer."""
    if not text.startswith(verdict.value):
        return text
    remedy = f"; {REMEDIES[outcome]}" if outcome in REMEDIES else ""
    return OUTCOME_WORDS[outcome] + text.removeprefix(verdict.value) + remedy


def _unnamed(verdict: Verdict, expected: ExpectPoint | ExpectSection, checked: Sequence[Check]) -> bool:
    """Whether a violation was expected, but not of which of several things that are checked."""
    if verdict is not Verdict.VIOLATED or expected_verdict(expected) is not verdict or expected.violates:
        return False
    if expected.outcome in (Outcome.VIOLATION_DEADLOCK, Outcome.VIOLATION_ASSERT):
        return False
    deadlock = expected.outcome is None
    return len([check for check in checked if deadlock or check.kind != "deadlock"]) > 1


def _by_name(expected: ExpectPoint | ExpectSection) -> bool:
    """Whether an expectation speaks of certain points and not of all."""
    return isinstance(expected, ExpectPoint) and bool(expected.match)


def _fire_problems(
    point: Point,
    expected: ExpectPoint | ExpectSection,
    fired: Sequence[str] | None,
    idle: Sequence[str],
    row: RunRow,
) -> list[Problem]:
    if not expected.fires or row.verdict not in (Verdict.HOLDS, Verdict.VIOLATED):
        return []
    counted = {*(fired or ()), *idle}
    unknown = [name for name in expected.fires if name not in counted]
    if unknown:
        # An action that stands within another is counted as that one.
        why = f"TLC counts {', '.join(sorted(counted))}" if counted else "TLC printed no coverage"
        text = f"whether {', '.join(unknown)} fired is not known: {why}"
        return [Problem(reason="not-counted", text=text, exit_code=EXIT_NOT_RUN, point=point.index)]
    return [
        Problem(
            reason="never-fired",
            text=f"action {name} never fired, expected to",
            exit_code=EXIT_UNEXPECTED,
            point=point.index,
            subject=name,
        )
        for name in expected.fires
        if name in idle
    ]


def _checked(
    sweep: Sweep,
    run: Run,
    row: RunRow | None,
    expected: ExpectPoint | ExpectSection,
    facts: ConfigFacts,
    found: Found,
) -> list[CheckedOne]:
    """What became of everything that was checked, and of what was violated besides, such as an Assert."""
    if row is None or row.verdict not in (Verdict.HOLDS, Verdict.VIOLATED):
        return [CheckedOne(check=check, status="undecided", as_expected=True) for check in facts.checked]
    names = {violation.label: violation for violation in row.violated}
    listed = {check.label for check in facts.checked}
    besides = [
        Check(violation.kind, violation.name) for name, violation in names.items() if name not in listed
    ]
    stopped = ended_early(names, listed, sweep.options.find)
    foreseen = expected.violates if expected.violates is not None else []
    anything = expected_verdict(expected) is Verdict.VIOLATED and expected.violates is None
    checks = []
    for check in (*facts.checked, *besides):
        name = check.label
        if name in names:
            status, right = "violated", name in foreseen or anything
        elif stopped or name in row.undecided:
            status, right = "undecided", True
        else:
            status, right = "held", name not in foreseen
        length = found.lengths.get((run.run_id, name)) if status == "violated" else None
        checks.append(CheckedOne(check=check, status=status, as_expected=right, length=length))
    return checks
