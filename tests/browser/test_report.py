"""The report in a real browser: opened, sorted, filtered, a step clicked, a link followed; and no word on the console."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import command
from tests.browser.chromium import Tab, chromium

pytestmark = [pytest.mark.java, pytest.mark.browser]

ROOT = Path(__file__).resolve().parent.parent.parent
PAGE = ROOT / "docs" / "kip320-first-try.html"

RELAY = r"""---- MODULE Relay ----
\* Nodes that count, and tell each other.
EXTENDS Naturals
CONSTANTS Nodes, Max
VARIABLES count, sent
Init == count = [n \in Nodes |-> 0] /\ sent = {}
\* A node counts one more and tells it.
Count == \E n \in Nodes :
  /\ count[n] < Max
  /\ count' = [count EXCEPT ![n] = @ + 1]
  /\ sent' = sent \union {[from |-> n, value |-> count[n] + 1]}
\* Nobody ever counts that far.
Overflow == \E n \in Nodes : count[n] > Max /\ count' = [count EXCEPT ![n] = 0] /\ UNCHANGED sent
Next == Count \/ Overflow
Spec == Init /\ [][Next]_<<count, sent>>
\* No node counts to three.
Small == \A n \in Nodes : count[n] < 3
====
"""
SWEEP = """\
module = "Relay.tla"
[model]
invariants = ["Small"]
check_deadlock = false
[parameters]
Nodes = ["{a}", "{a, b}"]
Max = [1, 2, 10]
[tlc]
coverage = true
timeout = "1m"
memory = "256MiB"
[expect]
verdict = "holds"
[[expect.point]]
match = { Max = 10 }
verdict = "violated"
"""


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The address of the report of a real sweep."""
    folder = tmp_path_factory.mktemp("report")
    (folder / "Relay.tla").write_text(RELAY)
    (folder / "sweep.toml").write_text(SWEEP)
    for asked in (
        ("sweep", "sweep.toml", "--executor", "local", "-o", "store"),
        ("report", "store", "-o", "page.html", "--lanes", "Nodes", "--messages", "sent"),
    ):
        assert command.run(*asked, cwd=folder).code == 0
    return (folder / "page.html").as_uri()


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tab]:
    with chromium(tmp_path_factory.mktemp("chromium")) as tab:
        yield tab


@pytest.fixture
def tab(browser: Tab) -> Iterator[Tab]:
    """A page in a wide window that has nothing to complain of when the test is over."""
    browser.look()
    browser.problems.clear()
    yield browser
    assert browser.problems == []


def column(tab: Tab, place: int) -> list[str]:
    """The texts of a column of the points that are seen."""
    script = f"""[...document.querySelectorAll("#points tbody tr")].filter((row) => row.offsetParent)
        .map((row) => row.cells[{place}].textContent)"""
    return list(tab.run(script))


def sort_of(tab: Tab, key: str) -> str:
    return str(tab.run(f"document.querySelector('#points [data-key={key}]').ariaSort"))


def in_view(tab: Tab, name: str) -> bool:
    script = f"""(() => {{ const box = document.getElementById("{name}").getBoundingClientRect();
        return box.bottom > 0 && box.top < innerHeight; }})()"""
    return bool(tab.run(script))


def test_the_points_are_sorted(tab: Tab, page: str) -> None:
    tab.open(page)
    assert column(tab, 0) == ["1", "2", "3", "4", "5", "6"]
    button = "#points [data-key=Max] button"
    tab.click(button)
    assert sort_of(tab, "Max") == "ascending"
    assert column(tab, 3) == ["1", "1", "2", "2", "10", "10"], "by value, not by text"
    tab.click(button)
    assert sort_of(tab, "Max") == "descending"
    assert column(tab, 3) == ["10", "10", "2", "2", "1", "1"]
    tab.click("#points [data-key=distinct] button")
    assert sort_of(tab, "Max") == "none"
    numbers = [int(text.replace(",", "")) for text in column(tab, 6)]
    assert numbers == sorted(numbers)
    tab.click("#points [data-key=trace_length] button")
    tab.click("#points [data-key=trace_length] button")
    assert column(tab, 4) == ["4", "4", "-", "-", "-", "-"], "what is not known comes last"


def test_the_points_are_sorted_by_keyboard(tab: Tab, page: str) -> None:
    tab.open(page)
    tab.run("document.querySelector('#points [data-key=Max] button').focus()")
    for kind in ("keyDown", "keyUp"):
        tab.call(
            "Input.dispatchKeyEvent",
            type=kind,
            key="Enter",
            code="Enter",
            windowsVirtualKeyCode=13,
            text="\r",
        )
    assert sort_of(tab, "Max") == "ascending"


def test_the_points_are_filtered(tab: Tab, page: str) -> None:
    tab.open(page)
    count = "document.getElementById('count').textContent"
    assert tab.run(count) == "6 of 6 points"
    tab.choose("#verdict", "violated")
    assert column(tab, 0) == ["3", "6"]
    assert tab.run(count) == "2 of 6 points"
    tab.type("#filter", "{a, b}")
    assert column(tab, 0) == ["6"]
    tab.choose("#verdict", "")
    assert column(tab, 0) == ["4", "5", "6"]
    tab.type("#filter", "nothing has this")
    assert tab.run(count) == "0 of 6 points"


