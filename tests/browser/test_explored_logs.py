"""The explorer on logs in a real browser: the line beside each step, and the line that no step explains."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests import command
from tests.browser.chromium import Tab
from tests.browser.test_explorer import ROOT, browser, press, show, tab, text, texts

pytestmark = [pytest.mark.java, pytest.mark.browser]

__all__ = ["browser", "tab"]

LOG = """\
{"action": "RMPrepare", "args": {"r": "rm1"}}
{"action": "RMPrepare", "args": {"r": "rm2"}, "note": "<b>bold</b>"}
{"action": "TMCommit"}
"""


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The address of the report of a log that the specification does not explain."""
    folder: Path = tmp_path_factory.mktemp("logs")
    shutil.copy(ROOT / "specs/two_phase/TwoPhase.tla", folder)
    (folder / "a.ndjson").write_text(LOG)
    asked = ("validate", "TwoPhase.tla", "a.ndjson", "-c", "RM={rm1, rm2}", "-o", "store")
    assert command.run(*asked, cwd=folder).code == 1
    assert command.run("report", "store", "-o", "page.html", cwd=folder).code == 0
    return (folder / "page.html").as_uri()


def test_each_step_has_the_line_that_it_explains(tab: Tab, page: str) -> None:
    show(tab, page, "#state=1")
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
