"""The application and its commands."""

from __future__ import annotations

import typer

import tla2py
from tla2py.cli import check, config, inspect, query, sweep, trace

app = typer.Typer(
    name="tla2py",
    help="Sweep TLA+ models with TLC on Spark and query the counterexamples as tables.",
    epilog="Exit codes: 0 all as expected, 1 an unexpected verdict, 2 it did not run, 3 inconclusive.",
    no_args_is_help=True,
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


def _version(value: bool) -> None:
    if value:
        typer.echo(f"tla2py {tla2py.__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: bool = typer.Option(
        False, "--version", callback=_version, is_eager=True, help="Print the version."
    ),
) -> None:
    del version
