"""Parameters in a line."""

from __future__ import annotations

from tla2py.text import parameter_text, value_shown


def test_parameters_are_named_with_their_values() -> None:
    assert parameter_text({"N": "1", "Procs": "{p1, p2}"}) == "N = 1, Procs = {p1, p2}"


def test_what_is_left_out_is_not_shown_as_nothing() -> None:
    assert parameter_text({"N": "1", "symmetry": ""}) == "N = 1, symmetry = (none)"
    assert value_shown("") == "(none)"


def test_without_parameters_there_is_the_model() -> None:
    assert parameter_text({}) == "the model"
