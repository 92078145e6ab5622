"""Expressions of sweep files; arbitrary text is refused without any other error."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tla2py.errors import InputError
from tla2py.tla.parse import parse_expression, raise_mistake, read_text

PIECES = st.sampled_from(
    [
        *("A", "x", "Nodes", "1", "2.5", '"s"', "TRUE", "x'", "@", "\\A", "\\E", "CHOOSE", "LET", "IN", "IF"),
        *(
            "THEN",
            "ELSE",
            "CASE",
            "[]",
            "->",
            "|->",
            "<<",
            ">>",
            "[",
            "]",
            "{",
            "}",
            "(",
            ")",
            ",",
            ":",
            "..",
        ),
        *(
            "\\in",
            "\\cup",
            "/\\",
            "\\/",
            "=>",
            "=",
            "==",
            "#",
            "+",
            "-",
            "!",
            ".",
            "EXCEPT",
            "LAMBDA",
            "WF_x",
        ),
        *(
            "----",
            "====",
            "MODULE",
            "M",
            "EXTENDS",
            "CONSTANT",
            "VARIABLE",
            "ASSUME",
            "INSTANCE",
            "WITH",
            "<-",
        ),
        *(
            "LOCAL",
            "RECURSIVE",
            "_",
            "THEOREM",
            "PROOF",
            "(*",
            "*)",
            "\\*",
            "\n",
            "\t",
            " ",
            "ä",
            "∈",
            "\x00",
        ),
    ]
)
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
    with pytest.raises(InputError, match="expression") as raised:
        parse_expression(text)
    assert said in raised.value.message


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
        with pytest.raises(InputError) as raised:
            raise_mistake(module)
        assert raised.value.where is not None


@given(st.text(max_size=80))
def test_any_text_is_read_without_an_accident(text: str) -> None:
    module = read_text(text)
    assert module.syntax_error is not None or module.name


def test_a_long_chain_is_followed_and_a_bottomless_one_refused() -> None:
    pairs = " @@ ".join(f"{number} :> N" for number in range(800))
    assert parse_expression(pairs).names == {"N"}
    with pytest.raises(InputError) as raised:
        parse_expression("(" * 4000 + "1" + ")" * 4000)
    assert raised.value.code == "too-deep"
