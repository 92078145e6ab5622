"""SVG charts of curves over sizes."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from typing import TypeAlias, TypeGuard

from tla2py.model.courses import Comparison, Step
from tla2py.model.trace import Part, State, StateDiff, Trace
from tla2py.tla.canonical import ENUMERATED, in_order, is_identifier, same_value
from tla2py.tla.value import Function, Interval, Record, Value
from tla2py.tla.value_text import Keyed, as_mapping, by_key, changes, format_value
from tla2py.view.lanes import trace_lanes
from tla2py.view.messages import Actors, acting
from tla2py.view.text import (
    DERIVED,
    Element,
    Piece,
    action_text,
    closing_step,
    derived,
    diff_text,
    diff_title,
    element,
    headline,
    html_text,
    loop_mark,
    number_cell,
    number_title,
    picture_text,
    printable,
    row,
    runs_of,
    state_text,
    table,
    trace_end,
    trace_text,
)

_WIDTH, _HEIGHT = 640.0, 320.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 78.0, 170.0, 26.0, 44.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Curve:
    """A labelled curve; every y is greater than 0."""

    label: str
    points: tuple[tuple[float, float], ...]


def curves_svg(title: str, x_title: str, ticks: Mapping[float, str], curves: Sequence[Curve]) -> Element:
    """A chart with a logarithmic y axis; ``ticks`` maps positions on the x axis to labels."""
    ys = [y for curve in curves for _, y in curve.points]
    low, high = math.floor(math.log10(min(ys))), math.ceil(math.log10(max(ys)))
    high = max(high, low + 1)
    first, last = min(ticks), max(ticks)

    def place(x: float, y: float) -> tuple[float, float]:
        across = (x - first) / (last - first) if last > first else 0.5
        up = (math.log10(y) - low) / (high - low)
        return _LEFT + across * (_WIDTH - _LEFT - _RIGHT), _HEIGHT - _BOTTOM - up * (_HEIGHT - _TOP - _BOTTOM)

    picture = element(
        "svg",
        element("title", title),
        viewBox=f"0 0 {_WIDTH:.0f} {_HEIGHT:.0f}",
        width=_WIDTH,
        height=_HEIGHT,
        role="img",
        aria_label=title,
    )
    picture.append(picture_text(_LEFT, 15, title, "t2-head"))
    for power in range(low, high + 1):
        _, y = place(first, 10.0**power)
        picture.append(element("line", x1=_LEFT, x2=_WIDTH - _RIGHT, y1=y, y2=y, class_="t2-line"))
        picture.append(picture_text(_LEFT - 8, y + 4, f"{10.0**power:,.10g}", "t2-small", anchor="end"))
    for x, label in ticks.items():
        picture.append(
            picture_text(place(x, 10.0**low)[0], _HEIGHT - _BOTTOM + 18, label, "t2-small", anchor="middle")
        )
    picture.append(
        picture_text(
            (_LEFT + _WIDTH - _RIGHT) / 2, _HEIGHT - 6, x_title, "t2-small t2-faint", anchor="middle"
        )
    )
    ends: list[tuple[float, float]] = []
    for curve in curves:
        picture.append(_curve(curve, [place(x, y) for x, y in curve.points], ends))
    return picture


def _curve(curve: Curve, places: Sequence[tuple[float, float]], ends: list[tuple[float, float]]) -> Element:
    path = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in places)
    group = element("g", element("title", curve.label), element("path", d=path, class_="t2-curve"))
    for (x, y), (_, value) in zip(places, curve.points, strict=True):
        dot = element("circle", cx=x, cy=y, r=3.5, class_="t2-dot")
        dot.append(element("title", f"{curve.label}: {value:,.0f}"))
        group.append(dot)
    # Move overlapping labels apart.
    x, at = places[-1][0] + 10, places[-1][1] + 4
    while any(abs(at - other) < 13 and abs(x - beside) < _RIGHT for beside, other in ends):
        at += 13
    ends.append((x, at))
    group.append(picture_text(x, at, curve.label, "t2-small"))
    return group


Labels: TypeAlias = Callable[[Value], str]

# Deeper parts have no marks inside; longer unchanged texts are folded.
_DEEPEST = 30
_LONGEST = 60
# Limit of removed times added elements for pairing them.
_MOST_PAIRED = 30


def marked(before: Value, after: Value, *, fold: bool = True) -> Element:
    """The new value with marked changes; ``fold`` shortens long unchanged parts to ``…``."""
    return element("code", *_marked(before, after, fold, 0))


def value_marks(old: Value, new: Value) -> tuple[Piece, ...]:
    """A value that was replaced as a whole."""
    return _deleted(old), " → ", _inserted(new)


def element_marks(before: Sequence[Value], after: Sequence[Value], *, pair: bool = True) -> Iterator[Piece]:
    """The elements that a set or sequence lost and gained; with ``pair``, similar ones are marked inside."""
    olds, news = list(before), list(after)
    pairs, removed, added = _pairs(olds, news) if pair else ([], olds, news)
    for number, (old, new) in enumerate(pairs):
        yield ", " if number else ""
        yield element("code", *_marked(old, new, False, 0))
    for sign, values, mark in (("− ", removed, _deleted), ("+ ", added, _inserted)):
        for value in values:
            yield from (" ", sign, mark(value))


def _marked(old: Value, new: Value, fold: bool, depth: int) -> list[Piece]:
    if same_value(old, new):
        return [_folded(new, fold)]
    if depth < _DEEPEST:
        if isinstance(old, (tuple, Record, Function)) and isinstance(new, (tuple, Record, Function)):
            return _marked_keys(old, new, fold, depth)
        if _enumerated(old) and _enumerated(new):
            return _marked_elements(old, new, fold, depth)
    return [*value_marks(old, new)]


def _marked_keys(old: Keyed, new: Keyed, fold: bool, depth: int) -> list[Piece]:
    rows = by_key(old, new)
    opening, closing, joint, label = _layout(as_mapping(old), as_mapping(new))
    pieces: list[Piece] = [opening]
    skipped = False
    for key, one, other in rows:
        inner: list[Piece]
        if one is None or other is None:
            inner = [
                mark(value) for mark, value in ((_deleted, one), (_inserted, other)) if value is not None
            ]
        elif fold and same_value(one, other) and len(rows) > 1:
            # A run of unchanged parts becomes one mark.
            if not skipped:
                pieces += [joint if len(pieces) > 1 else "", "…"]
            skipped = True
            continue
        else:
            inner = _marked(one, other, fold, depth + 1)
        skipped = False
        pieces += [joint if len(pieces) > 1 else "", label(key), *inner]
    return [*pieces, closing]


def _enumerated(value: Value) -> TypeGuard[frozenset[Value] | Interval]:
    """Whether a value is a set that is written element by element."""
    return isinstance(value, frozenset) or (isinstance(value, Interval) and value.size <= ENUMERATED)


def _marked_elements(
    old: frozenset[Value] | Interval, new: frozenset[Value] | Interval, fold: bool, depth: int
) -> list[Piece]:
    found = list(changes(old, new))
    lost = [change.before for change in found if change.before is not None]
    gained = [change.after for change in found if change.after is not None]
    kept = in_order(frozenset(new).difference(gained))
    pairs, removed, added = _pairs(lost, gained)
    shown: list[list[Piece]] = []
    if kept:
        text = ", ".join(map(format_value, kept))
        shown.append(["…" if fold and len(text) > _LONGEST else text])
    shown += [_marked(one, other, fold, depth + 1) for one, other in pairs]
    shown += [[_deleted(value)] for value in removed]
    shown += [[_inserted(value)] for value in added]
    pieces: list[Piece] = ["{"]
    for number, inner in enumerate(shown):
        pieces += [", " if number else "", *inner]
    return [*pieces, "}"]


def _pairs(
    removed: list[Value], added: list[Value]
) -> tuple[list[tuple[Value, Value]], list[Value], list[Value]]:
    """Pairs of records with equal fields and more than half of the values unchanged; and the unpaired elements."""
    if not 0 < len(removed) * len(added) <= _MOST_PAIRED:
        return [], removed, added
    pairs = []
    left = list(added)
    alone = []
    for old in removed:
        likeness = [(_likeness(old, new), -place) for place, new in enumerate(left)]
        best, place = max(likeness, default=(0.0, 0))
        if best > 0.5:
            pairs.append((old, left.pop(-place)))
        else:
            alone.append(old)
    return pairs, alone, left


def _likeness(old: Value, new: Value) -> float:
    if not (isinstance(old, Record) and isinstance(new, Record) and list(old) == list(new) and old):
        return 0.0
    return sum(same_value(old[name], new[name]) for name in old) / len(old)


def _layout(olds: Mapping[Value, Value], news: Mapping[Value, Value]) -> tuple[str, str, str, Labels]:
    keys = [*olds, *news]
    if all(isinstance(key, str) and is_identifier(key) for key in keys):
        return "[", "]", ", ", lambda key: f"{key} |-> "
    if all(type(key) is int and key > 0 for key in keys) and _from_one(olds) and _from_one(news):
        return "<<", ">>", ", ", lambda _: ""
    return "(", ")", " @@ ", lambda key: f"{format_value(key)} :> "


def _from_one(mapping: Mapping[Value, Value]) -> bool:
    return all(place in mapping for place in range(1, len(mapping) + 1))


def _folded(value: Value, fold: bool) -> str:
    text = format_value(value)
    return "…" if fold and len(text) > _LONGEST else text


def _deleted(value: Value) -> Element:
    return element("del", format_value(value))


def _inserted(value: Value) -> Element:
    return element("ins", format_value(value))


def plain_value(value: Value) -> Element:
    """A value without marks."""
    return element("code", format_value(value))


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
        rows.append(_trace_html_row(trace, before, state, who[number] if who else None, whole))
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


def _trace_html_row(
    trace: Trace, before: State | None, state: State, actor: Actors | None, whole: bool
) -> Element:
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


lanes = trace_lanes


def text(shown: object) -> str:
    """A trace, state, difference or comparison as text."""
    match shown:
        case Trace():
            return trace_text(shown)
        case State():
            return state_text(shown)
        case StateDiff():
            return diff_text(shown)
        case Comparison():
            return "\n".join(comparison_lines(shown))
    return repr(shown)


def html(shown: object) -> str:
    """A trace, state, difference or comparison as HTML."""
    match shown:
        case Trace():
            return html_text(trace_view(shown))
        case State():
            return state_html(shown)
        case StateDiff():
            return diff_html(shown)
        case Comparison():
            return html_text(comparison_view(shown))
    raise TypeError(f"no HTML view of {type(shown).__name__}")
