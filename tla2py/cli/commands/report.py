"""``tla2py report``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tla2py.cli.options import Arguments, Jar, Store
from tla2py.errors import InputError, writing
from tla2py.explore.view import open_view


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
    arguments: Arguments = False,
    tla2tools: Jar = None,
) -> None:
    """Write a self-contained HTML page: points, heatmap, growth, actions, and each counterexample step by step.

    It needs no network. #point-5 links to a point, #point-5-trace-2 to its second counterexample, #point-5-step-8 to a
    step of the first, #point-5-trace-2-step-8 to one of the second.

    Example:
      tla2py report runs/kip320-first-try -o kip320.html --messages leaderAndIsrRequests
    """
    from tla2py.page.page import PageOptions, report_page

    view = open_view(store).with_arguments(tla2tools) if arguments else open_view(store)
    target = output or Path(f"{view.manifest.name}.html")
    options = PageOptions(
        notes=_read(notes) if notes else "",
        notes_folder=notes.parent if notes else Path(),
        target=target.parent,
        lanes=lanes,
        messages=messages,
        sender=sender,
        receiver=receiver,
    )
    page = report_page(view, options)
    with writing(target):
        target.write_text(page, encoding="utf-8")
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
