"""The explorer in JupyterLab itself: a notebook is run there, the widget is used, and Python reads what is shown."""

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
