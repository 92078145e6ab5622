"""``tla2py check``."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from tla2py.cli import options as opt
from tla2py.cli.checker import Checker
from tla2py.cli.console import print_note
from tla2py.cli.options import argument, option
from tla2py.cli.progress import ConsoleListener
from tla2py.cli.watch import watch_files
from tla2py.execution.check import ModelOptions, with_named_files
from tla2py.execution.listener import SILENT
from tla2py.execution.sweeps import SweepOptions
from tla2py.gate.second import checked_second
from tla2py.sweep.judge import worst
from tla2py.tlc.tools.jar import SECOND_JAR
from tla2py.tlc.tools.toolchain import find_jar


@opt.with_limited_options
def check_command(
    module: Annotated[
        Path,
        argument(
            "MODULE.tla",
            "The module; with --points, --set or --failed a sweep file, of which one point is left.",
        ),
    ],
    config: Annotated[
        Path | None,
        option("--config FILE.cfg", "A TLC config, or a module with one; default: MODULE.cfg, if any."),
    ] = None,
    constant: opt.Constants = None,
    invariant: Annotated[
        list[str] | None, option("--invariant NAME", "An invariant to check; repeatable.")
    ] = None,
    property_: Annotated[
        list[str] | None, option("--property NAME", "A temporal property to check; repeatable.")
    ] = None,
    specification: Annotated[
        str | None,
        option("--specification NAME", "The specification; default: the config's, otherwise Spec."),
    ] = None,
    init: Annotated[
        str | None, option("--init NAME", "Instead of a specification: the initial predicate.")
    ] = None,
    next_: Annotated[str | None, option("--next NAME", "With --init: the next-state relation.")] = None,
    no_deadlock: Annotated[bool, option("--no-deadlock", "Do not check for deadlock.")] = False,
    overrides: Annotated[
        list[Path] | None,
        option(
            "--overrides JAR|DIR", "Java classes that override definitions, with their modules; repeatable."
        ),
    ] = None,
    environment: opt.Environment = None,
    environment_texts: opt.EnvironmentTexts = None,
    inputs: opt.InputFiles = None,
    second: Annotated[
        Path | None, option("--second JAR", "Run it with this TLC too, and fail where the two disagree.")
    ] = None,
    *,
    options: SweepOptions,
    full: Annotated[bool, option("--full", "Print whole states, not only what changed.")] = False,
    no_why: opt.NoWhy = False,
    show_command: opt.ShowCommand = False,
    as_json: opt.Json = False,
    watch: opt.Watch = False,
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
    model = with_named_files(model, environment_texts or (), say=print_note)
    check = Checker(
        file=module,
        model=model,
        options=options,
        full=full,
        as_json=as_json,
        why=not no_why,
        show_command=show_command,
    )
    if second is not None:
        # A jar that is missing is told before the first TLC runs.
        find_jar(second, SECOND_JAR)
    if watch:
        watch_files(check)
    checked = check.run(ConsoleListener())
    if second is None:
        check.show(checked)
        raise typer.Exit(checked.exit_code)
    opinion, wrong = checked_second(
        checked,
        lambda jar: replace(check, jar=jar, as_json=True).run(SILENT),
        second,
    )
    check.show(checked, opinion, wrong)
    raise typer.Exit(checked.exit_code if wrong is None else worst([checked.exit_code, wrong.exit_code]))
