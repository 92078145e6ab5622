"""The explorer in a real browser: each interaction performed, and what changed read; and no word on the console."""

from __future__ import annotations

import shutil
from pathlib import Path

import axe_core_python
import pytest

from tests import command
from tests.browser.chromium import Tab
from tests.conftest import SPECS, spec
from tests.integration.test_law_search import MODULE as COUNT
from tests.integration.test_law_search import SWEEP as COUNT_SWEEP
from tla2py.analysis.view import open_view

pytestmark = pytest.mark.browser

ROOT = Path(__file__).resolve().parent.parent.parent
PAGE = ROOT / "docs" / "kip320-first-try.html"

RELAY = spec("explorer/Relay")


def sweep_relay(folder: Path, module: str = RELAY, store: str = "store", code: int = 0) -> None:
    folder.mkdir(exist_ok=True)
    (folder / "Relay.tla").write_text(module)
    shutil.copy(SPECS / "explorer/relay.toml", folder / "sweep.toml")
    asked = ("sweep", "sweep.toml", "--executor", "local", "-o", store, "--no-lint")
    assert command.run(*asked, cwd=folder).code == code


def reported(folder: Path, *options: str) -> str:
    """The address of the report of the store in a folder."""
    command.run("report", "store", "-o", "page.html", *options, cwd=folder, code=0)
    return (folder / "page.html").as_uri()


