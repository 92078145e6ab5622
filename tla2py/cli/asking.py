"""What TLC answers about the traces of a store, for ``tla2py trace``."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from tla2py.cli.console import err, show, show_json, show_text
from tla2py.errors import ExitCode, InputError
from tla2py.explore.questions import stored_essential
from tla2py.explore.traces import verify_traces
from tla2py.explore.turning import stored_turning
from tla2py.explore.view import StoreView
from tla2py.terminal.conjuncts import conjuncts_text, enabled_text
from tla2py.terminal.traces import trace_list, trace_text
from tla2py.text import counted, parse_duration
from tla2py.toolchain.toolchain import find_toolchain
from tla2py.trace.variables import Variables

Evaluated = Annotated[
    list[str] | None,
    typer.Option(
        "--eval",
        metavar="EXPR",
        help="Show the value of a TLA+ expression in each state or, with primed variables, step; repeatable.",
    ),
]
ConjunctsOption = Annotated[
    bool,
    typer.Option(
        "--conjuncts",
        help="Show each conjunct of the violated invariant in each state, and which turns FALSE first; without POINT, which one does in how many counterexamples of each kind.",
    ),
]
ActionOption = Annotated[
    str | None,
    typer.Option(
        "--action",
        metavar="NAME",
        help="With --conjuncts: the conjuncts of this action, and how far it gets in a state.",
    ),
]
StateOption = Annotated[
    int | None,
    typer.Option("--state", metavar="N", help="The state for --action; default: the last of the trace."),
]
PropertyOption = Annotated[
    str | None,
    typer.Option("--property", metavar="NAME", help="Without POINT: only counterexamples of this one."),
]
EssentialOption = Annotated[
    bool,
    typer.Option(
        "--essential", help="Leave out the steps that the violation of a safety property does not need."
    ),
]
EssentialTime = Annotated[
    str,
    typer.Option(
        "--timeout", metavar="DURATION", help="Time limit of --essential, for all runs of TLC together."
    ),
]


# What a user asks for, and the options that go with it: about a point, and about all.
_SHOWN = ("--trace", "--only", "--hide")
_OF_POINT: Mapping[str, tuple[str, ...]] = {
    "--verify": ("--trace",),
    "--conjuncts": ("--trace", "--action", "--state", "--json"),
    "--essential": (*_SHOWN, "--full", "--timeout"),
    "--diff": (*_SHOWN, "--arguments", "--eval"),
    "--format": (*_SHOWN, "--arguments", "--eval"),
    "a point": (*_SHOWN, "--full", "--arguments", "--eval"),
}
_OF_ALL: Mapping[str, tuple[str, ...]] = {
    "--verify": ("--trace",),
    "--conjuncts": ("--property", "--json"),
    "the list": ("--property", "--json"),
}


def check_options(context: typer.Context, point: int | None) -> None:
    """Raise InputError for options that do not go together: ``usage``, ``point-missing``."""
    given = [
        each.opts[0]
        for each in context.command.params
        if each.opts[0].startswith("--") and each.opts[0] not in ("--tla2tools", "--help")
        for value in [context.params.get(each.name or "")]
        if value and value != each.get_default(context)
    ]
    store = context.params["store"]
    takes, otherwise = (_OF_ALL, "the list") if point is None else (_OF_POINT, "a point")
    asked = next((each for each in _OF_POINT if each in given), otherwise)
    for option in given:
        if option in takes.get(asked, ()) or (option == asked and asked in takes):
            continue
        # With a point it would be right.
        if point is None and option in (asked, *_OF_POINT.get(asked, (option,))):
            lists = f"'tla2py trace {store}' lists the points that have one"
            raise InputError("point-missing", f"{option} needs a point", hint=lists)
        others = [each for each in takes if option in takes[each]]
        hint = f"{option} goes with {', '.join(others)}" if others else f"leave out {option}"
        raise InputError("usage", f"{asked} does not take {option}", hint=hint)
    if "--state" in given and "--action" not in given:
        raise InputError("usage", "--state needs --action", hint="name the action that is not enabled there")


def ask_tlc(
    view: StoreView, *, arguments: bool, expressions: list[str] | None, tla2tools: Path | None
) -> StoreView:
    """The view whose traces have what TLC is asked for."""
    if arguments:
        view = view.with_arguments(tla2tools)
    return view.with_values(*expressions, tla2tools=tla2tools) if expressions else view


def show_verified(view: StoreView, point: int | None, trace: int | None, jar: Path | None) -> ExitCode:
    """Show TLC's judgement of traces, and return the exit code."""
    code = ExitCode.OK
    for each in verify_traces(view, find_toolchain(jar), point, trace):
        refused = each.judgement == "refused"
        judgement = "REFUSED" if refused else each.judgement
        show(Text(f"point {each.point}, trace {each.number}: {judgement}: {each.reason}"))
        code = ExitCode.UNEXPECTED if refused else code
    return code


