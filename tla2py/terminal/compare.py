"""Two counterexamples with their steps aligned by action, and the first step at which they part."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.text import Text

from tla2py.show.comparison import differences
from tla2py.show.plain import action_text, trace_end
from tla2py.text import counted
from tla2py.trace.alignment import Step, compare_traces
from tla2py.trace.trace import State, Trace


def comparison_text(left: Trace, right: Trace, *, titles: tuple[str, str]) -> RenderableType:
    """The steps of both traces in one list: ``<`` marks those of the left trace only, ``>`` of the right only."""
    comparison = compare_traces(left, right)
    parts: list[RenderableType] = [
        Text.assemble((sign, "bold"), f" {title}: {trace.label}, {counted(len(trace.states), 'state')}")
        for sign, title, trace in zip("<>", titles, (left, right), strict=True)
    ]
    before: tuple[State, State] | None = None
    for position, step in enumerate(comparison.steps):
        if position == comparison.parted:
            parts.append(Text("the traces diverge here", "bold yellow"))
        parts.append(_line(step))
        if step.left is not None and step.right is not None:
            found = differences(step.left, step.right, before)
            parts += [Text(" " * 11 + line, "dim") for line in found]
            before = (step.left, step.right)
    if comparison.parted is None:
        parts.append(Text("both take the same steps", "bold"))
    for sign, trace in zip("<>", (left, right), strict=True):
        if end := trace_end(trace):
            parts.append(Text(f"{sign} {end}", "bold yellow"))
    return Group(*parts)


def _line(step: Step) -> Text:
    left, right = (str(state.index) if state else "" for state in (step.left, step.right))
    state = step.left or step.right
    assert state is not None
    sign = " " if step.left and step.right else "<" if step.left else ">"
    style = {"<": "red", ">": "green", " ": "bold blue"}[sign]
    return Text(f"{sign} {left:>3} {right:>3}  {action_text(state)}", style)
