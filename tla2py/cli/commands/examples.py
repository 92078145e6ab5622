"""``tla2py examples``."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from tla2py.cli.bundled import copy_example, examples
from tla2py.cli.console import err, show, show_json
from tla2py.cli.options import Json
from tla2py.cli.plainhelp import PlainCommand, PlainGroup
from tla2py.errors import EXIT_NOT_RUN

examples_app = typer.Typer(
    name="examples",
    cls=PlainGroup,
    help="The systems that come with tla2py: real protocols with their sweeps.",
    rich_markup_mode="rich",
    add_completion=False,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@examples_app.callback()
def _examples(context: typer.Context) -> None:
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())
        raise typer.Exit(EXIT_NOT_RUN)


@examples_app.command("list", cls=PlainCommand)
def list_command(as_json: Json = False) -> None:
    """The systems and their sweep files.

    Example: tla2py examples list
    """
    found = examples()
    if as_json:
        show_json([{"name": e.name, "title": e.title, "sweeps": list(e.sweeps)} for e in found])
        return
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    for column in ("example", "system", "sweeps"):
        table.add_column(column, overflow="fold")
    for example in found:
        table.add_row(example.name, example.title, ", ".join(example.sweeps))
    show(table)


@examples_app.command("copy", cls=PlainCommand)
def copy_command(
    name: Annotated[str, typer.Argument(metavar="NAME", help="A system of tla2py examples list.")],
    target: Annotated[Path, typer.Argument(metavar="DIR", help="A folder that is new or empty.")],
) -> None:
    """Copy a system into a folder of yours, to run and to change.

    Example: tla2py examples copy kip320 kip320 && tla2py sweep kip320/sweep.toml
    """
    sweeps = copy_example(name, target)
    for sweep in sweeps:
        typer.echo(sweep)
    err().print(f"next: tla2py sweep {shlex.quote(str(sweeps[0]))}")
