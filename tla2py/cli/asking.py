"""What TLC answers about the traces of a store, for ``tla2py trace``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from tla2py.cli.console import err, show
from tla2py.errors import ExitCode
from tla2py.explore.questions import stored_enabled, stored_essential
from tla2py.explore.traces import verify_traces
from tla2py.explore.view import StoreView
from tla2py.terminal.conjuncts import conjuncts_text, enabled_text
from tla2py.terminal.traces import trace_text
from tla2py.text import counted, parse_duration
from tla2py.toolchain.toolchain import find_toolchain

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
        help="Show each conjunct of the violated invariant in each state, and which turns FALSE first.",
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
EssentialOption = Annotated[
    bool,
    typer.Option("--essential", help="Leave out the steps that the violation of an invariant does not need."),
]
EssentialTime = Annotated[
    str,
    typer.Option(
        "--timeout", metavar="DURATION", help="Time limit of --essential, for all runs of TLC together."
    ),
]


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


def show_conjuncts(
    view: StoreView, point: int, number: int | None, jar: Path | None, action: str | None, state: int | None
) -> None:
    """Show the conjuncts of an action in a state, or of the invariants that a point's traces violate."""
    if action is not None:
        enabled = stored_enabled(view, point, number or 1, action, state, jar)
        show(enabled_text(enabled, f"point {point}, trace {number or 1}: "))
        return
    rows = view.trace_list(point)
    invariants = [row.trace for row in rows if row.kind == "invariant"]
    for each in (number,) if number is not None else invariants or (1,):
        found = view.conjuncts(point, each, tla2tools=jar)
        show(conjuncts_text(found, f"point {point}, trace {each}: "))


def show_essential(view: StoreView, point: int, number: int, timeout: str, jar: Path | None) -> None:
    """Show which steps of a trace are essential: the trace itself, or a shorter one that violates the same."""
    seconds = parse_duration(timeout, "--timeout")
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
    show(trace_text(found.shortest))
