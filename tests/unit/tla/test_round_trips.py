"""Values read back equal from TLA+ text in any layout, from ITF and from pickles."""

from __future__ import annotations

import json
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.tla.strategies import lexemes, model_values, otherwise, states, values
from tla2py.tla.canonical import in_order, same_value
from tla2py.tla.itf import from_itf, state_from_itf, state_to_itf, to_itf
from tla2py.tla.value import Function, Interval, ModelValue, Opaque, Record, Value
from tla2py.tla.value_text import changes, format_value, parse_value

NAMES = {name.__name__: name for name in (Function, Interval, ModelValue, Opaque, Record)}


@given(values)
def test_text(value: Value) -> None:
    text = format_value(value)

    assert same_value(parse_value(text), value)
    assert "\n" not in text
    assert format_value(parse_value(text)) == text


@given(values, st.sampled_from(["", " ", "\n   ", "  \r\n\t "]))
def test_text_in_any_layout(value: Value, space: str) -> None:
    assert same_value(parse_value(space.join(lexemes(value))), value)


@given(states)
def test_itf(state: dict[str, Value]) -> None:
    read = state_from_itf(json.loads(json.dumps(state_to_itf(state))))

    assert list(read) == list(state)
    assert all(same_value(read[name], state[name]) for name in state)


@given(model_values, values)
def test_itf_of_a_string_like_a_model_value(model_value: ModelValue, other: Value) -> None:
    state: dict[str, Value] = {"name": model_value, "text": model_value.name, "other": other}
    read = state_from_itf(json.loads(json.dumps(state_to_itf(state))))

    assert all(same_value(read[name], state[name]) for name in state)


@given(values)
def test_itf_of_a_lone_value(value: Value) -> None:
    assert same_value(from_itf(to_itf(value)), value)


@given(values)
def test_python(value: Value) -> None:
    assert same_value(eval(repr(value), {**NAMES}), value)
    assert same_value(pickle.loads(pickle.dumps(value)), value)


@given(values)
def test_equal_values_are_equal_in_every_form(value: Value) -> None:
    other = otherwise(value)

    assert same_value(value, other)
    assert value == other
    assert hash(value) == hash(other)
    assert format_value(value) == format_value(other)
    assert state_to_itf({"x": value}) == state_to_itf({"x": other})
    assert not list(changes(value, other))


@given(values, values)
def test_forms_differ_exactly_where_values_do(one: Value, other: Value) -> None:
    same = same_value(one, other)

    assert (format_value(one) == format_value(other)) == same
    assert (not list(changes(one, other))) == same
    if same:
        assert one == other
        assert hash(one) == hash(other)


@given(values, values)
def test_changes_backwards(one: Value, other: Value) -> None:
    forwards = [(change.path, change.before, change.after) for change in changes(one, other)]
    backwards = [(change.path, change.after, change.before) for change in changes(other, one)]

    assert sorted(map(repr, forwards)) == sorted(map(repr, backwards))


@given(st.lists(values, max_size=6), st.data())
def test_one_order(items: list[Value], data: st.DataObject) -> None:
    shuffled = data.draw(st.permutations(items))

    assert list(map(format_value, in_order(shuffled))) == list(map(format_value, in_order(items)))


@pytest.mark.parametrize("beside", [1, "null", ModelValue("m")])
def test_a_variable_without_a_value_is_no_model_value(beside: Value) -> None:
    # TLC prints null for it in the last state of a failed evaluation.
    for value in (Opaque("null"), ModelValue("null")):
        back = state_from_itf(json.loads(json.dumps(state_to_itf({"x": value, "y": beside}))))
        assert type(back["x"]) is type(value)
        assert back == {"x": value, "y": beside}
