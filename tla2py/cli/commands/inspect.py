"""``tla2py inspect`` and ``tla2py init``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tla2py.cli.commands.schema import SCHEMA_LINE, SCHEMA_NAME, write_schema
from tla2py.cli.console import err, show, show_json, show_text
from tla2py.cli.options import Json, Libraries, Translate
from tla2py.errors import InputError
from tla2py.files.write import write_file

if TYPE_CHECKING:
    from tla2py.syntax import ModuleGraph

Module = Annotated[Path, typer.Argument(metavar="MODULE.tla", help="The module.")]


def inspect_command(
    module: Module, library: Libraries = None, translate: Translate = True, as_json: Json = False
) -> None:
    """Show what a module declares: constants, variables, definitions, and candidates for checking.

    Example:
      tla2py inspect specs/kip320/Kip320FirstTry.tla
    """
    from tla2py.init.inspect import inspect_spec
    from tla2py.terminal.inspection import inspection_text

    inspection = inspect_spec(_load(module, library or (), translate))
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
    translate: Translate = True,
    force: Annotated[bool, typer.Option("--force", help="Overwrite the file.")] = False,
    schema: Annotated[
        bool,
        typer.Option("--schema", help=f"Also write {SCHEMA_NAME} beside it and refer to it, for editors."),
    ] = False,
) -> None:
    """Write a first sweep file for a module: every constant, with inferred kinds, and candidates as comments.

    Without -o, print it.

    Examples:
      tla2py init Raft.tla -o sweep.toml
      tla2py init Raft.tla -o sweep.toml --schema
    """
    from tla2py.init.scaffold import scaffold_sweep

    if schema and output is None:
        raise InputError("usage", "--schema needs -o", hint="add -o SWEEP.toml")
    spec = _load(module, library or (), translate)
    text = SCHEMA_LINE * schema + scaffold_sweep(spec, output, library or ())
    if output is None:
        show_text(text)
        return
    if output.exists() and not force:
        raise InputError("file-exists", f"{output} already exists", hint="--force overwrites it")
    if any(each.path is not None and output.resolve() == each.path.resolve() for each in spec.modules):
        raise InputError(
            "output-is-input", f"{output} is a module that the sweep reads", hint="name another file"
        )
    write_file(output, text)
    if schema:
        write_schema(output.with_name(SCHEMA_NAME))
    choose = "uncomment what to check, then " if '\n    # "' in text else ""
    err().print(f"wrote {output}; next: {choose}tla2py sweep {output} --executor local", markup=False)


def _load(module: Path, libraries: Sequence[Path], translate: bool) -> ModuleGraph:
    """The module graph; also searches folders beside the module's own, and names them."""
    from tla2py.cli.translate import pluscal_translator
    from tla2py.syntax.search import PROOFS
    from tla2py.toolchain.community import load_specification

    translator = pluscal_translator(translate=translate)
    spec = load_specification(module, libraries, nearby=True, translate=translator)
    known = {module.parent, *libraries, PROOFS}
    known |= {each.path.parent for each in spec.installed if each.path is not None}
    folders = dict.fromkeys(each.path.parent for each in spec.modules if each.path is not None)
    for folder in folders:
        if folder not in known:
            names = ", ".join(m.name for m in spec.modules if m.path is not None and m.path.parent == folder)
            err().print(f"found {names} in {folder}, as with -L {folder}", style="dim", markup=False)
    return spec
