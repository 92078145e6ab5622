"""Traces as files of other formats and plain text, and side by side, and the data of a page."""

from __future__ import annotations

import base64
import csv
import io
import json
import re
import zlib
from dataclasses import replace
from itertools import pairwise
from typing import Any

import itf_py
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from rich.console import Console

from tests.pages import Page
from tests.raising import raises
from tests.unit.store.test_itf_traces import RELAY, same_trace, traces
from tests.unit.store.test_tables import CASES, make_store
from tests.unit.tla.strategies import values
from tests.unit.view.traces import P, Q, made, message, on
from tla2py.analysis.view import StoreView, open_view
from tla2py.errors import InputError
from tla2py.model import trace_text
from tla2py.model.trace import UNKNOWN, State, Trace, TraceKind
from tla2py.model.trace_text import DERIVED, action_text, differences, headline, step_changes
from tla2py.store.foreign import trace_from_itf
from tla2py.tla.itf import Json, state_from_itf
from tla2py.tla.value import Function, Interval, ModelValue, Opaque, Record, Value, format_value, same_value
from tla2py.tla.value_text import parse_value
from tla2py.view.counterexamples import FUNCTION, RECORD, SEQUENCE, SET, Nodes
from tla2py.view.explorer import packed, store_data
from tla2py.view.export import export_trace
from tla2py.view.traces import comparison_text


def one_state(**values: Value) -> Trace:
    return made(("Init", values))


@given(traces())
def test_itf_and_json_hold_all_of_it(trace: Trace) -> None:
    assert same_trace(trace_from_itf(json.loads(export_trace(trace, "itf"))), trace)
    read = json.loads(export_trace(trace, "json"))
    assert (read["kind"], read["name"], read["length"]) == (trace.kind, trace.name, len(trace.states))
    for written, state in zip(read["states"], trace.states, strict=True):
        values = state_from_itf(written["state"])
        assert all(same_value(values[name], state.values[name]) for name in state.values)
        assert written["action_args"] == (None if state.action_args is None else list(state.action_args))


CARRIAGE_RETURN = State(
    index=2, action="a\rb", action_args=("c\r", "d\n"), location=None, values=RELAY.states[1].values
)


@given(traces())
@example(replace(RELAY, states=(RELAY.states[0], CARRIAGE_RETURN), loop_start=None))
def test_csv_has_a_row_per_state_and_variable(trace: Trace) -> None:
    rows = list(csv.DictReader(io.StringIO(export_trace(trace, "csv"), newline="")))
    places = [(str(state.index), name) for state in trace.states for name in state.values]
    assert [(row["index"], row["variable"]) for row in rows] == places
    for row in rows:
        value = trace.states[int(row["index"]) - 1].values[row["variable"]]
        assert same_value(parse_value(row["value"]), value)
    start = len(trace.states) if trace.stuttering else trace.loop_start
    for row in rows:
        assert (row["in_loop"] == "true") == (start is not None and int(row["index"]) >= start)


def test_no_cell_is_a_formula_to_a_spreadsheet() -> None:
    names = ["=cmd|' /C calc'!A0", "+1", "@SUM(1)", "-x", "\tx"]
    state: dict[str, Json] = {name: {"#bigint": "-1"} for name in names}
    state["x"] = {"#map": [[{"#bigint": "-2"}, "=1+1"]]}
    trace = trace_from_itf({"vars": [*state], "states": [state]})
    rows = list(csv.DictReader(io.StringIO(export_trace(trace, "csv"), newline="")))
    assert [row["variable"] for row in rows] == [f"'{name}" for name in names] + ["x"]
    assert [row["value"] for row in rows[:-1]] == ["-1"] * len(names)
    assert rows[-1]["value"] == '(-2 :> "=1+1")'


def test_itf_lists_parameters() -> None:
    read = itf_py.trace_from_json(json.loads(export_trace(RELAY, "itf", parameters={"N": 3})))
    assert (read.params, read.states[0].values["N"]) == (["N"], 3)
    assert read.loop == 0


