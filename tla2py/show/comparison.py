"""Two aligned counterexamples, as HTML and as plain lines."""

from __future__ import annotations

from collections.abc import Iterator

from tla2py.show.markup import Element, Piece, element, html_text, printable
from tla2py.show.plain import action_text, headline, runs_of
from tla2py.show.trace_html import step_pieces
from tla2py.trace.alignment import Comparison, Step
from tla2py.trace.trace import State
from tla2py.values import changes, format_value, same_value

# Of the states at a step both took, so many differing parts are shown.
_MOST_DIFFERENCES = 12


def comparison_lines(comparison: Comparison) -> list[str]:
    """The steps of both traces in one list: ``<`` only the left one took, ``>`` only the right one."""
    lines = [f"< {headline(comparison.left)}", f"> {headline(comparison.right)}"]
    for place, step in enumerate(comparison.steps):
        if place == comparison.parted:
            lines.append("here their steps part")
        left, right = (str(state.index) if state else "" for state in (step.left, step.right))
        lines.append(f"{_sign(step)} {left:>3} {right:>3}  {_label(step)}")
    return [printable(line) for line in [*lines, *verdict_lines(comparison)]]


def verdict_lines(comparison: Comparison) -> list[str]:
    """What the alignment amounts to: the first step where they part, and what each has that the other has not."""
    if comparison.parted is None:
        return ["both take the same steps"]
    here = comparison.steps[comparison.parted]
    state = here.left or here.right
    assert state is not None
    side = "left" if here.left else "right"
    lines = [f"their steps part at step {state.index} of the {side} one: {action_text(state)}"]
    for side, states in zip(("left", "right"), comparison.missing, strict=True):
        if states:
            lines.append(f"only in the {side} one: {runs_of([action_text(state) for state in states])}")
    return lines


def comparison_html(comparison: Comparison) -> str:
    """What Jupyter shows of two traces compared."""
    return html_text(comparison_view(comparison))


def comparison_view(comparison: Comparison, titles: tuple[str, str] = ("left", "right")) -> Element:
    """Both traces in one table, a row per step; where both took it, in what their states differ newly."""
    body = element("tbody")
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
        body.append(_row(step, pieces, parted=place == comparison.parted))
    head = [element("th", title, scope="col", class_="t2-n") for title in titles] + [
        element("th", "action", scope="col"),
        element("th", "where the states differ: left | right", scope="col"),
    ]
    summary = [element("p", line) for line in verdict_lines(comparison)]
    caption = element(
        "caption",
        f"{titles[0]}: {headline(comparison.left)} — {titles[1]}: {headline(comparison.right)}",
    )
    return element("div", *summary, element("table", caption, element("thead", element("tr", *head)), body))


def differences(left: State, right: State, before: tuple[State, State] | None) -> Iterator[str]:
    """In what two states differ, a text per part, but for the variables that differed in the same way before."""
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
    trace, state = (comparison.left, step.left) if step.left else (comparison.right, step.right)
    assert state is not None
    first = trace.states[0].index
    before = trace.state(state.index - 1) if state.index > first else None
    return step_pieces(before, state, whole=False)


def _row(step: Step, pieces: list[Piece], *, parted: bool) -> Element:
    state = step.left or step.right
    assert state is not None
    side = {"<": "t2-left", ">": "t2-right", " ": None}[_sign(step)]
    return element(
        "tr",
        element("td", str(step.left.index) if step.left else "", class_="t2-n"),
        element("td", str(step.right.index) if step.right else "", class_="t2-n"),
        element("td", element("span", f"{_sign(step)} {_label(step)}".strip(), class_="t2-act"), class_=side),
        element("td", *pieces, class_=side),
        class_="t2-parted" if parted else None,
    )


def _sign(step: Step) -> str:
    return " " if step.left and step.right else "<" if step.left else ">"


def _label(step: Step) -> str:
    state = step.left or step.right
    assert state is not None
    return action_text(state)
