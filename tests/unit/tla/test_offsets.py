"""Places in shifted texts, and line numbers in copies."""

from __future__ import annotations

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tla2py.tla.module import (
    character_column,
    count_visible,
    find_string,
    line_and_column,
    original_line,
    visible_offsets,
)


@pytest.mark.parametrize(
    ("line", "column", "expected"),
    [
        ("abc", 1, 1),
        ("abc", 3, 3),
        ("\tx", 9, 2),
        ("a\tx", 9, 3),
        ("abcdefgh\tx", 17, 10),
        ('"𝔸" x', 6, 5),
        ("é x", 3, 3),
        ("abc", 9, 9),
        ("", 1, 1),
    ],
)
def test_columns_of_tlc_are_counted_in_characters(line: str, column: int, expected: int) -> None:
    assert character_column(line, column) == expected


TEXTS = st.text(st.characters(codec="utf-8", exclude_categories=["Cs", "Cc"]), min_size=1).filter(str.strip)


def escaped(text: str) -> str:
    """A text as a TOML string, with every other character escaped."""
    parts = [
        f"\\U{ord(each):08x}" if number % 2 or each in '"\\' else each for number, each in enumerate(text)
    ]
    return '"' + "".join(parts) + '"'


@given(TEXTS, TEXTS)
def test_every_character_of_a_string_is_found_where_it_is_written(other: str, text: str) -> None:
    document = f"# {escaped(text)}\nvalues = [{escaped(other)}, {escaped(text)}]\n"
    assert tomllib.loads(document)["values"] == [other, text]
    offsets = find_string(document, 0, text)
    assert offsets is not None
    assert len(offsets) == count_visible(text) == len(visible_offsets(text))
    for character, offset in zip("".join(text.split()), offsets, strict=True):
        assert document[offset] == character or document[offset : offset + 10] == f"\\U{ord(character):08x}"


@pytest.mark.parametrize(
    "written",
    [
        '"1 \\\\div 2"',
        "'1 \\div 2'",
        '"""\n  1\n  \\\\div 2"""',
        "'''1\n\\div\n2'''",
        '"1 \\u005cdiv \\\n   2"',
    ],
)
def test_every_form_of_a_string(written: str) -> None:
    document = f"N = {written}\n"
    offsets = find_string(document, 0, "1 \\div 2")
    assert offsets is not None
    assert document[offsets[0]] == "1"
    assert document[offsets[-1]] == "2"
    assert find_string(document, 0, "1 \\div 3") is None


def test_lines_and_columns_of_offsets() -> None:
    assert [line_and_column("ab\nc", offset) for offset in range(4)] == [(1, 1), (1, 2), (1, 3), (2, 1)]


ALGORITHM = """---- MODULE A ----
(* --algorithm A
begin
  one: x := 1;
  two:
    x := 2;
end algorithm *)
{}Last == 1
===="""
TRANSLATION = """\\* BEGIN TRANSLATION
VARIABLES x
one == /\\ x = 0
       /\\ x' = 1
two == x' = 2
\\* END TRANSLATION
"""


def test_the_lines_of_a_translated_copy() -> None:
    original, copy = ALGORITHM.format(""), ALGORITHM.format(TRANSLATION)
    lines = copy.split("\n")
    own = original.split("\n")
    for number, line in enumerate(lines, 1):
        found = own[original_line(original, copy, number) - 1]
        if line in TRANSLATION:
            expected = {"one": "  one: x := 1;", "two": "  two:"}.get(lines[number - 1][:3].strip())
            expected = expected or ("  one: x := 1;" if "x' = 1" in line else expected)
            assert found == (expected or ("  two:" if "END" in line else "(* --algorithm A"))
        else:
            assert found == line


def test_a_blanked_word_moves_no_line() -> None:
    original = "LOCAL A == 1\nB == 2\nLOCAL C == 3"
    copy = original.replace("LOCAL C", "      C")
    assert [original_line(original, copy, line) for line in (1, 2, 3)] == [1, 2, 3]
