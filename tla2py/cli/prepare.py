"""What comes before a sweep: ``inspect``, ``init``, ``schema``, ``cfg`` and ``examples``."""

from __future__ import annotations

import json
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tla2py.cli import options as opt
from tla2py.cli.app import PlainCommand
from tla2py.cli.console import err, print_error, show, show_json, show_text
from tla2py.cli.options import argument, command_group, option
from tla2py.errors import ExitCode, InputError, writing
from tla2py.files import write_file
from tla2py.text import counted, parameter_text
from tla2py.view.layout import plain_table

if TYPE_CHECKING:
    from tla2py.tla.graph import ModuleGraph


# The name of a schema beside a sweep file.
SCHEMA_NAME = "sweep.schema.json"
# The comment with which Taplo and editors find the schema of a TOML file.
SCHEMA_LINE = f"#:schema ./{SCHEMA_NAME}\n"


def schema_command(
    output: Annotated[Path | None, option("-o --output FILE", "Write here.")] = None,
) -> None:
    """Write the JSON Schema of sweep files, for editors to complete keys and mark mistakes.

    Without -o, print it. A sweep file beside it refers to it in its first line: #:schema ./sweep.schema.json

    Example:
      tla2py schema -o sweep.schema.json
    """
    if output is None:
        typer.echo(schema_text(), nl=False)
        return
    write_file(output, schema_text())
    err().print(f"wrote {output}; first line of a sweep file beside it: #:schema ./{output.name}")


def schema_text() -> str:
    """The schema as text."""
    from tla2py.cli.diagnosis import sweep_schema

    return json.dumps(sweep_schema(), indent=2) + "\n"


Module = Annotated[Path, argument("MODULE.tla", "The module.")]


def inspect_command(
    module: Module, library: opt.Libraries = None, translate: opt.Translate = True, as_json: opt.Json = False
) -> None:
    """Show what a module declares: constants, variables, definitions, and candidates for checking.

    Example:
      tla2py inspect specs/kip320/Kip320FirstTry.tla
    """
    from tla2py.sweep.inspect import inspect_spec
    from tla2py.view.tools import inspection_text

    inspection = inspect_spec(_load(module, library or (), translate))
    if as_json:
        show_json(inspection)
    else:
        show(inspection_text(inspection))


def init_command(
    module: Module,
    output: Annotated[Path | None, option("-o --output SWEEP.toml", "Write here.")] = None,
    launch: Annotated[
        Path | None,
        option(
            "--launch FILE.launch",
            "Start from this model of the Toolbox; default: a config, or a model in MODULE.toolbox.",
        ),
    ] = None,
    library: opt.Libraries = None,
    translate: opt.Translate = True,
    force: Annotated[bool, option("--force", "Overwrite the file.")] = False,
    schema: Annotated[
        bool, option("--schema", f"Also write {SCHEMA_NAME} beside it and refer to it, for editors.")
    ] = False,
) -> None:
    """Write a first sweep file for a module: every constant, with inferred kinds, and candidates as comments.

    Without -o, print it.

    Examples:
      tla2py init Raft.tla -o sweep.toml
      tla2py init Raft.tla -o sweep.toml --schema
      tla2py init Raft.tla --launch Raft.toolbox/Raft___Model_1.launch
    """
    from tla2py.sweep.scaffold import scaffold_sweep

    if schema and output is None:
        raise InputError("usage", "--schema needs -o", hint="add -o SWEEP.toml")
    spec = _load(module, library or (), translate)
    text = SCHEMA_LINE * schema + scaffold_sweep(spec, output, library or (), launch)
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
        write_file(output.with_name(SCHEMA_NAME), schema_text())
    unchecked = '\n    # "' in text and '\n    "' not in text
    choose = "uncomment what to check, then " if unchecked else ""
    err().print(
        f"wrote {output}; next: {choose}tla2py sweep {shlex.quote(str(output))}",
        markup=False,
    )


def _load(module: Path, libraries: Sequence[Path], translate: bool) -> ModuleGraph:
    """The module graph; also searches folders beside the module's own, and names them."""
    from tla2py.lint.rules import unread_modules
    from tla2py.tla.parse import PROOFS
    from tla2py.tlc.tools.community import load_specification

    translator = opt.pluscal_translator(translate=translate)
    spec = load_specification(module, libraries, nearby=True, translate=translator)
    for finding in unread_modules([spec]):
        err().print(f"{finding.place}: {finding.message}", markup=False)
    known = {module.parent, *libraries, PROOFS}
    known |= {each.path.parent for each in spec.installed if each.path is not None}
    folders = dict.fromkeys(each.path.parent for each in spec.modules if each.path is not None)
    for folder in folders:
        if folder not in known:
            names = ", ".join(m.name for m in spec.modules if m.path is not None and m.path.parent == folder)
            err().print(f"found {names} in {folder}, as with -L {folder}", style="dim", markup=False)
    return spec


