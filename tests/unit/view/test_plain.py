"""Traces, states and differences as plain text."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.tla.strategies import values
from tests.unit.view.traces import P, Q, made, message, on
from tla2py.errors import InputError
from tla2py.model.trace import UNKNOWN, Trace, TraceKind
from tla2py.model.trace_text import DERIVED, action_text, derived, headline, runs_of, step_changes, trace_end
from tla2py.tla.canonical import same_value
from tla2py.tla.value import Function, Record, Value
from tla2py.tla.value_text import format_value


def stepping() -> Trace:
    return made(
        ("Init", {"at": on(0, 0), "box": frozenset(), "log": ()}),
        ("Send", {"at": on(1, 0), "box": frozenset({message(1), message(2)}), "log": (7,)}, ("p", "3")),
        ("Stay", {"at": on(1, 0), "box": frozenset({message(1), message(2)}), "log": (7,)}),
        (
            "Take",
            {"at": on(1, 0), "box": frozenset({message(2)}), "log": ()},
            None,
            {"m": "x" * 50, "n": "1"},
        ),
    )


def test_a_trace() -> None:
    assert str(stepping()).splitlines() == [
        "Safe is violated, 4 states",
        "1. initial state",
        "     at = (p :> 0 @@ q :> 0)",
        "     box = {}",
        "     log = <<>>",
        "2. Send(p, 3)",
        "     at[p]: 0 -> 1",
        "     box + [number |-> 1], [number |-> 2]",
        "     log[1] + 7",
        "3. Stay",
        "     nothing changes",
        f"4. Take(m = {'x' * 47}…, n = 1)",
        "     box - [number |-> 1]",
        "     log[1] - 7",
        f"({DERIVED})",
    ]


@pytest.mark.parametrize(
    ("ends", "said"),
    [
        ({"loop_start": 1}, "and back to state 1, for ever"),
        ({"loop_start": 1, "loop_action": "Back"}, "and back to state 1 by Back, for ever"),
        (
            {"loop_start": 1, "loop_action": "Put", "loop_action_args": ("p", "<<1, 2>>")},
            "and back to state 1 by Put(p, <<1, 2>>), for ever",
        ),
        ({"stuttering": True}, "and nothing more happens (stuttering)"),
        ({}, ""),
    ],
)
def test_how_a_behaviour_goes_on(ends: dict[str, Any], said: str) -> None:
    trace = made(("Init", {"x": 1}), ("Next", {"x": 2}), **ends)
    assert trace_end(trace) == said
    changed = ["     x: 2 -> 1"] if "loop_start" in ends else []
    ended = ["     x: 1 -> 2", *([said] if said else []), *changed]
    assert str(trace).splitlines()[-len(ended) :] == ended


@pytest.mark.parametrize(
    ("kind", "name", "said"),
    [
        ("invariant", "Safe", "Safe is violated"),
        ("temporal_property", "", "a temporal property is violated (TLC does not say which)"),
        ("invariant", "", "an invariant is violated (TLC does not say which)"),
        ("deadlock", "", "a deadlock is reached"),
        (UNKNOWN, "", "a behaviour without a named violation"),
        ("evaluation", "Safe", "cannot be evaluated after these steps"),
        ("simulated", "", "a simulated behaviour"),
    ],
)
def test_headline(kind: TraceKind, name: str, said: str) -> None:
    trace = replace(stepping(), kind=kind, name=name)
    assert headline(trace) == f"{said}, 4 states"
    assert headline(replace(trace, states=trace.states[:1])) == f"{said}, 1 state"


def test_arguments_that_were_printed_come_before_derived_ones() -> None:
    state = stepping().states[3]
    printed = replace(state, action_args=("y" * 50,))
    assert action_text(printed) == f"Take({'y' * 50})"
    assert not derived(replace(stepping(), states=(printed,)))
    assert derived(replace(stepping(), states=(state,)))
    assert action_text(replace(state, derived=())) == "Take"
    assert action_text(replace(state, derived=(("m", "x" * 48),))) == f"Take(m = {'x' * 48})"


def test_a_state_and_diffs() -> None:
    trace = stepping()
    assert str(trace.state(2)).splitlines() == [
        "2. Send(p, 3)",
        "    at = (p :> 1 @@ q :> 0)",
        "    box = {[number |-> 1], [number |-> 2]}",
        "    log = <<7>>",
    ]
    assert str(trace.step(2)).splitlines() == [
        "2. Send(p, 3)",
        "    at[p]: 0 -> 1",
        "    box + [number |-> 1], [number |-> 2]",
        "    log[1] + 7",
    ]
    assert str(trace.step(3)).splitlines() == ["3. Stay", "    nothing changes"]
    assert str(trace.diff(1, 3)).splitlines()[:2] == ["from state 1 to state 3", "    at[p]: 0 -> 1"]
    assert str(trace.diff(4, 2)).splitlines()[-1] == "    log[1] + 7"


@pytest.mark.parametrize("number", [-1, 0, 1, 5, 99])
def test_a_step_that_is_not_there(number: int) -> None:
    trace = stepping()
    with pytest.raises(InputError) as raised:
        trace.step(number)
    assert str(raised.value) == f"the trace has no step {number}\nits steps: 2 to 4"
    with pytest.raises(InputError, match=str(number)) as raised:
        replace(trace, states=trace.states[:1]).step(number)
    assert raised.value.code == "no-state"


@given(values)
def test_a_line_per_change_and_none_for_what_stays(value: Value) -> None:
    one = made(("Init", {"x": (value, P)}), ("Next", {"x": (value, Q)}))
    assert list(step_changes(*one.states)) == ["x[2]: p -> q"]
    other = made(("Init", {"x": value}), ("Next", {"x": Record({"f": value})}))
    lines = list(step_changes(*other.states))
    assert bool(lines) != same_value(value, Record({"f": value}))
    assert list(step_changes(None, other.states[0])) == [f"x = {format_value(value)}"]


@given(st.text(max_size=9), st.text(max_size=9))
def test_no_text_is_an_order_to_a_terminal(before: str, after: str) -> None:
    trace = made(("Init", {"x": before}), ("Next", {"x": after}, (format_value(before),)))
    for text in (str(trace), str(trace.states[0]), str(trace.step(2))):
        assert not re.search(r"[^\n -~\xa0-\U0010ffff]", text)


@given(st.lists(st.sampled_from("ab"), max_size=9))
def test_runs_are_the_actions_they_count(names: list[str]) -> None:
    text = runs_of(names)
    parts = [part.partition(" x") for part in text.split(" > ")] if text else []
    assert [name for name, _, count in parts for _ in range(int(count or 1))] == names
    assert all(one[0] != other[0] for one, other in pairwise(parts))


def test_a_function_that_is_a_sequence_does_not_change_when_it_is_held_otherwise() -> None:
    trace = made(("Init", {"x": (1, 2)}), ("Next", {"x": Function({1: 1, 2: 2})}))
    assert list(step_changes(*trace.states)) == []
