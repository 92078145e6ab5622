"""``tla2py judge``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tla2py.analysis.grade_model import GradingCase, GradingRunner
from tla2py.analysis.grading import grade_specification
from tla2py.cli import options as opt
from tla2py.cli.console import show, show_json
from tla2py.cli.options import argument, option
from tla2py.cli.progress import ConsoleListener
from tla2py.errors import InputError
from tla2py.execution.sweeps import SweepOptions
from tla2py.spark import ExecutorName
from tla2py.spark.choice import choose_executor
from tla2py.tlc.tools.toolchain import find_toolchain
from tla2py.view.mutants import judgement_lines


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
    case = GradingCase(
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
    judgement = grade_specification(GradingRunner(case, options, toolchain, executors, folder, listener))
    if as_json:
        show_json(judgement.to_dict())
    else:
        for line in judgement_lines(str(spec), judgement):
            show(line, wrapped=True)
    raise typer.Exit(judgement.exit_code)
