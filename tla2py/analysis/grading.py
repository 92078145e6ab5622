"""Grade a specification: whether it says anything, and whether its properties are as strong as those of a reference."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import get_args

from tla2py.analysis.behaviours import BehaviourComparison
from tla2py.analysis.grade_model import (
    MOST_PROOFS,
    CheckName,
    Grade,
    GradedCheck,
    GradingRunner,
    Judgement,
    counts,
    findings_of,
    mutant_object,
    write_config,
)
from tla2py.analysis.reference import BesideReference
from tla2py.errors import InputError
from tla2py.execution.check import ModelOptions
from tla2py.execution.result import SweepResult
from tla2py.execution.validate import log_objects, log_results, sweep_of_logs
from tla2py.model.model import Config
from tla2py.model.outcome import Verdict
from tla2py.model.row import RunRow
from tla2py.mutation.plan import score
from tla2py.sweep.sweep import Sweep
from tla2py.text import counted

_UNPARSED = ("module-syntax", "module-name", "module-missing", "module-cycle")
# Without its constraint, a model is searched at least so many times as far before that counts.
_FARTHER = 10
# The seconds that this search may take.
_UNCONSTRAINED_SECONDS = 60.0
# Of the mutants that could be noticed, one in so many at least is; honest small models notice 27 % and more.
_LEAST_SHARE = 4


def grade_specification(bench: GradingRunner) -> Judgement:
    """The judgement on a specification, and on what is wrong with it.

    Raises InputError if there is no such module, and for a reference that cannot be loaded.
    """
    found = {each.name: each for each in _graded(bench)}
    missing = {name: GradedCheck(name, "not_applicable", "not checked") for name in get_args(CheckName)}
    return Judgement(checks=tuple((missing | found).values()))


def _graded(bench: GradingRunner) -> Iterator[GradedCheck]:
    case = bench.case
    again = ("tla2py", "check", str(case.spec), *(("--config", str(case.config)) if case.config else ()))
    try:
        sweep = bench.sweep(case.spec, case.config)
        result, row = bench.run(sweep, "own")
    except InputError as error:
        if not case.spec.is_file():
            raise
        evidence = {"code": error.code, "message": error.message, "hint": error.hint}
        name: CheckName = "parses" if error.code in _UNPARSED else "runs"
        yield GradedCheck(name, "fail", error.message, evidence, again)
        return
    config = sweep.model(sweep.points[0]).config
    names = [each.name for each in sweep.spec({}).modules if each.path is not None]
    inspect = ("tla2py", "inspect", str(case.spec))
    yield GradedCheck("parses", "pass", ", ".join(names), {"modules": names}, inspect)
    outcome = {"outcome": row.outcome.name, "message": row.message, **counts(row)}
    if row.verdict in (Verdict.BROKEN, Verdict.EXCLUDED):
        yield GradedCheck("runs", "fail", row.message or row.unanswered, outcome, again)
        return
    yield GradedCheck("runs", "pass", _size(row), outcome, again)
    yield _holds(row, again)
    alone = _own_size(config, row, again)
    beside = BesideReference(bench, sweep, (result, row), case.reference) if case.reference else None
    yield alone if beside is None else beside.size(alone)
    yield _vacuity(config, result, case.command)
    yield _coverage(result, beside, case.command)
    yield _constraint(bench, config, row)
    yield _mutants(bench, sweep, row)
    yield _logs(bench)
    if beside is None:
        for name in ("behaviour", "strength"):
            yield GradedCheck(name, "not_applicable", "no reference was given")
    else:
        yield BehaviourComparison(beside).grade()
        yield beside.strength()


def _size(row: RunRow) -> str:
    return f"{counted(row.distinct or 0, 'distinct state')}, depth {row.depth}"


def _holds(row: RunRow, command: tuple[str, ...]) -> GradedCheck:
    grade: Grade = "pass"
    words = f"{', '.join(row.held) or 'nothing is checked'}: {_size(row)}"
    if row.verdict is Verdict.VIOLATED:
        grade, words = "fail", f"violated: {', '.join(row.violated_names)}"
    elif row.verdict is not Verdict.HOLDS:
        grade, words = "doubtful", row.unanswered
    checked = {"checked": list(row.checked), "violated": list(row.violated_names)}
    return GradedCheck("holds", grade, words, {**checked, **counts(row)}, command)


def _own_size(config: Config, row: RunRow, command: tuple[str, ...]) -> GradedCheck:
    """Whether anything happens at the constants of the config."""
    constants: dict[str, str] = dict((*config.assignments, *config.substitutions))
    evidence = {"constants": constants, **counts(row)}
    shown = ", ".join(f"{name} = {value}" for name, value in constants.items()) or "no constants"
    if (row.distinct or 0) <= 1:
        words = f"nothing happens: {counted(row.distinct or 0, 'state')} at {shown}"
        return GradedCheck("size", "fail", words, evidence, command)
    return GradedCheck("size", "pass", f"{shown}: {_size(row)}", evidence, command)


def _vacuity(config: Config, result: SweepResult, command: tuple[str, ...]) -> GradedCheck:
    failing = ("vacuous-implication", "vacuous-property", "no-behaviour", "weak-check", "constant-check")
    found = findings_of(result, *failing)
    unknown = findings_of(result, "vacuity-unchecked", "vacuous-liveness")
    stated = [*config.invariants, *config.properties]
    grade: Grade = "fail" if found or not stated else "doubtful" if unknown else "pass"
    words = (
        "no invariant and no property is checked"
        if not stated
        else "; ".join(each.message for each in (*found, *unknown)) or "every implication is exercised"
    )
    evidence = {"checked": stated, "findings": [each.to_dict() for each in (*found, *unknown)]}
    return GradedCheck("vacuity", grade, words, evidence, command)


def _coverage(result: SweepResult, beside: BesideReference | None, command: tuple[str, ...]) -> GradedCheck:
    never = [str(each.subject) for each in findings_of(result, "never-enabled")]
    there = beside.enabled(never) if beside is not None and never else []
    words = f"never enabled: {', '.join(never)}" if never else "every action is enabled somewhere"
    if there:
        words += f"; the reference enables {', '.join(there)}"
    grade: Grade = "fail" if there else "doubtful" if never else "pass"
    evidence = {"never_enabled": never, "enabled_in_reference": there}
    return GradedCheck("coverage", grade, words, evidence, command)


def _constraint(bench: GradingRunner, config: Config, row: RunRow) -> GradedCheck:
    """Whether the model holds beyond its constraints and its view, as far as a minute's search shows."""
    names = [*config.constraints, *config.action_constraints, *([config.view] if config.view else [])]
    if not names:
        return GradedCheck("constraint", "not_applicable", "the model has no constraint and no view")
    free = replace(config, constraints=(), action_constraints=(), view=None)
    file = bench.folder / "without-constraints.cfg"
    write_config(file, free)
    without = bench.sweep(bench.case.spec, file)
    seconds = min(without.selection.limits.timeout_seconds, _UNCONSTRAINED_SECONDS)
    limits = replace(without.selection.limits, timeout_seconds=seconds)
    without = without.select(vacuity=False, limits=limits)
    _, wide = bench.run(without, "without-constraints")
    farther = (wide.distinct or 0) >= _FARTHER * (row.distinct or 0)
    shown, looked = ", ".join(names), _size(wide)
    hidden = [name for name in wide.violated_names if name not in row.violated_names]
    grade: Grade
    if hidden:
        grade, words = "fail", f"{shown} cuts off a violation of {', '.join(hidden)}"
    elif wide.verdict is Verdict.VIOLATED:
        grade, words = "not_applicable", "what is violated without it is violated within it, too"
    elif wide.verdict is Verdict.HOLDS:
        grade, words = "pass", f"without {shown} it holds, too: {looked}"
    elif wide.verdict is Verdict.INCONCLUSIVE and farther:
        grade = "pass"
        words = f"without {shown} nothing is violated in the first {looked}; the search was cut"
    else:
        grade, words = "doubtful", f"without {shown} the search was cut: {wide.unanswered}, {looked}"
    evidence = {"constraints": names, "violated": hidden, "finished": wide.verdict is Verdict.HOLDS}
    command = ("tla2py", "check", str(bench.case.spec), "--config", str(file))
    return GradedCheck("constraint", grade, words, {**evidence, **counts(wide)}, command)


