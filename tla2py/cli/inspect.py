"""``tla2py inspect`` and ``tla2py init``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tla2py.cli.console import err, show, show_json
from tla2py.cli.options import Json, Libraries
from tla2py.errors import InputError

Module = Annotated[Path, typer.Argument(metavar="MODULE.tla", help="The module.")]


def inspect_command(module: Module, library: Libraries = None, as_json: Json = False) -> None:
    """What a module declares: constants, variables, definitions, and what could be checked.

    Example: tla2py inspect specs/kip320/Kip320FirstTry.tla
    """
    from tla2py.inspect import inspect_spec
    from tla2py.report.inspection import inspection_text
    from tla2py.syntax import load_spec

    inspection = inspect_spec(load_spec(module, library or ()))
    if as_json:
        show_json(inspection)
    else:
        show(inspection_text(inspection))


def init_command(
    module: Module,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="SWEEP.toml", help="Write here.")
    ] = None,
    library: Libraries = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite the file.")] = False,
) -> None:
    """A first sweep file for a module: every constant listed, kinds inferred, candidates as comments.

    Without -o it is printed. Example: tla2py init Raft.tla -o sweep.toml
    """
    from tla2py.scaffold import scaffold_sweep
    from tla2py.syntax import load_spec

    spec = load_spec(module, library or ())
    text = scaffold_sweep(spec, output, library or ())
    if output is None:
        typer.echo(text, nl=False)
        return
    if output.exists() and not force:
        raise InputError("file-exists", f"{output} exists already", hint="give --force to overwrite it")
    output.write_text(text, encoding="utf-8")
    err().print(f"wrote {output}; next: tla2py sweep {output}")
