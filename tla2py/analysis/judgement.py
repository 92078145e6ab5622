"""A specification graded: whether it says anything, and whether its properties are as strong as those of a reference."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import get_args

from tla2py.analysis import judging
from tla2py.errors import InputError
from tla2py.execution.check import ModelOptions
from tla2py.execution.executor import ExecutorFactory
from tla2py.execution.listener import SILENT, Listener
from tla2py.execution.sweeps import SweepOptions, SweepResult, run_sweeps
from tla2py.execution.validate import log_objects, log_results, sweep_of_logs
from tla2py.model.model import Config
from tla2py.model.outcome import Verdict
from tla2py.model.row import RunRow
from tla2py.mutation.trial import score
from tla2py.sweep.sweep import Sweep
from tla2py.text import counted
from tla2py.tlc.tools.toolchain import Toolchain

_UNPARSED = ("module-syntax", "module-name", "module-missing", "module-cycle")
# Without its constraint, a model is searched at least so many times as far before that counts.
_FARTHER = 10
# The seconds that this search may take.
_UNCONSTRAINED_SECONDS = 60.0
# Of the mutants that could be noticed, one in so many at least is.
_LEAST_SHARE = 5


def judge_specification(
    case: judging.JudgeCase,
    options: SweepOptions,
    toolchain: Toolchain,
    executors: ExecutorFactory,
    folder: Path,
    listener: Listener = SILENT,
) -> judging.Judgement:
    """The judgement on a specification; the runs behind it are kept in stores below ``folder``.

    What is wrong with the specification is in the judgement. Raises InputError if there is no such module, and for a reference
    that cannot be loaded.
    """
    bench = judging.JudgeBench(case, options, toolchain, executors, folder, listener)
    found = {each.name: each for each in _graded(bench)}
    missing = {
        name: judging.GradedCheck(name=name, verdict="not_applicable", words="not checked")
        for name in get_args(judging.CheckName)
    }
    return judging.Judgement(checks=tuple((missing | found).values()))


def _graded(bench: judging.JudgeBench) -> Iterator[judging.GradedCheck]:
    case = bench.case
    again = ("tla2py", "check", str(case.spec), *(("--config", str(case.config)) if case.config else ()))
    try:
        sweep = bench.sweep(case.spec, case.config)
        result, row = bench.run(sweep, "own")
    except InputError as error:
        if not case.spec.is_file():
            raise
        yield judging.GradedCheck(
            name="parses" if error.code in _UNPARSED else "runs",
            verdict="fail",
            words=error.message,
            evidence={"code": error.code, "message": error.message, "hint": error.hint},
            command=again,
        )
        return
    config = sweep.model(sweep.points[0]).config
    names = [each.name for each in sweep.spec({}).modules if each.path is not None]
    yield judging.GradedCheck(
        name="parses",
        verdict="pass",
        words=", ".join(names),
        evidence={"modules": names},
        command=("tla2py", "inspect", str(case.spec)),
    )
    ran = row.verdict not in (Verdict.BROKEN, Verdict.EXCLUDED)
    yield judging.GradedCheck(
        name="runs",
        verdict="pass" if ran else "fail",
        words=_size(row) if ran else row.message or row.unanswered,
        evidence={"outcome": row.outcome.name, "message": row.message, **judging.counts(row)},
        command=again,
    )
    if not ran:
        return
    yield _holds(row, again)
    alone = _own_size(config, row, again)
    beside = (
        judging.BesideReference(bench, sweep, (result, row), case.reference)
        if case.reference is not None
        else None
    )
    yield alone if beside is None else beside.size(alone)
    yield _vacuity(config, result, case.command)
    yield _coverage(result, beside, case.command)
    yield _constraint(bench, config, row)
    yield _mutants(bench, sweep, row)
    yield _logs(bench)
    yield (
        judging.GradedCheck(name="strength", verdict="not_applicable", words="no reference was given")
        if beside is None
        else beside.strength()
    )


def _size(row: RunRow) -> str:
    return f"{counted(row.distinct or 0, 'distinct state')}, depth {row.depth}"


def _constants(config: Config) -> dict[str, str]:
    return dict((*config.assignments, *config.substitutions))


def _holds(row: RunRow, command: tuple[str, ...]) -> judging.GradedCheck:
    grade: judging.Grade = "pass"
    words = f"{', '.join(row.held) or 'nothing is checked'}: {_size(row)}"
    if row.verdict is Verdict.VIOLATED:
        grade, words = "fail", f"violated: {', '.join(row.violated_names)}"
    elif row.verdict is not Verdict.HOLDS:
        grade, words = "doubtful", row.unanswered
    checked = {"checked": list(row.checked), "violated": list(row.violated_names)}
    return judging.GradedCheck(
        name="holds", verdict=grade, words=words, evidence={**checked, **judging.counts(row)}, command=command
    )


def _own_size(config: Config, row: RunRow, command: tuple[str, ...]) -> judging.GradedCheck:
    """Whether anything happens at the constants of the config."""
    evidence = {"constants": _constants(config), **judging.counts(row)}
    shown = ", ".join(f"{name} = {value}" for name, value in _constants(config).items()) or "no constants"
    nothing = (row.distinct or 0) <= 1
    words = (
        f"nothing happens: {counted(row.distinct or 0, 'state')} at {shown}"
        if nothing
        else f"{shown}: {_size(row)}"
    )
    return judging.GradedCheck(
        name="size", verdict="fail" if nothing else "pass", words=words, evidence=evidence, command=command
    )


def _vacuity(config: Config, result: SweepResult, command: tuple[str, ...]) -> judging.GradedCheck:
    found = judging.findings_of(result, "vacuous-implication", "no-behaviour", "weak-check", "constant-check")
    unknown = judging.findings_of(result, "vacuity-unchecked")
    stated = [*config.invariants, *config.properties]
    grade: judging.Grade = "fail" if found or not stated else "doubtful" if unknown else "pass"
    words = (
        "no invariant and no property is checked"
        if not stated
        else "; ".join(each.message for each in (*found, *unknown)) or "every implication is exercised"
    )
    return judging.GradedCheck(
        name="vacuity",
        verdict=grade,
        words=words,
        evidence={"checked": stated, "findings": [each.to_dict() for each in (*found, *unknown)]},
        command=command,
    )


def _coverage(
    result: SweepResult, beside: judging.BesideReference | None, command: tuple[str, ...]
) -> judging.GradedCheck:
    never = [str(each.subject) for each in judging.findings_of(result, "never-enabled")]
    there = beside.enabled(never) if beside is not None and never else []
    words = f"never enabled: {', '.join(never)}" if never else "every action is enabled somewhere"
    if there:
        words += f"; the reference enables {', '.join(there)}"
    return judging.GradedCheck(
        name="coverage",
        verdict="fail" if there else "doubtful" if never else "pass",
        words=words,
        evidence={"never_enabled": never, "enabled_in_reference": there},
        command=command,
    )


def _constraint(bench: judging.JudgeBench, config: Config, row: RunRow) -> judging.GradedCheck:
    """Whether the model holds beyond its constraints and its view, as far as a minute's search shows."""
    names = [*config.constraints, *config.action_constraints, *([config.view] if config.view else [])]
    if not names:
        return judging.GradedCheck(
            name="constraint", verdict="not_applicable", words="the model has no constraint and no view"
        )
    free = replace(config, constraints=(), action_constraints=(), view=None)
    file = bench.folder / "without-constraints.cfg"
    judging.write_config(file, free)
    without = bench.sweep(bench.case.spec, file)
    seconds = min(without.limits.timeout_seconds, _UNCONSTRAINED_SECONDS)
    without = replace(without, vacuity=False, limits=replace(without.limits, timeout_seconds=seconds))
    _, wide = bench.run(without, "without-constraints")
    farther = (wide.distinct or 0) >= _FARTHER * (row.distinct or 0)
    shown, looked = ", ".join(names), _size(wide)
    hidden = [name for name in wide.violated_names if name not in row.violated_names]
    grade: judging.Grade
    if hidden:
        grade, words = "fail", f"{shown} cuts off a violation of {', '.join(hidden)}"
    elif wide.verdict is Verdict.VIOLATED:
        grade, words = "not_applicable", "what is violated without it is violated within it, too"
    elif wide.verdict is Verdict.HOLDS:
        grade, words = "pass", f"without {shown} it holds, too: {looked}"
    elif wide.verdict is Verdict.INCONCLUSIVE and farther:
        grade, words = (
            "pass",
            f"without {shown} nothing is violated in the first {looked}; the search was cut",
        )
    else:
        grade, words = "doubtful", f"without {shown} the search was cut: {wide.unanswered}, {looked}"
    evidence = {"constraints": names, "violated": hidden, "finished": wide.verdict is Verdict.HOLDS}
    return judging.GradedCheck(
        name="constraint",
        verdict=grade,
        words=words,
        evidence={**evidence, **judging.counts(wide)},
        command=("tla2py", "check", str(bench.case.spec), "--config", str(file)),
    )


