"""Constant expressions have TLC's values; unsupported ones are errors."""

from __future__ import annotations

import pytest

from tla2py.errors import InputError
from tla2py.tla.evaluate import evaluate, expression_of
from tla2py.tla.module import Definition
from tla2py.tla.parse import read_text
from tla2py.tla.value import Interval, ModelValue, Value

MODULE = r"""---- MODULE M ----
EXTENDS Integers
Twice(n) == 2 * n
Quorum == Twice(two) - 1
Loop(n) == Loop(n)
I(n) == n = 0 \/ I(n - 1)
fun[n \in {1}] == n
====
"""
DEFINITIONS = {each.name: each for each in read_text(MODULE).definitions}
VALUES: dict[str, Value] = {
    "two": 2,
    "S": frozenset({ModelValue("a"), ModelValue("b")}),
    "a": ModelValue("a"),
    "c": ModelValue("c"),
    "word": "Kip.tla",
}


def lookup(name: str) -> Value | Definition:
    if name not in VALUES.keys() | DEFINITIONS.keys():
        raise InputError("unknown-name", name)
    return VALUES[name] if name in VALUES else DEFINITIONS[name]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1 + 2 * 3 - 4", 3),
        ("-7 \\div 2", -3),  # unary minus binds less tightly
        ("(-7) \\div 2", -4),
        ("-7 % 2", 1),
        ("2 ^ 10", 1024),
        ("\\hFF", 255),
        ("-two", -2),
        ("two <= 2 /\\ two >= 2 /\\ ~(two < 2) /\\ ~(two > 2)", True),
        ("two = 3 \\/ two # 3", True),
        ("FALSE => two.x", True),
        ("FALSE /\\ two", False),
        ("TRUE \\/ two", True),
        ("TRUE <=> FALSE", False),
        ("{1, 2} = 1..2", True),
        ("{} = 1..0", True),
        ("{1} \\subseteq 0..1", True),
        ("S \\subseteq {a}", False),
        ("a \\in S /\\ c \\notin S", True),
        ("1 \\in {TRUE}", False),
        ("Cardinality(S \\cup {c}) + Cardinality(S \\cap {c}) + Cardinality(S \\ {a})", 4),
        ("5 \\in Nat /\\ -1 \\notin Nat /\\ -1 \\in Int /\\ a \\notin Int", True),
        ("two \\in BOOLEAN", False),
        ("IF two = 2 THEN {1} ELSE a + 1", frozenset({1})),
        ("Len(<<>>) + Len(<<a, 7>>) + <<a, 7>>[2]", 9),
        ("<<1, {a}>>", (1, frozenset({ModelValue("a")}))),
        ("\\A x, y \\in S : x = y", False),
        ("\\E x \\in S, y \\in 1..2 : y = two /\\ x = a", True),
        ("\\A x \\in {} : x", True),
        ("CHOOSE x \\in 1..5 : \\A y \\in 1..5 : x >= y", 5),
        ("{x \\in 1..5 : x % two = 1}", frozenset({1, 3, 5})),
        ("{<<x, y>> : x \\in 1..2, y \\in {a}}", frozenset({(1, ModelValue("a")), (2, ModelValue("a"))})),
        ('word = "Kip.tla"', True),
        ("Quorum", 3),
        ("Twice(Twice(two))", 8),
        ("I(3)", True),
        ("1..3", Interval(1, 3)),
    ],
)
def test_values(text: str, value: Value) -> None:
    found = evaluate(expression_of(text), lookup)
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize(
    ("text", "code", "said"),
    [
        ("1 +", "expression-syntax", "1 +"),
        ("SUBSET S", "not-understood", "SUBSET"),
        ("CHOOSE x \\in S : TRUE", "not-understood", "CHOOSE"),
        ("CHOOSE x \\in S : FALSE", "not-understood", "CHOOSE"),
        ("[x \\in S |-> 1]", "not-understood", "supported: numbers"),
        ("LET y == 1 IN y", "not-understood", "LET"),
        ("\\A x : TRUE", "not-understood", "a name without a set"),
        ("\\E <<x, y>> \\in {<<1, 2>>} : x = y", "not-understood", "<<x, y>>"),
        ("two[1, 2]", "not-understood", "[]"),
        ("Unknown", "unknown-name", "Unknown"),
        ("Unknown(1)", "not-understood", "Unknown"),
        ("Twice", "not-understood", "Twice"),
        ("two(1)", "not-understood", "two"),
        ("Loop(1)", "not-understood", "depends on itself"),
        ('1 = "1"', "not-a-value", '= has no value for 1 and "1"'),
        ("TRUE # 1", "not-a-value", "#"),
        ("a + 1", "not-a-value", "+ has no value for a and 1"),
        ("TRUE + 1", "not-a-value", "+"),
        ("1 \\div 0", "not-a-value", "\\div"),
        ("1 % -2", "not-a-value", "%"),
        ("2 ^ -1", "not-a-value", "^"),
        ("a < 1", "not-a-value", "<"),
        ("1 \\in two", "not-a-value", "\\in"),
        ("~two", "not-a-value", "~"),
        ("two /\\ TRUE", "not-a-value", "/\\"),
        ("TRUE <=> 1", "not-a-value", "<=>"),
        ("IF two THEN 1 ELSE 2", "not-a-value", "IF"),
        ("\\A x \\in two : TRUE", "not-a-value", "\\in"),
        ("Cardinality(two)", "not-a-value", "Cardinality"),
        ("Len(two)", "not-a-value", "Len"),
        ("<<1, 2>>[0]", "not-a-value", "[]"),
        ("<<1, 2>>[3]", "not-a-value", "[]"),
        ("two[1]", "not-a-value", "[]"),
        ("Cardinality(0 .. 100000000)", "not-a-value", "Cardinality"),
    ],
)
def test_what_has_no_value_is_told(text: str, code: str, said: str) -> None:
    with pytest.raises(InputError) as raised:
        evaluate(expression_of(text), lookup)
    assert raised.value.code == code
    assert said in str(raised.value)
