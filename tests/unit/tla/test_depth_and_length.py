"""Values nested as deep as readers build them, and deeper; and values of megabytes, in time that grows linearly."""

from __future__ import annotations

import json

import pytest

from tests.raising import raises
from tla2py.errors import InputError
from tla2py.tla.itf import Json, from_itf, state_from_itf, state_to_itf
from tla2py.tla.value import DEEPEST, format_value, same_value
from tla2py.tla.value_changes import changes
from tla2py.tla.value_text import ValueTextError, parse_value

BEYOND = 12_000
NESTED = {
    "sequences": ("<<", "1", ">>"),
    "sets": ("{", "1", "}"),
    "records": ("[f |-> ", "1", "]"),
    "functions": ("(1 :> a @@ 5 :> ", "1", ")"),
    "keys": ("(", "a", " :> 2)"),
    "mixed": ("<<{[f |-> (a :> ", "1", ")]}>>"),
}


def nested(kind: str, depth: int = DEEPEST, leaf: str | None = None) -> str:
    opening, inner, closing = NESTED[kind]
    depth //= 4 if kind == "mixed" else 1
    return opening * depth + (leaf or inner) + closing * depth


@pytest.mark.parametrize("kind", NESTED)
def test_deep_values_are_read_written_and_compared(kind: str) -> None:
    value, twin, other = (parse_value(nested(kind, leaf=leaf)) for leaf in (None, None, "b"))
    state = json.loads(json.dumps(state_to_itf({"x": value})))
    assert format_value(value) == nested(kind)
    assert format_value(state_from_itf(state)["x"]) == nested(kind)
    assert hash(value) == hash(twin)
    assert value == twin
    assert value != other
    assert same_value(value, twin)
    assert not same_value(value, other)
    assert not list(changes(value, twin))
    assert list(changes(value, other))


@pytest.mark.parametrize("kind", NESTED)
def test_parts_nested_too_deep_are_kept_as_text(kind: str) -> None:
    value = parse_value(nested(kind, BEYOND))
    state = state_from_itf(json.loads(json.dumps(state_to_itf({"x": value}))))
    assert format_value(value) == nested(kind, BEYOND)
    assert same_value(state["x"], value)
    assert hash(value) == hash(parse_value(nested(kind, BEYOND)))
    assert not list(changes(value, state["x"]))
    assert list(changes(value, parse_value(nested(kind, BEYOND, leaf="b"))))


def test_json_nested_too_deep_is_refused() -> None:
    deep: Json = []
    for _ in range(BEYOND):
        deep = {"#tup": [deep]}
    assert raises(InputError, from_itf, deep, match=f"nested more than {DEEPEST} deep").code == "itf-syntax"


@pytest.mark.parametrize("kind", NESTED)
def test_unbalanced_deep_text_is_refused(kind: str) -> None:
    opening, inner, _ = NESTED[kind]
    for depth in (DEEPEST // 4, BEYOND):
        raises(ValueTextError, parse_value, opening * depth + inner, match="not a TLA")


def long_texts(size: int) -> dict[str, str]:
    """Texts that make a naive parser rescan the same piece again and again."""
    numbers = [str(number) for number in range(size)]
    return {
        "set": "{" + ", ".join(numbers) + "}",
        "function": "(" + " @@ ".join(f"<<{n}>> :> {n}" for n in numbers) + ")",
        "record": "[" + ", ".join(f"f{n} |-> {n}" for n in numbers) + "]",
        "string": '"' + "\\\\\\n" * size + '"',
        "spaces": "<<1" + " " * size * 5 + ">>",
        "digits": "1" * size * 5 + "a",
        "angles": "<a" * size,
        "open strings": '<<"a' * size,
        "opaque": "<<" + ", ".join(["SUBSET (1..9)"] * size) + ">>",
        "expression": "{x \\in Nat : <expression " + "(<a b> " * size + ">}",
    }


# Quadratic time would take minutes here.
LONG = 20_000


@pytest.mark.timeout(120)
@pytest.mark.parametrize("kind", list(long_texts(1)))
def test_long_texts_are_read_written_and_compared(kind: str) -> None:
    text = long_texts(LONG)[kind]
    try:
        value = parse_value(text)
    except ValueError:
        assert kind in ("digits", "angles", "open strings", "expression")
    else:
        assert same_value(parse_value(format_value(value)), value)
        assert same_value(state_from_itf(state_to_itf({"x": value}))["x"], value)
        assert not list(changes(value, value))
        assert list(changes(value, ()))
