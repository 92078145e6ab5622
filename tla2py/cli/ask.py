"""What a store is asked: ``trace``, ``query``, ``explain``, ``explore`` and ``report``."""

from __future__ import annotations

import re
import webbrowser
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from tla2py.analysis.view import StoreView, open_view
from tla2py.cli import checking as asking
from tla2py.cli.console import show, show_json, show_text
from tla2py.cli.options import Arguments, Hide, Jar, Json, Master, Only, OtherStore, Store, show_errors
from tla2py.errors import InputError
from tla2py.files import check_report, store_files, write_file
from tla2py.model.trace import Variables
from tla2py.query import Engine
from tla2py.store.foreign import ForeignStore, open_tables
from tla2py.store.storage import folder_of, is_remote
from tla2py.view.export import FORMATS, export_stored
from tla2py.view.layout import plain_table
from tla2py.view.traces import comparison_text, traces_text


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
        other = _other_point(view, point, diff)
        titles = str(view.store.path) if foreign else _point_title(point, trace), other.title
        traces = view.trace(point, trace or 1), other.view.trace(other.point, other.trace)
        show(comparison_text(*map(variables.part_of, traces), titles=titles))
    elif format_ != "text":
        show_text(export_stored(view, point, trace, format_, variables))
    else:
        show(traces_text(view, point, trace, full=full, hint=not arguments, variables=variables))
    if isinstance(view.store, ForeignStore) and diff is None and format_ == "text" and not as_json:
        raise typer.Exit(show_errors(view.store.file))


_POINT = re.compile(r"(\d+)(?:/(\d+))?")
_STORE_POINT = re.compile(rf"(.+):{_POINT.pattern}")


@dataclass(frozen=True, slots=True, kw_only=True)
class _NamedPoint:
    """A point of a store and the number of a trace there; ``title`` names all."""

    view: StoreView
    point: int
    trace: int
    title: str


def _other_point(view: StoreView, point: int, other: str) -> _NamedPoint:
    """The point and trace that ``other`` names: ``POINT`` of this store, a trace file, a store or ``STORE:POINT``.

    A point's first trace is meant unless its number follows, as in ``POINT/TRACE``; a store without a point stands for
    its point ``point``. Raises InputError (``unknown-point``) and what ``open_view``
    raises.
    """
    if here := _POINT.fullmatch(other):
        number, trace = int(here[1]), int(here[2]) if here[2] else None
        return _NamedPoint(view=view, point=number, trace=trace or 1, title=_point_title(number, trace))
    named = None if not is_remote(other) and folder_of(other).exists() else _STORE_POINT.fullmatch(other)
    address = named[1] if named else other
    if not is_remote(address) and not folder_of(address).exists():
        raise InputError(
            "unknown-point",
            f"--diff {other}: not a point, a file or a store",
            hint="name a point (--diff 3) or one of its traces (--diff 3/2), a trace file, or a store with its point (--diff STORE:3)",
        )
    there = open_view(address)
    foreign = isinstance(there.store, ForeignStore)
    number = int(named[2]) if named else 1 if foreign else point
    trace = int(named[3]) if named and named[3] else None
    title = str(address) if foreign else f"{_point_title(number, trace)} of {address}"
    return _NamedPoint(view=there, point=number, trace=trace or 1, title=title)


def _point_title(point: int, trace: int | None) -> str:
    """``point 3``, or ``point 3, trace 2``."""
    return f"point {point}" if trace is None else f"point {point}, trace {trace}"


def query_command(
    store: Store,
    statement: Annotated[
        str,
        typer.Argument(metavar="SQL", help="SQL over runs, traces, states, changes, prints, coverage."),
    ],
    engine: Annotated[
        Engine | None,
        typer.Option(metavar="duckdb|spark", help="The engine, and with it the dialect; default: duckdb."),
    ] = None,
    master: Master = None,
    as_json: Json = False,
) -> None:
    """Run SQL on a store's tables, in DuckDB's dialect.

    Spark, which takes seconds to start, answers with --engine spark or --master, in Spark SQL. The tables are Parquet files
    in STORE/tables, for other tools too.

    Example:
      tla2py query runs/NAME "SELECT point, verdict, distinct FROM runs"
    """
    opened = open_tables(store)
    # Imported on use: it brings DuckDB.
    from tla2py.query.query import answer_query

    columns, rows = answer_query(
        opened,
        statement,
        engine=engine or (Engine.SPARK if master else Engine.DUCKDB),
        master=master,
    )
    if as_json:
        show_json([dict(zip(columns, row, strict=True)) for row in rows])
        return
    table = plain_table(*columns)
    for row in rows:
        table.add_row(*("" if value is None else str(value) for value in row))
    show(table)


