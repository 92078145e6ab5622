"""``tla2py check``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tla2py.cli.checking import Checking
from tla2py.cli.options import Constants, Environment, InputFiles, Json, Watch, with_sweep_options
from tla2py.cli.progress import ConsoleListener
from tla2py.cli.watch import watch as watch_files
from tla2py.execution.options import ModelOptions, SweepOptions


@with_sweep_options
def check_command(
    module: Annotated[
        Path, typer.Argument(metavar="MODULE.tla", help="The module; with --point, a sweep file.")
    ],
    point: Annotated[
        int | None,
        typer.Option("--point", metavar="N", help="Run this point of a sweep file and show TLC's output."),
    ] = None,
    config: Annotated[
        Path | None,
        typer.Option(
            "--config",
            metavar="FILE.cfg",
            help="A TLC config, or a module with one; default: MODULE.cfg, if any.",
        ),
    ] = None,
    constant: Constants = None,
    invariant: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="An invariant to check; repeatable.")
    ] = None,
    property_: Annotated[
        list[str] | None,
        typer.Option("--property", metavar="NAME", help="A temporal property to check; repeatable."),
    ] = None,
    specification: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="The specification; default: the config's, otherwise Spec."),
    ] = None,
    init: Annotated[
        str | None,
        typer.Option("--init", metavar="NAME", help="Instead of a specification: the initial predicate."),
    ] = None,
    next_: Annotated[
        str | None, typer.Option("--next", metavar="NAME", help="With --init: the next-state relation.")
    ] = None,
    no_deadlock: Annotated[bool, typer.Option("--no-deadlock", help="Do not check for deadlock.")] = False,
    overrides: Annotated[
        list[Path] | None,
        typer.Option(
            "--overrides",
            metavar="JAR|DIR",
            help="Java classes that override definitions, with their modules; repeatable.",
        ),
    ] = None,
    environment: Environment = None,
    inputs: InputFiles = None,
    *,
    options: SweepOptions,
    full: Annotated[bool, typer.Option("--full", help="Print whole states, not only what changed.")] = False,
    as_json: Json = False,
    watch: Watch = False,
) -> None:
    """Run TLC once on one model and print its counterexample, if any.

    Examples:
      tla2py check DieHard.tla --invariant NotSolved -c "Jug={small, big}"
      tla2py check sweep.toml --point 5
      tla2py check DieHard.tla --watch
    """
    model = ModelOptions(
        config=config,
        constants=constant or (),
        invariants=invariant or (),
        properties=property_ or (),
        specification=specification,
        init=init,
        next=next_,
        check_deadlock=False if no_deadlock else None,
        overrides=overrides or (),
        environment=environment or (),
        inputs=inputs or (),
    )
    checking = Checking(file=module, point=point, model=model, options=options, full=full, as_json=as_json)
    if watch:
        watch_files(checking.named, checking.run, checking.show)
    checked = checking.run(ConsoleListener())
    checking.show(checked)
    raise typer.Exit(checked.exit_code)
