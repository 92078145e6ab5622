"""Whether to trust a result: ``gate``, ``mutate``, ``judge``, ``evidence`` and ``lint``."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated, Literal

import msgspec
import typer

from tla2py.analysis.judgement import judge_specification
from tla2py.analysis.judging import JudgeBench, JudgeCase
from tla2py.cli import options as opt
from tla2py.cli.console import err, print_commands, print_error, shielded, show, show_json, show_text
from tla2py.cli.options import argument, option
from tla2py.cli.progress import ConsoleListener
from tla2py.errors import ExitCode, InputError, Tla2pyError
from tla2py.execution.sweeps import SweepOptions
from tla2py.gate import outputs
from tla2py.gate.evidence import (
    Packed,
    PackGaps,
    Repeated,
    find_gaps,
    read_pack,
    repeat_points,
    write_evidence,
)
from tla2py.gate.report_model import evidence_of
from tla2py.gate.run import GateOptions, gate
from tla2py.gate.sarif import SarifReport
from tla2py.gate.terminal import gate_summary, lock_lines
from tla2py.lint.subject import read_dialect
from tla2py.model.finding import Severity, alike_findings
from tla2py.model.mutant import LeftOut
from tla2py.mutation.mutate import export_mutants, run_mutation, sweep_to_mutate
from tla2py.mutation.plan import Trial, file_choice, prepare_trial
from tla2py.mutation.run import Cost
from tla2py.spark import ExecutorName
from tla2py.spark.choice import choose_executor
from tla2py.sweep.judge import worst
from tla2py.sweep.plan import plan_sweep
from tla2py.sweep.rules import lint_paths, lint_with_module
from tla2py.text import counted, listed, points_text
from tla2py.tlc.tools.toolchain import find_jar, find_toolchain
from tla2py.view.mutants import cost_lines, judgement_lines, mutant_list, mutation_view
from tla2py.view.tools import finding_text, findings_summary


@opt.with_folder_options
def gate_command(
    target: Annotated[
        list[str], argument("SWEEP.toml|DIR|STORE...", "Sweep files, folders with configs, or stores.")
    ],
    store: opt.StorePath = None,
    sweep: Annotated[Path | None, option("--sweep FILE", "Judge the STORE by this sweep file.")] = None,
    junit: Annotated[Path | None, option("--junit FILE", "Write JUnit XML.")] = None,
    sarif: Annotated[Path | None, option("--sarif FILE", "Write SARIF 2.1.0.")] = None,
    summary: Annotated[
        Path | None,
        option("--summary FILE", "Write Markdown; on GitHub Actions it is the job summary by default."),
    ] = None,
    record: Annotated[bool, option("--record", "Write a first SWEEP.lock.")] = False,
    update: Annotated[bool, option("--update", "Accept the drift from SWEEP.lock.")] = False,
    locked: Annotated[bool, option("--locked", "Fail if SWEEP.lock is missing, for CI.")] = False,
    strict: Annotated[bool, option("--strict", "Fail on each finding that is not accepted.")] = False,
    coverage: Annotated[
        bool | None,
        option(
            "--coverage/--no-coverage",
            "Count fired actions at every point, or at none; default: with --record, and where the lock has counts.",
        ),
    ] = None,
    vacuity: Annotated[
        bool | None,
        option(
            "--vacuity/--no-vacuity",
            "Run TLC again on points that hold, to find checks that cannot fail; default: with --record, then as the lock says.",
        ),
    ] = None,
    second: Annotated[
        Path | None,
        option("--second JAR", "Run each point with this TLC too, and fail where the two disagree."),
    ] = None,
    self_test: Annotated[
        bool, option("--self-test", "Show of each property that it can fail: run a mutant that it notices.")
    ] = False,
    master: opt.Master = None,
    executor: opt.ExecutorChoice = None,
    fresh: opt.Fresh = False,
    no_why: opt.NoWhy = False,
    show_command: opt.ShowCommand = False,
    *,
    options: SweepOptions,
    as_json: opt.Json = False,
) -> None:
    """Compare sweeps with their expectations and locks, for CI.

    Missing runs of sweep files are executed first.

    Examples:
      tla2py gate sweep.toml --junit junit.xml
      tla2py gate sweep.toml --record
      tla2py gate models/ --record
      tla2py gate sweep.toml --second 1.7.4 --json
    """
    github = os.environ.get("GITHUB_ACTIONS") == "true"
    gating = GateOptions(
        store=store,
        sweep_file=sweep,
        fresh=fresh,
        coverage=coverage,
        vacuity=vacuity,
        lock="record" if record else "update" if update else "read",
        locked=locked,
        strict=strict,
        second=second,
        self_test=self_test,
        why=not no_why,
        sweeps=options,
    )
    formats = ((outputs.JunitReport, junit), (SarifReport, sarif), (outputs.MarkdownReport, summary))
    files = [kind(path) for kind, path in formats if path is not None]
    read = [path for path in (sweep, options.tla2tools) if path is not None]
    outputs.check_reports(files, target, read)
    reports: list[outputs.Report] = [
        *([outputs.Annotations(print_commands)] if github and not as_json else []),
        *files,
    ]
    if summary is None and (job := os.environ.get("GITHUB_STEP_SUMMARY")):
        reports.append(outputs.JobSummary(Path(job)))
    for report in reports:
        report.clear()
    listener = ConsoleListener()
    root = outputs.report_root()
    with outputs.reporting_failure(reports, ", ".join(target)):
        gated = gate(target, choose_executor(executor, master, listener, only_runs=True), gating, listener)
        gates = [evidence_of(each, options, root, show_command=show_command) for each in gated]
    for each in gated if record or update else ():
        err().print(lock_lines(each))
    try:
        with outputs.describing_failure("the decision could not be printed; the reports have it"):
            if as_json:
                show_json([outputs.gate_object(each.decision) for each in gates])
            else:
                with shielded(github):
                    show(gate_summary(gates))
    finally:
        outputs.write_decisions(reports, gates)
    raise typer.Exit(worst([ExitCode.OK, *(each.decision.exit_code for each in gated)]))


@opt.with_sweep_options
def mutate_command(
    file: Annotated[Path, argument("SWEEP.toml", "A sweep file, or a module with its config beside it.")],
    store: Annotated[
        str | None, option("-o --store STORE", "Where to keep the runs; default runs/NAME-mutants.")
    ] = None,
    operators: Annotated[
        str | None, option("--operators NAME,...", "Only mutants of these operators.")
    ] = None,
    actions: Annotated[
        str | None, option("--actions NAME,...", "Only mutants that change these definitions.")
    ] = None,
    sample: Annotated[
        int | None, option("--sample N", "Only so many mutants, chosen at random.", min=1)
    ] = None,
    seed: Annotated[int | None, option("--seed N", "The seed of that choice.")] = None,
    points: Annotated[
        str | None, option("--points 1,3-5", "Only these points of the sweep; default: all.")
    ] = None,
    given: Annotated[
        Path | None, option("--from FILE", "Mutants to run instead, a JSON object on each line.")
    ] = None,
    export: Annotated[
        Path | None, option("--export DIR", "Also write each mutant to a folder for plain TLC.")
    ] = None,
    dry_run: Annotated[bool, option("--dry-run", "List the mutants; run nothing.")] = False,
    master: opt.Master = None,
    executor: opt.ExecutorChoice = ExecutorName.LOCAL,
    fresh: opt.Fresh = False,
    *,
    options: SweepOptions,
    as_json: opt.Json = False,
) -> None:
    """Change the specification in many small ways, and show which changes no check notices.

    Each mutant runs from the smallest point upward until a check is violated. A survivor is a question: should a check notice this?

    Examples:
      tla2py mutate sweep.toml
      tla2py mutate sweep.toml --points 1,2 --sample 50
      tla2py mutate Lease.tla --operators drop-guard,drop-update
    """
    listener = ConsoleListener()
    sweep = sweep_to_mutate(file, options, listener=listener)
    own = file_choice(sweep)
    choice = replace(
        own,
        operators=_names(operators) or own.operators,
        actions=_names(actions),
        sample=sample or own.sample,
        seed=own.seed if seed is None else seed,
        given=given,
        points=points or own.points,
    )
    if dry_run:
        plan = plan_sweep(sweep, find_jar(options.tla2tools).sha256)
        for line in mutant_list(prepare_trial(sweep, plan, choice)):
            show(line)
        return

    def show_costs(trial: Trial, costs: Sequence[Cost], left_out: Sequence[LeftOut]) -> None:
        for line in cost_lines(trial, costs, left_out):
            err().print(line)

    toolchain = find_toolchain(options.tla2tools)
    executors = choose_executor(executor, master, listener, only_runs=True)
    mutation = run_mutation(
        sweep, toolchain, executors, choice, store=store, fresh=fresh, listener=listener, costs=show_costs
    )
    if export is not None:
        export_mutants(mutation.trial, mutation.report, export)
    if as_json:
        rows = msgspec.to_builtins(mutation.report.mutants)
        show_json([{key: row[key] for key in row if key != "run_id"} for row in rows])
        return
    for part in mutation_view(mutation):
        show(part)


@opt.with_sweep_options
def judge_command(
    spec: Annotated[Path, argument("SPEC.tla", "The specification to judge.")],
    config: Annotated[Path | None, option("--config FILE.cfg", "Its config; default: SPEC.cfg.")] = None,
    reference: Annotated[
        Path | None,
        option(
            "--reference REF.tla",
            "A specification, with its config beside it, whose properties and behaviours are to be matched.",
        ),
    ] = None,
    log: Annotated[
        list[Path] | None, option("--log LOG", "A log that it has to explain; repeatable.")
    ] = None,
    map_: Annotated[
        list[str] | None,
        option("--map A=B", "What is A in the reference is B in the specification; repeatable."),
    ] = None,
    store: Annotated[
        Path | None, option("-o --output DIR", "Where to keep the runs; default runs/SPEC-judge.")
    ] = None,
    sample: Annotated[int, option("--sample N", "How many mutants to try.", min=1)] = 60,
    seed: Annotated[int, option("--seed N", "The seed of their choice.")] = 0,
    *,
    options: SweepOptions,
    as_json: opt.Json = False,
) -> None:
    """Grade a specification: whether it says anything, and whether it does and checks as much as a reference.

    Exit codes: 0 good, 1 bad, 3 doubtful, 2 could not be run.

    Examples:
      tla2py judge Lease.tla
      tla2py judge Lease.tla --reference reviewed/Lease.tla
      tla2py judge TwoPhase.tla --log run.ndjson --json
    """
    pairs = [tuple(text.partition("=")[::2]) for text in map_ or ()]
    for text, (name, value) in zip(map_ or (), pairs, strict=True):
        if not (name and value):
            raise InputError("usage", f"not A=B: {text!r}", hint="example: --map RM=Participants")
    listener = ConsoleListener()
    case = JudgeCase(
        spec=spec,
        config=config,
        reference=reference,
        logs=tuple(log or ()),
        maps=tuple((name, value) for name, value in pairs),
        sample=sample,
        seed=seed,
    )
    toolchain = find_toolchain(options.tla2tools)
    executors = choose_executor(ExecutorName.LOCAL, None, listener, only_runs=True)
    folder = store or Path("runs") / f"{spec.stem}-judge"
    judgement = judge_specification(JudgeBench(case, options, toolchain, executors, folder, listener))
    if as_json:
        show_json(judgement.to_dict())
    else:
        for line in judgement_lines(str(spec), judgement):
            show(line, wrapped=True)
    raise typer.Exit(judgement.exit_code)


def _names(text: str | None) -> tuple[str, ...]:
    return tuple(name.strip() for name in (text or "").split(",") if name.strip())


def evidence_command(
    what: Annotated[list[str], argument("STORE | verify FILE.zip", "A store, or a pack to verify.")],
    output: Annotated[Path | None, option("-o --output FILE.zip", "Write the pack here.")] = None,
    with_environment: Annotated[
        bool,
        option(
            "--with-environment",
            "Include values of environment variables and Java properties; default: only their digests.",
        ),
    ] = False,
    sample: Annotated[
        str | None,
        option("--sample N|all", "With verify: run so many points again, drawn at random; default: 10."),
    ] = None,
    as_json: opt.Json = False,
) -> None:
    """Write what an auditor wants of a store into one file, or verify such a file by running its points again.

    The pack has verdicts, counts, texts, options and digests, and neither jars nor absolute paths. Its own digest is printed; keep it elsewhere, since verify finds damage, not forgery.

    Exit codes of verify: 0 the same, 1 a point differs or was removed, 2 the pack is damaged or a point cannot be repeated, 3 no answer, or no point.

    Examples:
      tla2py evidence runs/NAME -o pack.zip
      tla2py evidence verify pack.zip --sample all
    """
    verifies = len(what) == 2 and what[0] == "verify"
    if len(what) != 1 + verifies or verifies == (output is not None) or (sample is not None and not verifies):
        hint = "tla2py evidence STORE -o FILE.zip, or tla2py evidence verify FILE.zip [--sample N]"
        raise InputError("usage", "evidence takes a store and -o, or verify and a pack", hint=hint)
    if output is not None:
        digest = write_evidence(what[0], output, with_environment=with_environment)
        if as_json:
            show_json({"file": str(output), "sha256": digest})
        else:
            show_text(f"{output}  sha256 {digest}\n")
        return
    if sample is not None and sample != "all" and (not sample.isdecimal() or not int(sample)):
        raise InputError(
            "usage", f"--sample {sample} is neither a number of points nor all", hint="example: --sample 20"
        )
    pack = read_pack(Path(what[1]))
    answers = repeat_points(pack, None if sample == "all" else int(sample or _SAMPLE))
    gaps = find_gaps(pack)
    if as_json:
        show_json(
            {
                "sha256": pack.sha256,
                "points": len(pack.facts.points),
                "missing": [*gaps.removed, *pack.facts.missing],
                "repeated": [asdict(each) for each in answers],
            }
        )
    else:
        show_text("\n".join([*_verified_lines(pack, answers, gaps), ""]))
    codes = [_CODES[each.status] for each in answers] or [ExitCode.INCONCLUSIVE]
    if gaps.removed or gaps.runs:
        codes.append(ExitCode.UNEXPECTED)
    raise typer.Exit(worst(codes))


def _verified_lines(pack: Packed, answers: Sequence[Repeated], gaps: PackGaps) -> Iterator[str]:
    """Yield the lines of a verification: what differs, what the pack lacks, what was repeated and what was not."""
    facts = pack.facts
    yield f"sha256 {pack.sha256}"
    for each in answers:
        if each.status != "same":
            yield f"point {each.point} {each.status}: {each.text}"
    if gaps.removed:
        yield f"missing: the pack has no entry for {counted(len(gaps.removed), 'point')} of its sweep: {points_text(gaps.removed)}"
    if gaps.runs:
        yield f"left over: {counted(len(gaps.runs), 'run')} in the pack belong{'s' * (len(gaps.runs) == 1)} to no point"
    if facts.missing:
        yield f"without a result when it was packed: {counted(len(facts.missing), 'point')}: {points_text(facts.missing)}"
    others = {"mutant": len(facts.mutants), "run of a second TLC": len(facts.second)}
    for noun, count in others.items():
        if count:
            yield f"not repeated: each {noun} ({count:,})"
    counts = Counter(each.status for each in answers)
    statuses = [f"{counts['same']} the same"]
    statuses += [f"{count} {status}" for status, count in counts.items() if status != "same"]
    yield f"{len(answers)} of {counted(len(facts.points), 'point')} repeated: {', '.join(statuses)}"


# The points of a pack that run again unless told otherwise, and the exit codes of what becomes of them.
_SAMPLE = 10
_CODES = {
    "same": ExitCode.OK,
    "differs": ExitCode.UNEXPECTED,
    "unanswered": ExitCode.INCONCLUSIVE,
    "unrepeatable": ExitCode.NOT_RUN,
}


def lint_command(
    files: Annotated[
        list[Path],
        argument(
            "PATH...", "Configs, modules (for the config beside them), sweep files, or folders with these."
        ),
    ],
    library: opt.Libraries = None,
    tla2tools: opt.Jar = None,
    form: Annotated[
        Literal["text", "json"], option("--format text|json", "How findings are printed.")
    ] = "text",
) -> None:
    """Find mistakes in configs and sweep files that TLC ignores or misreads, without running TLC.

    A config belongs to the module that you name, otherwise to one whose name is a prefix of the config's: beside it, above it or in -L;
    where none has its names, to the only one beside it or above that has them.

    Exit codes: 0 nothing found, 1 an error or a warning, 2 an unreadable file or an expectation that cannot apply.

    Examples:
      tla2py lint Spec.cfg Spec.tla
      tla2py lint models/*.cfg
      tla2py lint sweep.toml
      tla2py lint .
    """
    dialect = read_dialect(find_jar(tla2tools))
    report = lint_paths(files, library or [], dialect, opt.pluscal_translator(tla2tools))
    for config in report.text_only:
        skipped = f"{config}: no module matches its name; only its text is checked"
        err().print(f"{skipped}; to name the module: {lint_with_module(config)}", markup=False)
    # Many modules can have the same mistake, such as a module that they all need.
    mistakes: dict[str, list[Tla2pyError]] = {}
    partly: dict[str, list[Path]] = {}
    for error, unread in report.errors:
        mistakes.setdefault(error.message, []).append(error)
        files_elsewhere = [file for file in unread if str(file) != (error.where or "").split(":")[0]]
        partly.setdefault(error.message, []).extend(files_elsewhere)
    for message, (error, *others) in mistakes.items():
        print_error(error)
        if places := {each.where: None for each in others if each.where not in (None, error.where)}:
            err().print(f"  the same at {listed(places, 10)}", markup=False)
        if partly[message]:
            err().print(f"  so only partly read: {listed(partly[message], 10)}", markup=False)
    if report.skipped and form == "text":
        named = f"to name the module: {lint_with_module(report.skipped[0])}"
        err().print(f"no single module matches {listed(report.skipped, 10)}; {named}", markup=False)
    if form == "json":
        show_json(
            {
                "findings": [finding.to_dict() for finding in report.findings],
                "files": len(report.files),
                "text_only": [str(file) for file in report.text_only],
                "unread": [str(file) for _, files in report.errors for file in files],
                "not_linted": [str(file) for file in report.skipped],
                "unreached": report.unreached,
            }
        )
    elif report.findings or report.unread < len(report.files):
        for findings in alike_findings(report.findings):
            show(finding_text(*findings))
        counts = len(report.files), report.unread, len(report.skipped), report.unreached
        err().print(findings_summary(report.findings, *counts))
    bad = any(finding.severity is not Severity.NOTE for finding in report.findings)
    raise typer.Exit(ExitCode.NOT_RUN if report.errors else ExitCode.UNEXPECTED if bad else ExitCode.OK)
