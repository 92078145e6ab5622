"""``tla2py trace``."""

from __future__ import annotations

from typing import Annotated

import typer

from tla2py.cli import asking
from tla2py.cli.console import show, show_text
from tla2py.cli.foreign import show_errors
from tla2py.cli.options import Arguments, Hide, Jar, Json, Only
from tla2py.errors import InputError
from tla2py.explore.traces import export_stored, other_point, point_title
from tla2py.explore.view import open_view
from tla2py.interop import ForeignStore
from tla2py.show.export import FORMATS
from tla2py.terminal.compare import comparison_text
from tla2py.terminal.traces import traces_text
from tla2py.trace.variables import Variables


def trace_command(
    context: typer.Context,
    store: Annotated[
        str,
        typer.Argument(
            metavar="STORE", help="The store of a sweep, or a file: a TLC log, its -dumpTrace json, ITF."
        ),
    ],
    point: Annotated[
        int | None, typer.Argument(metavar="POINT", help="The point; default: list all points.")
    ] = None,
    trace: Annotated[
        int | None, typer.Option("--trace", metavar="N", help="Only this trace of the point.")
    ] = None,
    only: Only = None,
    hide: Hide = None,
    full: Annotated[bool, typer.Option("--full", help="Print whole states, not only what changed.")] = False,
    format_: Annotated[
        str, typer.Option("--format", metavar="|".join(FORMATS), help="The format of one trace.")
    ] = "text",
    diff: Annotated[
        str | None,
        typer.Option(
            "--diff",
            metavar="OTHER",
            help="Compare with another trace: POINT or POINT/TRACE of this store, a trace file, STORE (its point of the same number), STORE:POINT or STORE:POINT/TRACE.",
        ),
    ] = None,
    verify: Annotated[
        bool, typer.Option("--verify", help="Confirm the traces with TLC; exit code 1 if it rejects one.")
    ] = False,
    arguments: Arguments = False,
    eval_: asking.Evaluated = None,
    conjuncts: asking.ConjunctsOption = False,
    action: asking.ActionOption = None,
    state: asking.StateOption = None,
    essential: asking.EssentialOption = False,
    timeout: asking.EssentialTime = "5m",
    name: asking.PropertyOption = None,
    as_json: Json = False,
    tla2tools: Jar = None,
) -> None:
    """List the counterexamples of a store, print those of a point step by step, compare, export or verify them.

    Examples:
      tla2py trace runs/kip320-first-try 5 --format itf > trace.itf.json
      tla2py trace runs/kip320-first-try 5 --arguments --only quorumState
      tla2py trace runs/kip320-first-try 5 --eval 'Cardinality(quorumState.isr)'
      tla2py trace runs/kip320-first-try 5 --diff 5/2
      tla2py trace runs/kip320-first-try --conjuncts
      tla2py trace runs/kip320-first-try 5 --conjuncts --action FollowerFetch --state 9
      tla2py trace runs/kip320-first-try 5 --essential --timeout 1m
      tla2py trace runs/kip320-first-try --verify
    """
    if diff is not None and format_ != "text":
        raise InputError("format-of-a-comparison", "a comparison is always text", hint="leave out --format")
    variables = Variables(only=only or (), hide=hide or ())
    view = open_view(store)
    foreign = isinstance(view.store, ForeignStore)
    if point is None and foreign and (diff or len(view.trace_list(1)) == 1) and not verify:
        point = 1
    asking.check_options(context, point)
    if verify:
        raise typer.Exit(asking.show_verified(view, point, trace, tla2tools))
    view = asking.ask_tlc(view, arguments=arguments, expressions=eval_, tla2tools=tla2tools)
    if point is None:
        if conjuncts:
            asking.show_turning(view, name, tla2tools, as_json=as_json)
        else:
            asking.show_kinds(view, name, as_json=as_json)
    elif action is not None:
        asking.show_enabled(view, action, point, trace or 1, state, tla2tools)
    elif conjuncts:
        asking.show_conjuncts(view, point, trace, tla2tools, as_json=as_json)
    elif essential:
        asking.show_essential(view, point, trace or 1, timeout, tla2tools, variables, full=full)
    elif diff is not None:
        other = other_point(view, point, diff)
        titles = str(view.store.path) if foreign else point_title(point, trace), other.title
        traces = view.trace(point, trace or 1), other.view.trace(other.point, other.trace)
        show(comparison_text(*map(variables.part_of, traces), titles=titles))
    elif format_ != "text":
        show_text(export_stored(view, point, trace, format_, variables))
    else:
        show(traces_text(view, point, trace, full=full, hint=not arguments, variables=variables))
    if isinstance(view.store, ForeignStore) and diff is None and format_ == "text" and not as_json:
        raise typer.Exit(show_errors(view.store.file))
