"""Two counterexamples side by side: their steps aligned by action, and the first at which they part."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import SequenceMatcher

from rich.console import Group, RenderableType
from rich.text import Text

from tla2py.report.text import action_text
from tla2py.trace import State, Trace
from tla2py.values import changes, format_value, same_value

# Of the states at a step both took, so many differing parts are shown.
_MOST_DIFFERENCES = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """A step of one trace, or one that both took; None where the other trace has no such step there."""

    left: State | None
    right: State | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Two traces aligned. ``parted`` is the place in ``steps`` of the first step that only one of them took."""

    steps: tuple[Step, ...]
    parted: int | None


def compare_traces(left: Trace, right: Trace) -> Comparison:
    """The steps of two traces aligned by action, with arguments where both traces have them."""
    told = all(any(state.action_args for state in trace.states) for trace in (left, right))
    ours, theirs = ([_label(state, told) for state in trace.states] for trace in (left, right))
    steps: list[Step] = []
    parted = None
    # What both begin with is aligned as it is; beyond, the longest common runs are.
    start = next(
        (place for place, (one, other) in enumerate(zip(ours, theirs, strict=False)) if one != other),
        min(len(ours), len(theirs)),
    )
    steps += [Step(left=left.states[place], right=right.states[place]) for place in range(start)]
    if start < max(len(ours), len(theirs)):
        parted = start
    matcher = SequenceMatcher(None, ours[start:], theirs[start:], autojunk=False)
    for kind, i, j, k, m in matcher.get_opcodes():
        one, other = left.states[start + i : start + j], right.states[start + k : start + m]
        if kind == "equal":
            steps += [Step(left=a, right=b) for a, b in zip(one, other, strict=True)]
        else:
            steps += [Step(left=state, right=None) for state in one]
            steps += [Step(left=None, right=state) for state in other]
    return Comparison(steps=tuple(steps), parted=parted)


def _label(state: State, with_arguments: bool) -> tuple[str, tuple[str, ...]]:
    return state.action or "", (state.action_args or ()) if with_arguments else ()


def comparison_text(left: Trace, right: Trace, *, titles: tuple[str, str]) -> RenderableType:
    """The steps of both traces in one list: ``<`` only the left one took, ``>`` only the right one, `` `` both."""
    comparison = compare_traces(left, right)
    parts: list[RenderableType] = [
        Text.assemble((sign, "bold"), f" {title}: {trace.name or trace.kind}, {len(trace.states)} states")
        for sign, title, trace in zip("<>", titles, (left, right), strict=True)
    ]
    before: tuple[State, State] | None = None
    for place, step in enumerate(comparison.steps):
        if place == comparison.parted:
            parts.append(Text("here they part", "bold yellow"))
        parts.append(_line(step))
        if step.left is not None and step.right is not None:
            parts += _differences(step.left, step.right, before)
            before = (step.left, step.right)
    if comparison.parted is None:
        parts.append(Text("both take the same steps", "bold"))
    for sign, trace in zip("<>", (left, right), strict=True):
        end = (
            f"back to state {trace.loop_start}"
            if trace.loop_start
            else "stuttering"
            if trace.stuttering
            else ""
        )
        if end:
            parts.append(Text(f"{sign} ends: {end}", "bold yellow"))
    return Group(*parts)


def _line(step: Step) -> Text:
    left, right = (str(state.index) if state else "" for state in (step.left, step.right))
    state = step.left or step.right
    assert state is not None
    sign = " " if step.left and step.right else "<" if step.left else ">"
    style = {"<": "red", ">": "green", " ": "bold blue"}[sign]
    return Text(f"{sign} {left:>3} {right:>3}  {action_text(state)}", style)


def _differences(left: State, right: State, before: tuple[State, State] | None) -> list[RenderableType]:
    """In what the states differ after a step that both took, but for what differed before already."""
    found: list[str] = []
    for variable, ours in left.values.items():
        theirs = right.values.get(variable)
        if theirs is None or same_value(ours, theirs):
            continue
        if before is not None and _as_before(variable, (left, right), before):
            continue
        for change in changes(ours, theirs):
            one, other = (
                "-" if part is None else format_value(part) for part in (change.before, change.after)
            )
            found.append(f"           {variable}{change.path}: {one} | {other}")
    shown = found[:_MOST_DIFFERENCES]
    if len(found) > len(shown):
        shown.append(f"           and {len(found) - len(shown)} more differences")
    return [Text(line, "dim") for line in shown]


def _as_before(variable: str, now: tuple[State, State], before: tuple[State, State]) -> bool:
    return all(
        variable in past.values and same_value(past.values[variable], state.values[variable])
        for past, state in zip(before, now, strict=True)
    )
