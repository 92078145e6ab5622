"""Digests of what a name reaches, and places in copies."""

from __future__ import annotations

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import spec
from tests.unit.tla.conftest import LoadModules
from tla2py.tla.graph import ReachedDigests, closure, digest_assumptions, digest_names
from tla2py.tla.module import (
    character_column,
    count_visible,
    find_string,
    line_and_column,
    original_line,
    visible_offsets,
)

MODULES = {name: spec(f"reach/{name}") for name in ("Root", "Base", "Store", "Pure")}


def reach(
    load: LoadModules, name: str, *change: str, replaced: dict[str, list[str]] | None = None
) -> ReachedDigests:
    """What a name reaches, after a change: a module, an old text and a new one."""
    texts = dict(MODULES)
    if change:
        module, old, new = change
        assert old in texts[module]
        texts[module] = texts[module].replace(old, new)
    values = {key: frozenset(names) for key, names in (replaced or {}).items()}
    return digest_names(load(*texts.values()), [name], closure(values))


def test_a_name_reaches_definitions_at_any_depth(load: LoadModules) -> None:
    assert set(reach(load, "Inv").definitions) == {"Inv", "Step", "Store!Fits", "Store!Room", "Store!size"}
    other = set(reach(load, "Other").definitions)
    assert other == {"Other", "Pure!Id", "Sum", "Half", "\\prec", "Zero", "f"}
    assert set(reach(load, "Spec").definitions) == {"Spec", "Step", "Vars"}
    # Substitutions of a config are followed.
    twice = {"Limit": ["MC_Limit"], "MC_Limit": ["Unused"]}
    assert "Unused" in reach(load, "Inv", replaced=twice).definitions
    assert "Unused" not in reach(load, "Spec", replaced={"Limit": ["Unused"]}).definitions
    assert "Unused" in reach(load, "Inv", replaced={"..": ["Unused"]}).definitions


@pytest.mark.parametrize(
    ("name", "module", "old", "new", "changed"),
    [
        ("Inv", "Root", "LOCAL Step == 1", "LOCAL Step == 2", {"Step"}),
        ("Inv", "Root", "Limit + 1", "Limit + 2", {"Store!size"}),
        ("Inv", "Store", "== size", "== size + 1", {"Store!Room"}),
        ("Inv", "Root", "     \\/ x = Step", "  \\/ x = Step", {"Inv"}),
        ("Other", "Root", "Half(n) == n", "Half(n) == 2 * n", {"Half"}),
        ("Other", "Root", "ELSE n +", "ELSE 1 +", {"Sum"}),
        ("Other", "Root", "a < b", "a > b", {"\\prec"}),
        ("Other", "Root", "== n\n", "== n + 1\n", {"f"}),
        ("Other", "Base", "== 0", "== 1", {"Zero"}),
        ("Other", "Pure", "== x", "== {x}", {"Pure!Id"}),
        ("Spec", "Root", " /\\ WF_Vars(x' = x)", "", {"Spec"}),
        ("Spec", "Root", "WF_", "SF_", {"Spec"}),
        ("Spec", "Root", "<<x>>", "<<x, x>>", {"Vars"}),
    ],
)
def test_a_changed_definition_is_named(
    load: LoadModules, name: str, module: str, old: str, new: str, changed: set[str]
) -> None:
    before, after = reach(load, name), reach(load, name, module, old, new)
    differing = {key for key, digest in after.definitions.items() if before.definitions.get(key) != digest}
    assert differing == changed
    assert before.digest != after.digest


@pytest.mark.parametrize(
    ("module", "old", "new"),
    [
        ("Root", "  \\* a comment", ""),
        ("Root", "  /\\ x \\in 0..3\n", "\\* more\n  /\\ x\\in   0 .. 3 (* here *)\n"),
        ("Root", "LOCAL Step", "Step"),
        ("Root", "Unused == 7", "Unused == 8"),
        ("Root", "Inv ==\n", "Inv == \r\n"),
        ("Store", "CONSTANT size\n", "CONSTANTS  size \\* of the log\nASSUME size > 0\n"),
    ],
)
def test_layout_and_comments_do_not_count(load: LoadModules, module: str, old: str, new: str) -> None:
    assert reach(load, "Inv", module, old, new) == reach(load, "Inv")