def _mutants(bench: judging.JudgeBench, sweep: Sweep, row: RunRow) -> judging.GradedCheck:
    case = bench.case
    if row.verdict is not Verdict.HOLDS:
        return judging.GradedCheck(
            name="mutants", verdict="not_applicable", words="mutants need a model that holds"
        )
    try:
        report = bench.mutate(sweep, "mutants")
    except InputError as error:
        return judging.GradedCheck(
            name="mutants", verdict="doubtful", words=error.message, command=case.command
        )
    share = score(report)
    survivors = [each for each in report.mutants if each.status == "survived"]
    grade: judging.Grade = (
        "fail" if share.of and not share.killed
        else "doubtful" if share.killed * _LEAST_SHARE < share.of or not share.of
        else "pass"
    )  # fmt: skip
    return judging.GradedCheck(
        name="mutants",
        verdict=grade,
        words=f"{share.killed} of {share.of} mutants are noticed",
        evidence={
            "killed": share.killed,
            "of": share.of,
            "survived": [judging.mutant_object(each) for each in survivors[: judging.MOST_PROOFS]],
        },
        command=("tla2py", "mutate", str(case.spec), "--sample", str(case.sample), "--seed", str(case.seed))
        if case.config in (None, case.spec.with_suffix(".cfg"))
        else case.command,
    )


