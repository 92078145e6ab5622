"""The explorer on large stores in a real browser: long and wide traces, many counterexamples, many points."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests import command
from tests.browser.chromium import Tab
from tests.browser.test_explorer import ROOT, press, reported, show, text, texts
from tests.conftest import spec
from tests.docs.blocks import blocks

pytestmark = pytest.mark.browser

# At any time, whatever the store.
MOST_NODES = 6000
NODES = "document.querySelectorAll('*').length"


def report(folder: Path, module: str, sweep: str, code: int = 1) -> Path:
    name = module.split()[2]
    (folder / f"{name}.tla").write_text(module)
    (folder / "sweep.toml").write_text(f'module = "{name}.tla"\n{sweep}')
    asked = ("sweep", "sweep.toml", "--executor", "local", "-o", "store", "--no-lint")
    command.run(*asked, cwd=folder, code=code)
    reported(folder)
    return folder / "page.html"


def wide_report(folder: Path) -> Path:
    """The report of a counterexample of 400 states with 24 variables."""
    sweep = '[model]\ninit = "Init"\nnext = "Next"\ninvariants = ["Short"]\ncheck_deadlock = false\n'
    return report(folder, spec("explorer/Wide"), sweep)


def lease_report(folder: Path) -> Path:
    """The report of the lease of the docs at 500 points."""
    (lease,) = [each.text for each in blocks(ROOT / "docs/howto/lease.md") if each.language == "tla"]
    sweep = (
        '[model]\ninvariants = ["Exclusive"]\n[parameters]\n'
        'Clients = { model_values = "c", sizes = [1, 2, 3, 4] }\n'
        "Term = { from = 1, to = 5 }\nLate = { from = 0, to = 4 }\nGrace = { from = 0, to = 4 }\n"
        '[tlc]\nmemory = "256MiB"\n'
    )
    return report(folder, lease, sweep)


def test_400_states_of_24_variables(tab: Tab, tmp_path: Path) -> None:
    page = wide_report(tmp_path).as_uri()
    show(tab, page)
    assert text(tab, ".x-head [role=status]") == "state 400 of 400"
    show(tab, page, "#state=1")
    tab.wait_for("document.querySelector('.x-head [role=status]').textContent === 'state 1 of 400'")
    pane = "document.querySelector('.x-timeline .x-scroll')"
    for share in (0.25, 0.5, 0.75, 1):
        tab.run(f"{pane}.scrollTo({pane}.scrollWidth * {share}, {pane}.scrollHeight * {share})")
        tab.wait_for(f"{pane}.querySelector('.x-cell') !== null")
        assert tab.run(NODES) <= MOST_NODES
    for _ in range(3):
        press(tab, "j")
    tab.wait_for("document.querySelector('.x-head [role=status]').textContent === 'state 4 of 400'")
    assert [each.split()[0] for each in texts(tab, ".x-changes li")] == ["v01", "v03"]
    assert tab.run(NODES) <= MOST_NODES


def test_60_counterexamples_of_3_kinds(tab: Tab, tmp_path: Path) -> None:
    sweep = (
        '[model]\ninit = "Init"\nnext = "Next"\ninvariants = ["Few"]\ncheck_deadlock = false\n'
        '[parameters]\nN = { from = 1, to = 60 }\n[tlc]\nmemory = "256MiB"\n'
    )
    page = report(tmp_path, spec("explorer/Many"), sweep)
    show(tab, page.as_uri())
    kinds = texts(tab, ".x-kinds > li")
    assert len(kinds) == 3
    assert {str(re.findall(r"Red|Green|Blue", each)[0]) for each in kinds} == {"Red", "Green", "Blue"}
    assert ["20 counterexamples" in each for each in kinds] == [True] * 3
    first = text(tab, ".x-head h3")
    press(tab, "]")
    tab.wait_for(f"document.querySelector('.x-head h3').textContent !== {json.dumps(first)}")
    assert tab.run(NODES) <= MOST_NODES
    assert page.stat().st_size <= 500 * 1024


@pytest.mark.parametrize(
    ("specification", "marks", "end"), [("Fair", {"", "↻", "│"}, "state 2"), ("Lazy", {""}, "stutter")]
)
def test_behaviours_without_end(
    tab: Tab, tmp_path: Path, specification: str, marks: set[str], end: str
) -> None:
    sweep = f'[model]\nspecification = "{specification}"\nproperties = ["Ends"]\ncheck_deadlock = false\n'
    show(tab, report(tmp_path, spec("explorer/Endless"), sweep).as_uri(), "#state=1")
    assert {*texts(tab, ".x-step .x-loop")} == marks
    assert end in text(tab, ".x-steps .x-end").lower()
    press(tab, "n")
    if specification == "Fair":
        press(tab, "j")
        # What leads back is a step of its own.
        closing = "[...document.querySelectorAll('.x-changes')].find((each) => each.ariaLabel.includes('closes the loop'))"
        tab.wait_for(f"{closing} !== undefined")
        assert tab.run(f"{closing}.textContent").split() == ["x", "2", "1"]


@pytest.mark.long
def test_500_points(tab: Tab, tmp_path: Path) -> None:
    page = lease_report(tmp_path)
    show(tab, page.as_uri())
    assert tab.run(NODES) <= MOST_NODES
    assert page.stat().st_size <= 500 * 1024
    assert "500 points" in text(tab, "main")
