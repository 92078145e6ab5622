"""``tla2py report``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tla2py.cli.options import Arguments, Jar, OtherStore, Store
from tla2py.errors import InputError
from tla2py.explore.view import open_view
from tla2py.files.write import check_report, store_files, write_file


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
    from tla2py.explorer.traces import LaneOptions
    from tla2py.page.page import PageOptions, report_page

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
