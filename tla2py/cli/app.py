"""The command line: its commands by name, plain help, and errors in one or two lines."""

from __future__ import annotations

import inspect
import re
from importlib import import_module
from typing import Any, cast

import typer
from typer.core import TyperCommand, TyperGroup

from tla2py.cli.console import print_error
from tla2py.cli.removed import replacement_of
from tla2py.errors import ExitCode, InputError, Tla2pyError, reason_of
from tla2py.version import __version__

# Click's settings of every command.
SETTINGS = {"help_option_names": ["-h", "--help"]}


class PlainCommand(TyperCommand):
    """A command with plain help, whose paragraphs wrap where the terminal ends."""

    def __init__(self, *args: Any, **settings: Any) -> None:
        super().__init__(*args, **settings)
        # Indented lines are examples.
        self.help = re.sub(r"(?<!\n)\n(?![\n ])", " ", inspect.cleandoc(self.help or ""))

    def get_params(self, ctx: Any) -> list[Any]:  # noqa: D102 - see the base class
        return _without_types(super().get_params(ctx))

    def collect_usage_pieces(self, ctx: Any) -> list[str]:  # noqa: D102 - as above
        return [re.sub(r"^\{(.*)\}(\.\.\.)?$", r"\1", piece) for piece in super().collect_usage_pieces(ctx)]


class PlainGroup(TyperGroup):
    """A group of commands with plain help."""

    def get_params(self, ctx: Any) -> list[Any]:  # noqa: D102 - see the base class
        return _without_types(super().get_params(ctx))


def _without_types(parameters: list[Any]) -> list[Any]:
    for parameter in parameters:
        if parameter.param_type_name == "argument" or parameter.is_flag:
            # Typer 0.29 shows <bool> and <list[Path]>.
            parameter.display_type_rich = lambda ctx: ""  # noqa: ARG005 - Typer passes it
    return parameters


# The commands by panel of the help, each with its function, which is imported on use: Arrow, templates and Spark take longer
# to import than many commands run.
_PANELS = {
    "run": {
        "sweep": "sweep:sweep_command",
        "check": "check:check_command",
        "validate": "validate:validate_command",
        "gate": "gate:gate_command",
        "mutate": "mutate:mutate_command",
        "judge": "judge:judge_command",
        "evidence": "evidence:evidence_command",
        "drive": "cases:drive_command",
    },
    "understand": {
        "trace": "trace:trace_command",
        "explain": "ask:explain_command",
        "explore": "ask:explore_command",
        "query": "ask:query_command",
        "report": "ask:report_command",
    },
    "write": {
        "inspect": "prepare:inspect_command",
        "init": "prepare:init_command",
        "lint": "lint:lint_command",
        "cfg": "prepare:cfg_command",
        "schema": "prepare:schema_command",
        "testgen": "cases:generate_command",
        "examples": "prepare:examples_app",
    },
    "house-keeping": {
        "tables": "tools:tables_command",
        "prune": "tools:prune_command",
        "tools": "tools:tools_app",
        "doctor": "tools:doctor_command",
        "mcp": "tools:mcp_command",
    },
}
_COMMANDS = {name: function for panel in _PANELS.values() for name, function in panel.items()}


def import_command(name: str = "") -> Any:
    """The function or the group of a command, None if there is no such command."""
    module, _, function = _COMMANDS.get(name, "").partition(":")
    return getattr(import_module(f"tla2py.cli.{module}"), function) if module else None


class _Commands(PlainGroup):
    """The commands by name."""

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002 - Typer has its own type for it
        return list(_COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:  # noqa: ARG002
        if cmd_name not in _COMMANDS:
            from tla2py.text import did_you_mean

            raise InputError(
                "unknown-command",
                f"no such command: {cmd_name}",
                hint=did_you_mean(cmd_name, list(_COMMANDS), f"commands: {', '.join(_COMMANDS)}"),
            )
        alone = typer.Typer(rich_markup_mode="rich", add_completion=False)
        found = import_command(cmd_name)
        if not isinstance(found, typer.Typer):
            alone.command(cmd_name, cls=PlainCommand, context_settings=SETTINGS)(found)
            found = alone
        command: Any = typer.main.get_command(found)
        command.rich_help_panel = next(panel for panel, names in _PANELS.items() if cmd_name in names)
        return command


app = typer.Typer(
    name="tla2py",
    cls=_Commands,
    help="Run TLC over a grid of parameters, on this machine or on Spark, and query the counterexamples.",
    epilog="Exit codes: 0 all as expected, 1 an unexpected verdict, 2 did not run, 3 inconclusive.",
    invoke_without_command=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings=SETTINGS,
)


def _version(value: bool) -> None:
    if value:
        typer.echo(f"tla2py {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    context: typer.Context,
    version: bool = typer.Option(
        False, "--version", callback=_version, is_eager=True, help="Print the version."
    ),
) -> None:
    del version
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())
        raise typer.Exit(ExitCode.NOT_RUN)


# Click's usage error, of which Typer exports only a subclass.
_UsageError = cast("type[typer.BadParameter]", typer.BadParameter.__mro__[1])


def run_app() -> int:
    """Run the command line and return its exit code; every error is printed in one or two lines."""
    try:
        return run_command()
    except Tla2pyError as error:
        print_error(error)
        return ExitCode.NOT_RUN


def run_command(arguments: list[str] | None = None) -> int:
    """Run a command, by default that of this process, and return its exit code.

    Raises Tla2pyError; errors of Typer and the system become InputError (``usage``, ``system``).
    """
    try:
        return int(app(arguments, standalone_mode=False) or ExitCode.OK)
    except _UsageError as error:
        usage: Any = error
        if getattr(error, "possibilities", None):
            from difflib import get_close_matches

            # Typer's suggestions for an unknown option often share only a few letters with it.
            usage.possibilities = get_close_matches(usage.option_name, usage.possibilities, cutoff=0.75)
        command = error.ctx.command_path if error.ctx else "tla2py"
        option = getattr(error, "option_name", "")
        instead = replacement_of(command.removeprefix("tla2py "), option)
        if instead is not None:
            raise InputError("usage", f"{command} has no option {option} any more", hint=instead) from error
        raise InputError("usage", error.format_message(), hint=f"see {command} -h") from error
    except OSError as error:
        reason = reason_of(error)
        problem = f"{error.filename}: {reason}" if error.filename else reason
        hint = "check that it exists, that you may read and write it and that the disk is not full"
        raise InputError("system", problem, hint=hint) from error
