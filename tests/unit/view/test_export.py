"""Counterexamples in each export format."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace

import itf_py
import pytest
from hypothesis import example, given

from tests.unit.store.test_itf_traces import RELAY, same_trace, traces
from tla2py.errors import InputError
from tla2py.model.trace import State, Trace
from tla2py.store.foreign import trace_from_itf
from tla2py.tla.canonical import same_value
from tla2py.tla.itf import Json, state_from_itf
from tla2py.tla.value import ModelValue, Opaque, Value
from tla2py.tla.value_text import parse_value
from tla2py.view.export import export_trace


def one_state(**values: Value) -> Trace:
    state = State(index=1, action=None, action_args=None, location=None, values=values)
    return Trace(kind="invariant", name="Inv", states=(state,))


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

    assert [(row["index"], row["variable"]) for row in rows] == [
        (str(state.index), name) for state in trace.states for name in state.values
    ]
    for row in rows:
        value = trace.states[int(row["index"]) - 1].values[row["variable"]]
        assert same_value(parse_value(row["value"]), value)
    start = len(trace.states) if trace.stuttering else trace.loop_start
    assert [row["in_loop"] == "true" for row in rows] == [
        start is not None and int(row["index"]) >= start for row in rows
    ]


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

    assert read.params == ["N"]
    assert read.states[0].values["N"] == 3
    assert read.loop == 0


def test_tla() -> None:
    assert (
        export_trace(RELAY, "tla", name="RelayTrace")
        == """\
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
    )


def test_tla_of_what_is_no_tla() -> None:
    text = export_trace(
        one_state(
            x=ModelValue("-"),
            y=(ModelValue("Len"), 1),
            z=Opaque("<Operator Next>"),
            w=Opaque("null"),
            v=Opaque("SUBSET (1..9)"),
        ),
        "tla",
    )

    assert "CONSTANTS" not in text
    for line in (
        'x |-> "-"',
        'y |-> "<<Len, 1>>"',
        'z |-> "<Operator Next>"',
        'w |-> "null"',
        "v |-> SUBSET (1..9)",
    ):
        assert line in text


NAMES: dict[str, Value] = {"relay::token": 1, "x": "a"}


def test_tla_of_variables_of_other_languages() -> None:
    text = export_trace(one_state(**NAMES), "tla")

    assert '("relay::token" :> 1 @@ "x" :> "a")' in text


def test_an_unknown_format_is_refused() -> None:
    with pytest.raises(InputError) as caught:
        export_trace(RELAY, "xml")

    assert caught.value.code == "unknown-format"
    assert "itf" in (caught.value.hint or "")
