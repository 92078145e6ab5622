"""Expressions on their own: refused, parsed and evaluated."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.raising import raises
from tla2py.errors import InputError
from tla2py.tla.evaluate import evaluate, expression_of
from tla2py.tla.module import Definition
from tla2py.tla.parse import parse_expression, raise_mistake, read_text
from tla2py.tla.value import Interval, ModelValue, Value

WORDS = r"""A x Nodes 1 2.5 "s" TRUE x' @ \A \E CHOOSE LET IN IF THEN ELSE CASE [] -> |-> << >> [ ] { } ( ) , : ..
\in \cup /\ \/ => = == # + - ! . EXCEPT LAMBDA WF_x ---- ==== MODULE M EXTENDS CONSTANT VARIABLE ASSUME INSTANCE WITH <-
LOCAL RECURSIVE _ THEOREM PROOF (* *) \* ä ∈"""
PIECES = st.sampled_from([*WORDS.split(), "\n", "\t", " ", "\x00"])
# A busy machine may be slow.
TOKENS = st.lists(PIECES, max_size=40).map(" ".join)


@pytest.mark.parametrize(
    ("text", "names", "standard"),
    [
        ("1..3", set(), {"Naturals"}),
        ("-1", set(), {"Integers"}),
        ("<<0, Max>>", {"Max"}, set()),
        ("[n \\in Nodes |-> n]", {"Nodes"}, set()),
        ("{n \\in Nodes : n # m}", {"Nodes", "m"}, set()),
        ("LET a == b IN a + a", {"b"}, {"Naturals"}),
        ("LET f[i \\in S] == i IN f[1]", {"S"}, set()),
        ("\\A <<a, b>> \\in Pairs : a = b", {"Pairs"}, set()),
        ("CHOOSE x \\in S : P(x)", {"S", "P"}, set()),
        ("Cardinality(S) > 1", {"Cardinality", "S"}, {"FiniteSets", "Naturals"}),
        ("r1 :> 1 @@ r2 :> 2", {"r1", "r2"}, {"TLC"}),
        ("I!Op(a)", {"I!Op", "a"}, set()),
        ("[a |-> b, c |-> d].a", {"b", "d"}, set()),
        ("BOOLEAN", set(), set()),
        ("SUBSET UNION {DOMAIN f}", {"f"}, set()),
        ("{1,\n 2}", set(), set()),
    ],
)
def test_names_and_standard_modules(text: str, names: set[str], standard: set[str]) -> None:
    found = parse_expression(text)
    assert (set(found.names), set(found.standard)) == (names, standard)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "missing"),
        (" \n ", "missing"),
        ("1 +", "column 4"),
        ("{1, 2", "column 6"),
        ("1)", "column 2: unexpected )"),
        ("{1,\n +}", "line 2, column 3"),
        ("A == 1", "column 3: unexpected =="),
        ("1\nB == 2", "line 2, column 1: unexpected B"),
        ("1\n====", "ends"),
        ("VARIABLE x", "column 1"),
    ],
)
def test_what_is_no_expression_is_refused_with_its_place(text: str, said: str) -> None:
    assert said in raises(InputError, parse_expression, text, match="expression").message


@given(st.one_of(TOKENS, st.text(max_size=60)))
@example("1 == 2")
@example('"')
@example("(*")
@example("LAMBDA x : x")
def test_any_text_is_an_expression_or_an_error(text: str) -> None:
    message = ""
    try:
        parse_expression(text)
    except InputError as error:
        message = error.message
    assert message.isprintable()


@given(st.one_of(TOKENS, st.text(max_size=80)))
@example("A == 1 ==== B ==")
@example("EXTENDS")
@example("CONSTANT _ _ _")
def test_any_body_is_a_module_or_an_error_with_a_place(body: str) -> None:
    module = read_text(f"---- MODULE M ----\n{body}\n====\n")
    lines = module.text.split("\n")
    for span in [
        *(each.span for each in module.constants),
        *(each.span for each in module.variables),
        *(each.span for each in module.definitions),
        *([module.syntax_error.span] if module.syntax_error else []),
    ]:
        assert 1 <= span.begin_line <= span.end_line <= len(lines)
        assert 1 <= span.begin_column <= len(lines[span.begin_line - 1]) + 1
    if module.syntax_error is not None:
        assert raises(InputError, raise_mistake, module).where is not None


@given(st.text(max_size=80))
def test_any_text_is_read_without_an_accident(text: str) -> None:
    module = read_text(text)
    assert module.syntax_error is not None or module.name


def test_a_long_chain_is_followed_and_a_bottomless_one_refused() -> None:
    assert parse_expression(" @@ ".join(f"{number} :> N" for number in range(800))).names == {"N"}
    assert raises(InputError, parse_expression, "(" * 4000 + "1" + ")" * 4000).code == "too-deep"


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
NAMED: dict[str, Value] = {name: ModelValue(name) for name in "abc"}
VALUES: dict[str, Value] = {**NAMED, "two": 2, "S": frozenset({NAMED["a"], NAMED["b"]}), "word": "Kip.tla"}


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
    raised = raises(InputError, lambda: evaluate(expression_of(text), lookup))
    assert raised.code == code
    assert said in str(raised)
