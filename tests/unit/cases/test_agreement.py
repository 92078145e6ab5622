"""Which answers agree with which values: the specification's value decides what JSON means."""

from __future__ import annotations

import json

import pytest

from tests.raising import raises
from tla2py.cases.agreement import agrees
from tla2py.errors import InputError
from tla2py.tla.itf import Json, json_text, to_itf
from tla2py.tla.value_text import parse_value

AGREEING: list[tuple[str, Json]] = [
    ("{}", []),
    ('{"a", "b"}', ["b", "a"]),
    ('{"a", "b"}', ["b", "a", "b"]),
    ("{1, 2}", [2, {"#bigint": "1"}]),
    ("1..3", [3, 1, 2]),
    ("{n1, n2}", ["n2", "n1"]),
    ("{{1}, {1, 2}}", [[2, 1], [1]]),
    ("{<<1, {2}>>}", [[1, [2]]]),
    ('[to |-> {"a"}, body |-> <<1, 2>>]', {"body": [1, 2], "to": ["a"]}),
    ("[n1 |-> {TRUE}]", {"n1": [True]}),
    ("(n1 :> 1 @@ n2 :> 2)", {"n2": 2, "n1": 1}),
    ("(2 :> {} @@ 3 :> {3})", {"2": [], "3": [3]}),
    ("<<{1}, {}>>", [[1], []]),
    ("<<{1}, {}>>", {"#tup": [[1], []]}),
    ("<<{1}>>", {"1": [1]}),
    ("(<<1, 2>> :> {1})", {"#map": [[[1, 2], [1]]]}),
    ("n1", "n1"),
    ("n1", {"#unserializable": "n1"}),
    ("{<<>>}", [{}]),
]
DIFFERING: list[tuple[str, Json]] = [
    ("<<1, 2>>", [2, 1]),
    ("<<1>>", {"#set": [1]}),
    ("{1}", {"#tup": [1]}),
    ("{1, 2}", [1, 1]),
    ("{1}", [1, 2]),
    ("{1}", ["1"]),
    ("{TRUE}", [1]),
    ("{1}", [True]),
    ("{{1}, {2}}", [[1], [1]]),
    ("{{1}}", [1]),
    ("{}", {}),
    ("1..2000000", [1, 2]),
    ("[a |-> 1, b |-> 2]", {"a": 1}),
    ("[a |-> 1]", {"a": 1, "b": 2}),
    ("(2 :> 1)", {"3": 1}),
    ("(<<1, 2>> :> {1})", {"<<1, 2>>": [1]}),
    ('"a"', ["a"]),
    ("1", "1"),
    ("n1", "n2"),
]


def said(text: str, answer: Json) -> bool:
    return agrees(json_text(answer), json_text(to_itf(parse_value(text))))


@pytest.mark.parametrize(("text", "answer"), AGREEING)
def test_answers_that_agree(text: str, answer: Json) -> None:
    assert said(text, answer)


@pytest.mark.parametrize(("text", "answer"), DIFFERING)
def test_answers_that_differ(text: str, answer: Json) -> None:
    assert not said(text, answer)


@pytest.mark.parametrize(
    "answer", [None, [None], 1.5, {"#set": 3}, {"#bigint": "x"}, {"#unserializable": "{"}]
)
def test_answers_that_are_no_values(answer: Json) -> None:
    assert raises(InputError, said, "{1}", answer).code


def test_large_sets_are_compared_in_time() -> None:
    numbers = [*range(20_000)]
    assert agrees(json.dumps(numbers[::-1]), json_text({"#set": numbers}))
    assert not agrees(json.dumps([*numbers[1:], 30_000]), json_text({"#set": numbers}))
