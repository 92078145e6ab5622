"""Logs and mutants in the explorer, and its bundle."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from tests import command
from tests.browser.chromium import Tab
from tests.browser.test_explorer import ROOT, press, reported, show, text, texts
from tests.conftest import SPECS

pytestmark = pytest.mark.browser

LOG = """\
{"action": "RMPrepare", "args": {"r": "rm1"}}
{"action": "RMPrepare", "args": {"r": "rm2"}, "note": "<b>bold</b>"}
{"action": "TMCommit"}
"""


def test_each_step_has_the_line_that_it_explains(tab: Tab, tmp_path: Path) -> None:
    shutil.copy(ROOT / "specs/two_phase/TwoPhase.tla", tmp_path)
    (tmp_path / "a.ndjson").write_text(LOG)
    asked = ("validate", "TwoPhase.tla", "a.ndjson", "-c", "RM={rm1, rm2}", "-o", "store")
    assert command.run(*asked, cwd=tmp_path).code == 1
    show(tab, reported(tmp_path), "#state=1")
    first, *others = texts(tab, ".x-step")
    assert "initial state" in first
    lines = LOG.splitlines()
    assert [step.partition("{")[2] for step in others] == [line[1:] for line in lines[:2]]
    press(tab, "j")
    tab.wait_for("document.querySelector('.x-log') !== null")
    assert text(tab, ".x-log") == f"log line 1: {lines[0]}"
    press(tab, "j")
    tab.wait_for("document.querySelectorAll('.x-log').length === 2")
    assert texts(tab, ".x-log") == [f"log line 2: {lines[1]}", f"no step explains log line 3: {lines[2]}"]
    # The log's markup stays text.
    assert tab.run("document.querySelector('.x-log b')") is None


GIVEN = [
    {"module": "Clock", "line": 5, "column": 12, "before": "x < 3", "after": "x < 9"},
    {"module": "Clock", "line": 4, "column": 25, "before": '"<b>1</b>"', "after": '"<b>2</b>"'},
]


def test_a_mutant_shows_what_it_changes(tab: Tab, tmp_path: Path) -> None:
    shutil.copy(SPECS / "explorer/Clock.tla", tmp_path)
    (tmp_path / "Clock.cfg").write_text("INIT Init\nNEXT Next\nINVARIANT Small\nCHECK_DEADLOCK FALSE\n")
    (tmp_path / "given.ndjson").write_text("".join(json.dumps(each) + "\n" for each in GIVEN))
    asked = ("mutate", "Clock.tla", "--from", "given.ndjson", "-o", "store", "--executor", "local")
    assert command.run(*asked, cwd=tmp_path).code == 0
    show(tab, reported(tmp_path))
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


@pytest.mark.long
def test_building_the_bundle_anew_gives_the_same_bytes(tmp_path: Path) -> None:
    node = ROOT / ".venv" / "web" / "bin" / "node"
    subprocess.run([node, "build.mjs", tmp_path], cwd=ROOT / "web", check=True)
    bundle = ROOT / "tla2py" / "view" / "bundle"
    built, committed = (
        {path.name: path.read_bytes() for path in each.iterdir()} for each in (tmp_path, bundle)
    )
    assert built == committed