def show_kinds(view: StoreView, name: str | None, *, as_json: bool) -> None:
    """Show the counterexamples by kind."""
    if as_json:
        show_json([kind.row() for kind in view.kinds().of(name).kinds])
    else:
        show(trace_list(view, name))


def show_turning(view: StoreView, name: str | None, jar: Path | None, *, as_json: bool) -> None:
    """Show the conjuncts that turn FALSE first, by kind."""

    def progress(done: int, total: int) -> None:
        if done * 10 // total > (done - 1) * 10 // total:
            err().print(f"{done} of {counted(total, 'run')} of TLC")

    found = stored_turning(view, name, jar, progress=progress)
    if as_json:
        show_json([each.to_json() for each in found])
    else:
        show_text(f"{str(found) or 'no counterexample'}\n")


def show_conjuncts(
    view: StoreView, point: int, number: int | None, jar: Path | None, *, as_json: bool
) -> None:
    """Show the conjuncts of the invariants that a point's traces violate."""
    rows = view.trace_list(point)
    invariants = [row.trace for row in rows if row.kind == "invariant"]
    numbers = (number,) if number is not None else invariants or (1,)
    found = {each: view.conjuncts(point, each, tla2tools=jar) for each in numbers}
    if as_json:
        show_json(
            [
                {
                    "point": point,
                    "trace": number,
                    **each.to_json(),
                    "conjuncts": [row.to_json() for row in each.rows],
                }
                for number, each in found.items()
            ]
        )
    for number, each in {} if as_json else found.items():
        show(conjuncts_text(each, f"point {point}, trace {number}: "))


def show_enabled(
    view: StoreView, action: str, point: int, number: int, state: int | None, jar: Path | None
) -> None:
    """Show how far an action gets in a state of a trace."""
    found = view.enabled(action, point, number, state=state, tla2tools=jar)
    show(enabled_text(found, f"point {point}, trace {number}: "))


def show_essential(
    view: StoreView,
    point: int,
    number: int,
    timeout: str,
    jar: Path | None,
    variables: Variables,
    *,
    full: bool,
) -> None:
    """Show which steps of a trace are essential: the trace itself, or a shorter one that violates the same."""
    seconds = parse_duration(timeout, "--timeout")
    chosen = variables.of(view.trace(point, number))
    found = stored_essential(view, point, number, jar, seconds=seconds, progress=err().print)
    steps, left = len(found.trace.states) - 1, len(found.shortest.states) - 1
    title = f"point {point}, trace {number}: "
    if found.undecided:
        show(
            Text(
                f"{title}no time for {counted(len(found.undecided), 'step')} of {left}, from state {found.undecided[0]}",
                "yellow",
            )
        )
    elif steps == left:
        show(Text(f"{title}every step is essential: {counted(steps, 'step')}"))
    if steps > left:
        show(Text(f"{title}{steps - left} of {counted(steps, 'step')} can be left out"))
    show(trace_text(found.shortest, full=full, chosen=chosen))
