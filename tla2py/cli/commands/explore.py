"""``tla2py explore``."""

from __future__ import annotations

import webbrowser
from typing import Annotated

import typer

from tla2py.cli.options import Jar, OtherStore, Store
from tla2py.errors import InputError
from tla2py.explore.view import open_view


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
    from tla2py.explorer.answers import Answers
    from tla2py.explorer.data import store_data
    from tla2py.explorer.glossary import definitions_of
    from tla2py.explorer.server import ExplorerServer

    view = open_view(store)
    other = open_view(compare) if compare else None
    data = store_data(view, definitions=definitions_of(view), other=other)
    try:
        explorer = ExplorerServer(data, Answers(data, tla2tools), port)
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
