"""Displays in an executed notebook, under the style sheets of JupyterLab, in a real browser."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.browser.chromium import Tab

pytestmark = pytest.mark.browser

STATES = [
    {"clock": clock, "queue": {"#tup": queue}} for clock, queue in ((1, [1, 2]), (2, [2, 3]), (2, [2, 3, 4]))
]
ITF = {"vars": ["clock", "queue"], "states": STATES}
CELL = "import tla2py\ntrace = tla2py.open_store('trace.itf.json').trace(1)\ndisplay(trace, trace.diff(1, 2), trace.state(1))"
COMPUTED = """(selector, property) =>
[...new Set([...document.querySelectorAll(".jp-OutputArea-output " + selector)].map((one) => getComputedStyle(one)[property]))]"""


def computed(tab: Tab, selector: str, name: str) -> list[str]:
    found = tab.run(f"({COMPUTED})({selector!r}, {name!r})")
    assert isinstance(found, list)
    return found


def test_each_display_wraps_as_a_terminal_does(browser: Tab, tmp_path: Path) -> None:
    (tmp_path / "trace.itf.json").write_text(json.dumps(ITF))
    cell: dict[str, object] = {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None}
    cell["source"] = CELL
    book = {"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 4}
    (tmp_path / "book.ipynb").write_text(json.dumps(book))
    options = ("--execute", "--to", "html", "--template", "lab")
    subprocess.run([sys.executable, "-m", "nbconvert", *options, "book.ipynb"], cwd=tmp_path, check=True)
    tab = browser
    tab.open((tmp_path / "book.html").as_uri())
    assert tab.run("document.querySelectorAll('.jp-OutputArea-output pre[style]').length") == 3
    assert computed(tab, "pre[style]", "whiteSpace") == ["pre-wrap"]
    wider = "[...document.querySelectorAll('.jp-OutputArea-output')].filter((one) => one.scrollWidth > one.clientWidth).length"
    assert tab.run(wider) == 0
    # Changed values keep their colour.
    assert len(computed(tab, "pre[style] span", "color")) > 1
