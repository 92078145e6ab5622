"""What a store is asked: ``query``, ``explain``, ``explore`` and ``report``.

Imports that not all of them need stand in the functions: they take longer than a query.
"""

from __future__ import annotations

import webbrowser
from pathlib import Path
from typing import Annotated, Literal

import typer

from tla2py.analysis.engine import Engine
from tla2py.cli.console import err, show, show_json, show_text
from tla2py.cli.options import Arguments, Jar, Json, Master, OtherStore, Store, argument, option
from tla2py.errors import InputError
from tla2py.files import check_report, store_files, write_file
from tla2py.store.foreign import open_tables
from tla2py.store.refresh import missing_points
from tla2py.view.layout import WrappedLines, plain_table


def query_command(
    store: Store,
    statement: Annotated[str, argument("SQL", "SQL over runs, traces, states, changes, prints, coverage.")],
    engine: Annotated[
        Engine | None,
        option("--engine duckdb|spark", "The engine, and with it the dialect; default: duckdb."),
    ] = None,
    master: Master = None,
    form: Annotated[
        Literal["csv", "markdown", "json"] | None,
        option("--format csv|markdown|json", "Print this instead of a table."),
    ] = None,
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
    from tla2py.analysis.points import missing_text
    from tla2py.analysis.query import answer_query

    engine = engine or (Engine.SPARK if master else Engine.DUCKDB)
    columns, rows = answer_query(opened, statement, engine=engine, master=master)
    err().print("answered by Spark" if engine is Engine.SPARK else "answered by DuckDB", style="dim")
    if missing := missing_points(opened):
        err().print(f"note: {missing_text(missing, opened.points_table().num_rows)}", style="yellow")
    if as_json or form == "json":
        show_json([dict(zip(columns, row, strict=True)) for row in rows])
        return
    if form is not None:
        from tla2py.view.export import csv_text, markdown_text

        show_text((csv_text if form == "csv" else markdown_text)(columns, rows))
        return
    table = plain_table(*columns)
    for row in rows:
        table.add_row(*("" if value is None else str(value) for value in row))
    show(table)


def explain_command(
    store: Store,
    name: Annotated[str | None, option("--property NAME", "Only this invariant or property.")] = None,
    suggest: Annotated[
        int, option("--suggest N", "How many points to suggest that could refute each law.", min=0)
    ] = 3,
    as_json: Json = False,
) -> None:
    """Say when each property is violated: the shortest predicate over the parameters that separates the points.

    A law is a guess from the points checked so far. Rivals fit the same points; the suggested points, printed as rows of
    grid.include in a sweep file, decide between them. Each law is followed by the kinds of counterexamples.

    Example:
      tla2py explain runs/NAME --property Inv --suggest 5
    """
    from tla2py.analysis.view import open_view

    explanation = open_view(store).explain(name, suggest)
    if as_json:
        show_json([each.to_json() for each in explanation])
        return
    text = str(explanation) or "no point checks anything"
    show(WrappedLines(text.splitlines()), wrapped=True)


def explore_command(
    store: Store,
    port: Annotated[
        int, option("--port N", "The port on 127.0.0.1; 0 for any that is free.", min=0, max=65535)
    ] = 0,
    browser: Annotated[bool, option("--browser/--no-browser", "Open the page in the browser.")] = True,
    compare: OtherStore = None,
    tla2tools: Jar = None,
) -> None:
    """Explore a store in the browser: laws, points, kinds, and counterexamples; TLC answers what the store cannot.

    The first line of the output is the address, which has a random token. Ctrl-C ends it.

    Example:
      tla2py explore runs/kip320-first-try
      tla2py explore runs/before --compare runs/after
    """
    from tla2py.analysis.view import open_view
    from tla2py.view.explorer import store_data
    from tla2py.view.server import ExplorerServer, PageAnswers

    view = open_view(store)
    data = store_data(view, other=open_view(compare) if compare else None)
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
    output: Annotated[Path | None, option("-o --output FILE", "The page; default NAME.html.")] = None,
    notes: Annotated[Path | None, option("--notes FILE.md", "Markdown for the top of the page.")] = None,
    lanes: Annotated[
        str | None,
        option(
            "--lanes NAME",
            "The processes: a constant, or a variable that is a function on them; several with commas.",
        ),
    ] = None,
    messages: Annotated[
        str | None, option("--messages VARIABLE", "A set or bag of messages, drawn as arrows.")
    ] = None,
    sender: Annotated[str | None, option("--sender FIELD", "The field of a message with its sender.")] = None,
    receiver: Annotated[
        str | None, option("--receiver FIELD", "The field of a message with its receivers.")
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
    from tla2py.analysis.view import open_view
    from tla2py.view.page import report_page

    view = open_view(store).with_arguments(tla2tools) if arguments else open_view(store)
    target = output or Path(f"{view.manifest.name}.html")
    stores = [Path(each) for each in (store, compare) if each]
    inputs = [file for each in stores for file in (store_files(target, each) if each.is_dir() else [each])]
    check_report(target, [*inputs, *([notes] if notes else [])])
    page = report_page(
        view,
        notes=_read(notes) if notes else "",
        notes_folder=notes.parent if notes else Path(),
        target=target.parent,
        lanes={"by": lanes, "messages": messages, "sender": sender, "receiver": receiver},
        other=open_view(compare) if compare else None,
    )
    write_file(target, page)
    typer.echo(f"{target}: {len(page.encode()) / 1e6:.1f} MB")


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not UTF-8"
        hint = "--notes takes a file of Markdown"
        raise InputError("notes-unreadable", f"cannot read {path}: {reason}", hint=hint) from error
