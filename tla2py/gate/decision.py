"""The decision of a gate: a sweep's results against its expectations, its lock and the linter's findings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import msgspec

from tla2py.errors import ExitCode
from tla2py.execution.validate import LogMutants, content_lines
from tla2py.gate.lock import Lock, LockedPoint
from tla2py.gate.reasons import (
    OF_MODULES,
    UNANSWERED,
    Drift,
    Meanings,
    Problem,
    Reason,
    blind_drift,
    drift,
    locked_point,
    survivor_drift,
)
from tla2py.gate.second import Second, SecondRuns, compare, objection, second_notices
from tla2py.gate.selftest import SelfTestResult, self_test_notices, self_test_problems
from tla2py.lint.faults import KNOWN_WRONG
from tla2py.lint.views import VIEW_HIDES
from tla2py.model.finding import NO_FINDINGS, Finding, Findings
from tla2py.model.logs import SaidLines
from tla2py.model.model import filled_text
from tla2py.model.mutant import MutantReport
from tla2py.model.outcome import Verdict
from tla2py.model.row import RunRow, collision_notes
from tla2py.model.run import Run
from tla2py.model.search import Search
from tla2py.model.trace import SUSPECT
from tla2py.mutation.plan import score
from tla2py.store.read import StoredLine
from tla2py.sweep import judge
from tla2py.sweep.checks import ConfigFacts, config_facts, config_problems, only_deadlock
from tla2py.sweep.grid import Point, parameters_key
from tla2py.sweep.plan import Plan
from tla2py.sweep.sections import Expectation, ExpectPoint
from tla2py.sweep.sweep import Sweep, overridden_text
from tla2py.text import counted, listed, parameter_text, parse_percent
from tla2py.tla.module import Remark
from tla2py.tlc.tools.jar import Jar
from tla2py.tlc.tools.toolchain import jar_of


@dataclass(frozen=True, slots=True, kw_only=True)
class PointDecision:
    """The decision on a point: what it checked, what was found and its problems.

    ``line`` is the first line of its log that no behaviour explains, ``second`` what a second TLC says.
    """

    point: Point
    run: Run
    row: RunRow | None = None
    expected: Expectation
    checks: tuple[judge.CheckAnswer, ...] = ()
    problems: tuple[Problem, ...] = ()
    locked: LockedPoint | None = None
    line: StoredLine | None = None
    second: Second | None = None

    @property
    def parameters_text(self) -> str:
        """Return the parameters as text."""
        return parameter_text(self.point.parameters)

    @property
    def surprises(self) -> tuple[judge.CheckAnswer, ...]:
        """The unexpected violations."""
        return tuple(one for one in self.checks if one.status == "violated" and not one.as_expected)


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """The decision on a sweep.

    ``limited`` says of a limited sweep how many of its points there are, ``skipped`` are the others. ``adjusted`` are
    the options that change the configs. ``problems`` concern the sweep as a whole. ``findings`` and ``notices`` do not make it
    red; with ``--strict`` findings are problems. ``self_test`` is what a self-test says of each property, None if none was asked.
    """

    name: str
    points: tuple[PointDecision, ...] = ()
    limited: str | None = None
    adjusted: tuple[str, ...] = ()
    skipped: tuple[PointDecision, ...] = ()
    problems: tuple[Problem, ...] = ()
    findings: tuple[Finding, ...] = ()
    notices: tuple[str, ...] = ()
    self_test: tuple[SelfTestResult, ...] | None = None

    @property
    def all_problems(self) -> tuple[Problem, ...]:
        """Every problem, those of the whole sweep first."""
        return (*self.problems, *(problem for point in self.points for problem in point.problems))

    @property
    def exit_code(self) -> ExitCode:
        """The exit code of the decision."""
        return judge.worst([ExitCode.OK, *(problem.exit_code for problem in self.all_problems)])

    @property
    def headline(self) -> str:
        """The number of points, and of those that are not as expected."""
        red = sum(bool(point.problems) for point in self.points)
        of = self.limited or counted(len(self.points), "point")
        of += f" with {' '.join(self.adjusted)}" if self.adjusted else ""
        if self.limited and not self.points and self.exit_code == ExitCode.OK:
            return of
        if self.exit_code == ExitCode.OK:
            known = sum(any(one.status == "violated" for one in point.checks) for point in self.points)
            return f"{of}, as expected" + (f" ({known} violated, as known)" if known else "")
        text = f"{of}, {red} not as expected" if red else f"{of}, not as expected as a whole"
        unread = sum(problem.reason is Reason.UNREAD for problem in self.problems)
        return f"{text}, {counted(unread, 'model')} not read" if unread else text

    @property
    def acceptable(self) -> bool:
        """Whether drift is the only problem, so that a lock may be written."""
        return all(problem.reason is Reason.DRIFT for problem in self.all_problems)


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreFacts:
    """The results in a store, by run id.

    ``graphs`` are as in ``graph_digests``. ``fired`` and ``idle`` are the actions that fired and never fired, in runs that counted them; TLC counts an action
    within another as that one. ``lines`` are the first lines of logs that no behaviour explains, ``said`` how many lines of each log say something. ``notes`` are those of
    tla2py on the runs. ``lengths`` are the states of the shortest counterexample by run id and name. ``mutants`` are the
    changed logs and ``report`` the mutants of the specification, None unless the sweep file asks for them. ``second`` are the
    answers of a second TLC, ``self_test`` those of a self-test, None if none was asked; ``jar`` is the first's, None if it is not on this machine.
    ``other_inputs`` says how the store's inputs differ from those of the sweep file. ``search`` is the search for laws that
    decides whether points may be predicted, None unless the sweep file asks for one and expects a law.
    """

    rows: Mapping[str, RunRow]
    graphs: Mapping[str, str] = field(default_factory=dict)
    fired: Mapping[str, Sequence[str]] = field(default_factory=dict)
    idle: Mapping[str, Sequence[str]] = field(default_factory=dict)
    lengths: Mapping[tuple[str, str], int] = field(default_factory=dict)
    lines: Mapping[str, StoredLine] = field(default_factory=dict)
    said: Mapping[str, SaidLines] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    findings: Findings = NO_FINDINGS
    mutants: LogMutants | None = None
    report: MutantReport | None = None
    second: SecondRuns | None = None
    self_test: tuple[SelfTestResult, ...] | None = None
    jar: Jar | None = None
    other_inputs: str | None = None
    search: Search | None = None

    @property
    def tlc(self) -> str | None:
        """The version and revision of the TLC that ran most of the runs."""
        found = Counter(row.tlc for row in self.rows.values() if row.tlc is not None)
        return max(found, key=lambda tlc: (found[tlc], tlc), default=None)


# Findings that make a gate red unless they are accepted.
_ACCEPTED_ONLY = frozenset({KNOWN_WRONG, VIEW_HIDES})


def decide(
    sweep: Sweep, plan: Plan, found: StoreFacts, lock: Lock | None, *, strict: bool = False
) -> Decision:
    """The decision on a sweep, its changed logs and its mutants; ``strict`` makes findings problems.

    Raises InputError as ``config_facts`` does.
    """
    locked = {point.key: point for point in lock.point} if lock is not None else None
    ignored = {each.finding.name for each in found.findings.accepted if each.finding.ignored}
    meanings = Meanings(plan.sources)
    changed: dict[Problem, None] = {}
    part = plan.part(sweep.numbers)
    rest = len(plan.points) - len(part.points)
    limited = sweep.limited_text if sweep.selection.is_limited else None
    if found.search is not None and rest:
        limited = f"{len(part.points):,} of {counted(len(plan.points), 'point')} run, {rest:,} predicted"
    points = tuple(
        _decide_point(sweep, point, run, found, meanings, locked, ignored, changed)
        for point, run in zip(part.points, part.runs, strict=True)
    )
    others = (
        () if sweep.selection.chosen is None else sorted({*range(1, len(plan.points) + 1)} - {*sweep.numbers})
    )
    decision = Decision(
        name=sweep.name,
        limited=limited,
        adjusted=sweep.selection.adjusted,
        skipped=tuple(
            PointDecision(point=point, run=run, expected=sweep.expectation(point))
            for point, run in plan.at(number - 1 for number in others)
        ),
        self_test=found.self_test,
    )
    failed = None
    if found.other_inputs is not None:
        failed = Problem(reason=Reason.OTHER_INPUTS, text=found.other_inputs)
    elif points and all(each.row is None for each in points):
        failed = Problem(reason=Reason.NOTHING_RAN, text="nothing ran: no point has a result")
    if failed is not None:
        # No point keeps a result where the sweep as a whole has none.
        dropped = (replace(each, row=None, checks=(), problems=(), locked=None) for each in points)
        return replace(decision, points=tuple(dropped), problems=(failed,), findings=found.findings.open)
    excluded = sum(judge.left_out(sweep, each.expected, each.row) for each in points)
    # A red point says it already.
    reported = {(each.reason.value, each.subject) for point in points for each in point.problems}
    doubts = tuple(each for each in found.findings.open if (each.code, each.subject) not in reported)
    # What a search chose stands for all points.
    idle = sweep.idle_files if found.search is None else ()
    modules = [
        each
        for spec in sweep.specification.modules.values()
        for each in spec.modules
        if each.where() not in idle
    ]
    remarks = list(dict.fromkeys(module.remark for module in modules if module.remark is not None))
    decision = replace(
        decision,
        points=points,
        problems=(
            *(Problem.of_finding(each) for each in doubts if strict or each.code in _ACCEPTED_ONLY),
            *changed,
            *map(Problem.of_drift, _other_options(lock, sweep)),
            *map(Problem.of_drift, () if sweep.selection.is_limited else blind_drift(lock, found.mutants)),
            *map(
                Problem.of_drift,
                () if sweep.selection.is_limited else survivor_drift(lock, found.report, sweep),
            ),
            *_open_laws(found.search, sweep),
            *self_test_problems(found.self_test, sweep.file.sections.accept),
            *_sweep_problems(sweep, points, lock, remarks, excluded),
        ),
        findings=() if strict else tuple(each for each in doubts if each.code not in _ACCEPTED_ONLY),
        notices=(
            *([f"accepted: {found.findings.accepted_text}"] if found.findings.accepted else []),
            *([filled_text(plan.filled)] if plan.filled else []),
            *(_remark_text(each) for each in remarks if not each.doubtful),
            *found.notes,
            *_notices(sweep, points, lock, excluded, found.tlc),
            *collision_notes([point.row for point in points if point.row is not None]),
            *second_notices([each.second for each in points]),
            *content_lines(_said_by_points(points, found), sweep.specification.logs),
            *_blind_notices(lock, found.mutants),
            *_survivor_notices(lock, found.report, sweep),
            *self_test_notices(found.self_test, sweep.file.sections.accept, lock),
        ),
    )
    if not any(problem.reason is Reason.DRIFT for problem in decision.all_problems):
        return decision
    when = "" if decision.acceptable else " once every other problem is fixed"
    how = f"if the drift is intended, --update accepts it{when}"
    return replace(decision, notices=(*decision.notices, how))


def _remark_text(remark: Remark) -> str:
    """A remark on PlusCal, with the file's name only: the same text wherever the repository is."""
    return f"{Path(remark.where).name}: {remark.text}"