def test_tla() -> None:
    expected = """\
---- MODULE RelayTrace ----
\\* The counterexample to Rests, in 2 states.
EXTENDS Integers, Sequences, TLC
CONSTANTS a

Trace == <<
  [ token |-> a,
    log |-> <<>>,
    busy |-> (a :> TRUE) ],
  [ token |-> "b",
    log |-> <<[seen |-> {1, 2, 3}, sender |-> -1180591620717411303424]>>,
    busy |-> (a :> FALSE) ]
>>
Actions == <<"initial state", "Pass(a, \\"b, c\\")">>
LoopStart == 1
Stuttering == FALSE
===========================
"""
    assert export_trace(RELAY, "tla", name="RelayTrace") == expected


def test_tla_of_what_is_no_tla() -> None:
    values: dict[str, tuple[Value, str]] = {
        "x": (ModelValue("-"), '"-"'),
        "y": ((ModelValue("Len"), 1), '"<<Len, 1>>"'),
        "z": (Opaque("<Operator Next>"), '"<Operator Next>"'),
        "w": (Opaque("null"), '"null"'),
        "v": (Opaque("SUBSET (1..9)"), "SUBSET (1..9)"),
    }
    text = export_trace(one_state(**{name: value for name, (value, _) in values.items()}), "tla")
    assert "CONSTANTS" not in text
    assert all(f"{name} |-> {said}" in text for name, (_, said) in values.items())
    # Variables of other languages.
    names: dict[str, Value] = {"relay::token": 1, "x": "a"}
    assert '("relay::token" :> 1 @@ "x" :> "a")' in export_trace(one_state(**names), "tla")