def _mutants(bench: GradingRunner, sweep: Sweep, row: RunRow) -> GradedCheck:
    case = bench.case
    if row.verdict is not Verdict.HOLDS:
        return GradedCheck("mutants", "not_applicable", "mutants need a model that holds")
    try:
        report = bench.mutate(sweep, "mutants")
    except InputError as error:
        return GradedCheck("mutants", "doubtful", error.message, command=case.command)
    share = score(report)
    survivors = [each for each in report.mutants if each.status == "survived"]
    grade: Grade = (
        "fail" if share.of and not share.killed
        else "doubtful" if share.killed * _LEAST_SHARE < share.of or not share.of
        else "pass"
    )  # fmt: skip
    proofs = [mutant_object(each) for each in survivors[:MOST_PROOFS]]
    evidence = {"killed": share.killed, "of": share.of, "survived": proofs}
    # Mutants run with the config beside the module.
    beside = case.config in (None, case.spec.with_suffix(".cfg"))
    command = bench.mutate_command(case.spec) if beside else case.command
    words = f"{share.killed} of {share.of} mutants are noticed, and at least a quarter should be"
    return GradedCheck("mutants", grade, words, evidence, command)


def _logs(bench: GradingRunner) -> GradedCheck:
    case = bench.case
    if not case.logs:
        return GradedCheck("logs", "not_applicable", "no log was given")
    config = ("--config", str(case.config)) if case.config else ()
    command = ("tla2py", "validate", str(case.spec), *map(str, case.logs), *config)
    try:
        model = ModelOptions(config=case.config)
        sweep = sweep_of_logs([case.spec, *case.logs], model, bench.options, listener=bench.listener)
        result = bench.run_all(sweep, "logs")
    except InputError as error:
        return GradedCheck("logs", "doubtful", str(error), command=command)
    rows = log_results(result.store)
    verdicts = {each.verdict for each in rows}
    grade: Grade = (
        "fail" if Verdict.VIOLATED in verdicts else "pass" if verdicts == {Verdict.HOLDS} else "doubtful"
    )
    explained = sum(each.verdict is Verdict.HOLDS for each in rows)
    words = f"{explained} of {counted(len(rows), 'log')} explained"
    return GradedCheck("logs", grade, words, {"logs": log_objects(rows, result.runs)}, command)
