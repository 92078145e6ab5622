"""``tla2py trace``."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from tla2py.cli.console import show, show_text
from tla2py.cli.options import Jar
from tla2py.errors import EXIT_INCONCLUSIVE, EXIT_NOT_RUN, EXIT_OK, EXIT_UNEXPECTED, InputError
from tla2py.explore.view import StoreView, open_view
from tla2py.interop import ForeignStore, Found
from tla2py.model.outcome import Verdict
from tla2py.replay.confirm import confirm_trace
from tla2py.show.export import FORMATS, export_trace
from tla2py.show.processes import acting
from tla2py.store.storage import folder_of, is_remote
from tla2py.terminal.compare import comparison_text
from tla2py.terminal.diagnostics import diagnostics_text
from tla2py.terminal.text import trace_list, trace_text
from tla2py.tlc.output.behaviours import SIMULATED
from tla2py.tlc.output.traces import EVALUATION
from tla2py.toolchain.toolchain import find_toolchain
from tla2py.values import Value, ValueTextError, parse_value

# A store and a point in it.
_STORE_POINT = re.compile(r"(.+):(\d+)")


def trace_command(
    store: Annotated[
        str,
        typer.Argument(
            metavar="STORE", help="The store of a sweep, or a file: a TLC log, its -dumpTrace json, ITF."
        ),
    ],
    point: Annotated[
        int | None, typer.Argument(metavar="POINT", help="The point; without it, all are listed.")
    ] = None,
    trace: Annotated[
        int | None, typer.Option("--trace", metavar="N", help="Only this trace of the point.")
    ] = None,
    full: Annotated[bool, typer.Option("--full", help="Print whole states, not only what changed.")] = False,
    format_: Annotated[
        str, typer.Option("--format", metavar="|".join(FORMATS), help="How to write one trace.")
    ] = "text",
    diff: Annotated[
        str | None,
        typer.Option(
            "--diff",
            metavar="OTHER",
            help="Compare with a trace of another point, of a file, or of another store: its point of the same number, or STORE:POINT.",
        ),
    ] = None,
    verify: Annotated[
        bool, typer.Option("--verify", help="Have TLC itself confirm the traces; exit code 1 if it does not.")
    ] = False,
    arguments: Annotated[
        bool,
        typer.Option("--arguments", help="Ask TLC for the arguments of actions that it did not print."),
    ] = False,
    tla2tools: Jar = None,
) -> None:
    """List the counterexamples of a store, print those of a point step by step, compare, export or verify them.

    Examples: tla2py trace runs/kip320-first-try 5 --format itf > trace.itf.json;
    tla2py trace runs/kip320-first-try 5 --arguments; tla2py trace runs/kip320-first-try --verify
    """
    if format_ not in FORMATS:
        raise InputError(
            "unknown-format", f"no format {format_!r}", hint=f"formats of traces: {', '.join(FORMATS)}"
        )
    if verify and (diff is not None or format_ != "text"):
        raise InputError(
            "usage",
            "--verify judges traces and writes none",
            hint="leave --format and --diff out, or --verify",
        )
    view = open_view(store)
    if verify:
        raise typer.Exit(_verify(view, point, trace, tla2tools))
    if arguments:
        view = view.with_arguments(tla2tools)
    if point is None and isinstance(view.store, ForeignStore) and (diff or len(view.trace_list(1)) == 1):
        point = 1
    if point is None:
        if diff is not None or format_ != "text":
            raise InputError(
                "point-missing",
                "say which point's trace",
                hint=f"'tla2py trace {store}' lists the points that have one",
            )
        show(trace_list(view))
    elif diff is not None:
        _compare(view, point, diff, trace or 1, format_)
    elif format_ != "text":
        show_text(_exported(view, point, trace, format_))
    else:
        numbers = [trace] if trace is not None else list(range(1, len(view.trace_list(point)) + 1)) or [1]
        for number in numbers:
            shown = view.trace(point, number)
            show(trace_text(shown, full=full, title=_title(view, point, number)))
            if number != numbers[-1]:
                show("")
        if not (arguments or isinstance(view.store, ForeignStore)) and any(
            actor.derived for actor in acting(shown) or ()
        ):
            # TLC printed none, or there are none: whether a module has any is not worth a parse.
            show(Text("for the arguments that actions were taken with, add --arguments", "dim"))
    if isinstance(view.store, ForeignStore) and diff is None and format_ == "text":
        _explain(view.store.found)


def _explain(found: Found) -> None:
    """Show what TLC complains of in a log that is no answer; exit code 2 where it could not check, 3 without a verdict."""
    result = found.result
    if result.verdict is Verdict.HOLDS or (result.verdict is Verdict.VIOLATED and result.traces):
        return
    for each in diagnostics_text([each for each in result.diagnostics if each.severity == "error"]):
        show(each)
    if result.verdict is Verdict.BROKEN:
        raise typer.Exit(EXIT_NOT_RUN)
    # A behaviour that another tool made as an example is what was asked for.
    if result.verdict is Verdict.INCONCLUSIVE and found.format == "log":
        raise typer.Exit(EXIT_INCONCLUSIVE)


def _verify(view: StoreView, point: int | None, trace: int | None, jar: Path | None) -> int:
    """Have TLC judge the traces of a point, or of all points; the exit code."""
    if isinstance(view.store, ForeignStore):
        raise InputError(
            "not-confirmable",
            f"{view.store.path} has no module to verify against",
            hint="the traces of a store can be verified: 'tla2py sweep SWEEP.toml' makes one",
        )
    toolchain, sources = find_toolchain(jar), view.store.sources()
    code, seen = EXIT_OK, set[str]()
    for here in (
        view.manifest.points if point is None else [p for p in view.manifest.points if p.point == point]
    ):
        rows = view.trace_list(here.point)
        if here.run_id in seen:
            continue
        seen.add(here.run_id)
        with view.store.archive(here.run_id) as archive:
            record = archive.record
        for row in rows:
            if trace not in (None, row.trace) or row.kind == SIMULATED:
                continue
            title = _title(view, here.point, row.trace)
            if row.kind == EVALUATION:
                show(Text(f"{title}not verifiable: TLC could not evaluate the model here"))
                continue
            found = confirm_trace(view.trace(here.point, row.trace), record, sources, toolchain)
            said = "confirmed" if found.confirmed else "REFUSED"
            show(Text(f"{title}{said}: {found.reason}"))
            code = code if found.confirmed else EXIT_UNEXPECTED
    if point is not None:
        view.trace(point, trace or 1)  # says it if there is none
    return code


def _title(view: StoreView, point: int, number: int) -> str:
    return f"trace {number}: " if isinstance(view.store, ForeignStore) else f"point {point}, trace {number}: "


def _exported(view: StoreView, point: int, trace: int | None, format_: str) -> str:
    count = len(view.trace_list(point))
    if trace is None and count > 1:
        raise InputError(
            "several-traces",
            f"point {point} has {count} traces, and {format_} holds one",
            hint=f"name one: --trace 1 to --trace {count}",
        )
    given = next(p.parameters for p in view.manifest.points if p.point == point)
    name = "".join(char for char in view.manifest.name.title() if char.isascii() and char.isalnum())
    return export_trace(
        view.trace(point, trace or 1),
        format_,
        name=f"{name.lstrip('0123456789')}Trace{point}",
        parameters={name: _value(text) for name, text in given.items()},
    )


def _value(text: str) -> Value:
    """A parameter's value, which is its text where it takes more than a look to see."""
    try:
        return parse_value(text)
    except ValueTextError:
        return text


