"""Groups of commands such as ``tla2py tools``."""

from __future__ import annotations

import typer

from tla2py.cli.help import SETTINGS, PlainGroup
from tla2py.errors import ExitCode


def command_group(name: str, help_text: str) -> typer.Typer:
    """A group that prints its help when no command is named."""
    group = typer.Typer(
        name=name,
        cls=PlainGroup,
        help=help_text,
        rich_markup_mode="rich",
        add_completion=False,
        invoke_without_command=True,
        context_settings=SETTINGS,
    )

    @group.callback()
    def _group(context: typer.Context) -> None:
        if context.invoked_subcommand is None:
            typer.echo(context.get_help())
            raise typer.Exit(ExitCode.NOT_RUN)

    return group
