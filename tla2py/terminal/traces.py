"""The traces of a point as text."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.text import Text

from tla2py.explore.view import StoreView
from tla2py.interop import ForeignStore
from tla2py.show.processes import acting
from tla2py.terminal.text import trace_text


def traces_text(
    view: StoreView, point: int, number: int | None, *, full: bool = False, hint: bool = True
) -> RenderableType:
    """The traces of a point, or one of them, step by step; ``hint`` mentions that TLC can be asked for arguments."""
    foreign = isinstance(view.store, ForeignStore)
    numbers = [number] if number is not None else list(range(1, len(view.trace_list(point)) + 1)) or [1]
    parts: list[RenderableType] = []
    for each in numbers:
        trace = view.trace(point, each)
        title = f"trace {each}: " if foreign else f"point {point}, trace {each}: "
        parts += [trace_text(trace, full=full, title=title), ""]
    # Whether an action without known arguments has any is not worth parsing its module.
    if hint and not foreign and any(actor.derived for actor in acting(trace) or ()):
        return Group(
            *parts[:-1], Text("for the arguments that actions were taken with, add --arguments", "dim")
        )
    return Group(*parts[:-1])
