"""Notebooks in a real browser: the explorer in JupyterLab itself, whose widget is used, and displays under its style sheets."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.browser.chromium import Tab
from tests.browser.test_explorer import press, sweep_relay, text

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


# Before JupyterLab is open: a page with an unsaved notebook asks whether it may be left.
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


TOKEN = "of-this-test-alone"
CELLS = (
    'import tla2py\nstore = tla2py.open_store("store")\nexplorer = store.explore(3, compare=store)\nexplorer',
    'print("shown:", explorer.number, explorer.index, explorer.state.action)',
)


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a notebook in JupyterLab, which has not been run."""
    folder = tmp_path_factory.mktemp("lab")
    sweep_relay(folder)
    empty: dict[str, object] = {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None}
    cells = [{**empty, "id": f"cell-{number}", "source": source} for number, source in enumerate(CELLS)]
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    book = {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}
    (folder / "book.ipynb").write_text(json.dumps(book))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    options = ("--no-browser", "--allow-root", f"--ServerApp.port={port}")
    names = ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR")
    environment = os.environ | {name: str(folder / "jupyter" / name) for name in names}
    with (
        (folder / "server.log").open("wb") as log,
        subprocess.Popen(
            [sys.executable, "-m", "jupyterlab", *options, f"--IdentityProvider.token={TOKEN}"],
            cwd=folder,
            env=environment,
            stdout=log,
            stderr=log,
        ) as server,
    ):
        try:
            _wait_for(port, server, folder / "server.log")
            yield f"http://127.0.0.1:{port}/lab/tree/book.ipynb?token={TOKEN}"
        finally:
            server.terminate()
            server.wait(60)


def _wait_for(port: int, server: subprocess.Popen[bytes], log: Path) -> None:
    while True:
        assert server.poll() is None, log.read_text()
        with socket.socket() as asked:
            if asked.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)


def run_cell(tab: Tab, number: int) -> None:
    """Run a cell as a user does."""
    tab.click(f".jp-Notebook .jp-Cell:nth-child({number} of .jp-Cell) .cm-content")
    # JupyterLab asks which kernel to take if one is still starting.
    tab.wait_for(
        "document.querySelector('#jp-bottom-panel, #jp-main-statusbar').textContent.includes('Idle')"
    )
    press(tab, "Enter", modifiers=8, windowsVirtualKeyCode=13)


def test_the_explorer_in_jupyterlab(browser: Tab, lab: str) -> None:
    tab = browser
    tab.look()
    tab.open(lab)
    tab.wait_for("document.querySelectorAll('.jp-Notebook .jp-Cell .cm-content').length === 2")
    run_cell(tab, 1)
    tab.wait_for("document.querySelector('.x-head [role=status]')?.textContent === 'state 4 of 4'")
    tab.click(".x-step:nth-child(2)")
    tab.wait_for("document.querySelector('.x-head [role=status]').textContent === 'state 2 of 4'")
    press(tab, "j")
    tab.wait_for("document.querySelector('.x-head [role=status]').textContent === 'state 3 of 4'")
    # The kernel runs TLC.
    tab.run(
        "[...document.querySelectorAll('.x-ask button')].find((each) => each.textContent.trim() === 'conjuncts').click()"
    )
    tab.wait_for("document.querySelector('.x-timeline').textContent.includes('FALSE')")
    assert "The same point of store: 3: violated" in text(tab, "#x-compare")
    run_cell(tab, 2)
    said = "[...document.querySelectorAll('.jp-OutputArea-output')].at(-1).textContent"
    tab.wait_for(f"{said}.includes('shown:')")
    assert str(tab.run(said)).split() == ["shown:", "0", "3", "Count"]
