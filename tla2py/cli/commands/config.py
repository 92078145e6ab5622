"""``tla2py cfg``."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer

from tla2py.cli.console import err, print_error, show_text
from tla2py.cli.options import Libraries, NoLint, Translate
from tla2py.cli.translate import pluscal_translator
from tla2py.errors import ExitCode, InputError, writing
from tla2py.execution.preflight import file_errors
from tla2py.files.write import write_file
from tla2py.model.run import Run
from tla2py.sweep.load.sweeps import load_sweep
from tla2py.sweep.plan import Plan, plan_sweep
from tla2py.text import counted, parameter_text
from tla2py.tlc.command import CONFIG_NAME, property_options, shell_command
from tla2py.tlc.inputs import place_inputs


def cfg_command(
    sweep: Annotated[
        list[Path],
        typer.Argument(
            metavar="SWEEP.toml", help="The sweep file; with --check, several sweep files and configs."
        ),
    ],
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="DIR", help="Write a folder per point, ready for TLC."),
    ] = None,
    check: Annotated[
        bool, typer.Option("--check", help="Write nothing; report the errors in sweep files and configs.")
    ] = False,
    library: Libraries = None,
    translate: Translate = True,
    no_lint: NoLint = False,
) -> None:
    """Write or print the TLC config of every point, with its wrapper module if it needs one.

    Without -o the configs are printed.

    Examples:
      tla2py cfg sweep.toml -o configs
      tla2py cfg --check sweep.toml models/*.cfg
    """
    libraries = tuple(library or ())
    translator = pluscal_translator(translate=translate)
    if check:
        errors = [
            error for file in sweep for error in file_errors(file, libraries, translator, no_lint=no_lint)
        ]
        for error in errors:
            print_error(error)
        raise typer.Exit(ExitCode.NOT_RUN if errors else ExitCode.OK)
    if len(sweep) > 1:
        raise InputError("usage", "cfg takes one sweep file", hint="only --check takes several")
    plan = plan_sweep(load_sweep(sweep[0], libraries, translate=translator, no_lint=no_lint), "")
    if output is None:
        _print(plan)
        return
    for point, run in zip(plan.points, plan.runs, strict=True):
        _write(output / f"{point.index:04d}", run, plan.sources)
    run = plan.runs[0]
    java = ["java", *property_options(run.inputs.java_properties), "-cp", "tla2tools.jar", "tlc2.TLC"]
    line = shell_command(run.inputs.environment, [*java, "-config", CONFIG_NAME, f"{run.main}.tla"])
    err().print(f"wrote {counted(len(plan.runs), 'folder')} to {output}; in one: {line}")


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


def _write(folder: Path, run: Run, sources: Mapping[str, str]) -> None:
    """Write the files of a run into a folder."""
    with writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
        write_file(folder / CONFIG_NAME, run.config_text)
        for name, sha256 in run.modules:
            write_file(folder / name, sources[sha256])
        place_inputs(run.inputs, folder)
