"""A store's page: complete, small, without network access, and no value in it becomes markup."""

from __future__ import annotations

import base64
import hashlib
import re
from dataclasses import replace
from itertools import cycle, islice
from pathlib import Path

import msgspec
import pytest

from tests.pages import MACHINE, Page
from tests.unit.store.test_tables import CASES, make_store
from tla2py.analysis.charts import best_axes
from tla2py.analysis.points import grid_points, summary_line
from tla2py.analysis.view import StoreView, open_view
from tla2py.errors import InputError
from tla2py.model.mutant import Killer, MutantReport, MutantRow
from tla2py.model.trace_text import trace_text
from tla2py.store.store import points_table
from tla2py.view.counterexamples import LaneOptions
from tla2py.view.page import PageOptions, report_page

ROOT = Path(__file__).resolve().parent.parent.parent.parent
PAGE = ROOT / "docs" / "kip320-first-try.html"
LARGEST = 300_000


@pytest.fixture(scope="module")
def view(tmp_path_factory: pytest.TempPathFactory) -> StoreView:
    return open_view(make_store(tmp_path_factory.mktemp("page") / "store", (*CASES, "arguments")).path)


@pytest.fixture(scope="module")
def page(view: StoreView) -> Page:
    return Page(report_page(view, PageOptions()))


def test_it_needs_no_network_and_no_file(page: Page) -> None:
    assert page.loads == []
    assert "default-src 'none'" in page.text
    style = page.text.partition("<style>")[2].partition("</style>")[0]
    assert "url(" not in style
    assert "@import" not in style


def test_ids_are_unique_and_links_lead_to_them(page: Page, tmp_path: Path) -> None:
    assert len(page.ids) == len(set(page.ids))
    assert page.dead_links(tmp_path) == []
    assert {"explorer", "x-overview", "x-chunk-0", "coverage"} <= set(page.ids)


def test_a_screen_reader_finds_its_way(page: Page) -> None:
    assert '<html lang="en">' in page.text
    assert all(table["head"] == table["caption"] for table in page.tables), "what has columns says what it is"
    assert all(head.get("scope") in ("row", "col") for head in page.heads)


def test_without_scripts_it_has_laws_kinds_and_the_shortest_of_each(page: Page, view: StoreView) -> None:
    words = " ".join(page.words.split())
    assert "8 points: 4 violated, 2 hold, 1 broken, 1 not run yet" in words
    kinds = view.kinds().kinds
    assert f"counterexamples of {len(kinds)} kinds" in words
    for kind in kinds:
        assert kind.steps in words
        trace = view.trace(kind.shortest.point, kind.shortest.trace)
        assert " ".join(trace_text(trace).split()) in words
    assert "and back to state" in words
    assert "stuttering" in words


def test_its_policy_allows_its_own_script_and_style_alone(page: Page) -> None:
    policy = re.findall(r'Content-Security-Policy" content="([^"]*)"', page.text)[0]
    assert "unsafe" not in policy
    for tag, name in (("style", "style-src"), ('script type="module"', "script-src")):
        text = page.text.partition(f"<{tag}>")[2].partition(f"</{tag.split()[0]}>")[0]
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{name} 'sha256-{digest}'" in policy
    assert " style=" not in page.text


def test_values_names_and_notes_are_never_markup(tmp_path: Path) -> None:
    made = make_store(tmp_path / "store", ("values", "invariant"))
    hostile = "</script><script>alert(1)</script><img src=x onerror=alert(2)>"
    manifest = made.manifest()
    points = [
        msgspec.structs.replace(point, parameters={"N": "1", "Flag": hostile, "depth": str(point.point)})
        for point in made.points()
    ]
    table = points_table(manifest.parameters, points)
    made.write_manifest(msgspec.structs.replace(manifest, name=hostile), table, {})
    text = report_page(
        open_view(made.path), PageOptions(notes=f"*Notes* {hostile}\n\n[x](javascript:alert(3))")
    )
    read = Page(text)
    assert text.count("<script") == 3
    assert "<img" not in text
    assert hostile in read.words
    assert "javascript:" not in "".join(read.links)


def test_five_hundred_points_fit(tmp_path: Path) -> None:
    cases = tuple(islice(cycle(("invariant", "success", "liveness-lasso", "values")), 500))
    view = open_view(make_store(tmp_path / "store", cases).path)
    assert len(report_page(view, PageOptions()).encode()) < LARGEST


def test_actions_that_never_fired_are_red(tmp_path: Path) -> None:
    view = open_view(make_store(tmp_path / "store", ("coverage",)).path)
    coverage = view.coverage.query("kind == 'action'")
    idle = coverage.groupby("name").generated.sum().eq(0)
    text = report_page(view, PageOptions())
    for name, never in idle.items():
        row = text.partition(f'<th scope="row"><code>{name}</code>')[0].rpartition("<tr")[2]
        assert ("t2-bad" in row) == never, name
    assert ("never fired" in text) == idle.any()


def test_notes_come_first_and_their_links_are_kept(view: StoreView, tmp_path: Path) -> None:
    (tmp_path / "specs").mkdir()
    (tmp_path / "specs" / "more.md").write_text("more")
    options = PageOptions(
        notes="# Why\n\nSee [more](more.md#there) and [the step](#coverage), [web](https://example.org/a).",
        notes_folder=tmp_path / "specs",
        target=tmp_path / "pages",
    )
    read = Page(report_page(view, options))
    assert "<h2>Why</h2>" in read.text
    assert "../specs/more.md#there" in read.links
    assert {"#coverage", "https://example.org/a"} <= set(read.links)
    folded = report_page(view, replace(options, notes="long " * 2000))
    assert "<summary>Notes" in folded


def test_what_is_asked_for_and_not_there_is_an_error(view: StoreView) -> None:
    with pytest.raises(InputError, match="Nobody") as raised:
        report_page(view, PageOptions(lanes=LaneOptions(by="Nobody")))
    assert raised.value.code == "no-processes"


def test_the_pair_that_tells_most(view: StoreView) -> None:
    points = grid_points(view)
    assert best_axes(points, [], {"N", "depth"}) == ("N", "depth")
    assert summary_line(view, points[:1]).startswith("8 points: 1 violated, 7 not run yet")


def test_the_committed_page() -> None:
    text = PAGE.read_text(encoding="utf-8")
    read = Page(text)
    assert len(text.encode()) < 200_000
    assert not MACHINE.findall(text)
    assert read.loads == []
    # The explorer follows links to counterexamples.
    assert [link for link in read.dead_links(PAGE.parent) if not link.startswith("#point-")] == []


def test_survivors_are_shown_in_their_lines(tmp_path: Path) -> None:
    store = make_store(tmp_path / "store", CASES)
    killed = MutantRow(
        mutant="aaaa",
        operator="drop-guard",
        definition="Next",
        module="Ring",
        line=7,
        column=1,
        before="x < 3",
        after="TRUE",
        status="killed",
        killed_by=(Killer("invariant", "Safe"),),
        point=1,
    )
    survivor = msgspec.structs.replace(
        killed, mutant="bbbb", after="<script>", status="survived", killed_by=()
    )
    store.write_mutants(MutantReport(sweep="s", mutants=(killed, survivor), points=(1,), checks={"Safe": 2}))
    page = Page(report_page(open_view(store.path), PageOptions()))
    assert "1 change that no check notices" in page.text
    assert "x &lt; 3 -&gt; &lt;script&gt;" in page.text
    assert "aaaa" not in page.text
    assert "1 of 2 mutants killed that could be" in page.text
