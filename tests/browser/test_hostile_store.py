"""The store of a stranger in a real browser: its texts run nothing, load nothing, and make no elements."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests import command
from tests.browser.chromium import Tab
from tests.browser.test_explorer import reported
from tests.integration.walls.test_stores import MARKUP
from tests.pages import serving
from tests.unit.store.test_strangers import seal
from tla2py.analysis.view import open_view
from tla2py.store.refresh import refresh_tables
from tla2py.store.store import Store
from tla2py.view.explorer import store_data
from tla2py.view.server import ExplorerServer, PageAnswers

pytestmark = pytest.mark.browser

MODULE = f"""---- MODULE Hostile ----
\\* {MARKUP}
EXTENDS Naturals, TLC
CONSTANTS Text, Max
VARIABLES x, y
Init == x = 0 /\\ y = "{MARKUP}"
Go == x < Max /\\ x' = x + 1 /\\ y' = "{MARKUP} again" /\\ PrintT(Text)
Spec == Init /\\ [][Go]_<<x, y>>
Small == x < 2
Said == Assert(x < 2, "{MARKUP}")
====
"""
SWEEP = f"""\
name = {json.dumps(MARKUP.replace("/", "-"))}
module = "Hostile.tla"
[model]
invariants = ["Small", "Said"]
check_deadlock = false
[parameters]
Text = [{json.dumps(json.dumps(MARKUP))}]
Max = [1, 2]
[tlc]
find = "each"
coverage = true
memory = "256MiB"
"""
# The columns with texts of TLC or of modules; the other texts of a table are words of ours.
TEXTS = {
    "traces": ("name",),
    "states": ("action", "module"),
    "changes": ("action", "variable", "path", "before", "after"),
    "coverage": ("module", "name"),
    "prints": ("text",),
}
# What text of a stranger would have made of the page, and whether it ran.
HARM = """({
    ran: typeof window.ran,
    images: [...document.querySelectorAll("img, iframe, object, embed, base, link[href]")].map((each) => each.outerHTML),
    handlers: [...document.querySelectorAll("*")].filter((each) =>
        [...each.attributes].some((one) => one.name.startsWith("on") || /^\\s*javascript:/i.test(one.value))
    ).length,
    shown: document.body.innerText.includes("owned()"),
})"""


def poison(store: Path) -> None:
    """Write markup into every text of the manifest, and of the tables that are made anew for it."""
    manifest = json.loads((store / "store.json").read_text())
    manifest |= {"name": MARKUP, "modules": [MARKUP], "sweep_file": MARKUP, "tla2py_version": MARKUP}
    manifest["files"] = dict.fromkeys(manifest["files"], MARKUP)
    (store / "store.json").write_text(json.dumps(manifest))
    refresh_tables(Store.open(store))
    for table, names in TEXTS.items():
        for file in (store / "tables" / table).glob("*.parquet"):
            rows = pq.read_table(file)
            for name in names:
                number = rows.schema.get_field_index(name)
                texts = pa.array([MARKUP] * len(rows), rows.schema.field(name).type)
                rows = rows.set_column(number, rows.schema.field(name), texts)
            pq.write_table(rows, file)
    seal(store)


def look_for_harm(tab: Tab, address: str) -> None:
    """Open a page, step through its counterexamples, and look for what its texts did."""
    tab.problems.clear()
    tab.open(address)
    tab.run("window.owned = () => { window.ran = true; }")
    tab.wait_for("document.querySelector('.x-panes') !== null")
    for selector in (".x-laws .x-name", ".x-timeline .x-path", ".x-timeline .x-cell", "details > summary"):
        tab.run(f"document.querySelectorAll({json.dumps(selector)}).forEach((each) => each.click())")
        found = tab.run(HARM)
        assert found == {"ran": "undefined", "images": [], "handlers": 0, "shown": True}, selector
    assert [each for each in tab.problems if not each.startswith(address)] == []


def test_a_hostile_store_does_nothing_to_a_browser(browser: Tab, tmp_path: Path) -> None:
    """Markup in the values of a real store, and then in every other text of its tables and its manifest."""
    (tmp_path / "Hostile.tla").write_text(MODULE)
    (tmp_path / "sweep.toml").write_text(SWEEP)
    for asked in (("sweep", "sweep.toml"), ("mutate", "sweep.toml", "--sample", "4")):
        ended = command.run(*asked, "--executor", "local", "-o", "store", cwd=tmp_path)
        assert ended.code in (0, 1), ended
    for everywhere in (False, True):
        if everywhere:
            poison(tmp_path / "store")
        look_for_harm(browser, reported(tmp_path))
        view = open_view(tmp_path / "store")
        data = store_data(view)
        # What was written into the tables is what is shown.
        assert ({MARKUP} == {*view.arrow("changes")["variable"].to_pylist()}) == everywhere
        with serving(ExplorerServer(data, PageAnswers(data))) as address:
            look_for_harm(browser, address)
