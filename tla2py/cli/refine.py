"""``tla2py sweep --refine``: the points that could refute the laws of a sweep are run as well."""

from __future__ import annotations

from collections.abc import Callable

from tla2py.cli.console import err, show_text
from tla2py.execution.sweeps import SweepResult
from tla2py.explore.explanation import explain_store, suggestion_text
from tla2py.explore.refine import refined_sweep, survivors
from tla2py.explore.view import open_view
from tla2py.store.storage import Address
from tla2py.sweep.sweep import Sweep


def refine(result: SweepResult, count: int, run: Callable[[Sweep, Address], SweepResult]) -> None:
    """Run at most ``count`` points for each law of a sweep that could refute it, and print which laws survive.

    The points are in the store until the sweep runs again; the printed rows keep them.
    """
    before = explain_store(open_view(result.store.path), suggest=count)
    sweep = refined_sweep(result.sweep, before)
    if sweep is None:
        err().print(f"{result.sweep.name}: no law, so there is no point to test one")
        return
    first = len(result.sweep.points) + 1
    after = explain_store(open_view(run(sweep, result.store.path).store.path))
    lines = [f"Points {first} to {len(sweep.points)} test the laws; as rows of [grid] include:"]
    lines += [f"  {suggestion_text(point.parameters)}" for point in sweep.points[first - 1 :]]
    show_text("\n".join([*lines, "", *survivors(before, after, first), ""]))