def _open_laws(search: Search | None, sweep: Sweep) -> Iterator[Problem]:
    """The laws that a search did not settle within what the sweep file asks for."""
    within = parse_percent(sweep.file.sections.grid.within, sweep.file.place("grid", "within"))
    for law in search.laws if search is not None else ():
        law = msgspec.structs.replace(law, within=within)
        if not law.settled:
            text = f"the law of {law.title} is open: {law.run:,} of {counted(law.of, 'point')} run; {law.support}"
            yield Problem(reason=Reason.LAW_OPEN, text=text, exit_code=ExitCode.INCONCLUSIVE)


def _sweep_problems(
    sweep: Sweep, points: Sequence[PointDecision], lock: Lock | None, remarks: Sequence[Remark], excluded: int
) -> Iterator[Problem]:
    for remark in remarks:
        if remark.doubtful:
            yield Problem(reason=Reason.TRANSLATION, text=_remark_text(remark), where=remark.where)
    yield from (Problem(reason=Reason.UNREAD, text=str(unread)) for unread in sweep.selection.unread)
    if points and excluded == len(points):
        yield Problem(reason=Reason.ALL_EXCLUDED, text=judge.ALL_EXCLUDED)
    # With other values the grid is another one.
    locked = lock.point if lock is not None and not sweep.selection.settings else ()
    present = {parameters_key(each.parameters) for each in sweep.points} if locked else set()
    for entry in locked:
        if entry.key not in present:
            gone = parameter_text(entry.parameters)
            text = f"the locked point {gone} is no longer in the sweep"
            yield Problem.of_drift(Drift("point", text, before=gone))


