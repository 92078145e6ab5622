"""Counterexamples as HTML tables: each step with its processes and changes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise

from tla2py.show.marks import element_marks, marked, plain_value, value_marks
from tla2py.show.markup import Element, Piece, element, html_text, number_title, row, table
from tla2py.show.plain import (
    DERIVED,
    action_text,
    closing_step,
    derived,
    diff_title,
    headline,
    loop_mark,
    trace_end,
)
from tla2py.show.processes import Actors, acting
from tla2py.trace.diff import Part
from tla2py.trace.trace import State, StateDiff, Trace
from tla2py.values import format_value

# Longer traces omit the whole states, which would repeat the changes of every step.
MOST_WHOLE_STATES = 100


def trace_view(trace: Trace) -> Element:
    """A trace as a table."""
    who = acting(trace)
    arguments_derived = derived(trace)
    whole = len(trace.states) <= MOST_WHOLE_STATES
    who_derived = any(actor.derived for actor in who or ())
    rows = []
    for number, (before, state) in enumerate(pairwise((None, *trace.states))):
        assert state is not None
        rows.append(_row(trace, before, state, who[number] if who else None, whole))
    if end := end_pieces(trace):
        rows.append(row(element("td", *end, colspan=3 + bool(who), class_="t2-loop t2-act")))
    head = [
        number_title("step"),
        element(
            "th",
            "action" + " (arguments derived)" * arguments_derived,
            scope="col",
            title=DERIVED if arguments_derived else None,
        ),
        element(
            "th",
            "who" + " (derived)" * who_derived,
            scope="col",
            title=_WHO_DERIVED if who_derived else _WHO_GUESSED,
        )
        if who
        else None,
        "what changed",
    ]
    return table(headline(trace), head, rows)


_WHO_GUESSED = "the processes are guessed from the keys of the variables"
_WHO_DERIVED = "this TLC prints no action arguments: derived arguments, or the changed parts of the state, show who acted"


def diff_html(diff: StateDiff) -> str:
    """A difference as HTML: the changed parts, then the new values of the changed variables."""
    variables = dict.fromkeys(part.variable for part in diff.parts)
    rows = [_variable(name, marked(diff.before.values[name], diff.after.values[name])) for name in variables]
    whole = element("table", element("tbody", *rows)) if rows else None
    return html_text(
        element("h3", diff_title(diff)), _parts(diff.parts), whole, _unchanged(diff) if rows else None
    )


def state_html(state: State) -> str:
    """A state as HTML: its variables and their values."""
    return html_text(_state_table(state, f"{state.index}. {action_text(state)}"))


def step_pieces(before: State | None, state: State, *, whole: bool = True) -> list[Piece]:
    """The changes of a step; for the first state, all values."""
    if before is None:
        return [_state_table(state, None)]
    diff = StateDiff(before=before, after=state)
    parts = diff.parts
    if not parts:
        return [element("span", "nothing changes", class_="t2-dim")]
    return [_parts(parts), _whole_state(diff) if whole else None]


def end_pieces(trace: Trace) -> list[Piece]:
    """How a behaviour continues after its last state, with the changes of a lasso's closing step."""
    end, closing = trace_end(trace), closing_step(trace)
    if not end:
        return []
    return ["↺ " + end, _parts(closing.parts)] if closing else ["■ " + end]


def _row(trace: Trace, before: State | None, state: State, actor: Actors | None, whole: bool) -> Element:
    loop = loop_mark(trace, state)
    first = state.index == trace.loop_start
    number = f"↱ {state.index}" if first else str(state.index)
    place = state.location
    return row(
        element("td", number, class_="t2-n t2-loop" if loop else "t2-n", title=loop or None),
        element(
            "td",
            element("span", action_text(state), class_="t2-act"),
            element("div", f"{place.module}:{place.begin_line}", class_="t2-dim") if place else None,
        ),
        ", ".join(format_value(one) for one in actor.who) if actor is not None else None,
        element("td", *step_pieces(before, state, whole=whole), *_values(state)),
    )


def _values(state: State) -> Iterator[Element]:
    for expression, value in state.evaluated:
        yield element("div", element("code", expression), f" = {value}")


def _parts(parts: Sequence[Part]) -> Element:
    if not parts:
        return element("p", "nothing changes", class_="t2-dim")
    places = groupby(parts, key=lambda part: part.place)
    return element("ul", *(element("li", *_place(place, [*found])) for place, found in places))


def _place(place: str, parts: Sequence[Part]) -> Iterator[Piece]:
    """The changes at a place; the elements that a set or a sequence lost and gained there are two parts."""
    yield element("code", place)
    yield "  "
    first, last = parts[0], parts[-1]
    if first.before and first.after:
        yield from value_marks(first.before[0], first.after[0])
    else:
        yield from element_marks(first.before, last.after, pair=not first.in_order)


def _whole_state(diff: StateDiff) -> Element:
    rows = []
    unchanged = set(diff.unchanged)
    for name, value in diff.after.values.items():
        if name in unchanged or name not in diff.before.values:
            rows.append(_variable(name, plain_value(value), "t2-dim"))
        else:
            rows.append(_variable(name, marked(diff.before.values[name], value, fold=False)))
    return element("details", element("summary", "whole state"), element("table", element("tbody", *rows)))


def _variable(name: str, value: Element, style: str | None = None) -> Element:
    return row(element("th", element("code", name), scope="row"), element("td", value, class_=style))


def _unchanged(diff: StateDiff) -> Element | None:
    names = diff.unchanged
    if not names:
        return None
    rows = [
        element("li", element("code", name), " = ", plain_value(diff.after.values[name])) for name in names
    ]
    return element("details", element("summary", f"unchanged: {', '.join(names)}"), element("ul", *rows))


def _state_table(state: State, caption: str | None) -> Element:
    rows = [_variable(name, plain_value(value)) for name, value in state.values.items()]
    return element("table", element("caption", caption) if caption else None, element("tbody", *rows))