def explain_command(
    store: Store,
    name: Annotated[
        str | None, typer.Option("--property", metavar="NAME", help="Only this invariant or property.")
    ] = None,
    suggest: Annotated[
        int,
        typer.Option(
            "--suggest", metavar="N", min=0, help="How many points to suggest that could refute each law."
        ),
    ] = 3,
    as_json: Json = False,
) -> None:
    """Say when each property is violated: the shortest predicate over the parameters that separates the points.

    A law is a guess from the points checked so far. Rivals fit the same points; the suggested points, printed as rows of
    grid.include in a sweep file, decide between them. Each law is followed by the kinds of counterexamples.

    Example:
      tla2py explain runs/NAME --property Inv --suggest 5
    """
    explanation = open_view(store).explain(name, suggest)
    if as_json:
        show_json([each.to_json() for each in explanation])
        return
    show_text(f"{str(explanation) or 'no point checks anything'}\n")


def explore_command(
    store: Store,
    port: Annotated[
        int,
        typer.Option(metavar="N", help="The port on 127.0.0.1; 0 for any that is free.", min=0, max=65535),
    ] = 0,
    browser: Annotated[
        bool, typer.Option("--browser/--no-browser", help="Open the page in the browser.")
    ] = True,
    compare: OtherStore = None,
    tla2tools: Jar = None,
) -> None:
    """Explore a store in the browser: laws, points, kinds, and counterexamples; TLC answers what the store cannot.

    The first line of the output is the address, which has a random token. Ctrl-C ends it.

    Example:
      tla2py explore runs/kip320-first-try
      tla2py explore runs/before --compare runs/after
    """
    from tla2py.view.explorer import definitions_of, store_data
    from tla2py.view.server import ExplorerServer, PageAnswers

    view = open_view(store)
    other = open_view(compare) if compare else None
    data = store_data(view, definitions=definitions_of(view), other=other)
    try:
        explorer = ExplorerServer(data, PageAnswers(data, tla2tools), port)
    except OSError as error:
        raise InputError(
            "port-taken",
            f"cannot listen on port {port}: {error.strerror}",
            hint="leave --port out for a free one",
        ) from error
    typer.echo(explorer.address)
    if browser:
        webbrowser.open(explorer.address)
    explorer.serve()


def report_command(
    store: Store,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FILE", help="The page; default NAME.html.")
    ] = None,
    notes: Annotated[
        Path | None, typer.Option(metavar="FILE.md", help="Markdown for the top of the page.")
    ] = None,
    lanes: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="The processes: a constant, or a variable that is a function on them; several with commas.",
        ),
    ] = None,
    messages: Annotated[
        str | None, typer.Option(metavar="VARIABLE", help="A set or bag of messages, drawn as arrows.")
    ] = None,
    sender: Annotated[
        str | None, typer.Option(metavar="FIELD", help="The field of a message with its sender.")
    ] = None,
    receiver: Annotated[
        str | None, typer.Option(metavar="FIELD", help="The field of a message with its receivers.")
    ] = None,
    compare: OtherStore = None,
    arguments: Arguments = False,
    tla2tools: Jar = None,
) -> None:
    """Write a self-contained HTML page: the explorer of laws, points, kinds and counterexamples; actions; growth.

    It needs no network. The address holds what is selected; #trace=5/2&state=8 opens the second counterexample of
    point 5 at state 8.

    Example:
      tla2py report runs/kip320-first-try -o kip320.html --messages leaderAndIsrRequests
    """
    from tla2py.view.counterexamples import LaneOptions
    from tla2py.view.page import PageOptions, report_page

    view = open_view(store).with_arguments(tla2tools) if arguments else open_view(store)
    target = output or Path(f"{view.manifest.name}.html")
    stores = [Path(each) for each in (store, compare) if each]
    inputs = [file for each in stores for file in (store_files(target, each) if each.is_dir() else [each])]
    check_report(target, [*inputs, *([notes] if notes else [])])
    options = PageOptions(
        notes=_read(notes) if notes else "",
        notes_folder=notes.parent if notes else Path(),
        target=target.parent,
        lanes=LaneOptions(by=lanes, messages=messages, sender=sender, receiver=receiver),
        other=open_view(compare) if compare else None,
    )
    page = report_page(view, options)
    write_file(target, page)
    typer.echo(f"{target}: {len(page.encode()) / 1e6:.1f} MB")


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise InputError(
            "notes-unreadable",
            f"cannot read {path}: {error.strerror}",
            hint="--notes takes a file of Markdown",
        ) from error
    except UnicodeDecodeError as error:
        raise InputError(
            "notes-unreadable", f"{path} is not text: {error.reason}", hint="notes are Markdown in UTF-8"
        ) from error
