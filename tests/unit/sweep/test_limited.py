"""Other values for this time: the grid that they make, and that their runs are those of a file with these values."""

from __future__ import annotations

from pathlib import Path

import pytest

from tla2py.errors import InputError
from tla2py.sweep.limited import chosen_places
from tla2py.sweep.load import load_sweep
from tla2py.sweep.plan import plan_sweep

MODULE = r"""---- MODULE Grid ----
EXTENDS Naturals
CONSTANTS A, B, C
VARIABLE x
Limit == x < 5
Spec == x = 0 /\ [][x' = A + B + C /\ Limit]_x
Other == x = 1 /\ [][UNCHANGED x]_x
====
"""
FILE = """\
module = "Grid.tla"
[constants]
C = 7
[substitutions]
Limit = "x < 6"
[environment]
LOG = "one"
[parameters]
A = [1, 2, 3]
B = [1, 2, 3]
[grid]
zip = [["A", "B"]]
include = [{ A = 9, B = 9 }]
exclude = [{ A = 2 }]
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    (tmp_path / "Grid.tla").write_text(MODULE)
    path = tmp_path / "sweep.toml"
    path.write_text(FILE)
    return path


def points(file: Path, *settings: str) -> list[dict[str, str]]:
    """The points in order."""
    return [dict(point.parameters) for point in load_sweep(file, settings=settings).points]


def test_a_value_and_a_list_of_values(file: Path) -> None:
    assert points(file) == [{"A": "1", "B": "1"}, {"A": "3", "B": "3"}, {"A": "9", "B": "9"}]
    # A constant becomes a parameter, at included points too.
    assert [each["C"] for each in points(file, "C=[0, 1]")] == ["0", "1"] * 3
    # One value does not advance with others, and what is included has other values.
    assert points(file, "A=5") == [{"A": "5", "B": text} for text in "123"]
    assert points(file, "A=[5, 6, 2]") == [{"A": "5", "B": "1"}, {"A": "6", "B": "2"}]
    assert points(file, "A = 5", "B=4", "A=6") == [{"A": "6", "B": "4"}]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("{b1, b2}", ["{b1, b2}"]),
        ("[a |-> 1]", ["[a |-> 1]"]),
        ("[{1, 2} -> {3}]", ["[{1, 2} -> {3}]"]),
        ("<<1, 2>>", ["<<1, 2>>"]),
        ("TRUE", ["TRUE"]),
        ("1 = 1", ["1 = 1"]),
        ("[true, false]", ["TRUE", "FALSE"]),
        ('["{b1}", "<<>>", 3]', ["{b1}", "<<>>", "3"]),
    ],
)
def test_a_value_is_tla_unless_it_is_a_list_of_toml(text: str, values: list[str], file: Path) -> None:
    found = points(file, f"C={text}", "A=1", "B=1")
    assert [each["C"] for each in found] == values


@pytest.mark.parametrize(
    ("section", "setting"),
    [
        ('C = 7|C = "{c1, c2}"', "C={c1, c2}"),
        ("C = 7|C = 7", "C=7"),
        ("C = 7|C = -3", "C=-3"),
        ('Limit = "x < 6"|Limit = "x < A"', "Limit=x < A"),
        ('LOG = "one"|LOG = "two"', "environment.LOG=two"),
        ('[constants]|[model]\nspecification = "Other"\n[constants]', "specification=Other"),
        ("[constants]|[model]\ncheck_deadlock = false\n[constants]", "check_deadlock=FALSE"),
    ],
)
def test_the_runs_are_those_of_a_file_with_the_value(section: str, setting: str, file: Path) -> None:
    before, after = section.split("|")
    given = plan_sweep(load_sweep(file, settings=[setting]), "0" * 64).runs.ids
    same = plan_sweep(load_sweep(file), "0" * 64).runs.ids == given
    assert same == (before == after)
    assert before in FILE
    file.write_text(FILE.replace(before, after))
    assert list(plan_sweep(load_sweep(file), "0" * 64).runs.ids) == list(given)


@pytest.mark.parametrize(
    ("setting", "code", "where"),
    [
        ("C", "constant-syntax", None),
        ("=1", "constant-syntax", None),
        ("C=[1.5]", "wrong-type", None),
        ("C=[[1]]", "wrong-type", None),
        ("C=[]", "empty-parameter", "--set C=..."),
        ("C=[1, 1]", "duplicate-point", "--set C=..."),
        ("D=1", "unknown-parameter", "--set D=..."),
        ("A=[1, 2]", "grid-key", "sweep.toml:12:1"),
        ("specification=Spek", "unknown-definition", "--set specification=..."),
    ],
)
def test_a_setting_that_cannot_be(setting: str, code: str, where: str | None, file: Path) -> None:
    with pytest.raises(InputError) as raised:
        plan_sweep(load_sweep(file, settings=[setting]), "0" * 64)
    found = raised.value.where
    assert (raised.value.code, found and found.removeprefix(f"{file.parent}/")) == (code, where)


def test_a_list_of_points() -> None:
    assert chosen_places("3,5-7, 1", 9) == (2, 4, 5, 6, 0)
    for text in ("5-3", "", "x", "1,,2", "-1"):
        with pytest.raises(InputError, match="not a list of points"):
            chosen_places(text, 9)
    for text in ("0", "10", "8-10"):
        with pytest.raises(InputError, match="the sweep has no point"):
            chosen_places(text, 9)