def test_a_name_that_means_another_definition_changes_the_digest(load: LoadModules) -> None:
    before = reach(load, "Other")
    # Zero is of the same text, but no longer that of Base.
    moved = dict(MODULES, Base="---- MODULE Base ----\nNothing == 0\n====\n")
    moved["Root"] = MODULES["Root"].replace("LOCAL Step", "CONSTANT Zero\nLOCAL Step")
    after = digest_names(load(*moved.values()), ["Other"], {})
    assert before.digest != after.digest
    assert {**after.definitions, "Zero": before.definitions["Zero"]} == before.definitions


def test_assumptions_have_digests(load: LoadModules) -> None:
    texts = {**MODULES, "Root": MODULES["Root"].replace("Limit > Zero", "Limit >= Zero")}
    (before, used), (after, _) = (digest_assumptions(load(*each.values()), {}) for each in (MODULES, texts))
    assert set(used.definitions) == {"Zero"}
    assert before.keys() == after.keys() == {"Root", "Base"}
    assert (before["Root"] != after["Root"], before["Base"]) == (True, after["Base"])
    # Digests are the same everywhere.
    reached = reach(load, "Inv")
    assert reached.definitions["Inv"] == "cddfd3b7f6318d41"
    assert reached.digest == "d26ddeafd3e2d3bc"


def test_columns_of_tlc_are_counted_in_characters() -> None:
    columns = {"abc": {1: 1, 3: 3, 9: 9}, "\tx": {9: 2}, "a\tx": {9: 3}, "abcdefgh\tx": {17: 10}}
    for line, told in {**columns, '"𝔸" x': {6: 5}, "é x": {3: 3}, "": {1: 1}}.items():
        assert {column: character_column(line, column) for column in told} == told, line


TEXTS = st.text(st.characters(codec="utf-8", exclude_categories=["Cs", "Cc"]), min_size=1).filter(str.strip)


def escaped(text: str) -> str:
    """A text as a TOML string, with every other character escaped."""
    odd = (f"\\U{ord(each):08x}" if at % 2 or each in '"\\' else each for at, each in enumerate(text))
    return f'"{"".join(odd)}"'


@given(TEXTS, TEXTS)
def test_every_character_of_a_string_is_found_where_it_is_written(other: str, text: str) -> None:
    document = f"# {escaped(text)}\nvalues = [{escaped(other)}, {escaped(text)}]\n"
    assert tomllib.loads(document)["values"] == [other, text]
    offsets = find_string(document, 0, text)
    assert offsets is not None
    assert len(offsets) == count_visible(text) == len(visible_offsets(text))
    for character, offset in zip("".join(text.split()), offsets, strict=True):
        assert document[offset] == character or document[offset : offset + 10] == f"\\U{ord(character):08x}"


def test_every_form_of_a_string() -> None:
    basic = ('"1 \\\\div 2"', '"1 \\u005cdiv \\\n   2"', '"""\n  1\n  \\\\div 2"""')
    for written in (*basic, "'1 \\div 2'", "'''1\n\\div\n2'''"):
        document = f"N = {written}\n"
        offsets = find_string(document, 0, "1 \\div 2")
        assert offsets is not None
        assert (document[offsets[0]], document[offsets[-1]]) == ("1", "2")
        assert find_string(document, 0, "1 \\div 3") is None
    # Lines and columns of offsets.
    assert [line_and_column("ab\nc", offset) for offset in range(4)] == [(1, 1), (1, 2), (1, 3), (2, 1)]


def test_the_lines_of_a_translated_copy() -> None:
    copy = spec("reach/Translated")
    translation = copy[copy.index("\\* BEGIN") : copy.index("Last ==")]
    original = copy.replace(translation, "")
    found = [original_line(original, copy, number) for number in range(1, 16)]
    # Without a label a line is that of the algorithm's begin.
    assert found == [*range(1, 8), 2, 2, 4, 4, 5, 5, 8, 9]
    # A blanked word moves no line.
    original = "LOCAL A == 1\nB == 2\nLOCAL C == 3"
    copy = original.replace("LOCAL C", "      C")
    assert [original_line(original, copy, line) for line in (1, 2, 3)] == [1, 2, 3]
