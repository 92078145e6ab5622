"""``tla2py cfg``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tla2py.cli.console import err
from tla2py.errors import InputError
from tla2py.execute import CONFIG_NAME
from tla2py.plan import plan_sweep
from tla2py.sweep import load_sweep


def cfg_command(
    sweep: Annotated[Path, typer.Argument(metavar="SWEEP.toml", help="The sweep file.")],
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="DIR", help="Write a folder per point, ready for TLC."),
    ] = None,
) -> None:
    """The TLC config of every point, with its wrapper module where one is needed.

    Without -o they are printed. Example: tla2py cfg sweep.toml -o configs
    """
    plan = plan_sweep(load_sweep(sweep), "")
    for point, run in zip(plan.points, plan.runs, strict=True):
        wrapper = [plan.sources[sha256] for name, sha256 in run.modules if name == f"{run.main}.tla"]
        generated = wrapper if run.main.startswith("MC_") else []
        if output is None:
            shown = ", ".join(f"{name} = {text}" for name, text in point.parameters.items())
            typer.echo(
                f"\\* point {point.index}: {shown}\n{run.config_text}"
                + "".join(f"\n{text}" for text in generated)
            )
            continue
        folder = output / f"{point.index:04d}"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            (folder / CONFIG_NAME).write_text(run.config_text, encoding="utf-8")
            for name, sha256 in run.modules:
                (folder / name).write_text(plan.sources[sha256], encoding="utf-8")
        except OSError as error:
            raise InputError("output-unwritable", f"cannot write to {folder}: {error.strerror}") from error
    if output is not None:
        main = plan.runs[0].main
        err().print(
            f"wrote {len(plan.runs)} folders to {output}; in one: java -cp tla2tools.jar tlc2.TLC -config {CONFIG_NAME} {main}.tla"
        )
