"""Two aligned counterexamples as HTML and as plain text."""

from __future__ import annotations

from collections.abc import Iterator

from tla2py.show.markup import Element, Piece, element, number_cell, number_title, printable, row, table
from tla2py.show.plain import action_text, headline, runs_of
from tla2py.show.trace_html import step_pieces
from tla2py.trace.alignment import Comparison, Step
from tla2py.trace.trace import State
from tla2py.values import changes, format_value, same_value

# How many differing parts of two states are shown.
_MOST_DIFFERENCES = 12


def comparison_lines(comparison: Comparison) -> list[str]:
    """The steps of both traces: ``<`` marks those only in the left trace, ``>`` those only in the right one."""
    lines = [f"< {headline(comparison.left)}", f"> {headline(comparison.right)}"]
    for place, step in enumerate(comparison.steps):
        if place == comparison.parted:
            lines.append("the traces diverge here")
        left, right = (str(state.index) if state else "" for state in (step.left, step.right))
        lines.append(f"{_sign(step)} {left:>3} {right:>3}  {action_text(step.state)}")
    return [printable(line) for line in [*lines, *verdict_lines(comparison)]]


def verdict_lines(comparison: Comparison) -> list[str]:
    """A summary: the first divergence, and the steps that only one trace has."""
    if comparison.parted is None:
        return ["both take the same steps"]
    step = comparison.steps[comparison.parted]
    side = "left" if step.left else "right"
    lines = [f"the traces diverge at step {step.state.index} of the {side} one: {action_text(step.state)}"]
    for side, states in zip(("left", "right"), comparison.missing, strict=True):
        if states:
            lines.append(f"only in the {side} one: {runs_of([action_text(state) for state in states])}")
    return lines


def comparison_view(comparison: Comparison, titles: tuple[str, str] = ("left", "right")) -> Element:
    """A table with a row per step; a common step shows the new differences between its states."""
    rows = []
    before: tuple[State, State] | None = None
    for place, step in enumerate(comparison.steps):
        pieces: list[Piece]
        if step.left is not None and step.right is not None:
            found = list(differences(step.left, step.right, before))
            before = (step.left, step.right)
            pieces = (
                [element("ul", *(element("li", element("code", text)) for text in found))] if found else []
            )
        else:
            pieces = _one_sided(comparison, step)
        rows.append(_row(step, pieces, parted=place == comparison.parted))
    head: list[Piece] = [*map(number_title, titles), "action", "where the states differ: left | right"]
    summary = [element("p", line) for line in verdict_lines(comparison)]
    caption = f"{titles[0]}: {headline(comparison.left)} — {titles[1]}: {headline(comparison.right)}"
    return element("div", *summary, table(caption, head, rows))


def differences(left: State, right: State, before: tuple[State, State] | None) -> Iterator[str]:
    """The differences between two states, except in variables with the same two values ``before``."""
    found: list[str] = []
    for variable, ours in left.values.items():
        theirs = right.values.get(variable)
        if theirs is None or same_value(ours, theirs) or _as_before(variable, (left, right), before):
            continue
        for change in changes(ours, theirs):
            one, other = (
                "-" if part is None else format_value(part) for part in (change.before, change.after)
            )
            found.append(f"{variable}{change.path}: {one} | {other}")
    yield from found[:_MOST_DIFFERENCES]
    if len(found) > _MOST_DIFFERENCES:
        yield f"and {len(found) - _MOST_DIFFERENCES} more differences"


def _as_before(variable: str, now: tuple[State, State], before: tuple[State, State] | None) -> bool:
    return before is not None and all(
        variable in past.values and same_value(past.values[variable], state.values[variable])
        for past, state in zip(before, now, strict=True)
    )


def _one_sided(comparison: Comparison, step: Step) -> list[Piece]:
    trace, index = comparison.left if step.left else comparison.right, step.state.index
    before = trace.state(index - 1) if index > trace.states[0].index else None
    return step_pieces(before, step.state, whole=False)


def _row(step: Step, pieces: list[Piece], *, parted: bool) -> Element:
    side = {"<": "t2-left", ">": "t2-right", " ": None}[_sign(step)]
    return row(
        number_cell(str(step.left.index) if step.left else ""),
        number_cell(str(step.right.index) if step.right else ""),
        element(
            "td",
            element("span", f"{_sign(step)} {action_text(step.state)}".strip(), class_="t2-act"),
            class_=side,
        ),
        element("td", *pieces, class_=side),
        class_="t2-parted" if parted else None,
    )


def _sign(step: Step) -> str:
    return " " if step.left and step.right else "<" if step.left else ">"