def _compare(view: StoreView, point: int, other: str, number: int, format_: str) -> None:
    if format_ != "text":
        raise InputError(
            "format-of-a-comparison", "a comparison is only shown as text", hint="leave --format out"
        )
    there, their_point, title = _other(view, point, other)
    ours = str(view.store.path) if isinstance(view.store, ForeignStore) else f"point {point}"
    show(comparison_text(view.trace(point, number), there.trace(their_point, 1), titles=(ours, title)))


def _other(view: StoreView, point: int, other: str) -> tuple[StoreView, int, str]:
    """What ``--diff`` names: a store, the point in it, and what to call it."""
    if other.isdecimal():
        return view, int(other), f"point {other}"
    named = None if not is_remote(other) and folder_of(other).exists() else _STORE_POINT.fullmatch(other)
    address = named[1] if named else other
    if not is_remote(address) and not folder_of(address).exists():
        raise InputError(
            "unknown-point",
            f"--diff {other}: no point, no file and no store",
            hint="name a point, as in --diff 3, a file that holds a trace, or a store and its point, as in --diff STORE:3",
        )
    there = open_view(address)
    if isinstance(there.store, ForeignStore):
        return there, int(named[2]) if named else 1, address
    their_point = int(named[2]) if named else point
    return there, their_point, f"point {their_point} of {address}"
