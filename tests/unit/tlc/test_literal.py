"""Values that a config can express, and values that need a wrapper module."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tla2py.tla.value import format_value
from tla2py.tla.value_text import parse_value
from tla2py.tlc.config.statements import literal_names, literal_text


@pytest.mark.parametrize(
    ("text", "names"),
    [
        *((text, "") for text in ("0", "007", "2147483647", "TRUE", '"any text, (* even this *) "')),
        *((text, "") for text in ("{}", "{ }", "{1, 2}", "{{}, {{}}}")),
        *((text, text) for text in ("p1", "1st", "A_a1")),
        ("{b1, b2, TRUE}", "b1 b2"),
        ('{{b1}, {b1, "b2"}}', "b1"),
        ("{a,\n b}", "a b"),
    ],
)
def test_what_a_config_can_say(text: str, names: str) -> None:
    assert literal_names(text) == frozenset(names.split())


# With two spaces between them.
CANNOT = (
    r'-1  2147483648  1 2  a b  1..3  <<1, 2>>  <<>>  [a |-> 1]  x + 1  "a\nb"  "open  {1, 2  {1 2}  {1,}  {,}  {,1}'
    r"  {1}}  {1}, 2  }  ,  Op(1)  {x \in S : TRUE}  WF_x  {SF_y}  INVARIANT  {VIEW}  CONSTANTS  (1)  a; b  M!x"
    r'  "`"  "∈"'
)


@pytest.mark.parametrize("text", ["", " ", *CANNOT.split("  ")])
def test_what_a_config_cannot_say(text: str) -> None:
    assert literal_names(text) is None


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (" 3 ", "3"),
        ("{b2,b1}", "{b2, b1}"),
        ("{ a ,\n  b }", "{a, b}"),
        ("{ }", "{}"),
        ("{ {a} , { } }", "{{a}, {}}"),
        ('"{ a , b }"', '"{ a , b }"'),
        ('{ " , " ,1}', '{" , ", 1}'),
    ],
)
def test_the_text_is_on_one_line_and_strings_are_kept(text: str, shown: str) -> None:
    assert literal_text(text) == shown


NAMES = st.from_regex(r"[a-z][a-z0-9_]{0,4}", fullmatch=True)
PRINTABLE = st.characters(codec="ascii", exclude_characters='"\\`', min_codepoint=32, max_codepoint=126)
SCALARS = st.one_of(
    st.integers(0, 2**31 - 1).map(str),
    st.sampled_from(["TRUE", "FALSE"]),
    NAMES,
    st.text(PRINTABLE, max_size=8).map('"{}"'.format),
)
LITERALS = st.recursive(
    SCALARS,
    lambda inner: st.tuples(
        st.lists(inner, max_size=3), st.sampled_from([", ", ",", " ,\n "]), st.sampled_from(["", " "])
    ).map(lambda part: "{" + part[2] + part[1].join(part[0]) + part[2] + "}"),
    max_leaves=8,
)


@given(LITERALS)
def test_a_literal_keeps_its_value(text: str) -> None:
    assert literal_names(text) is not None
    shown = literal_text(text)
    assert "\n" not in shown
    assert literal_text(shown) == shown
    assert literal_names(shown) == literal_names(text)
    assert format_value(parse_value(shown)) == format_value(parse_value(text))
