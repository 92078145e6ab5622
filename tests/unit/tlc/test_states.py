"""Texts of states that fuzzing found."""

from __future__ import annotations

from tla2py.tla.itf import state_from_itf, state_to_itf
from tla2py.tla.value import Opaque
from tla2py.tla.value_text import format_value
from tla2py.tlc.output.states import StateReader


def test_a_name_that_itf_has_for_itself_is_none() -> None:
    values = StateReader().read_values("/\\ x = 1\n/\\ #set = 2")
    assert list(values) == ["x"]
    assert state_from_itf(state_to_itf(values)).keys() == values.keys()


def test_equal_parts_are_read_once() -> None:
    reader = StateReader()
    first = reader.read_values('/\\ log = <<[id |-> 1, of |-> "a"], {b}>>\n/\\ n = 1')
    second = reader.read_values('/\\ log = <<[id |-> 2, of |-> "a"], [id |-> 1, of |-> "a"]>>\n/\\ n = 2')
    (one, _), (_, again) = first["log"], second["log"]  # type: ignore[misc, str-unpack]
    assert one is again


def test_the_inside_of_a_deep_value_is_kept_as_text() -> None:
    deep = "<<" * 200 + "1" + ">>" * 200
    values = StateReader().read_values(f"/\\ x = {deep}\n/\\ y = 1")
    assert values["x"] != Opaque(deep)
    assert format_value(values["x"]) == deep
    assert state_from_itf(state_to_itf(values)) == values