def _notices(
    sweep: Sweep, points: Sequence[PointDecision], lock: Lock | None, excluded: int, tlc: str | None
) -> Iterator[str]:
    if sweep.selection.left_out:
        yield f"not gated: {', '.join(sweep.selection.left_out)}"
    if text := overridden_text(sweep.expect, sweep.points, sweep.expected_rows):
        yield text
    # Only counts that come out the same each time are locked.
    lockable = any(each.locked is not None and each.locked.distinct is not None for each in points)
    if lock is None:
        vague = sum(
            each.row is not None
            and judge.unnamed_violation(each.expected, each.row.verdict, [one.check for one in each.checks])
            for each in points
        )
        if vague:
            yield f"{vague} of {len(points)} points expect a violation without naming it; a lock pins it down"
        yield "no lock, so drift is not detected; --record writes one"
    elif lockable and all(each.fired is None for each in lock.point):
        yield "the lock does not cover which actions fire; --update --coverage adds them"
    if lock is not None and lock.tlc is not None and tlc is not None and lock.tlc != tlc:
        yield f"the lock was accepted with TLC {lock.tlc}; this is TLC {tlc}"
    if only_deadlock([each.run for each in points]):
        yield judge.ONLY_DEADLOCK
    if suspect := [each.point.index for each in points if each.row is not None and each.row.suspect]:
        yield f"{counted(len(suspect), 'point')} with a violation that may be none ({listed(suspect, 10)}): {SUSPECT}; --second asks another TLC"
    if sweep.selection.limits.trust:
        yield judge.TRUSTED
    if excluded:
        yield f"{excluded} of {len(points)} points contradict an ASSUME and were not checked"


