"""The sweeps of the systems in full: as expected, each counterexample confirmed by TLC itself and shown by the explorer."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.browser.chromium import Tab, chromium
from tests.browser.test_explorer import press, text, texts
from tests.browser.test_stress import MOST_NODES, NODES
from tests.conftest import RunCli
from tests.systems.rows import SPECS
from tla2py import open_store

pytestmark = pytest.mark.reference

# The one point of large.toml alone takes up to half an hour.
SWEEPS = sorted(path for path in SPECS.glob("*/*.toml") if path.stem != "large")


@pytest.fixture(scope="module")
def tab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tab]:
    with chromium(tmp_path_factory.mktemp("chromium")) as tab:
        tab.look()
        yield tab


@pytest.mark.parametrize("sweep", SWEEPS, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_tlc_confirms_what_a_sweep_found(sweep: Path, tmp_path: Path, run_cli: RunCli, tab: Tab) -> None:
    store = tmp_path / "store"
    run_cli("sweep", sweep, "--executor", "local", "-o", store, code=0)
    run_cli("trace", store, "--verify", code=0)
    assert run_cli("report", store, "-o", tmp_path / "page.html").code == 0
    look(tab, tmp_path / "page.html", store)


def look(tab: Tab, page: Path, store: Path) -> None:
    """Open a report, and step through the counterexample that it shows."""
    tab.problems.clear()
    tab.open(page.as_uri())
    tab.wait_for("document.querySelector('#x-points [role=rowheader]') !== null")
    kinds = open_store(store).kinds().kinds
    assert len(texts(tab, ".x-kinds > li")) == len(kinds)
    if kinds:
        tab.wait_for("document.querySelector('.x-panes') !== null")
        # "state 8 of 9": a counterexample opens where it violates what it does.
        shown, length = (int(word) for word in text(tab, ".x-head [role=status]").split() if word.isdigit())
        assert length == kinds[0].shortest.length
        for state in range(shown - 1, max(shown - 4, 0), -1):
            press(tab, "k")
            tab.wait_for(f"document.querySelector('.x-state h4').textContent === 'State {state}'")
    assert tab.run(NODES) <= MOST_NODES
    assert tab.problems == []
