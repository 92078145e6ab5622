"""Traces, states, differences and comparisons as plain text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from tla2py.model.trace import SUSPECT, UNKNOWN, Comparison, State, StateDiff, Trace, changed_parts
from tla2py.text import counted, cut, printable
from tla2py.tla.value import format_value, same_value
from tla2py.tla.value_changes import changes

_VIOLATIONS = {
    UNKNOWN: "a behaviour without a named violation",
    "evaluation": "cannot be evaluated after these steps",
    "simulated": "a simulated behaviour",
    "deadlock": "a deadlock is reached",
    "assert": "an assertion fails",
}


def shown_text(shown: object) -> str:
    """A trace, state, difference or comparison as text."""
    match shown:
        case Trace():
            return trace_text(shown)
        case State():
            return state_text(shown)
        case StateDiff():
            return diff_text(shown)
        case Comparison():
            return "\n".join(printable(line) for line, _ in comparison_lines(shown))
    return repr(shown)


DERIVED = "name = value: arguments that TLC did not print, derived as the values that make the step true"
"""The meaning of an argument with its name."""
# Messages are long, and the changes show their fields too.
_LONGEST = 48


def derived(trace: Trace) -> bool:
    """Whether the trace shows derived arguments."""
    return any(state.derived and not state.action_args for state in trace.states)


def headline(trace: Trace) -> str:
    """What a trace violates, and its length."""
    kind = trace.kind.replace("_", " ")
    article = "an" if kind[0] in "aeiou" else "a"
    violation = _VIOLATIONS.get(trace.kind) or (
        f"{trace.name} is violated"
        if trace.name
        else f"{article} {kind} is violated (TLC does not say which)"
    )
    incomplete = "incomplete trace of " if trace.cut_off else ""
    return f"{violation}, {incomplete}{counted(len(trace.states), 'state')}"


def action_text(state: State) -> str:
    """An action with its arguments; derived ones have their names."""
    if state.action is None:
        return "initial state"
    return _call(
        state.action,
        state.action_args or [f"{name} = {cut(value, _LONGEST, '…')}" for name, value in state.derived],
    )


def _call(action: str, arguments: Sequence[str] | None) -> str:
    return action + (f"({', '.join(arguments)})" if arguments else "")


def trace_lines(trace: Trace) -> list[str]:
    """The steps of a counterexample: the first with its whole state, the others with their changes."""
    lines = []
    before: State | None = None
    for state in trace.states:
        lines.append(f"{state.index}. {action_text(state)}")
        lines += [f"     {part}" for part in step_changes(before, state)] or ["     nothing changes"]
        lines += [f"     {' '.join(expression.split())} = {value}" for expression, value in state.evaluated]
        before = state
    if end := trace_end(trace):
        lines.append(end)
    if closing := closing_step(trace):
        lines += [f"     {part}" for part in step_changes(closing.before, closing.after)]
    if derived(trace):
        lines.append(f"({DERIVED})")
    return [printable(line) for line in lines]


def trace_end(trace: Trace) -> str:
    """How a behaviour continues after its last state; empty if it ends there."""
    if trace.loop_start is not None:
        by = f" by {_call(trace.loop_action, trace.loop_action_args)}" if trace.loop_action else ""
        return f"and back to state {trace.loop_start}{by}, for ever"
    if trace.terminated:
        return "every process is Done: if the algorithm may end, set check_deadlock = false (check: --no-deadlock)"
    if trace.cut_off:
        return "and the log is cut off here"
    if trace.suspect:
        return SUSPECT
    return "and nothing more happens (stuttering)" if trace.stuttering else ""


def closing_step(trace: Trace) -> StateDiff | None:
    """The step that closes a lasso; None without a lasso."""
    return None if trace.loop_start is None else trace.diff(trace.states[-1].index, trace.loop_start)


def loop_mark(trace: Trace, state: State) -> str:
    """The position of a state in a lasso; empty outside of it."""
    if trace.loop_start is None or state.index < trace.loop_start:
        return ""
    return "the loop starts here" if state.index == trace.loop_start else "in the loop"


def step_changes(before: State | None, state: State) -> Iterator[str]:
    """The changes of a step, a line each; without ``before`` all values."""
    if before is None:
        yield from (f"{variable} = {format_value(value)}" for variable, value in state.values.items())
    else:
        yield from map(str, changed_parts(before.values, state.values))


def trace_text(trace: Trace) -> str:
    """A trace as text: a headline and the steps."""
    return "\n".join([printable(headline(trace)), *trace_lines(trace)])


def state_text(state: State) -> str:
    """A state as text: its number and action, then a line per variable."""
    values = (f"    {name} = {format_value(value)}" for name, value in state.values.items())
    return printable("\n".join([f"{state.index}. {action_text(state)}", *values]))


def diff_text(diff: StateDiff) -> str:
    """A difference as text: a title, then a line per changed part."""
    title = f"from state {diff.before.index} to state {diff.after.index}"
    if diff.after.index == diff.before.index + 1:
        title = f"{diff.after.index}. {action_text(diff.after)}"
    parts = [f"    {part}" for part in diff.parts]
    return printable("\n".join([title, *(parts or ["    nothing changes"])]))


def runs_of(names: list[str]) -> str:
    """Actions on one line, with counts for repetitions."""
    runs = [(name, sum(1 for _ in group)) for name, group in groupby(names)]
    return " > ".join(name if count == 1 else f"{name} x{count}" for name, count in runs)


# The sign of a step and its style, by whether the left and the right trace have it.
_SIGNS = {(True, True): (" ", "bold blue"), (True, False): ("<", "red"), (False, True): (">", "green")}
# How many differing parts of two states are shown.
_MOST_DIFFERENCES = 12


def comparison_lines(
    comparison: Comparison, titles: tuple[str, str] = ("left", "right")
) -> Iterator[tuple[str, str]]:
    """The steps of both traces, each line with its style: ``<`` marks those of the left trace only, ``>`` of the right only."""
    traces = (comparison.left, comparison.right)
    for sign, title, trace in zip("<>", titles, traces, strict=True):
        yield f"{sign} {title}: {trace.label}, {counted(len(trace.states), 'state')}", "bold"
    before: tuple[State, State] | None = None
    for place, step in enumerate(comparison.steps):
        if place == comparison.parted:
            yield "the traces diverge here", "bold yellow"
        sign, style = _SIGNS[step.left is not None, step.right is not None]
        left, right = (str(state.index) if state else "" for state in (step.left, step.right))
        state = step.left or step.right
        assert state is not None
        yield f"{sign} {left:>3} {right:>3}  {action_text(state)}", style
        if step.left is not None and step.right is not None:
            for line in differences(step.left, step.right, before):
                yield " " * 11 + line, "dim"
            before = (step.left, step.right)
    if comparison.parted is None:
        yield "both take the same steps", "bold"
    for sign, trace in zip("<>", traces, strict=True):
        if end := trace_end(trace):
            yield f"{sign} {end}", "bold yellow"


def differences(left: State, right: State, before: tuple[State, State] | None) -> Iterator[str]:
    """The differences between two states, except in variables with the same two values ``before``."""
    found: list[str] = []
    for variable, ours in left.values.items():
        theirs = right.values.get(variable)
        if theirs is None or same_value(ours, theirs) or _as_before(variable, (left, right), before):
            continue
        for change in changes(ours, theirs):
            sides = ("-" if part is None else format_value(part) for part in (change.before, change.after))
            found.append(f"{variable}{change.path}: {' | '.join(sides)}")
    yield from found[:_MOST_DIFFERENCES]
    if len(found) > _MOST_DIFFERENCES:
        yield f"and {len(found) - _MOST_DIFFERENCES} more differences"


def _as_before(variable: str, now: tuple[State, State], before: tuple[State, State] | None) -> bool:
    return before is not None and all(
        variable in past.values and same_value(past.values[variable], state.values[variable])
        for past, state in zip(before, now, strict=True)
    )
