"""The explorer's server in a real browser: what TLC answers, and the same point of another store."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import command
from tests.browser.chromium import Tab
from tests.browser.test_explorer import RELAY, axe_findings, show, sweep_relay, text, texts
from tests.conftest import COUNTER

pytestmark = pytest.mark.browser

# A node that is alone stops at two, so that the invariant holds at point 3.
MENDED = RELAY.replace("/\\ count[n] < Max", "/\\ count[n] < Max\n  /\\ Nodes = {n} => count[n] < 2")
STATUS = ".x-ask [role=status]"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the stores of a specification before and after it was mended."""
    folder = tmp_path_factory.mktemp("served")
    for name, module, code in (("before", RELAY, 0), ("after", MENDED, 1)):
        sweep_relay(folder / name, module, f"../runs/{name}", code)
    return folder


@pytest.fixture(scope="module")
def address(folder: Path) -> Iterator[str]:
    """The address of the server of the one, compared with the other."""
    ask = ("-m", "tla2py", "explore", "runs/before", "--no-browser", "--compare", "runs/after")
    with subprocess.Popen([sys.executable, *ask], cwd=folder, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        yield server.stdout.readline().strip()
        server.send_signal(signal.SIGINT)
        assert server.wait(60) == 130


@pytest.fixture
def tab(browser: Tab, address: str) -> Iterator[Tab]:
    """The page, which has nothing to complain of when the test is over, and asked nobody else."""
    browser.look()
    browser.problems.clear()
    show(browser, address, "#trace=3/1&state=3")
    browser.wait_for("document.querySelector('.x-head [role=status]').textContent.startsWith('state 3')")
    yield browser
    assert [each for each in browser.problems if not each.startswith(address.rsplit("#")[0])] == []


def ask(tab: Tab, name: str, answer: str) -> None:
    """Press a button of *Ask TLC*, and wait until an expression is true."""
    tab.run(
        "[...document.querySelectorAll('.x-ask button, #x-compare button')]"
        f".find((each) => each.textContent.startsWith({name!r})).click()"
    )
    tab.wait_for(answer)


def test_conjuncts_are_rows(tab: Tab) -> None:
    ask(tab, "conjuncts", "document.querySelector('.x-timeline').textContent.includes('FALSE')")
    assert "count[n] < 3" in text(tab, ".x-timeline")


def test_an_expression_is_a_row_of_all_counterexamples_that_are_looked_at(tab: Tab) -> None:
    tab.type(".x-ask input", "Cardinality(sent)")
    ask(tab, "evaluate", "document.querySelector('.x-timeline').textContent.includes('Cardinality(sent)')")
    tab.wait_for(f"document.querySelector({STATUS!r}).textContent === ''")
    tab.run("document.querySelector('.x-members button:nth-child(2)').click()")
    tab.wait_for("document.querySelector('.x-head h3').textContent.includes('point 6')")
    tab.wait_for("document.querySelector('.x-timeline').textContent.includes('Cardinality(sent)')")
    tab.click(".x-ask li button")
    tab.wait_for("!document.querySelector('.x-timeline').textContent.includes('Cardinality(sent)')")
    tab.run("document.querySelector('.x-members button:nth-child(1)').click()")
    tab.wait_for("document.querySelector('.x-head h3').textContent.includes('point 3')")
    assert "Cardinality(sent)" not in text(tab, ".x-timeline")


def test_an_expression_that_is_wrong_says_why(tab: Tab) -> None:
    tab.type(".x-ask input", "Cardinalty(sent)")
    ask(tab, "evaluate", f"document.querySelector({STATUS!r}).textContent.includes('Cardinalty')")


def test_other_successors(tab: Tab) -> None:
    ask(tab, "successors", "document.querySelector('.x-successors') !== null")
    assert "One state follows state 3." in text(tab, ".x-successors")
    assert "Count" in text(tab, ".x-successors li")
    assert "not enabled: Overflow" in text(tab, ".x-successors")


def test_arguments_and_confirmation(tab: Tab) -> None:
    ask(tab, "arguments", "document.querySelector('.x-steps').textContent.includes('Count(')")
    ask(tab, "confirm", f"document.querySelector({STATUS!r}).textContent.startsWith('confirmed')")


def test_a_replay_at_the_nearest_point_that_holds(tab: Tab) -> None:
    assert "Max = 2 instead of 10" in text(tab, "#x-compare p")
    ask(tab, "replay there", "document.querySelector('#x-compare').textContent.includes('not possible')")
    assert "count[n] < Max is FALSE" in text(tab, "#x-compare p")


def test_a_step_whose_action_leads_elsewhere(tab: Tab, address: str) -> None:
    # Another node counts in this step; the first counts on where it may.
    show(tab, address, "#trace=6/1")
    ask(tab, "replay there", "document.querySelector('#x-compare').textContent.includes('not possible')")
    assert "Count is enabled there, but does not lead to this state" in text(tab, "#x-compare p")


def test_the_same_point_of_another_store_that_holds(tab: Tab) -> None:
    same = "#x-compare p:nth-of-type(2)"
    assert "The same point of runs/after: 3: holds" in text(tab, same)
    tab.click(f"{same} button")
    tab.wait_for(f"document.querySelector({same!r}).textContent.includes('not possible')")
    assert "Nodes = {n} => count[n] < 2 is FALSE" in text(tab, same)
    # What was said of one counterexample is not said of the next.
    tab.run("document.querySelector('.x-members button:nth-child(2)').click()")
    tab.wait_for("document.querySelector('.x-head h3').textContent.includes('point 6')")
    assert "not possible" not in text(tab, "#x-compare")


def test_a_walk_through_a_point_that_holds(tab: Tab) -> None:
    tab.choose("#x-walk select", "4")
    for button, said, changes in (
        ("#x-walk .x-tools button", "1 initial state", "count = (a :> 0 @@ b :> 0)"),
        ("#x-walk .x-successors .x-name", "2 states may follow:", "count[a]: 0 -> 1"),
        ("#x-walk .x-successors .x-name", "1 state may follow:", "count[b]: 0 -> 1"),
        ("#x-walk .x-successors .x-name", "No step is possible.", ""),
    ):
        tab.click(button)
        tab.wait_for(f"document.querySelector('#x-walk .x-successors > p')?.textContent === {said!r}")
        assert changes in text(tab, "#x-walk ul")
    assert texts(tab, "#x-walk ol button") == ["1 initial state", "2 Count", "3 Count"]
    assert "count = (a :> 1 @@ b :> 1)" in text(tab, "#x-walk pre")
    assert text(tab, "#x-walk .x-successors > .x-dim") == "not enabled: Count, Overflow"
    # Back to where both may count.
    tab.click("#x-walk ol button")
    tab.wait_for("document.querySelectorAll('#x-walk ul li').length === 2")


def test_a_counterexample_of_another_store(tab: Tab, address: str) -> None:
    show(tab, address, "#trace=6/1&there=6/1")
    tab.wait_for("document.querySelector('.x-beside') !== null")
    assert "point 6 of runs/after" in text(tab, ".x-beside thead")
    assert text(tab, ".x-beside caption") == "They take the same steps."
    # The workbench does not open counterexamples of the other store.
    assert tab.run("document.querySelectorAll('.x-beside td:nth-child(2) button').length") == 0
    tab.choose("#x-compare select", "")
    tab.wait_for("document.querySelector('.x-beside') === null")
    (name,) = tab.run(
        "[...document.querySelectorAll('#x-compare optgroup')].map((each) => each.label).slice(-1)"
    )
    assert name == "the same point of runs/after"


def test_a_report_has_the_other_store_inside(tab: Tab, folder: Path) -> None:
    command.run("report", "runs/before", "--compare", "runs/after", "-o", "page.html", cwd=folder, code=0)
    show(tab, (folder / "page.html").as_uri(), "#trace=6/1&there=6/1")
    tab.wait_for("document.querySelector('.x-beside') !== null")
    assert "point 6 of runs/after" in text(tab, ".x-beside thead")


@pytest.mark.parametrize("dark", [False, True])
def test_the_page_is_light_or_dark(tab: Tab, address: str, dark: bool) -> None:
    tab.look(dark=dark)
    assert axe_findings(tab, address) == []
    # Without the page's policy, which axe cannot run under, Chromium asks for an icon.
    tab.problems.clear()
    assert tab.run("matchMedia('(prefers-color-scheme: dark)').matches") == dark
    # The texts of the page's own, and of the explorer's.
    for selector in ("h1", ".x-step"):
        ink = tab.run(f"getComputedStyle(document.querySelector({selector!r})).color")
        assert (ink == "rgb(255, 255, 255)") == dark, selector
    tab.look(width=420, dark=dark)
    assert tab.run("document.documentElement.scrollWidth") <= 420


def test_long_names_of_configs_stay_within_a_narrow_page(browser: Tab, tmp_path: Path) -> None:
    (tmp_path / "Counter.tla").write_text(COUNTER)
    for number in (1, 2, 3):
        name = f"Counter_{'a_config_that_an_engineer_gave_a_long_name' * 2}_{number}.cfg"
        (tmp_path / name).write_text(f"SPECIFICATION Spec\nINVARIANT Small\nCONSTANT Max = {2 + number}\n")
    command.run("sweep", ".", "--executor", "local", "-o", "store", cwd=tmp_path, code=1)
    ask = ("-m", "tla2py", "explore", "store", "--no-browser")
    with subprocess.Popen([sys.executable, *ask], cwd=tmp_path, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            browser.look(width=700)
            show(browser, server.stdout.readline().strip())
            browser.wait_for("document.querySelector('#x-walk select') !== null")
            assert browser.run("document.documentElement.scrollWidth") <= 700
            titles = (
                "[...document.querySelectorAll('.x-list [role=gridcell][title]')].map((each) => each.title)"
            )
            assert sum("_a_config_that" in each for each in browser.run(titles)) == 3
        finally:
            server.send_signal(signal.SIGINT)
        assert server.wait(60) == 130
