"""The explorer on mutants in a real browser: the changed source beside a counterexample."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests import command
from tests.browser.chromium import Tab
from tests.browser.test_explorer import browser, press, show, tab, text

pytestmark = [pytest.mark.java, pytest.mark.browser]

__all__ = ["browser", "tab"]

MODULE = """---- MODULE Clock ----
EXTENDS Naturals
VARIABLES x, said
Init == x = 0 /\\ said = "<b>1</b>"
Next == /\\ x < 3
        /\\ x' = x + 1
        /\\ UNCHANGED said
Small == x <= 3 /\\ said = "<b>1</b>"
====
"""
GIVEN = [
    {"module": "Clock", "line": 5, "column": 12, "before": "x < 3", "after": "x < 9"},
    {"module": "Clock", "line": 4, "column": 25, "before": '"<b>1</b>"', "after": '"<b>2</b>"'},
]


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The address of the report of two mutants that an invariant notices."""
    folder: Path = tmp_path_factory.mktemp("mutants")
    (folder / "Clock.tla").write_text(MODULE)
    (folder / "Clock.cfg").write_text("INIT Init\nNEXT Next\nINVARIANT Small\nCHECK_DEADLOCK FALSE\n")
    (folder / "given.ndjson").write_text("".join(json.dumps(each) + "\n" for each in GIVEN))
    asked = ("mutate", "Clock.tla", "--from", "given.ndjson", "-o", "store", "--executor", "local")
    assert command.run(*asked, cwd=folder).code == 0
    assert command.run("report", "store", "-o", "page.html", cwd=folder).code == 0
    return (folder / "page.html").as_uri()


def test_a_mutant_shows_what_it_changes(tab: Tab, page: str) -> None:
    show(tab, page)
    shown = {text(tab, ".x-mutant")}
    press(tab, "]")
    tab.wait_for(f"document.querySelector('.x-mutant').innerText !== {json.dumps(next(iter(shown)))}")
    shown.add(text(tab, ".x-mutant"))
    assert shown == {
        "given at Clock:5 in Next: Next == /\\ x < 3 Next == /\\ x < 9",
        'given at Clock:4 in Init: Init == x = 0 /\\ said = "<b>1</b>" Init == x = 0 /\\ said = "<b>2</b>"',
    }
    # What a module says stays text.
    assert tab.run("document.querySelector('.x-mutant b')") is None