def _logs(bench: judging.JudgeBench) -> judging.GradedCheck:
    case = bench.case
    if not case.logs:
        return judging.GradedCheck(name="logs", verdict="not_applicable", words="no log was given")
    command = ["tla2py", "validate", str(case.spec), *map(str, case.logs)]
    command += ["--config", str(case.config)] if case.config else []
    try:
        model = ModelOptions(config=case.config)
        sweep = sweep_of_logs([case.spec, *case.logs], model, bench.options, listener=bench.listener)
        [result] = run_sweeps(
            [sweep],
            bench.toolchain,
            bench.executors,
            store=bench.folder / "logs",
            listener=bench.listener,
        )
    except InputError as error:
        return judging.GradedCheck(name="logs", verdict="doubtful", words=str(error), command=tuple(command))
    rows = log_results(result.store)
    verdicts = {each.verdict for each in rows}
    grade: judging.Grade = (
        "fail" if Verdict.VIOLATED in verdicts else "pass" if verdicts == {Verdict.HOLDS} else "doubtful"
    )
    explained = sum(each.verdict is Verdict.HOLDS for each in rows)
    return judging.GradedCheck(
        name="logs",
        verdict=grade,
        words=f"{explained} of {counted(len(rows), 'log')} explained",
        evidence={"logs": log_objects(rows, result.runs)},
        command=tuple(command),
    )