def stepping() -> Trace:
    taken = {"m": "x" * 50, "n": "1"}
    return made(
        ("Init", {"at": on(0, 0), "box": frozenset(), "log": ()}),
        ("Send", {"at": on(1, 0), "box": frozenset({message(1), message(2)}), "log": (7,)}, ("p", "3")),
        ("Stay", {"at": on(1, 0), "box": frozenset({message(1), message(2)}), "log": (7,)}),
        ("Take", {"at": on(1, 0), "box": frozenset({message(2)}), "log": ()}, None, taken),
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


BACK = {"loop_start": 1, "loop_action": "Back"}


@pytest.mark.parametrize(
    ("ends", "said"),
    [
        ({"loop_start": 1}, "and back to state 1, for ever"),
        (BACK, "and back to state 1 by Back, for ever"),
        ({**BACK, "loop_action_args": ("p", "<<1>>")}, "and back to state 1 by Back(p, <<1>>), for ever"),
        ({"stuttering": True}, "and nothing more happens (stuttering)"),
        ({}, ""),
    ],
)
def test_how_a_behaviour_goes_on(ends: dict[str, Any], said: str) -> None:
    trace = made(("Init", {"x": 1}), ("Next", {"x": 2}), **ends)
    assert trace_text.trace_end(trace) == said
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
    assert not trace_text.derived(replace(stepping(), states=(printed,)))
    assert trace_text.derived(replace(stepping(), states=(state,)))
    assert action_text(replace(state, derived=())) == "Take"
    assert action_text(replace(state, derived=(("m", "x" * 48),))) == f"Take(m = {'x' * 48})"


def test_a_state_and_diffs() -> None:
    trace = stepping()
    box = "[number |-> 1], [number |-> 2]"
    state = ["2. Send(p, 3)", "    at = (p :> 1 @@ q :> 0)", f"    box = {{{box}}}", "    log = <<7>>"]
    assert str(trace.state(2)).splitlines() == state
    step = ["2. Send(p, 3)", "    at[p]: 0 -> 1", f"    box + {box}", "    log[1] + 7"]
    assert str(trace.step(2)).splitlines() == step
    assert str(trace.step(3)).splitlines() == ["3. Stay", "    nothing changes"]
    assert str(trace.diff(1, 3)).splitlines()[:2] == ["from state 1 to state 3", "    at[p]: 0 -> 1"]
    assert str(trace.diff(4, 2)).splitlines()[-1] == "    log[1] + 7"


@pytest.mark.parametrize("number", [-1, 0, 1, 5, 99])
def test_a_step_that_is_not_there(number: int) -> None:
    trace = stepping()
    raised = raises(InputError, trace.step, number)
    assert str(raised) == f"the trace has no step {number}\nits steps: 2 to 4"
    short = replace(trace, states=trace.states[:1])
    assert raises(InputError, short.step, number, match=str(number)).code == "no-state"


@given(values)
def test_a_line_per_change_and_none_for_what_stays(value: Value) -> None:
    one = made(("Init", {"x": (value, P)}), ("Next", {"x": (value, Q)}))
    assert list(step_changes(*one.states)) == ["x[2]: p -> q"]
    other = made(("Init", {"x": value}), ("Next", {"x": Record({"f": value})}))
    assert bool(list(step_changes(*other.states))) != same_value(value, Record({"f": value}))
    assert list(step_changes(None, other.states[0])) == [f"x = {format_value(value)}"]
    # A function that is a sequence does not change when it is held otherwise.
    held = made(("Init", {"x": (1, 2)}), ("Next", {"x": Function({1: 1, 2: 2})}))
    assert list(step_changes(*held.states)) == []


@given(st.text(max_size=9), st.text(max_size=9))
def test_no_text_is_an_order_to_a_terminal(before: str, after: str) -> None:
    trace = made(("Init", {"x": before}), ("Next", {"x": after}, (format_value(before),)))
    for text in (str(trace), str(trace.states[0]), str(trace.step(2))):
        assert not re.search(r"[^\n -~\xa0-\U0010ffff]", text)


@given(st.lists(st.sampled_from("ab"), max_size=9))
def test_runs_are_the_actions_they_count(names: list[str]) -> None:
    text = trace_text.runs_of(names)
    parts = [part.partition(" x") for part in text.split(" > ")] if text else []
    assert [name for name, _, count in parts for _ in range(int(count or 1))] == names
    assert all(one[0] != other[0] for one, other in pairwise(parts))


@pytest.fixture(scope="module")
def view(tmp_path_factory: pytest.TempPathFactory) -> StoreView:
    return open_view(make_store(tmp_path_factory.mktemp("data") / "store", CASES).path)


def written(nodes: Nodes, number: int) -> str:
    """A value's text, as web/src/data.ts writes it."""
    row = nodes.rows[number]
    if isinstance(row, str):
        return row
    kind, *parts = row
    texts = [written(nodes, each) for each in parts]
    if kind == SET:
        return f"{{{', '.join(texts)}}}"
    if kind == SEQUENCE:
        return f"<<{', '.join(texts)}>>"
    sign = " |-> " if kind == RECORD else " :> "
    pairs = [sign.join(pair) for pair in zip(texts[::2], texts[1::2], strict=True)]
    assert kind in (RECORD, FUNCTION)
    return f"[{', '.join(pairs)}]" if kind == RECORD else f"({' @@ '.join(pairs)})"


@given(values)
def test_values_read_back(value: Value) -> None:
    nodes = Nodes()
    assert same_value(parse_value(written(nodes, nodes.value(value))), value)


def test_equal_values_have_equal_numbers() -> None:
    nodes = Nodes()
    one, other = "[a |-> {1, 2}, b |-> <<{1, 2}>>]", "[b |-> <<1..2>>, a |-> {2, 1}]"
    assert nodes.value(parse_value(one)) == nodes.value(parse_value(other))
    assert nodes.value(Interval(1, 2)) == nodes.value(frozenset({1, 2}))
    assert nodes.value(True) != nodes.value(1)
    assert nodes.value("x") != nodes.value(parse_value("x"))


def test_a_trace_has_its_states_and_changes(view: StoreView) -> None:
    data = store_data(view)
    for number, one in enumerate(data.own.found):
        chunk: Any = data.chunk(next(at for at, part in enumerate(data.own.parts) if number in part))
        rows = chunk["traces"][number - data.own.parts[0].start]
        trace = view.trace(one.point, one.trace)
        nodes = Nodes()
        nodes.rows = chunk["nodes"]
        for state, numbers, changes in zip(trace.states, rows["states"], rows["changes"], strict=True):
            texts = [written(nodes, each) for each in numbers]
            for text, name in zip(texts, rows["variables"], strict=True):
                assert same_value(parse_value(text), state.values[name])
            if state.index > 1:
                parts = trace.step(state.index).parts
                told = [tuple(nodes.rows[each] for each in change) for change in changes]
                assert told == [(part.place, *part.texts) for part in parts]
        assert rows["loop"] == trace.loop_start


def test_states_in_one_pass_are_those_read_one_by_one(view: StoreView) -> None:
    data = store_data(view)
    assert list(data.chunks()) == [data.chunk(number) for number in range(len(data.own.parts))]
    unpacked = json.loads(zlib.decompress(base64.b64decode(packed(data.overview)), -zlib.MAX_WBITS))
    assert unpacked == json.loads(json.dumps(data.overview))


def trace(actions: str, *values: Value, **ends: int) -> Trace:
    """A trace whose actions are these letters, and whose variable x has these values."""
    steps = zip("." + actions, values, strict=True)
    return made(*((action, {"x": value, "same": "s"}) for action, value in steps), **ends)


def shown(left: Trace, right: Trace) -> list[str]:
    console = Console(file=io.StringIO(), width=120)
    console.print(comparison_text(left.compare(right), ("point 1", "point 2")))
    return [line.rstrip() for line in console.file.getvalue().splitlines()]  # type: ignore[attr-defined]


def test_two_traces_as_text() -> None:
    assert shown(trace("ab", 1, 7, 3), trace("ac", 1, 2, 3, loop_start=2)) == [
        "< point 1: Safe, 3 states",
        "> point 2: Safe, 3 states",
        "    1   1  initial state",
        "    2   2  a",
        "           x: 7 | 2",
        "the traces diverge here",
        "<   3      b",
        ">       3  c",
        "> and back to state 2, for ever",
    ]


def test_a_difference_is_told_once() -> None:
    lines = shown(trace("ab", 0, 0, 0), trace("ab", 5, 5, 6))
    assert [line.strip() for line in lines if "|" in line] == ["x: 0 | 5", "x: 0 | 6"]
    assert lines[-1] == "both take the same steps"


LEFT_STEPS = (("Init", 0), ("Up", 1), ("Skip", 2), ("Skip", 3), ("Down", 0))
LEFT = made(*((action, {"x": x, "y": 0}) for action, x in LEFT_STEPS))
RIGHT_STEPS = (("Init", 0, 7), ("Up", 1, 7), ("Down", 5, 7), ("Stop", 5, 8))
RIGHT = made(*((action, {"x": x, "y": y}) for action, x, y in RIGHT_STEPS))


def test_a_comparison_shows_itself() -> None:
    assert str(LEFT.compare(RIGHT)).splitlines() == [
        "< left: Safe, 5 states",
        "> right: Safe, 4 states",
        "    1   1  initial state",
        "           y: 0 | 7",
        "    2   2  Up",
        "the traces diverge here",
        "<   3      Skip",
        "<   4      Skip",
        "    5   3  Down",
        "           x: 0 | 5",
        ">       4  Stop",
    ]
    # What Jupyter shows says the same.
    words = Page(LEFT.compare(RIGHT)._repr_html_()).words
    assert "the traces diverge here" in words
    assert "<   3      Skip" in words


def _state(**values: Value) -> State:
    return made(("Init", values)).states[0]


def test_differences() -> None:
    left, right = _state(x=(1, 2), y=frozenset({1}), only=1), _state(x=(1, 3), y=frozenset({2}))
    assert list(differences(left, right, None)) == ["x[2]: 2 | 3", "y{}: 1 | -", "y{}: - | 2"]
    assert list(differences(left, left, None)) == []
    assert list(differences(left, right, (left, right))) == []
    before = (left, _state(x=(1, 3), y=frozenset({3})))
    assert list(differences(left, right, before)) == ["y{}: 1 | -", "y{}: - | 2"]
    # Of many the first are said.
    left, right = _state(x=tuple(range(20))), _state(x=tuple(range(20, 40)))
    found = list(differences(left, right, None))
    assert found[:12] == [f"x[{n}]: {n - 1} | {n + 19}" for n in range(1, 13)]
    assert found[12:] == ["and 8 more differences"]
