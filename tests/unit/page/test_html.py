"""A store's page: complete, small, without network access, and no value in it becomes markup."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import cycle, islice
from pathlib import Path

import msgspec
import pytest

from tests.pages import MACHINE, Page
from tests.unit.tables.test_tables import CASES, make_store
from tla2py.errors import InputError
from tla2py.explore.grid import grid_points, summary_line
from tla2py.explore.heatmap import best_axes
from tla2py.explore.view import StoreView, open_view
from tla2py.page.page import PageOptions, report_page
from tla2py.store.points import points_table

ROOT = Path(__file__).resolve().parent.parent.parent.parent
PAGE = ROOT / "docs" / "kip320-first-try.html"
LARGEST = 5_000_000


@pytest.fixture(scope="module")
def view(tmp_path_factory: pytest.TempPathFactory) -> StoreView:
    return open_view(make_store(tmp_path_factory.mktemp("page") / "store", (*CASES, "arguments")).path)


@pytest.fixture(scope="module")
def page(view: StoreView) -> Page:
    return Page(report_page(view, PageOptions()))


def test_it_needs_no_network_and_no_file(page: Page) -> None:
    assert page.loads == []
    assert "default-src 'none'" in page.text
    assert "url(" not in page.text
    assert "@import" not in page.text


def test_ids_are_unique_and_links_lead_to_them(page: Page, tmp_path: Path) -> None:
    assert len(page.ids) == len(set(page.ids))
    assert page.dead_links(tmp_path) == []
    assert {"point-1", "point-1-trace-1", "point-1-step-1", "point-2-step-3"} <= set(page.ids)


def test_a_screen_reader_finds_its_way(page: Page) -> None:
    assert '<html lang="en">' in page.text
    assert all(table["head"] == table["caption"] for table in page.tables), "what has columns says what it is"
    assert all(head.get("scope") in ("row", "col") for head in page.heads)
    sorts = [head for head in page.heads if "aria-sort" in head]
    assert len(sorts) == 1 + 1 + 2 + 6
    assert page.text.count('role="status"') == 1


def test_every_point_and_every_counterexample_is_there(page: Page, view: StoreView) -> None:
    assert "8 points: 4 violated, 2 hold, 1 broken, 1 not run yet" in page.words.replace("\n", " ")
    for name in view.traces.name:
        assert name in page.words
    assert "and back to state" in page.words
    assert "stuttering" in page.words


def test_kinds_come_before_the_counterexamples(page: Page, view: StoreView) -> None:
    kinds = view.kinds().kinds
    words = " ".join(page.words.split())
    assert f"counterexamples of {len(kinds)} kinds" in words
    for kind in kinds:
        assert f"#point-{kind.shortest.point}-trace-{kind.shortest.trace}" in page.links
        assert kind.steps in words


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
    assert text.count("<script>") == 1
    assert "<img" not in text
    assert hostile in read.words
    assert "javascript:" not in "".join(read.links)


def test_five_hundred_points_fit(tmp_path: Path) -> None:
    cases = tuple(islice(cycle(("invariant", "success", "liveness-lasso", "values")), 500))
    view = open_view(make_store(tmp_path / "store", cases).path)
    text = report_page(view, PageOptions())
    assert len(text.encode()) < LARGEST
    read = Page(text)
    assert {f"point-{number}" for number in range(1, 501)} <= set(read.ids)
    assert read.dead_links(tmp_path) == []


def test_of_many_counterexamples_the_shortest_of_each_kind_are_shown(tmp_path: Path) -> None:
    cases = tuple(islice(cycle(("invariant", "liveness-lasso", "values")), 150))
    view = open_view(make_store(tmp_path / "store", cases).path)
    kinds = [(kind.shortest.point, kind.shortest.trace) for kind in view.kinds().kinds]
    read = Page(report_page(view, PageOptions()))
    shown = [name for name in read.ids if re.fullmatch(r"point-\d+-trace-\d+", name)]
    assert shown == [f"point-{point}-trace-{trace}" for point, trace in sorted(kinds)]
    hidden = len(view.traces) - len(kinds)
    assert (
        f"{hidden} are not shown below: print one with tla2py trace STORE POINT --trace TRACE" in read.words
    )


def test_what_does_not_fit_is_listed(view: StoreView) -> None:
    whole = Page(report_page(view, PageOptions()))
    cut = Page(report_page(view, PageOptions(largest=5_000)))
    shown = [name for name in cut.ids if "-trace-" in name]
    assert 0 < len(shown) < len([name for name in whole.ids if "-trace-" in name])
    assert "are not shown below: print one with tla2py trace STORE POINT --trace TRACE" in cut.words
    assert cut.dead_links(Path()) == []


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
        notes="# Why\n\nSee [more](more.md#there) and [the step](#point-1-step-2), [web](https://example.org/a).",
        notes_folder=tmp_path / "specs",
        target=tmp_path / "pages",
    )
    read = Page(report_page(view, options))
    assert "<h2>Why</h2>" in read.text
    assert "../specs/more.md#there" in read.links
    assert {"#point-1-step-2", "https://example.org/a"} <= set(read.links)
    folded = report_page(view, replace(options, notes="long " * 2000))
    assert "<summary>Notes" in folded


def test_what_is_asked_for_and_not_there_is_an_error(view: StoreView) -> None:
    with pytest.raises(InputError, match="Nobody") as raised:
        report_page(view, PageOptions(lanes="Nobody"))
    assert raised.value.code == "no-processes"


def test_the_pair_that_tells_most(view: StoreView) -> None:
    points = grid_points(view)
    assert best_axes(points, []) == ("N", "depth")
    assert summary_line(view, points[:1]).startswith("8 points: 1 violated, 7 not run yet")


def test_the_committed_page() -> None:
    text = PAGE.read_text(encoding="utf-8")
    read = Page(text)
    assert len(text.encode()) < 200_000
    assert not MACHINE.findall(text)
    assert read.loads == []
    assert read.dead_links(PAGE.parent) == []