def _other_options(lock: Lock | None, sweep: Sweep) -> Iterator[Drift]:
    if lock is not None and sorted(lock.options) != sorted(sweep.selection.adjusted):
        before, now = ", ".join(sorted(lock.options)), ", ".join(sorted(sweep.selection.adjusted))
        text = f"the options that change the configs were {before or 'none'} and are now {now or 'none'}"
        yield Drift("options", text, before, now)


def _said_by_points(points: Sequence[PointDecision], found: StoreFacts) -> list[SaidLines]:
    """Return how many lines of the log of each point say something."""
    return [found.said[point.run.run_id] for point in points if point.run.run_id in found.said]


def _blind_notices(lock: Lock | None, mutants: LogMutants | None) -> Iterator[str]:
    """What the notes of a gate tell of changed logs."""
    if mutants is None:
        return
    yield mutants.text
    if lock is not None and lock.mutants is None:
        yield "the lock does not cover changed logs; --update adds what is accepted of them"


def _survivor_notices(lock: Lock | None, report: MutantReport | None, sweep: Sweep) -> Iterator[str]:
    """What the notes of a gate say about mutants."""
    section = sweep.file.sections.mutation
    if report is None or section is None:
        return
    share, alive = score(report), {each.mutant for each in report.with_status("survived")}
    yield f"{share.killed} of {counted(share.of, 'mutant')} killed, {len(alive)} survive"
    for name, reason in section.accept.items():
        accepted = f"accepted survivor {name}: {reason}"
        yield accepted if name in alive else f"{name} is accepted, but does not survive"
    unknown = len(report.with_status("unknown"))
    if unknown:
        yield f"{counted(unknown, 'mutant')} took more than {section.budget} times the original's states or time"
    if lock is not None and lock.survivors is None:
        yield "the lock does not cover mutants; --update adds the survivors"


