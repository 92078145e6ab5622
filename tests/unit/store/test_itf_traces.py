"""Traces of other tools read: ITF and TLC's JSON dumps."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import itf_py
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.raising import raises
from tests.unit.tla.strategies import identifiers, texts, values
from tests.unit.view.traces import made
from tla2py.errors import InputError
from tla2py.model.trace import UNKNOWN, Location, State, Trace
from tla2py.store.foreign import is_dump, is_itf, trace_from_dump, trace_from_itf, trace_to_itf
from tla2py.tla.itf import state_from_itf
from tla2py.tla.value import Function, Interval, ModelValue, Record, Value, same_value

CORPUS = Path(__file__).parents[2] / "corpus" / "foreign"

PLACE = ("begin_line", "begin_column", "end_line", "end_column")
locations = st.builds(Location, module=identifiers, **dict.fromkeys(PLACE, st.integers(1, 999)))


@st.composite
def traces(draw: st.DrawFn) -> Trace:
    variables = draw(st.lists(identifiers, min_size=1, max_size=3, unique=True))
    length = draw(st.integers(1, 4))
    states = tuple(
        State(
            index=index,
            action=draw(texts) if index > 1 else None,
            action_args=draw(st.none() | st.lists(texts, max_size=2).map(tuple)) if index > 1 else None,
            location=draw(st.none() | locations),
            values={name: draw(values) for name in variables},
        )
        for index in range(1, length + 1)
    )
    ends: dict[str, Any] = draw(
        st.sampled_from([{}, {"stuttering": True}]) | st.integers(1, length).map(lambda n: {"loop_start": n})
    )
    kind: Any = draw(st.sampled_from(["invariant", "deadlock", UNKNOWN]))
    return Trace(kind=kind, name=draw(texts), states=states, **ends)


def same_trace(one: Trace, other: Trace) -> bool:
    def facts(trace: Trace) -> object:
        steps = [(s.index, s.action, s.action_args, s.location, list(s.values)) for s in trace.states]
        return trace.kind, trace.name, trace.loop_start, trace.stuttering, steps

    return facts(one) == facts(other) and all(
        same_value(mine.values[name], theirs.values[name])
        for mine, theirs in zip(one.states, other.states, strict=True)
        for name in mine.values
    )


@given(traces(), st.dictionaries(identifiers.map("C{}".format), values, max_size=2))
def test_ours_are_read_back_whole(trace: Trace, parameters: dict[str, Value]) -> None:
    read = json.loads(json.dumps(trace_to_itf(trace, parameters)))
    first = state_from_itf(read["states"][0])
    assert read["params"] == [*parameters]
    assert is_itf(read)
    assert same_trace(trace_from_itf(read), trace)
    assert all(same_value(first[name], parameters[name]) for name in parameters)


A = ModelValue("a")
ENTRY = Record({"seen": Interval(1, 3), "sender": -(2**70)})
PASSED = State(
    index=2,
    action="Pass",
    action_args=("a", '"b, c"'),
    location=Location(module="Relay", begin_line=3, begin_column=1, end_line=4, end_column=9),
    values={"token": "b", "log": (ENTRY,), "busy": Function({A: False})},
)
FIRST = made(("Init", {"token": A, "log": (), "busy": Function({A: True})})).states[0]
RELAY = Trace(kind="temporal_property", name="Rests", states=(FIRST, PASSED), loop_start=1)


def test_another_implementation_reads_ours() -> None:
    read = itf_py.trace_from_json(json.loads(json.dumps(trace_to_itf(RELAY, {"N": 2, "Origin": (0, -1)}))))
    assert (read.params, read.vars) == (["N", "Origin"], ["token", "log", "busy"])
    assert read.loop == 0
    first, last = read.states
    assert first.values == {"N": 2, "Origin": [0, -1], "token": "a", "log": [], "busy": {"a": True}}
    assert (last.values["token"], last.values["busy"]) == ("b", {"a": False})
    (entry,) = last.values["log"]
    assert (entry.seen, entry.sender) == (frozenset({1, 2, 3}), -(2**70))
    # Stuttering is a loop at the last state.
    read = itf_py.trace_from_json(trace_to_itf(replace(RELAY, loop_start=None, stuttering=True)))
    assert read.loop == 1
    assert read.meta["stuttering"] is True


def test_we_read_what_another_implementation_writes() -> None:
    written = {"x": frozenset({(1, "a"), (2, "b")}), "y": {"k": [1, 2]}}
    state = {name: itf_py.value_to_json(value) for name, value in written.items()}
    trace = trace_from_itf({"vars": ["x", "y"], "states": [state], "loop": None})
    assert trace.states[0].values == {"x": frozenset({(1, "a"), (2, "b")}), "y": Function({"k": (1, 2)})}


def test_traces_of_apalache_and_quint() -> None:
    data = json.loads((CORPUS / "apalache.itf.json").read_text())
    trace = trace_from_itf(data)
    assert (trace.kind, trace.name, trace.loop_start, trace.stuttering) == (UNKNOWN, "", None, False)
    assert [list(state.values) for state in trace.states] == [["token", "log", "busy"]] * 3
    seen = frozenset({"a_OF_STATION", "b_OF_STATION"})
    assert trace.states[2].values["log"] == (Record({"from": "a_OF_STATION", "seen": seen}),)
    # Quint.
    trace = trace_from_itf(json.loads((CORPUS / "quint.itf.json").read_text()))
    assert [state.action for state in trace.states] == [None, "pass"]
    assert trace.states[1].values["relay::seen"] == frozenset({(0, 1)})
    assert trace.states[1].values["mbt::nondetPicks"] == Record({"s": Record({"tag": "Some", "value": 1})})


@pytest.mark.parametrize(
    "data",
    [
        {"vars": [], "states": []},
        {"vars": [], "states": [1]},
        {"vars": [], "states": [{"x": 1.5}]},
        {"vars": [], "states": [{"x": 1}], "loop": 1},
        {"vars": [], "states": [{"x": 1}], "loop": "0"},
        {"vars": [], "states": [{"x": {"#unserializable": "<<"}}]},
    ],
)
def test_refuses_what_is_no_trace(data: dict[str, Any]) -> None:
    assert raises(InputError, trace_from_itf, data).code in ("itf-syntax", "value-syntax")


def dump(name: str) -> dict[str, Any]:
    data: dict[str, Any] = json.loads((CORPUS / f"dump-{name}.json").read_text())
    return data


def test_safety() -> None:
    trace = trace_from_dump(dump("safety"))
    assert (trace.kind, trace.loop_start, trace.stuttering) == (UNKNOWN, None, False)
    steps = [(state.action, *(state.action_args or ())) for state in trace.states]
    assert steps == [(None,), ("Take", "a"), ("Pass", "a", "b"), ("Take", "b"), ("Pass", "b", "a")]
    place = Location(module="Relay", begin_line=10, begin_column=3, end_line=13, end_column=29)
    assert trace.states[1].location == place
    assert trace.states[0].values == {"token": "a", "busy": Record({"a": False, "b": False}), "log": ()}


def test_endings_and_the_form_that_wraps_the_behaviour() -> None:
    for name, *ends in (("lasso", 8, 5, False), ("stuttering", 2, None, True)):
        trace = trace_from_dump(dump(name))
        assert trace.kind == "temporal_property"
        assert [len(trace.states), trace.loop_start, trace.stuttering] == ends
    wrapped = {"counterexample": dump("lasso"), "vars": ["token", "busy", "log"]}
    assert is_dump(wrapped)
    assert trace_from_dump(wrapped) == trace_from_dump(dump("lasso"))


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("state", 0), 1),
        (("state", 0, 0), 7),
        (("state", 0, 1), []),
        (("state", 1, 1, "log"), None),
        (("state",), []),
        (("action", 0), [1, 2]),
        (("action", 0, 0), {}),
        (("action", 7, 2, 0), 9),
        (("action", 7, 0, 0), 7),
    ],
)
def test_damaged_dumps_are_refused(path: tuple[str | int, ...], value: object) -> None:
    damaged: Any = dump("lasso")
    part = damaged
    for key in path[:-1]:
        part = part[key]
    part[path[-1]] = value
    assert raises(InputError, trace_from_dump, damaged).code == "dump-syntax"
