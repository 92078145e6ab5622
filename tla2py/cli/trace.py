"""``tla2py trace``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tla2py.cli.console import show
from tla2py.explore import open_view
from tla2py.report.text import trace_list, trace_text


def trace_command(
    store: Annotated[Path, typer.Argument(metavar="STORE", help="The store of a sweep.")],
    point: Annotated[
        int | None, typer.Argument(metavar="[POINT]", help="The point; without it, all are listed.")
    ] = None,
    trace: Annotated[
        int | None, typer.Option("--trace", metavar="N", help="Only this trace of the point.")
    ] = None,
    full: Annotated[bool, typer.Option("--full", help="Print whole states, not only what changed.")] = False,
) -> None:
    """List the counterexamples of a store, or print those of a point step by step.

    Example: tla2py trace runs/kip320-first-try 5
    """
    view = open_view(store)
    if point is None:
        show(trace_list(view))
        return
    numbers = [trace] if trace is not None else list(range(1, len(view.trace_list(point)) + 1)) or [1]
    for number in numbers:
        show(trace_text(view.trace(point, number), full=full, title=f"point {point}, trace {number}: "))
        if number != numbers[-1]:
            show("")
