"""``tla2py examples``."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer

from tla2py.cli.bundled import copy_example, examples
from tla2py.cli.console import err, show, show_json
from tla2py.cli.groups import command_group
from tla2py.cli.help import PlainCommand
from tla2py.cli.options import Json
from tla2py.terminal.layout import plain_table

examples_app = command_group(
    "examples", "List or copy the systems that come with tla2py: real protocols with their sweeps."
)


@examples_app.command("list", cls=PlainCommand)
def list_command(as_json: Json = False) -> None:
    """List the systems and their sweep files.

    Example:
      tla2py examples list
    """
    found = examples()
    if as_json:
        show_json([{"name": e.name, "title": e.title, "sweeps": list(e.sweeps)} for e in found])
        return
    table = plain_table("example", "system", "sweeps")
    for example in found:
        table.add_row(example.name, example.title, ", ".join(example.sweeps))
    show(table)


@examples_app.command("copy", cls=PlainCommand)
def copy_command(
    name: Annotated[str, typer.Argument(metavar="NAME", help="A system of tla2py examples list.")],
    target: Annotated[Path, typer.Argument(metavar="DIR", help="A new or empty folder.")],
) -> None:
    """Copy a system into a folder, to run and to change.

    Example:
      tla2py examples copy kip320 kip320 && tla2py sweep kip320/sweep.toml
    """
    sweeps = copy_example(name, target)
    for sweep in sweeps:
        typer.echo(sweep)
    err().print(f"next: tla2py sweep {shlex.quote(str(sweeps[0]))}")
