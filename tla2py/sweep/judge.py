"""The differences between expected and found results of a sweep's points."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import msgspec

from tla2py.errors import ExitCode, InputError
from tla2py.model.outcome import OUTCOME_WORDS, REMEDIES, VERDICTS, Outcome, Verdict, is_expected, left_open
from tla2py.model.row import RunRow
from tla2py.model.trace import Location
from tla2py.sweep.checks import Check, config_facts
from tla2py.sweep.grid import Point, value_key
from tla2py.sweep.plan import Plan
from tla2py.sweep.sections import Expectation, ExpectPoint, ExpectSection, ExternalExpectation
from tla2py.sweep.sweep import ExpectedRows, Sweep
from tla2py.text import did_you_mean, parameter_text, value_shown
from tla2py.tla.graph import closure, reached
from tla2py.tlc.output.states import find_location
from tla2py.toml import value_text

# The precedence of exit codes: 2, 1, 3.
_SEVERITY = (ExitCode.NOT_RUN, ExitCode.UNEXPECTED, ExitCode.INCONCLUSIVE, ExitCode.OK)
# Labels of violations that no config lists.
_UNLISTED = ("assert", "assumption")
# The number of a parameter's values in a hint.
_SHOWN = 4

NO_STATES = "no state was found, so everything holds vacuously"
ALL_EXCLUDED = "nothing was checked: every point contradicts an ASSUME"
ONLY_DEADLOCK = "only deadlock is checked: there are no invariants and no properties"
TRUSTED = (
    "the runs had trust, so their ids do not cover what they read, and each sweep runs them again; "
    "to have them reused, declare it: [environment], [java_properties], [inputs] files"
)
_ALLOW = 'to allow it, write a row for the point with verdict = "inconclusive"'


class Mismatch(NamedTuple):
    """How a point differs from its expectation, or why it proves nothing although it agrees, in words.

    ``kind`` is ``verdict``, ``unexpected`` for another difference that TLC's message may explain, or the name of a gate's
    reason. ``exit_code`` is that of a command that finds it.
    """

    point: int
    kind: Literal["verdict", "unexpected", "figures", "inconclusive", "unnamed", "undecided", "no-states"]
    text: str
    exit_code: ExitCode = ExitCode.UNEXPECTED


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckAnswer:
    """The answer to one check of a point; ``length`` counts the states of the shortest counterexample."""

    check: Check
    status: Literal["held", "violated", "undecided"]
    as_expected: bool
    length: int | None = None


def judge(sweep: Sweep, runs: Iterable[RunRow]) -> list[Mismatch]:
    """The differences between the expectations of a sweep and its runs.

    By default a point is expected to hold, or to be excluded if it violates an ASSUME about what the grid varies.
    """
    return [
        mismatch
        for run in runs
        for mismatch in judge_point(sweep, sweep.expectation(sweep.points[run.point - 1], run.checked), run)
    ]


def exit_code(mismatches: Sequence[Mismatch], *, complete: bool) -> ExitCode:
    """The exit code of a sweep; an incomplete one counts as not run."""
    own = ExitCode.OK if complete else ExitCode.NOT_RUN
    return worst([own, *(mismatch.exit_code for mismatch in mismatches)])


def worst(codes: Sequence[ExitCode]) -> ExitCode:
    """The exit code that takes precedence."""
    return next(code for code in _SEVERITY if code in codes)


def expected_verdict(row: Expectation) -> Verdict | None:
    """The verdict that a row expects, if it names one."""
    if row.outcome is not None:
        return VERDICTS[row.outcome]
    expected = row.verdict or (Verdict.VIOLATED.value if row.violates else None)
    return Verdict(expected) if expected else None


def left_out(sweep: Sweep, expected: Expectation, run: RunRow | None) -> bool:
    """Whether a point violates an ASSUME as expected, or one about what the grid varies, and so was not checked."""
    if run is None or run.verdict is not Verdict.EXCLUDED:
        return False
    stated = isinstance(expected, ExternalExpectation) and expected.outcome is Outcome.VIOLATION_ASSUMPTION
    expects = expected_verdict(expected) is Verdict.EXCLUDED
    return not stated and (expects or is_varied_assumption(sweep, run))


def is_varied_assumption(sweep: Sweep, run: RunRow) -> bool:
    """Whether the assumption that a point violates depends on a parameter of the grid.

    Where nothing that the grid varies decides it, the module contradicts itself or its config.
    """
    place = find_location(run.message or "")
    return _grid_decides(sweep, sweep.points[run.point - 1], place)


def _grid_decides(sweep: Sweep, point: Point, place: Location | None) -> bool:
    """Whether a parameter of the grid may decide the assumption at a place.

    If the place is unknown, or in none of the user's modules, any parameter that gives a value may.
    """
    kinds = {sweep.kinds[name] for name in point.parameters}
    if kinds & {"environment", "java_properties", "log"}:
        return True
    varied = {name for name in point.parameters if sweep.kinds[name] in ("constant", "definition")}
    if not varied:
        return False
    spec = sweep.spec(point.parameters)
    formula = spec.assumption_at(place.module, place.begin_line, place.begin_column) if place else None
    if formula is None:
        return True
    texts = sweep.assigned(point.parameters)
    values = closure({name: frozenset(re.findall(r"\w+", text)) for name, text in texts.items()})
    for each in reached(spec, [formula], values):
        name = each.expr.operator.rpartition("!")[2]
        if name in varied or not varied.isdisjoint(values.get(name, ())):
            return True
    return False


def judge_point(sweep: Sweep, row: Expectation, run: RunRow) -> Iterator[Mismatch]:
    """The differences between the expectation of a point and its run."""
    named, point, names = expected_verdict(row), run.point, run.violated_names
    # Nothing unexpected happened, but the gate asks for an expectation.
    excluded = run.verdict is Verdict.EXCLUDED and is_varied_assumption(sweep, run)
    tolerated = named is None and (excluded or run.simulated)
    if run.verdict is not (named or Verdict.HOLDS) and not tolerated:
        yield Mismatch(point, "verdict", verdict_text(row, run), code_of(run.verdict))
        return
    if row.outcome is not None and run.outcome is not row.outcome:
        found = f"{run.outcome.value}{_in_brackets(names)}"
        yield Mismatch(point, "unexpected", f"{found}, expected {row.outcome.value}")
    if row.violates is not None:
        missing = tuple(wanted for wanted in row.violates if not any(is_expected(n, [wanted]) for n in names))
        surplus = tuple(name for name in names if not is_expected(name, row.violates))
        # With find = "first" TLC stops at one violation, so the others are not missing.
        if missing and (sweep.selection.options.find == "each" or not names):
            code = ExitCode.INCONCLUSIVE if set(missing) <= set(run.undecided) else ExitCode.UNEXPECTED
            yield Mismatch(point, "unexpected", f"does not violate {', '.join(missing)}, expected to", code)
        if surplus:
            yield Mismatch(point, "unexpected", f"violates {', '.join(surplus)}, not expected to")
    for name, wanted, figure in (
        ("trace length", row.trace_length, run.trace_length),
        ("distinct", row.distinct, run.distinct),
        ("generated", row.generated, run.generated),
    ):
        if wanted is not None and figure != wanted:
            yield Mismatch(point, "figures", f"{name} is {figure}, expected {wanted}")
    if row.min_distinct is not None and (run.distinct or 0) < row.min_distinct:
        text = f"distinct is {run.distinct}, expected at least {row.min_distinct}"
        yield Mismatch(point, "figures", text)


def verdict_text(row: Expectation, run: RunRow, *, outcome: bool = False) -> str:
    """A verdict that is not the expected one in words; with ``outcome`` that, and what helps."""
    expected = (expected_verdict(row) or Verdict.HOLDS).value
    if row.outcome is not None and expected != Verdict.HOLDS.value:
        expected += f" ({row.outcome.value})"
    found = OUTCOME_WORDS[run.outcome] if outcome else run.verdict.value
    remedy = f"; {REMEDIES[run.outcome]}" if outcome and run.outcome in REMEDIES else ""
    return f"{found}{_in_brackets(run.violated_names)}, expected {expected}{remedy}"


def _in_brackets(names: Sequence[str]) -> str:
    return f" ({', '.join(names)})" if names else ""


def doubts(row: Expectation, run: RunRow, checked: Sequence[Check], *, started: bool) -> Iterator[Mismatch]:
    """The reasons why a run proves nothing although it agrees; ``started`` says whether TLC ran."""
    if run.verdict is Verdict.INCONCLUSIVE:
        named = isinstance(row, ExpectPoint) and bool(row.match)
        if run.outcome is Outcome.KILLED or not (named or run.simulated):
            allowed = "being killed is not an answer" if run.outcome is Outcome.KILLED else _ALLOW
            text = f"{OUTCOME_WORDS[run.outcome]}; {allowed}"
            yield Mismatch(run.point, "inconclusive", text, ExitCode.INCONCLUSIVE)
        elif run.simulated and expected_verdict(row) is None:
            text = f'{run.unanswered}; to allow it, expect verdict = "inconclusive"'
            yield Mismatch(run.point, "inconclusive", text, ExitCode.INCONCLUSIVE)
    if run.verdict is Verdict.BROKEN and (run.outcome is Outcome.NOT_STARTED or not started):
        yield Mismatch(run.point, "unexpected", "TLC did not run", ExitCode.NOT_RUN)
    if unnamed_violation(row, run.verdict, checked) and not isinstance(row, ExternalExpectation):
        text = f"a violation is expected, but not which of the {len(checked)} checks it violates"
        yield Mismatch(run.point, "unnamed", f"{text}; write violates = [...]", ExitCode.NOT_RUN)
    if run.undecided:
        text = f"no answer within the limits on {', '.join(run.undecided)}"
        yield Mismatch(run.point, "undecided", text, ExitCode.INCONCLUSIVE)
    empty = not (run.generated and run.distinct) and not run.assumption_count
    if run.verdict is Verdict.HOLDS and empty and row.distinct != 0:
        yield Mismatch(run.point, "no-states", NO_STATES, ExitCode.NOT_RUN)


def unnamed_violation(row: Expectation, verdict: Verdict, checked: Sequence[Check]) -> bool:
    """Whether a violation was expected without naming which of several checks fails."""
    if verdict is not Verdict.VIOLATED or expected_verdict(row) is not verdict or row.violates:
        return False
    if row.outcome in (Outcome.VIOLATION_DEADLOCK, Outcome.VIOLATION_ASSERT):
        return False
    deadlock = row.outcome is None
    return len([check for check in checked if deadlock or check.kind != "deadlock"]) > 1


def answers(
    sweep: Sweep, row: Expectation, run: RunRow | None, checked: Sequence[Check], lengths: Mapping[str, int]
) -> Iterator[CheckAnswer]:
    """The answers to a point's checks, and to other violations such as an assertion of a library.

    ``lengths`` are those of the shortest counterexamples, by label.
    """
    if run is not None and run.verdict is Verdict.EXCLUDED and run.assumption_count:
        # TLC stops at the first assumption that is FALSE.
        for check in checked:
            false = check.label in run.violated_names
            status: Literal["violated", "undecided"] = "violated" if false else "undecided"
            varied = expected_verdict(row) is Verdict.EXCLUDED or is_varied_assumption(sweep, run)
            yield CheckAnswer(check=check, status=status, as_expected=not false or varied)
        return
    if run is None or run.verdict not in (Verdict.HOLDS, Verdict.VIOLATED):
        yield from (CheckAnswer(check=check, status="undecided", as_expected=True) for check in checked)
        return
    violated = {violation.label: violation for violation in run.violated}
    listed = {check.label for check in checked}
    besides = [Check(each.kind, each.name) for name, each in violated.items() if name not in listed]
    undecided = left_open(violated, listed, run.undecided, sweep.selection.options.find)
    foreseen = row.violates or ()
    anything = expected_verdict(row) is Verdict.VIOLATED and row.violates is None
    for check in (*checked, *besides):
        name = check.label
        if name in violated:
            right = is_expected(name, foreseen) or anything
            yield CheckAnswer(check=check, status="violated", as_expected=right, length=lengths.get(name))
        elif name in undecided:
            yield CheckAnswer(check=check, status="undecided", as_expected=True)
        else:
            yield CheckAnswer(check=check, status="held", as_expected=not is_expected(name, foreseen))


def code_of(verdict: Verdict) -> ExitCode:
    """The exit code for a verdict other than the expected one."""
    if verdict is Verdict.BROKEN:
        return ExitCode.NOT_RUN
    return ExitCode.INCONCLUSIVE if verdict is Verdict.INCONCLUSIVE else ExitCode.UNEXPECTED


def check_expectations(sweep: Sweep, plan: Plan) -> None:
    """Check that every expectation applies to a point and can fail.

    Raises InputError: ``expect-no-point`` for a row that applies to no point, ``expect-contradiction`` if ``violates`` or
    ``outcome`` contradicts the verdict, ``expect-unchecked`` for a name that no point of the row checks,
    ``expect-unknown-action``.
    """
    section = sweep.file.sections.expect
    if section is None:
        return
    # For each row, the labels of the checks of the points it applies to; None is the section itself.
    users: dict[int | None, list[frozenset[str]]] = {}
    # First: a mistake in a row is reported before one in a config.
    pairs = dict.fromkeys(zip(sweep.row_numbers(), plan.runs.kinds, strict=True))
    labels = checked_labels(sweep, plan, dropped=True)
    for number, kind in pairs:
        users.setdefault(number, []).append(labels[kind])
    known = frozenset[str]().union(*(labels for each in users.values() for labels in each))
    for name, law in sweep.laws.items():
        if name not in known:
            raise InputError(
                "expect-unchecked",
                f"a law of {name} is expected, but no point checks it",
                where=sweep.file.place("expect", "law", name),
                hint=did_you_mean(name, sorted(known), f"checked: {', '.join(sorted(known)) or 'nothing'}"),
            )
        law(plan.points[0].parameters)
    for number, row in enumerate(section.point):
        if not users.get(number):
            if isinstance(row, ExternalExpectation) or sweep.selection.settings:
                continue  # a row of the sweep file takes precedence, or this time the grid is another one
            raise _unused(sweep, section, number)
        _check_row(sweep, row, users[number], ("expect", "point", number))
    if users.get(None):
        _check_row(sweep, section, users[None], ("expect",))


def row_number(sweep: Sweep, expected: ExpectPoint | ExpectSection) -> int | None:
    """The number of a row from 0, None for the section itself."""
    return next((number for number, row in enumerate(sweep.expect.point) if row is expected), None)


def expectation_place(sweep: Sweep, expected: ExpectPoint | ExpectSection) -> str:
    """``file:line:column`` of the expectation that a point is judged by."""
    if isinstance(expected, ExternalExpectation):
        return expected.where
    number = row_number(sweep, expected)
    return sweep.file.place("expect") if number is None else sweep.file.place("expect", "point", number)


def checked_labels(sweep: Sweep, plan: Plan, *, dropped: bool = False) -> dict[int, frozenset[str]]:
    """The labels of what each kind of run checks; ``dropped`` also of what the template leaves out, which judging reports."""
    labels = {}
    for place in plan.runs.samples():
        facts = config_facts(plan.runs[place], sweep.spec(plan.points[place].parameters))
        checks = (*facts.checked, *facts.dropped) if dropped else facts.checked
        labels[plan.runs.kinds[place]] = frozenset(check.label for check in checks)
    return labels


def _unused(sweep: Sweep, section: ExpectSection, number: int) -> InputError:
    match = section.point[number].match
    alone = msgspec.structs.replace(section, point=[section.point[number]])
    rows = ExpectedRows(alone, sweep.specification.logs.logs, sweep.kinds, sweep.expected_rows.holds)
    used = any(rows.number(p.parameters) is not None for p in sweep.points.first_with(rows.names))
    shown = match if isinstance(match, str) else "every point"
    if isinstance(match, dict) and match:
        shown = parameter_text({name: str(value) for name, value in match.items()})
    if used:
        message = f"this expectation for {shown} applies to no point: earlier rows match its points"
        hint = "the first row that matches applies; move this one up"
    else:
        message = f"this expectation matches no point: {shown}"
        hint = "the points are those of [parameters] without those that [grid] excludes"
        for name, value in match.items() if isinstance(match, dict) else ():
            values = [*dict.fromkeys(sweep.points.column(name))]
            if value_key(value_text(value)) not in map(value_key, values):
                known = ", ".join([*map(value_shown, values[:_SHOWN]), *["..."][: len(values) > _SHOWN]])
                hint = f"{name} is one of {known}" if len(values) > 1 else f"{name} is {known} at every point"
    return InputError(
        "expect-no-point", message, where=sweep.file.place("expect", "point", number), hint=hint
    )


def _check_row(
    sweep: Sweep,
    row: ExpectPoint | ExpectSection,
    checked: Iterable[frozenset[str]],
    keys: tuple[str | int, ...],
) -> None:
    def place(key: str, value: str | None = None) -> str:
        return (
            row.where if isinstance(row, ExternalExpectation) else sweep.file.place(*keys, key, value=value)
        )

    if row.outcome is not None and row.verdict not in (None, VERDICTS[row.outcome].value):
        text = f"the verdict {row.verdict} and the outcome {row.outcome.value} contradict each other"
        raise InputError("expect-contradiction", text, where=place("outcome"), hint="keep one of them")
    expected = expected_verdict(row)
    verdict = expected.value if expected is not None else None
    if None not in (verdict, row.violates) and bool(row.violates) != (verdict == "violated"):
        raise InputError(
            "expect-contradiction",
            f"the verdict {verdict} and violates = {row.violates} contradict each other",
            where=place("violates"),
            hint='write verdict = "violated" and what is violated, or remove violates',
        )
    known = frozenset[str]().union(*checked)
    for name in row.violates or ():
        if name not in _UNLISTED and not any(is_expected(label, [name]) for label in known):
            raise InputError(
                "expect-unchecked",
                f"{name} is expected to be violated, but no point of this expectation checks it",
                where=place("violates", name),
                hint=did_you_mean(name, sorted(known), f"checked: {', '.join(sorted(known)) or 'nothing'}"),
            )
    definitions = sorted({name for spec in sweep.specification.modules.values() for name in spec.definitions})
    for name in row.fires or ():
        if name not in definitions:
            raise InputError(
                "expect-unknown-action",
                f"'fires' names {name}, which is not an action of the module",
                where=place("fires", name),
                hint=did_you_mean(name, definitions, "'tla2py inspect' lists what a module defines"),
            )
