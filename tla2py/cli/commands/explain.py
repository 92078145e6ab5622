"""``tla2py explain``."""

from __future__ import annotations

from typing import Annotated

import typer

from tla2py.cli.console import show_json, show_text
from tla2py.cli.options import Json, Store
from tla2py.explore.view import open_view


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
