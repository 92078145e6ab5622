"""Module texts without their comments."""

from __future__ import annotations

from pathlib import Path

import pytest

from tla2py.tla.nodes import without_comments

SPECS = Path(__file__).parents[3] / "specs"
TEXT = r"""---- MODULE M ----
(* a (* nested *)
   comment *)
VARIABLE x \* é
Note == "(* no comment *) \* neither"
Init == /\ x = 0 (* why *) /\ TRUE
        \* /\ x = 1
====
"""
BARE = r"""---- MODULE M ----


VARIABLE x
Note == "(* no comment *) \* neither"
Init == /\ x = 0           /\ TRUE

====
"""


def test_all_else_keeps_its_place() -> None:
    assert without_comments(TEXT) == BARE


@pytest.mark.parametrize("path", sorted(SPECS.glob("*/*.tla")), ids=lambda path: path.stem)
def test_what_is_left_has_its_line_and_column(path: Path) -> None:
    text = path.read_text()
    bare = without_comments(text)
    assert bare != text
    for before, after in zip(text.split("\n"), bare.split("\n"), strict=True):
        assert after == after.rstrip()
        assert all(b in (" ", a) for a, b in zip(before, after, strict=False))


def test_a_text_that_does_not_parse_stays() -> None:
    text = TEXT.replace("x = 0", "x = ]")
    assert without_comments(text) == text