def test_the_heatmap_is_over_any_two(tab: Tab, page: str) -> None:
    tab.open(page)
    shown = """[...document.querySelectorAll("#heatmap tr")].map((row) => [...row.cells].map((c) => c.textContent))"""
    tab.choose("#across", "Max")
    tab.choose("#down", "Nodes")
    table = tab.run(shown)
    assert table[0] == ["Nodes", "1", "2", "10"]
    assert table[1] == ["{a}", "holds", "holds", "★ Small 4"]
    tab.choose("#down", "")
    assert tab.run(shown)[1] == ["", "holds", "holds", "★ Small 4"]
    tab.choose("#value", "distinct")
    assert tab.run(shown)[1][1:3] == ["≤ 4", "≤ 9"]


def test_a_step_is_clicked(tab: Tab, page: str) -> None:
    tab.open(page)
    step = "#point-6-step-3"
    assert not tab.run(f"document.querySelector('{step} details').open")
    tab.click(f"{step} a")
    tab.wait_for(f"document.querySelector('{step} details').open")
    assert tab.run("location.hash") == step
    assert tab.run(f"document.querySelector('{step}').matches(':target')")
    plain = tab.run("getComputedStyle(document.querySelector('#point-6-step-2 td')).backgroundColor")
    assert tab.run(f"getComputedStyle(document.querySelector('{step} td')).backgroundColor") != plain


@pytest.mark.parametrize("name", ["point-5", "point-6", "point-6-trace-1", "point-6-step-4"])
def test_a_deep_link_is_followed(tab: Tab, page: str, name: str) -> None:
    tab.open(f"{page}#{name}")
    assert in_view(tab, name)


def test_a_link_leads_to_a_point_that_was_filtered_out(tab: Tab, page: str) -> None:
    tab.open(page)
    tab.choose("#verdict", "violated")
    tab.run("location.hash = '#point-1'")
    tab.wait_for("!document.getElementById('point-1').hidden")
    assert len(column(tab, 0)) == 6
    assert in_view(tab, "point-1")


def test_what_never_fired_is_red_and_the_spec_speaks(tab: Tab, page: str) -> None:
    tab.open(page)
    red = """[...document.querySelectorAll("#coverage tr.t2-bad")].map((row) => row.cells[0].textContent)"""
    assert tab.run(red) == ["Overflow (never fired)"]
    words = tab.run("document.querySelector('#point-6-trace-1').textContent")
    assert "No node counts to three." in words
    assert "A node counts one more and tells it." in words
    # Seen without a colour too: the lanes say who, and that it was derived.
    assert "the acting process is derived" in words
    assert tab.run("document.querySelectorAll('#point-6-trace-1 svg .t2-arrow').length") > 0


@pytest.mark.parametrize("dark", [False, True])
def test_text_can_be_read_on_its_ground(tab: Tab, page: str, dark: bool) -> None:
    tab.look(dark=dark)
    tab.open(page)
    colours = tab.run("""(() => {
        const canvas = document.createElement("span");
        canvas.style.cssText = "color:CanvasText;background:Canvas";
        document.body.append(canvas);
        const style = getComputedStyle(canvas);
        return [style.color, style.backgroundColor, getComputedStyle(document.querySelector("#points td")).color];
    })()""")
    text, ground, cell = (sum(map(int, re.findall(r"\d+", colour)[:3])) for colour in colours)
    assert cell == text
    assert (text > ground) == dark
    assert abs(text - ground) > 500


@pytest.mark.parametrize("width", [390, 1280])
def test_the_committed_page_fits(tab: Tab, width: int) -> None:
    tab.look(width=width)
    tab.open(PAGE.as_uri())
    assert tab.run("document.documentElement.scrollWidth") <= width, (
        "only tables and pictures scroll sideways"
    )
    assert tab.run("document.querySelectorAll('#points tbody tr').length") > 0


def test_it_is_printed_whole(tab: Tab, page: str) -> None:
    tab.open(page)
    tab.run("dispatchEvent(new Event('beforeprint'))")
    assert tab.run("[...document.querySelectorAll('article details')].every((part) => part.open)")
    tab.call("Emulation.setEmulatedMedia", media="print")
    assert tab.run("getComputedStyle(document.querySelector('.tools')).display") == "none"
    tab.call("Emulation.setEmulatedMedia", media="")


def test_without_scripts_everything_is_there(tab: Tab, page: str) -> None:
    tab.call("Emulation.setScriptExecutionDisabled", value=True)
    try:
        tab.open(page)
    finally:
        tab.call("Emulation.setScriptExecutionDisabled", value=False)
    assert len(column(tab, 0)) == 6
    assert tab.run("document.querySelectorAll('#heatmap td').length") == 6
    assert tab.run("getComputedStyle(document.querySelector('.tools')).display") == "none"
