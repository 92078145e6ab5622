"""The application and its commands."""

from __future__ import annotations

from typing import cast

import typer

import tla2py
from tla2py.cli import check, config, gate, inspect, query, sweep, trace
from tla2py.cli.console import print_error
from tla2py.errors import InputError, Tla2pyError
from tla2py.expect import EXIT_NOT_RUN, EXIT_OK

app = typer.Typer(
    name="tla2py",
    help="Sweep TLA+ models with TLC on Spark and query the counterexamples as tables.",
    epilog="Exit codes: 0 all as expected, 1 an unexpected verdict, 2 it did not run, 3 inconclusive.",
    invoke_without_command=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("sweep")(sweep.sweep_command)
app.command("check")(check.check_command)
app.command("inspect")(inspect.inspect_command)
app.command("init")(inspect.init_command)
app.command("cfg")(config.cfg_command)
app.command("trace")(trace.trace_command)
app.command("query")(query.query_command)
app.command("gate")(gate.gate_command)


def _version(value: bool) -> None:
    if value:
        typer.echo(f"tla2py {tla2py.__version__}")
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
        raise typer.Exit(EXIT_NOT_RUN)


# The error of a command line that cannot be understood; Typer names only this child of it, wherever it comes from.
_UsageError = cast("type[typer.BadParameter]", typer.BadParameter.__mro__[1])


def run_app() -> int:
    """Run the command line and return its exit code; every error is printed in one or two lines."""
    try:
        return int(app(standalone_mode=False) or EXIT_OK)
    except Tla2pyError as error:
        print_error(error)
    except _UsageError as error:
        hint = f"see {error.ctx.command_path} -h" if error.ctx else None
        print_error(InputError("usage", error.format_message(), hint=hint))
    except BrokenPipeError:
        raise
    except OSError as error:
        place = f"{error.filename}: " if error.filename else ""
        print_error(InputError("system", f"{place}{error.strerror or error}"))
    return EXIT_NOT_RUN
