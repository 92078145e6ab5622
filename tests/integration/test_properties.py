"""Properties that TLC takes apart: what is violated goes by the name that was checked, wherever TLC points."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

import tla2py
from tests.conftest import RunCli

PARTS = r"""---- MODULE Parts ----
EXTENDS Naturals
CONSTANT Broken
VARIABLES x, y
vars == <<x, y>>
Init == x = 0 /\ y = (IF Broken = "init" THEN 1 ELSE 0)
Next == /\ x < 4
        /\ x' = x + 1
        /\ y' = IF Broken = "step" /\ x = 2 THEN 7 ELSE x
Spec == Init /\ [][Next]_vars
Always == [](y < 3)
Both == y = 0 /\ [](x < (IF Broken = "state" THEN 3 ELSE 9)) /\ [][y' <= y + 1]_vars
Fine == y < 99
Grows == [][x' >= x]_vars
Low == x < 4
Named == []Low /\ [][y' <= y + 9]_vars
Stops == Assert(x < 4, "x")
====
"""
SWEEP = """module = "Parts.tla"
[model]
specification = "Spec"
invariants = ["Low"]
properties = [{}]
check_deadlock = false
[parameters]
Broken = {broken}
[tlc]
find = "each"
[expect]
violates = ["Both", "Low"]
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "Parts.tla").write_text(PARTS.replace("EXTENDS Naturals", "EXTENDS Naturals, TLC"))
    return tmp_path


def violated(folder: Path) -> list[list[str]]:
    """What the JUnit report says is violated as expected, by point."""
    said = [case.findtext("system-out", "") for case in ET.parse(folder / "junit.xml").iter("testcase")]
    return [sorted(re.findall(r"(?m)^(.*) is violated in .*, as expected$", text)) for text in said]


@pytest.mark.parametrize(
    ("properties", "broken"),
    [
        ('"Both"', ["step"]),
        pytest.param('"Grows", "Both"', ["init", "state", "step"], marks=pytest.mark.long),
    ],
)
def test_a_conjunct_goes_by_the_name_of_its_property(
    run_cli: RunCli, folder: Path, properties: str, broken: list[str]
) -> None:
    """With one property there is nothing to choose from; of several each is checked alone. Then the search goes on."""
    (folder / "s.toml").write_text(SWEEP.format(properties, broken=[f'"{each}"' for each in broken]))
    run_cli("gate", "s.toml", "--executor", "local", "--junit", "junit.xml", cwd=folder, code=0)
    store = tla2py.open_store(folder / "runs" / "s")
    found = [
        [violation["name"] for violation in row["violated"]]
        for row in store.arrow("runs").sort_by("point").to_pylist()
    ]
    assert found == [["Both", "Low"]] * len(broken)
    assert {trace["name"] for trace in store.arrow("traces").to_pylist()} == {"Both", "Low"}
    assert violated(folder) == [["invariant Low", "property Both"]] * len(broken)
    verified = run_cli("trace", "runs/s", "--verify", cwd=folder)
    assert (verified.code, verified.stdout.count("confirmed")) == (0, 2 * len(broken)), verified


@pytest.mark.parametrize("find", ["each", "first"])
def test_a_conjunct_with_a_name_goes_by_that_of_its_property(
    run_cli: RunCli, folder: Path, find: str
) -> None:
    """Though it is an invariant of its own too, and others are violated besides."""
    text = SWEEP.format('"Grows", "Named", "Both"', broken=['"step"']).replace('"each"', f'"{find}"')
    if find == "first":
        text = text.replace('invariants = ["Low"]\n', "").replace('"Grows", ', "").replace(', "Both"]', "]")
        text = text.replace('violates = ["Both", "Low"]', 'violates = ["Named"]')
    else:
        text = text.replace('violates = ["Both", "Low"]', 'violates = ["Both", "Named", "Low"]')
    (folder / "s.toml").write_text(text)
    run_cli("gate", "s.toml", "--executor", "local", "--junit", "junit.xml", cwd=folder, code=0)
    [found] = violated(folder)
    assert {*found} == {"property Named"} | ({"property Both", "invariant Low"} if find == "each" else set())


def test_a_property_of_every_state_is_confirmed_as_one(run_cli: RunCli, folder: Path) -> None:
    text = SWEEP.format('"Always"', broken=['"step"']).replace('"Both", ', '"Always", ')
    (folder / "s.toml").write_text(text)
    run_cli("gate", "s.toml", "--executor", "local", cwd=folder, code=0)
    verified = run_cli("trace", "runs/s", "--verify", cwd=folder)
    assert (verified.code, verified.stdout.count("confirmed")) == (0, 2), verified


def test_nothing_is_said_of_what_a_search_that_ended_left_open(run_cli: RunCli, folder: Path) -> None:
    """An Assert cannot be left out of a config, so that the search for each violation ends with it."""
    text = SWEEP.format("", broken=['"step"']).replace('"Low"', '"Stops", "Low"', 1)
    (folder / "s.toml").write_text(text[: text.index("[expect]")] + '[expect]\nverdict = "holds"\n')
    run_cli("gate", "s.toml", "--executor", "local", "--junit", "junit.xml", cwd=folder, code=1)
    [failure] = ET.parse(folder / "junit.xml").findall(".//testcase/*")
    assert "no answer on invariant Low" in str(failure.text)


def test_the_table_of_several_sweeps_says_what_is_open(run_cli: RunCli, folder: Path) -> None:
    """Where the first violation ended the search, of what else was checked nobody knows."""
    text = SWEEP.format("", broken=['"none"']).replace('"Low"', '"Low", "Fine"', 1)
    (folder / "all.toml").write_text(text.replace('["Both", "Low"]', '["Low"]'))
    (folder / "one.toml").write_text(text.replace('"each"', '"first"').replace('["Both", "Low"]', '["Low"]'))
    ended = run_cli("sweep", "all.toml", "one.toml", "--executor", "local", cwd=folder, code=0)
    fine = [line.split()[-4:] for line in ended.stdout.splitlines() if "Fine" in line]
    assert [("holds" in line, "undecided" in line) for line in fine] == [(True, False), (False, True)], ended
