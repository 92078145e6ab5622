"""``tla2py cfg``."""

from __future__ import annotations

import glob
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Annotated

import typer

from tla2py.cli.console import err, print_error, show_text
from tla2py.cli.options import Libraries
from tla2py.cli.translate import Translate, use_translator
from tla2py.config.expect_comment import config_expectation
from tla2py.config.read import read_config
from tla2py.errors import EXIT_NOT_RUN, EXIT_OK, InputError, Tla2pyError, unwritable
from tla2py.execution.execute import CONFIG_NAME
from tla2py.lint import Finding, Severity, lint_file
from tla2py.lint.configs import module_of
from tla2py.lint.sweeps.rules import lint_sweep
from tla2py.sweep.checks import config_facts, config_problems
from tla2py.sweep.plan import Plan, plan_sweep
from tla2py.sweep.sweep import Sweep, load_sweep, sweep_of_configs
from tla2py.sweep.vacuity import check_expectations
from tla2py.text import counted, parameter_text


def cfg_command(
    sweep: Annotated[
        list[Path],
        typer.Argument(metavar="SWEEP.toml", help="The sweep file; with --check several, and configs."),
    ],
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="DIR", help="Write a folder per point, ready for TLC."),
    ] = None,
    check: Annotated[
        bool, typer.Option("--check", help="Write nothing; name what is wrong in sweep files and configs.")
    ] = False,
    library: Libraries = None,
    translate: Translate = True,
) -> None:
    """The TLC config of every point, with its wrapper module where one is needed.

    Without -o they are printed. Examples: tla2py cfg sweep.toml -o configs; tla2py cfg --check sweep.toml models/*.cfg
    """
    libraries = tuple(library or ())
    use_translator(None, translate)
    if check:
        raise typer.Exit(EXIT_NOT_RUN if _wrong(sweep, libraries) else EXIT_OK)
    if len(sweep) > 1:
        raise InputError("usage", "one sweep file at a time", hint="--check takes several")
    plan = plan_sweep(load_sweep(sweep[0], libraries), "")
    if output is None:
        _print(plan)
    else:
        _write(plan, output)


def _wrong(files: Sequence[Path], libraries: Sequence[Path]) -> int:
    """Print what is wrong with each file, and return in how many there is something."""
    wrong = 0
    for file in files:
        try:
            errors = list(_check(file, libraries))
        except Tla2pyError as error:
            errors = [error]
        for each in errors:
            print_error(each)
        wrong += bool(errors)
    return wrong


def _check(file: Path, libraries: Sequence[Path]) -> Iterator[Tla2pyError]:
    """What is wrong with a sweep file, or with a config and the module it is named after.

    A config that no module beside it is named after is read alone. Raises InputError for what cannot be planned.
    """
    if file.suffix == ".cfg":
        config_expectation(read_config(file).text, file)
        module = module_of(file)
        if module is None:
            yield from _errors(lint_file(file, None))
            return
        sweep = sweep_of_configs(module, glob.escape(str(file)), libraries)
    else:
        sweep = load_sweep(file, libraries if file.suffix == ".json" else ())
    plan = plan_sweep(sweep, "")
    check_expectations(sweep, plan)
    errors = list(_errors(lint_sweep(sweep, plan)))
    yield from errors
    if not errors:
        _check_facts(file, sweep, plan)


def _errors(findings: Iterable[Finding]) -> Iterator[Tla2pyError]:
    return (finding.to_error() for finding in findings if finding.severity is Severity.ERROR)


def _check_facts(file: Path, sweep: Sweep, plan: Plan) -> None:
    for point, run in zip(plan.points, plan.runs, strict=True):
        for problem in config_problems(config_facts(run, sweep.spec(point))):
            shown = parameter_text(point.parameters)
            raise InputError(
                "config-proves-nothing",
                f"it proves nothing of {shown}: {problem}",
                where=str(file),
                hint=f"'tla2py cfg {file}' shows the config of each point",
            )


def _print(plan: Plan) -> None:
    for point, run in zip(plan.points, plan.runs, strict=True):
        wrapper = [plan.sources[sha256] for name, sha256 in run.modules if name == f"{run.main}.tla"]
        generated = wrapper if run.main.startswith("MC_") else []
        shown = parameter_text(point.parameters)
        show_text(
            f"\\* point {point.index}: {shown}\n{run.config_text}"
            + "".join(f"\n{text}" for text in generated)
            + "\n"
        )


def _write(plan: Plan, output: Path) -> None:
    for point, run in zip(plan.points, plan.runs, strict=True):
        folder = output / f"{point.index:04d}"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            (folder / CONFIG_NAME).write_text(run.config_text, encoding="utf-8")
            for name, sha256 in run.modules:
                (folder / name).write_text(plan.sources[sha256], encoding="utf-8")
        except OSError as error:
            raise unwritable(folder, error) from error
    main = plan.runs[0].main
    err().print(
        f"wrote {counted(len(plan.runs), 'folder')} to {output}; in one: java -cp tla2tools.jar tlc2.TLC -config {CONFIG_NAME} {main}.tla"
    )