def _decide_point(
    sweep: Sweep,
    point: Point,
    run: Run,
    found: StoreFacts,
    meanings: Meanings,
    locked: Mapping[object, LockedPoint] | None,
    ignored: Container[str],
    changed: dict[Problem, None],
) -> PointDecision:
    """The decision on a point; what modules say otherwise than the lock goes to ``changed``, once for all points."""
    spec = sweep.spec(point.parameters)
    facts = config_facts(run, spec)
    expected = sweep.expectation(point, {check.label for check in facts.checked})
    row, line = found.rows.get(run.run_id), found.lines.get(run.run_id)
    problems = [
        Problem(reason=Reason(each.code), text=each.text, subject=each.subject)
        for each in config_problems(facts, sweep.file.sections.accept, ignored)
    ]
    if isinstance(expected, ExpectPoint) and expected.proposed is not None:
        row_at = f"the row at {judge.expectation_place(sweep, expected)} is a proposal ({expected.proposed})"
        text = f"{row_at}; if it is right, remove its line `proposed`"
        problems.append(Problem(reason=Reason.PROPOSED, text=text))
    now = second = None
    if row is None:
        problems.append(Problem(reason=Reason.NOT_RUN, text="the point has no result"))
    else:
        row = replace(row, point=point.index)
        # A log that is not explained has them anyway, one that is has them on request.
        asked = run.inputs.log is None or run.options.coverage
        fired = found.fired.get(run.run_id) if asked else None
        idle = found.idle.get(run.run_id, ()) if asked else ()
        problems += _mismatches(sweep, expected, row, facts, line)
        if found.second is not None:
            is_known = found.jar is not None and found.jar.sha256 == run.jar_sha256
            jar = found.jar if is_known else jar_of(run.jar_sha256)
            second = compare(row, found.second, run, spec, jar)
            wrong = objection(row, second, found.second.problem)
            problems += [wrong] if wrong is not None else []
        problems += _action_problems(expected, fired, idle, row.verdict)
        meaning = meanings.of(run, facts.config, spec)
        first_unmatched = line.number if line else None
        graph = found.graphs.get(run.run_id)
        now = locked_point(point, run, facts, meaning, row, fired, idle, first_unmatched, graph)
    if locked is not None and now is not None:
        answered = not any(each.reason in (Reason.BROKEN, Reason.INCONCLUSIVE) for each in problems)
        before = locked.get(parameters_key(point.parameters))
        # The lock knows nothing of other values.
        unknown = before is None and sweep.selection.settings
        for each in () if unknown else drift(before, now, answered=answered):
            if each.kind in OF_MODULES:
                changed[Problem.of_drift(each)] = None
            else:
                problems.append(Problem.of_drift(each))
    keys = [(run.run_id, name) for name in (row.violated_names if row is not None else ())]
    lengths = {key[1]: found.lengths[key] for key in keys if key in found.lengths}
    return PointDecision(
        point=point,
        run=run,
        row=row,
        expected=expected,
        checks=tuple(judge.answers(sweep, expected, row, facts.checked, lengths)),
        problems=tuple(replace(each, point=point.index) for each in problems),
        locked=now,
        line=line,
        second=second,
    )


# The kinds of mismatches of which TLC's message, or a line of a log, tells more.
_TOLD = ("verdict", "unexpected")


def _mismatches(
    sweep: Sweep, expected: Expectation, row: RunRow, facts: ConfigFacts, line: StoredLine | None
) -> Iterator[Problem]:
    judged = list(judge.judge_point(sweep, expected, row))
    doubted = judge.doubts(expected, row, facts.checked, started=row.tlc_version is not None)
    for each in judged or doubted:
        own = Reason.UNEXPECTED if each.kind in _TOLD else Reason(each.kind)
        reason = UNANSWERED.get(row.verdict, own) if judged or own is Reason.UNEXPECTED else own
        text = each.text
        if each.kind in _TOLD and line is not None:
            text += f"; {line}"
        elif each.kind in _TOLD:
            if each.kind == "verdict" and row.verdict in UNANSWERED:
                text = judge.verdict_text(expected, row, outcome=True)
            place = f"{row.message_place}: " if row.message_place is not None else ""
            text += f": {' '.join(f'{place}{row.message}'.split())[:300]}" if row.message else ""
        yield Problem(reason=reason, text=text, exit_code=each.exit_code)


def _action_problems(
    expected: Expectation, fired: Sequence[str] | None, idle: Sequence[str], verdict: Verdict
) -> Iterator[Problem]:
    if not expected.fires or verdict not in (Verdict.HOLDS, Verdict.VIOLATED):
        return
    counted = {*(fired or ()), *idle}
    unknown = [name for name in expected.fires if name not in counted]
    if unknown:
        # TLC counts an action within another as that one.
        why = f"TLC counts {', '.join(sorted(counted))}" if counted else "TLC printed no coverage"
        text = f"cannot tell whether {', '.join(unknown)} fired: {why}"
        yield Problem(reason=Reason.NOT_COUNTED, text=text)
        return
    for name in expected.fires:
        if name in idle:
            text = f"action {name} never fired, expected to"
            yield Problem(reason=Reason.NEVER_FIRED, text=text, exit_code=ExitCode.UNEXPECTED, subject=name)