def cfg_command(
    sweep: Annotated[
        list[Path], argument("SWEEP.toml", "The sweep file; with --check, several sweep files and configs.")
    ],
    output: Annotated[
        Path | None, option("-o --output DIR", "Write a folder per point, ready for TLC.")
    ] = None,
    check: Annotated[
        bool, option("--check", "Write nothing; report the errors in sweep files and configs.")
    ] = False,
    settings: opt.Settings = None,
    constant: opt.FolderConstants = None,
    no_deadlock: opt.FolderDeadlock = False,
    inputs: opt.FolderInputs = None,
    library: opt.Libraries = None,
    translate: opt.Translate = True,
    no_lint: opt.NoLint = False,
) -> None:
    """Write or print the TLC config of every point, with its wrapper module if it needs one.

    Without -o the configs are printed.

    Examples:
      tla2py cfg sweep.toml -o configs
      tla2py cfg --check sweep.toml models/*.cfg
    """
    from tla2py.execution.preflight import file_errors
    from tla2py.sweep.file import mark_points
    from tla2py.sweep.load import load_sweep
    from tla2py.sweep.options import Loading, given_files
    from tla2py.sweep.plan import plan_sweep
    from tla2py.tlc.process.command import CONFIG_NAME, place_inputs, property_options, shell_command

    libraries = tuple(library or ())
    how = Loading(
        translate=opt.pluscal_translator(translate=translate),
        no_lint=no_lint,
        constants=tuple(constant or ()),
        no_deadlock=no_deadlock,
        inputs=given_files(inputs or ()),
    )
    if check:
        errors = [error for file in sweep for error in file_errors(file, libraries, how)]
        for error in errors:
            print_error(error)
        raise typer.Exit(ExitCode.NOT_RUN if errors else ExitCode.OK)
    if len(sweep) > 1:
        raise InputError("usage", "cfg takes one sweep file", hint="only --check takes several")
    plan = plan_sweep(load_sweep(sweep[0], libraries, how, settings=settings or ()), "")
    if output is None:
        for point, run in zip(plan.points, plan.runs, strict=True):
            show_text(f"\\* point {point.index}: {parameter_text(point.parameters)}\n{run.config_text}")
            wrapper = [plan.sources[sha256] for name, sha256 in run.modules if name == f"{run.main}.tla"]
            show_text("".join(f"\n{text}" for text in wrapper if run.main.startswith("MC_")) + "\n")
        return
    with writing(output):
        marked = mark_points(output)
    for point, run in zip(plan.points, plan.runs, strict=True):
        folder = output / f"{point.index:04d}"
        with writing(folder):
            # Beside files of somebody else each folder is marked itself.
            if marked:
                folder.mkdir(exist_ok=True)
            else:
                mark_points(folder)
            write_file(folder / CONFIG_NAME, run.config_text)
            for name, sha256 in run.modules:
                write_file(folder / name, plan.sources[sha256])
            place_inputs(run.inputs, folder)
    run = plan.runs[0]
    java = ["java", *property_options(run.inputs.java_properties), "-cp", "tla2tools.jar", "tlc2.TLC"]
    line = shell_command(run.inputs.environment, [*java, "-config", CONFIG_NAME, f"{run.main}.tla"])
    err().print(f"wrote {counted(len(plan.runs), 'folder')} to {output}; in one: {line}")


examples_app = command_group(
    "examples", "List or copy the systems that come with tla2py: real protocols with their sweeps."
)


@examples_app.command("list", cls=PlainCommand)
def list_command(as_json: opt.Json = False) -> None:
    """List the systems and their sweep files.

    Example:
      tla2py examples list
    """
    found = opt.examples()
    if as_json:
        show_json([{"name": e.name, "title": e.title, "sweeps": list(e.sweeps)} for e in found])
        return
    table = plain_table("example", "system", "sweeps")
    for example in found:
        table.add_row(example.name, example.title, ", ".join(example.sweeps))
    show(table)


@examples_app.command("copy", cls=PlainCommand)
def copy_command(
    name: Annotated[str, argument("NAME", "A system of tla2py examples list.")],
    target: Annotated[Path, argument("DIR", "A new or empty folder.")],
) -> None:
    """Copy a system into a folder, to run and to change.

    Example:
      tla2py examples copy kip320 kip320 && tla2py sweep kip320/sweep.toml
    """
    sweeps = opt.copy_example(name, target)
    for sweep in sweeps:
        typer.echo(sweep)
    err().print(f"next: tla2py sweep {shlex.quote(str(sweeps[0]))}")