LANES = ("--lanes", "Nodes", "--messages", "sent")


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The address of the report of a real sweep."""
    folder = tmp_path_factory.mktemp("report")
    sweep_relay(folder)
    return reported(folder, *LANES)


def text(tab: Tab, selector: str) -> str:
    return str(tab.run(f"document.querySelector({selector!r})?.textContent ?? ''"))


def texts(tab: Tab, selector: str) -> list[str]:
    return list(tab.run(f"[...document.querySelectorAll({selector!r})].map((each) => each.textContent)"))


def show(tab: Tab, page: str, fragment: str = "") -> None:
    """Open the page and wait until a counterexample is drawn."""
    tab.open(page + fragment)
    tab.wait_for("document.querySelector('.x-panes') !== null")


def press(tab: Tab, key: str, **more: int) -> None:
    for kind, typed in (("keyDown", key if len(key) == 1 else ""), ("keyUp", "")):
        tab.call("Input.dispatchKeyEvent", type=kind, key=key, text=typed, **more)


def drag(tab: Tab, *selectors: str) -> None:
    """Press the mouse in the first element, move over the others, and let go in the last."""
    for number, selector in enumerate(selectors):
        script = f"""(() => {{
            const found = document.querySelector({selector!r});
            if ({str(number == 0).lower()}) found.scrollIntoView({{block: "center"}});
            const box = found.getBoundingClientRect();
            return [box.x + box.width / 2, box.y + box.height / 2];
        }})()"""
        x, y = tab.run(script)
        mouse = {"x": x, "y": y, "button": "left"}
        tab.call("Input.dispatchMouseEvent", type="mouseMoved", buttons=int(number > 0), **mouse)
        if number == 0:
            tab.call("Input.dispatchMouseEvent", type="mousePressed", clickCount=1, **mouse)
    tab.call("Input.dispatchMouseEvent", type="mouseReleased", clickCount=1, **mouse)


def cell(row: int, column: int) -> str:
    """The selector of a cell of the map, from 1."""
    return f".x-map tbody tr:nth-child({row}) td:nth-child({column + 1})"


def points(tab: Tab) -> list[str]:
    return texts(tab, "#x-points [role=rowheader]")


def test_a_conjunct_of_a_law_sets_the_axes(tab: Tab, page: str) -> None:
    show(tab, page)
    assert "violated iff Max >= 10" in text(tab, ".x-laws li")
    tab.choose("#x-map select", "Nodes")
    assert tab.run("document.querySelector('#x-map select').value") == "Nodes"
    tab.click(".x-conjunct")
    tab.wait_for("document.querySelector('#x-map select').value === 'Max'")
    # The law itself selects its property.
    tab.click(".x-laws .x-name")
    tab.wait_for("document.querySelector('.x-laws .x-name').ariaPressed === 'true'")
    assert "property=Small" in tab.run("location.hash")


def test_brushing_selects_points_and_everything_follows(tab: Tab, page: str) -> None:
    show(tab, page, "#across=Max&down=Nodes")
    assert text(tab, cell(1, 3)).startswith("★")
    assert points(tab) == ["1", "2", "3", "4", "5", "6"]
    drag(tab, cell(1, 2), cell(1, 3))
    tab.wait_for("document.querySelectorAll('#x-points [role=rowheader]').length === 2")
    assert points(tab) == ["2", "3"]
    assert "1 counterexample of 2" in text(tab, "#x-kinds")
    assert "2 points selected" in text(tab, "#x-map")
    drag(tab, cell(1, 2), cell(1, 3))
    tab.wait_for("document.querySelectorAll('#x-points [role=rowheader]').length === 6")


def test_the_map_is_brushed_with_the_keyboard(tab: Tab, page: str) -> None:
    show(tab, page, "#across=Max&down=Nodes")
    tab.run(f"document.querySelector({cell(1, 1)!r}).focus()")
    press(tab, "ArrowRight")
    press(tab, "ArrowDown", modifiers=8)
    press(tab, "Enter")
    tab.wait_for("document.querySelectorAll('#x-points [role=rowheader]').length === 2")
    assert points(tab) == ["2", "5"]


def test_a_cell_has_the_prediction_of_the_law_and_shows_numbers(tab: Tab, page: str) -> None:
    show(tab, page, "#across=Max&down=Nodes")
    assert "law of Small: violated" in tab.run(f"document.querySelector({cell(1, 3)!r}).title")
    assert "law of Small: holds" in tab.run(f"document.querySelector({cell(1, 1)!r}).title")
    tab.choose("#x-map label:last-of-type select", "distinct")
    tab.wait_for(f"document.querySelector({cell(1, 1)!r}).textContent === '2'")


def test_the_map_shows_what_a_search_did_not_run(tab: Tab, tmp_path: Path) -> None:
    (tmp_path / "Count.tla").write_text(COUNT)
    (tmp_path / "sweep.toml").write_text(COUNT_SWEEP)
    asked = ("sweep", "sweep.toml", "--search", "--within", "50%", "--executor", "local", "-o", "store")
    assert command.run(*asked, cwd=tmp_path).code == 1
    show(tab, reported(tmp_path), "#across=Max&down=Least&each=Step")
    cells = tab.run(
        "[...document.querySelectorAll('.x-map td')].map((each) =>"
        " [each.textContent, each.className.includes('x-good'), each.title])"
    )
    ran = {row.point: row.chosen_for for row in open_view(tmp_path / "store").run_rows}
    titles = [title for _, _, title in cells]
    assert len(titles) == 60
    # Small is violated where Max > Least; the facets come one after the other, with a row for each value of Least.
    for place, (shown, good, title) in enumerate(cells):
        wrong = place % 6 + 1 > place % 30 // 6 + 1
        point = int(title.split()[1].removesuffix(":"))
        assert ("not run: would violate Small" in title) == (point not in ran and wrong), title
        assert ("not run: would hold" in title) == (point not in ran and not wrong), title
        assert (good, shown == "○") == (not wrong, point not in ran), title
        assert ("◆" in shown) == (ran.get(point) == "refute"), title
    assert "not run, coloured as the laws predict" in text(tab, "#x-map [role=status]")


def test_steps_by_keys(tab: Tab, page: str) -> None:
    show(tab, page)
    shown = "document.querySelector('.x-head [role=status]').textContent"
    # The violating state comes first.
    assert tab.run(shown) == "state 4 of 4"
    for key, state in (("k", 3), ("j", 4), ("k", 3), ("k", 2), ("n", 3), ("p", 2)):
        press(tab, key)
        tab.wait_for(f"{shown} === 'state {state} of 4'")
    assert text(tab, ".x-step.x-on").startswith("2Count")
    assert "count[a]" in text(tab, ".x-changes")
    assert text(tab, ".x-state h4") == "State 2"
    first = text(tab, ".x-head h3")
    press(tab, "]")
    tab.wait_for(f"document.querySelector('.x-head h3')?.textContent !== {first!r}")
    press(tab, "[")
    tab.wait_for(f"document.querySelector('.x-head h3')?.textContent === {first!r}")


def test_a_key_acts_once_wherever_the_focus_is(tab: Tab, page: str) -> None:
    show(tab, page)
    tab.click(".x-kinds button")
    tab.wait_for("document.querySelector('#x-bench').getBoundingClientRect().top < 10")
    press(tab, "k")
    tab.wait_for("document.querySelector('.x-head [role=status]').textContent === 'state 3 of 4'")
    tab.run("document.querySelector('.x-steps [role=listbox]').focus()")
    press(tab, "ArrowUp")
    tab.wait_for("document.querySelector('.x-head [role=status]').textContent === 'state 2 of 4'")


def test_help_lists_the_keys_and_those_typed_into_a_field_do_nothing_else(tab: Tab, page: str) -> None:
    show(tab, page)
    press(tab, "/")
    tab.wait_for("document.activeElement.id === 'x-search'")
    press(tab, "j")
    assert text(tab, ".x-head [role=status]") == "state 4 of 4"
    show(tab, page)
    press(tab, "?")
    tab.wait_for("document.querySelector('dialog').open")
    assert "next or previous step" in text(tab, "dialog")


def test_keys_act_as_soon_as_the_page_is_drawn(tab: Tab, page: str) -> None:
    press_when_drawn = """new MutationObserver((_, observer) => {
        if (!document.querySelector(".x")) return;
        observer.disconnect();
        document.dispatchEvent(new KeyboardEvent("keydown", {key: "/"}));
    }).observe(document, {childList: true, subtree: true})"""
    script = tab.call("Page.addScriptToEvaluateOnNewDocument", source=press_when_drawn)
    try:
        show(tab, page)
        assert tab.run("document.activeElement.id") == "x-search"
    finally:
        tab.call("Page.removeScriptToEvaluateOnNewDocument", **script)


def test_who_wrote_a_value(tab: Tab, page: str) -> None:
    show(tab, page, "#trace=6/1&state=4")
    tab.click(".x-timeline .x-line:not(.x-top) .x-path")
    tab.wait_for("document.querySelector('.x-wrote') !== null")
    assert "in state 4" in text(tab, ".x-wrote")
    assert texts(tab, ".x-wrote li button") == ["state 4", "state 3", "state 2"]
    assert "Count wrote" in text(tab, ".x-wrote li").replace("  ", " ")
    tab.click(".x-wrote li:last-child button")
    tab.wait_for("document.querySelector('.x-state h4').textContent === 'State 2'")


def test_a_path_is_opened_pinned_and_hidden(tab: Tab, page: str) -> None:
    show(tab, page, "#trace=6/1")
    names = ".x-timeline [role=rowheader] .x-path"
    before = texts(tab, names)
    tab.click(".x-timeline [aria-expanded=false]")
    tab.wait_for(f"document.querySelectorAll({names!r}).length === {len(before) + 2}")
    assert "[a]" in texts(tab, names)
    tab.click(".x-timeline [aria-label='pin count[b]']")
    tab.wait_for("document.querySelector('.x-pinned') !== null")
    assert text(tab, ".x-pinned .x-path") == "count[b]"
    tab.click(".x-timeline [aria-label='hide sent']")
    tab.wait_for(f"![...document.querySelectorAll({names!r})].some((each) => each.textContent === 'sent')")
    assert "hidden: sent" in text(tab, ".x-timeline").replace("hidden:sent", "hidden: sent")


def test_an_address_shows_the_same(tab: Tab, page: str) -> None:
    show(tab, page, "#trace=6/1&state=3")
    tab.click(".x-timeline [aria-label='pin count']")
    tab.wait_for("location.hash.includes('pin=')")
    link = tab.run("location.href")
    shown = [text(tab, selector) for selector in (".x-head", ".x-pinned", ".x-state", "#x-points")]
    tab.open("about:blank")
    tab.open(link)
    tab.wait_for("document.querySelector('.x-pinned') !== null")
    assert [text(tab, selector) for selector in (".x-head", ".x-pinned", ".x-state", "#x-points")] == shown


@pytest.mark.parametrize(
    ("fragment", "state"),
    [
        # Links of older pages are followed.
        ("#point-6", 4),
        ("#point-6-trace-1", 4),
        ("#point-6-trace-1-step-3", 3),
        ("#point-6-step-3", 3),
        # One that means nothing does no harm.
        ("#trace=99/9&state=-4&across=None&pin=x&path=3", 1),
        ("#%00=%ff", 4),
        ("#points=-,x", 4),
    ],
)
def test_where_an_address_leads(tab: Tab, page: str, fragment: str, state: int) -> None:
    show(tab, page, fragment)
    assert text(tab, ".x-state h4") == f"State {state}"
    assert "point-6" not in fragment or "point 6" in text(tab, ".x-head h3")


def test_cells_of_the_timeline_show_what_changed_and_no_label_of_a_lane_is_covered(
    tab: Tab, tmp_path: Path
) -> None:
    sweep_relay(tmp_path, RELAY.replace("Count", "CountOneMoreAndTellAllOthersOfIt"))
    show(tab, reported(tmp_path, *LANES), "#trace=6/1")
    assert "CountOneMore" in text(tab, ".x-lanes")
    rows = tab.run(
        "Object.fromEntries([...document.querySelectorAll('.x-timeline .x-line:not(.x-top)')].map((row) =>"
        " [row.querySelector('.x-path').textContent,"
        " [...row.querySelectorAll('.x-changed')].map((each) => each.textContent)]))"
    )
    assert [each.removeprefix("[a]: ") for each in rows["count"][1:]] == ["1", "2", "3"]
    assert rows["sent"][2:] == [f"+ [from |-> a, value |-> {value}]" for value in (2, 3)]
    covered = tab.run(
        "(() => { const boxes = [...document.querySelectorAll('.x-lanes .x-box')].map((each) => each.getBoundingClientRect().left);"
        " const ends = [...document.querySelectorAll('.x-lanes .x-action')].map((each) => each.getBoundingClientRect().right);"
        " return Math.max(...ends) > Math.min(...boxes); })()"
    )
    assert covered is False


@pytest.mark.parametrize(
    ("sentence", "answer", "left"),
    [
        ("Count occurs", "2 of 2 Small", 2),
        ("Overflow occurs", "0 of 2 Small; no counterexample has an action Overflow", 0),
        ("Count before Overflow", "0 of 2 Small; no counterexample has an action Overflow", 0),
        ("count rises", "2 of 2 Small", 2),
        ("count[*] rises", "2 of 2 Small", 2),
        ("count[*] falls", "0 of 2 Small", 0),
        ("Max >= 10", "2 of 6 points", 2),
        ("Nodes = {a}", "3 of 6 points", 1),
        ("violated", "2 of 6 points", 2),
        ("Max >= 10 /\\ Nodes = {a,b}", "1 of 6 points", 1),
        ("Max = 1 \\/ Max = 10", "4 of 6 points", 2),
        ("Max - 8 >= 2", "2 of 6 points", 2),
        ("point 3", "1 of 6 points", 1),
        ("max = 10", "no parameter is named max; there are Nodes, Max", 2),
        ("cont falls", "0 of 2 Small; no counterexample has a variable or field cont", 0),
    ],
)
def test_sentences_filter_and_say_how_many(
    tab: Tab, page: str, sentence: str, answer: str, left: int
) -> None:
    show(tab, page)
    tab.type("#x-search", sentence)
    press(tab, "Enter", windowsVirtualKeyCode=13)
    tab.run("document.querySelector('#x-filter form').requestSubmit()")
    tab.wait_for(f"document.querySelector('.x-sentences [role=status]')?.textContent === {answer!r}")
    tab.wait_for(
        f"(document.querySelector('#x-kinds [role=status]')?.textContent ?? '').startsWith('{left} counterexample')"
    )
    tab.click(".x-sentences button")
    tab.wait_for("document.querySelector('.x-sentences') === null")


def test_a_sentence_colours_the_map_and_is_a_column(tab: Tab, page: str) -> None:
    show(tab, page, "#answer=Count+before+Overflow&answer=Max+%3D+10&filter=Max+%3E%3D+2&show=Max+%3D+10")
    tab.wait_for("document.querySelectorAll('.x-sentences li').length === 3")
    assert texts(tab, ".x-map tbody td") == ["", "", "no", "no", "yes", "yes"]
    # Only the filter leaves points out.
    assert points(tab) == ["2", "3", "5", "6"]
    tab.wait_for("document.querySelectorAll('#x-points [role=columnheader]').length === 13")
    columns = texts(tab, "#x-points [role=columnheader]")
    assert columns[2:5] == ["Max >= 2", "Count before Overflow", "Max = 10"]
    cells = texts(tab, "#x-points .x-line:not(.x-top) [role=gridcell]:nth-child(4)")
    assert cells == ["-", "no", "-", "no"]
    tab.choose("#x-map form label:last-of-type select", "Count before Overflow")
    tab.wait_for(f"document.querySelector({cell(3, 1)!r}).textContent === 'no'")
    assert texts(tab, ".x-map tbody td") == ["", "", "", "", "no", "no"]
    tab.click(".x-sentences li:first-child input")
    tab.wait_for("document.querySelectorAll('#x-points [role=rowheader]').length === 6")
    assert "answer=Max" in tab.run("location.hash")


def test_a_counterexample_that_is_not_selected_says_so(tab: Tab, page: str) -> None:
    show(tab, page, "#filter=Max+%3D+1&trace=3/1")
    assert text(tab, "#x-kinds [role=status]").startswith("0 counterexamples")
    assert "not among those selected" in text(tab, ".x-head")
    tab.click(".x-sentences input")
    tab.wait_for("!document.querySelector('.x-head').textContent.includes('not among those selected')")


def test_two_counterexamples_beside_each_other(tab: Tab, page: str) -> None:
    show(tab, page, "#trace=3/1")
    assert "The nearest point where Small holds: 2: Max = 2 instead of 10" in text(tab, "#x-compare")
    other = tab.run("document.querySelector('#x-compare optgroup option').value")
    tab.choose("#x-compare select", other)
    tab.wait_for("document.querySelector('.x-beside') !== null")
    assert text(tab, ".x-beside caption")
    assert len(texts(tab, ".x-beside tbody tr")) >= 4
    # What never fired is marked.
    assert texts(tab, "#coverage tr.t2-bad th") == ["Overflow (never fired)"]


def test_points_are_sorted(tab: Tab, page: str) -> None:
    show(tab, page)
    heads = texts(tab, "#x-points [role=columnheader]")
    at = heads.index("distinct") + 1
    head = f"#x-points [role=columnheader]:nth-child({at})"
    tab.click(f"{head} button")
    tab.wait_for(f"document.querySelector('{head}').ariaSort === 'ascending'")
    numbers = [int(each) for each in texts(tab, f"#x-points .x-line:not(.x-top) > :nth-child({at})")]
    assert numbers == sorted(numbers)


def test_lanes_light_a_message(tab: Tab, page: str) -> None:
    show(tab, page, "#trace=6/1")
    assert len(texts(tab, ".x-message")) == 3
    tab.run("document.querySelector('.x-message').dispatchEvent(new PointerEvent('pointerenter'))")
    tab.wait_for("document.querySelector('.x-lit text') !== null")


def test_the_text_for_an_issue(tab: Tab, page: str) -> None:
    show(tab, page)
    tab.run("navigator.clipboard.writeText = (text) => { window.copied = text; return Promise.resolve(); }")
    tab.click(".x-bar button:nth-child(2)")
    tab.wait_for("window.copied !== undefined")
    copied = tab.run("window.copied")
    assert "violated iff Max >= 10" in copied
    assert "Step 4, Count:" in copied


def test_without_scripts_laws_kinds_and_counterexamples_are_there(tab: Tab, page: str) -> None:
    tab.call("Emulation.setScriptExecutionDisabled", value=True)
    try:
        tab.open(page)
    finally:
        tab.call("Emulation.setScriptExecutionDisabled", value=False)
    assert "violated iff Max >= 10" in text(tab, "#laws")
    assert "Count+" in text(tab, "#counterexamples")
    assert tab.run("document.querySelector('#laws').offsetParent !== null")


def test_print_has_text(tab: Tab, page: str) -> None:
    show(tab, page)
    assert tab.run("document.querySelector('#laws').offsetParent === null")
    tab.call("Emulation.setEmulatedMedia", media="print")
    assert tab.run("document.querySelector('#laws').offsetParent !== null")
    assert tab.run("document.querySelector('#explorer').offsetParent === null")
    tab.call("Emulation.setEmulatedMedia", media="")


@pytest.mark.parametrize("width", [360, 420, 1280, 2000])
@pytest.mark.parametrize("dark", [False, True])
def test_the_page_fits_a_window(tab: Tab, page: str, width: int, dark: bool) -> None:
    tab.look(width=width, dark=dark)
    for each in (page, PAGE.as_uri()):
        show(tab, each)
        assert tab.run("document.documentElement.scrollWidth") <= width
    ink, ground = tab.run("""(() => {
        const sum = (colour) => colour.match(/[0-9]+/g).slice(0, 3).reduce((all, each) => all + Number(each), 0);
        const style = getComputedStyle(document.querySelector(".x-step"));
        const canvas = document.createElement("span");
        canvas.style.backgroundColor = "Canvas";
        document.body.append(canvas);
        return [sum(style.color), sum(getComputedStyle(canvas).backgroundColor)];
    })()""")
    assert (ink > ground) == dark
    assert abs(ink - ground) > 400


@pytest.mark.parametrize("dark", [False, True])
def test_axe_finds_nothing(tab: Tab, page: str, dark: bool) -> None:
    tab.look(dark=dark)
    for each in (page, PAGE.as_uri()):
        assert axe_findings(tab, each) == []


def axe_findings(tab: Tab, page: str) -> object:
    """What axe finds in a page: rules with the elements that break them."""
    axe = Path(axe_core_python.__file__).with_name("axe.min.js").read_text(encoding="utf-8")
    tab.call("Page.setBypassCSP", enabled=True)
    show(tab, page)
    tab.run(axe + ";0")
    found = tab.run(
        "axe.run().then((all) => all.violations.map((one) => [one.id, one.nodes.map((node) => node.html)]))"
    )
    tab.call("Page.setBypassCSP", enabled=False)
    return found
