"""How a module reads its log, and what counts the lines, found in its text."""

from __future__ import annotations

from pathlib import Path

import pytest

from tla2py.errors import InputError
from tla2py.logs.reader import LogReader, SourceTexts, find_reader
from tla2py.model.model import LEVEL, Position
from tla2py.tla.parse import load_modules

MODULE = r"""---- MODULE Trace ----
EXTENDS Naturals, Sequences
VARIABLES x, l
IOEnv == [JSON |-> "a", CONFIG |-> "b"]
ndJsonDeserialize(path) == path
{definitions}
Init == x = 0 /\ l = 1
Spec == Init /\ [][Next]_<<x, l>>
Typed == x \in Nat
====
"""
NEXT = r"Next == l <= Len(Log) /\ l' = l + 1 /\ x' = Log[l]"


def reader(folder: Path, *definitions: str, given: tuple[SourceTexts, ...] = (), **asked: str) -> LogReader:
    (folder / "Trace.tla").write_text(MODULE.replace("{definitions}", "\n".join(definitions)))
    spec = load_modules(folder / "Trace.tla")
    found = find_reader(
        spec,
        given,
        reads=asked.get("reads"),
        position=asked.get("position"),
        place=lambda key: f"sweep.toml:{key}",
    )
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("definitions", "source"),
    [
        (["Log == ndJsonDeserialize(IOEnv.JSON)"], SourceTexts("environment", "JSON")),
        (['Log == ndJsonDeserialize(IOEnv["JSON"])'], SourceTexts("environment", "JSON")),
        (
            [
                r'File == IF "JSON" \in DOMAIN IOEnv THEN IOEnv.JSON ELSE "./example.ndjson"',
                "Log == SelectSeq(ndJsonDeserialize(File), LAMBDA e: e # 0)",
            ],
            SourceTexts("environment", "JSON"),
        ),
        (['File == "trace.ndjson"', "Log == ndJsonDeserialize(File)"], SourceTexts("definition", "File")),
        (["CONSTANT File", "Log == ndJsonDeserialize(File)"], SourceTexts("definition", "File")),
        (['Log == ndJsonDeserialize("trace.ndjson")'], SourceTexts("file", "trace.ndjson")),
        # Through operators with parameters, LET and CASE.
        (
            ["Read(path) == ndJsonDeserialize(path)", "Log == Read(IOEnv.JSON)"],
            SourceTexts("environment", "JSON"),
        ),
        (
            [
                "Read(tag, path) == SelectSeq(ndJsonDeserialize(path), LAMBDA e: e = tag)",
                "ReadAll(path) == Read(1, path)",
                "Log == ReadAll(IOEnv.JSON)",
            ],
            SourceTexts("environment", "JSON"),
        ),
        (
            [
                r"Named(name, other) == IF name \in DOMAIN IOEnv THEN IOEnv[name] ELSE other",
                'Log == ndJsonDeserialize(Named("JSON", "trace.ndjson"))',
            ],
            SourceTexts("environment", "JSON"),
        ),
        (
            ['Log == LET file == CASE TRUE -> IOEnv.JSON [] OTHER -> "a" IN Tail(ndJsonDeserialize(file))'],
            SourceTexts("environment", "JSON"),
        ),
        (['Log == ndJsonDeserialize(Print("reading", IOEnv.JSON))'], SourceTexts("environment", "JSON")),
        # Only one of them is compared with what counts.
        (
            ["Log == ndJsonDeserialize(IOEnv.JSON)", "Config == ndJsonDeserialize(IOEnv.CONFIG)"],
            SourceTexts("environment", "JSON"),
        ),
        (
            ['Log == ndJsonDeserialize("trace.ndjson")', "Config == JsonDeserialize(IOEnv.CONFIG)"],
            SourceTexts("file", "trace.ndjson"),
        ),
    ],
)
def test_the_way_to_the_log_is_found(tmp_path: Path, definitions: list[str], source: SourceTexts) -> None:
    found = reader(tmp_path, *definitions, NEXT)
    assert found.source == source
    assert found.position == Position(expression="l", entries="Log")
    assert found.reaches("Next")
    assert not found.reaches("Typed")


