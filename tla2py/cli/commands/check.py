"""``tla2py check``."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Annotated, NoReturn

import typer

from tla2py.cli.commands.lint import warn_check
from tla2py.cli.commands.sweep import with_options
from tla2py.cli.console import err, show, show_json, show_text
from tla2py.cli.options import Jar, Json, Libraries, Memory, Timeout, Trust, Workers
from tla2py.cli.translate import Translate, use_translator
from tla2py.errors import EXIT_INCONCLUSIVE, EXIT_NOT_RUN, EXIT_OK, EXIT_UNEXPECTED, InputError
from tla2py.execution.check import Checked, check_model, default_model
from tla2py.execution.point import check_point
from tla2py.model.outcome import Verdict
from tla2py.model.run import Limits, TlcOptions
from tla2py.sweep.sweep import load_sweep
from tla2py.terminal.check import check_text
from tla2py.text import parse_duration, parse_memory
from tla2py.toolchain.overrides import option_overrides, override_modules, read_override
from tla2py.toolchain.toolchain import find_toolchain

EXIT_CODES = {
    Verdict.HOLDS: EXIT_OK,
    Verdict.VIOLATED: EXIT_UNEXPECTED,
    Verdict.EXCLUDED: EXIT_UNEXPECTED,
    Verdict.BROKEN: EXIT_NOT_RUN,
    Verdict.INCONCLUSIVE: EXIT_INCONCLUSIVE,
}


def check_command(
    module: Annotated[
        Path, typer.Argument(metavar="MODULE.tla", help="The module; with --point, a sweep file.")
    ],
    point: Annotated[
        int | None,
        typer.Option("--point", metavar="N", help="Run this point of a sweep file, TLC's output shown."),
    ] = None,
    config: Annotated[
        Path | None,
        typer.Option(
            "--config", metavar="FILE.cfg", help="A TLC config; MODULE.cfg is taken if it is there."
        ),
    ] = None,
    constant: Annotated[
        list[str] | None,
        typer.Option("-c", "--constant", metavar="NAME=VALUE", help="A constant's value; repeatable."),
    ] = None,
    invariant: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="An invariant to check; repeatable.")
    ] = None,
    property_: Annotated[
        list[str] | None,
        typer.Option("--property", metavar="NAME", help="A temporal property to check; repeatable."),
    ] = None,
    specification: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="The specification; default: the config's, else Spec."),
    ] = None,
    init: Annotated[
        str | None,
        typer.Option("--init", metavar="NAME", help="In place of a specification: the initial states."),
    ] = None,
    next_: Annotated[
        str | None, typer.Option("--next", metavar="NAME", help="With --init: the steps.")
    ] = None,
    no_deadlock: Annotated[bool, typer.Option("--no-deadlock", help="Do not check for deadlock.")] = False,
    library: Libraries = None,
    overrides: Annotated[
        list[Path] | None,
        typer.Option(
            "--overrides",
            metavar="JAR|DIR",
            help="Java classes that override definitions, with their modules, such as CommunityModules-deps.jar; repeatable.",
        ),
    ] = None,
    tla2tools: Jar = None,
    translate: Translate = True,
    timeout: Timeout = None,
    memory: Memory = None,
    workers: Workers = None,
    trust: Trust = None,
    full: Annotated[bool, typer.Option("--full", help="Print whole states, not only what changed.")] = False,
    as_json: Json = False,
) -> None:
    """Run TLC once on one model and print the counterexample, if there is one.

    Examples: tla2py check DieHard.tla --invariant NotSolved -c "Jug={small, big}"; tla2py check sweep.toml --point 5
    """
    use_translator(tla2tools, translate)
    if point is not None:
        if (
            config
            or constant
            or invariant
            or property_
            or specification
            or init
            or next_
            or overrides
            or no_deadlock
        ):
            hint = "leave the options that say what to check to the sweep file"
            raise InputError("usage", "--point runs the model that the sweep file describes", hint=hint)
        sweep = with_options(load_sweep(module, library or ()), timeout, memory, workers, trust)
        _show(
            check_point(sweep, point, find_toolchain(tla2tools), None if as_json else _show_line),
            full=full,
            as_json=as_json,
        )
    overridden = tuple(read_override(path) for path in overrides or ())
    toolchain = replace(find_toolchain(tla2tools), overrides=overridden)
    model = default_model(
        module,
        [*(library or []), *map(override_modules, overridden)],
        config_file=config,
        constants=constant or [],
        invariants=invariant or [],
        properties=property_ or [],
        specification=specification,
        init=init,
        next_=next_,
        check_deadlock=False if no_deadlock else None,
    )
    warn_check(model, config or module.with_suffix(".cfg"), toolchain.jar)
    limits = Limits(
        timeout_seconds=parse_duration(timeout or "10m", "--timeout"),
        memory_bytes=parse_memory(memory or "2GiB", "--memory"),
        trust=bool(trust),
    )
    options = TlcOptions(workers=workers or 1, overrides=option_overrides(overridden))
    with err().status("running TLC") as status:
        checked = check_model(model, options, limits, toolchain, lambda text: status.update(text))
    _show(checked, full=full, as_json=as_json)


def _show(checked: Checked, *, full: bool, as_json: bool) -> NoReturn:
    if as_json:
        show_json(json.loads(checked.to_json()))
    else:
        show(check_text(checked, full=full))
    raise typer.Exit(EXIT_CODES[checked.result.verdict])


def _show_line(line: str) -> None:
    show_text(line)
    sys.stdout.flush()