def test_one_of_two_ways_is_left_where_the_other_is_given(tmp_path: Path) -> None:
    more = r"Other == l <= Len(Config)"
    definitions = (
        "Log == ndJsonDeserialize(IOEnv.JSON)",
        "Config == ndJsonDeserialize(IOEnv.CONFIG)",
        more,
        NEXT,
    )
    with pytest.raises(InputError, match=r"several ways: environment.CONFIG, environment.JSON") as error:
        reader(tmp_path, *definitions)
    assert error.value.code == "log-reader"
    given = (SourceTexts("environment", "CONFIG"),)
    assert reader(tmp_path, *definitions, given=given).source.name == "JSON"
    assert reader(tmp_path, *definitions, reads="environment.JSON").source.name == "JSON"
    with pytest.raises(InputError, match="no definition Lgo"):
        reader(tmp_path, *definitions, reads="Lgo")


def test_a_module_may_read_no_log(tmp_path: Path) -> None:
    (tmp_path / "Trace.tla").write_text(MODULE.replace("{definitions}", "Next == x' = l /\\ l' = l"))
    spec = load_modules(tmp_path / "Trace.tla")
    assert find_reader(spec, (), reads=None, position=None, place=lambda _: None) is None


@pytest.mark.parametrize(
    ("next_", "position"),
    [
        (r"Next == l \in 1..Len(Log) /\ l' = l + 1 /\ x' = 0", "l"),
        (r"Next == l' <= Len(Log) + 1 /\ l' = l + 1 /\ x' = 0", "l"),
        (r"Next == l \in DOMAIN Log /\ l' = l + 1 /\ x' = 0", "l"),
        # Two variables: that which steps counts, neither for certain if both do.
        (r"Next == l <= Len(Log) /\ x < Len(Log) /\ l' = l + 1 /\ x' = 0", "l"),
        (r"Next == l <= Len(Log) /\ x < Len(Log) /\ l' = l + 1 /\ x' = x + 1", None),
        # It ends at the length, one beyond, or two.
        (r"Next == l < Len(Log) /\ l' = l + 1 /\ x' = Log[l']", "l + 1"),
        (r"Next == l + 1 \in DOMAIN Log /\ l' = l + 1 /\ x' = Log[l']", "l + 1"),
        (r"Next == l - 1 <= Len(Log) /\ l' = l + 1 /\ x' = 0", "l - 1"),
        (r"Next == ~(l > Len(Log)) /\ l' = l + 1 /\ x' = 0", "l"),
        (r"Next == Len(Log) + 1 # l /\ l' = l + 1 /\ x' = 0", "l"),
        # Most comparisons decide, and in doubt the module begins at 1.
        (r"Next == l < Len(Log) /\ l' = l + 1 /\ x' = (IF l <= Len(Log) THEN Log[l] ELSE 0)", "l"),
        # Under other names.
        ("Size == Len(Log) - 1\nNext == l <= Size /\\ l' = l + 1 /\\ x' = Log[l + 1]", "l + 1"),
        (r"Next == LET i == l IN i <= Len(Log) /\ l' = l + 1 /\ x' = Log[i]", "l"),
        ("Next == LET i == TLCGet(\"level\") IN i <= Len(Log) /\\ l' = l /\\ x' = Log[i]", LEVEL),
        (r"Next == l' = l + 1 /\ x' = 0", None),
        (r"Next == Len(<<x>>) < l /\ l' = l + 1 /\ x' = 0", None),
    ],
)
def test_what_counts_the_lines_is_found(tmp_path: Path, next_: str, position: str | None) -> None:
    found = reader(tmp_path, "Log == ndJsonDeserialize(IOEnv.JSON)", next_).position
    assert (found.expression if found else None) == position


def test_the_position_is_that_of_the_next_entry(tmp_path: Path) -> None:
    definitions = ("Log == ndJsonDeserialize(IOEnv.JSON)", r"Next == l < Len(Log) /\ l' = l + 1 /\ x' = 0")
    expected = Position(expression="l + 1", entries="Log")
    assert reader(tmp_path, *definitions, position="l").position == expected


def test_a_position_is_an_expression_over_variables(tmp_path: Path) -> None:
    definitions = ("Log == ndJsonDeserialize(IOEnv.JSON)", NEXT)
    assert reader(tmp_path, *definitions, position="x + 1").position == Position(expression="x + 1")
    with pytest.raises(InputError, match="depends on no variable") as error:
        reader(tmp_path, *definitions, position="1 + 2")
    assert (error.value.code, error.value.where) == ("log-position", "sweep.toml:position")
