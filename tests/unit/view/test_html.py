"""HTML of traces, widths, figures and charts."""

from __future__ import annotations

import base64
import hashlib
import io
import re
from dataclasses import replace
from itertools import cycle, islice, pairwise
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET
from xml.etree.ElementTree import Element

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console, RenderableType
from rich.text import Text

from tests.pages import MACHINE, Page
from tests.unit.records import executed
from tests.unit.rows import mutant_row
from tests.unit.store.test_tables import CASES, make_store
from tests.unit.view.traces import marks, styled
from tla2py.analysis.charts import Series
from tla2py.analysis.points import grid_points, summary_line
from tla2py.analysis.view import StoreView, open_view
from tla2py.execution.check import Checked
from tla2py.model.mutant import MutantReport
from tla2py.model.outcome import Diagnostic, Outcome, unfinished
from tla2py.model.trace_text import trace_text
from tla2py.store.store import points_table
from tla2py.tlc.output.collector import with_notes
from tla2py.view.explorer import packed, store_data
from tla2py.view.layout import FittedTable, IndentedText, WrappedLines
from tla2py.view.markup import templates
from tla2py.view.page import curves_chart, report_page
from tla2py.view.sweep import sweep_summary
from tla2py.view.traces import check_text

ROOT = Path(__file__).resolve().parent.parent.parent.parent
PAGE = ROOT / "docs" / "kip320-first-try.html"


@pytest.fixture(scope="module")
def view(tmp_path_factory: pytest.TempPathFactory) -> StoreView:
    return open_view(make_store(tmp_path_factory.mktemp("page") / "store", (*CASES, "arguments")).path)


@pytest.fixture(scope="module")
def page(view: StoreView) -> Page:
    return Page(report_page(view))


def test_it_needs_no_network_and_no_file(page: Page) -> None:
    """Its policy allows its own script and style alone."""
    assert page.loads == []
    assert "default-src 'none'" in page.text
    policy = re.findall(r'Content-Security-Policy" content="([^"]*)"', page.text)[0]
    assert "unsafe" not in policy
    for tag, name in (("style", "style-src"), ('script type="module"', "script-src")):
        text = page.text.partition(f"<{tag}>")[2].partition(f"</{tag.split()[0]}>")[0]
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{name} 'sha256-{digest}'" in policy
    assert " style=" not in page.text
    style = page.text.partition("<style>")[2].partition("</style>")[0]
    assert "url(" not in style
    assert "@import" not in style


def test_links_lead_somewhere_and_a_screen_reader_finds_its_way(page: Page, tmp_path: Path) -> None:
    assert len(page.ids) == len(set(page.ids))
    assert page.dead_links(tmp_path) == []
    assert {"explorer", "x-overview", "x-chunk-0", "coverage"} <= set(page.ids)
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
    assert summary_line(view, grid_points(view)[:1]).startswith("8 points: 1 violated, 7 not run yet")


def test_values_names_and_notes_are_never_markup(tmp_path: Path) -> None:
    made = make_store(tmp_path / "store", ("values", "invariant"))
    hostile = "</script><script>alert(1)</script><img src=x onerror=alert(2)>"
    manifest = made.manifest()
    points = []
    for point in made.points():
        parameters = {"N": "1", "Flag": hostile, "depth": str(point.point)}
        points.append(msgspec.structs.replace(point, parameters=parameters))
    table = points_table(manifest.parameters, points)
    made.write_manifest(msgspec.structs.replace(manifest, name=hostile), table, {})
    text = report_page(open_view(made.path), notes=f"*Notes* {hostile}\n\n[x](javascript:alert(3))")
    read = Page(text)
    assert text.count("<script") == 3
    assert "<img" not in text
    assert hostile in read.words
    assert "javascript:" not in "".join(read.links)


def test_five_hundred_points_fit(tmp_path: Path) -> None:
    cases = tuple(islice(cycle(("invariant", "success", "liveness-lasso", "values")), 500))
    view = open_view(make_store(tmp_path / "store", cases).path)
    assert len(report_page(view).encode()) < 300_000
    data = store_data(view)
    assert len(packed(data.overview)) + sum(len(packed(chunk)) for chunk in data.chunks()) < 150_000


def test_actions_that_never_fired_are_red(tmp_path: Path) -> None:
    view = open_view(make_store(tmp_path / "store", ("coverage",)).path)
    coverage = view.coverage.query("kind == 'action'")
    idle = coverage.groupby("name").generated.sum().eq(0)
    text = report_page(view)
    for name, never in idle.items():
        row = text.partition(f'<th scope="row"><code>{name}</code>')[0].rpartition("<tr")[2]
        assert ("t2-bad" in row) == never, name
    assert ("never fired" in text) == idle.any()


def test_notes_come_first_and_their_links_are_kept(view: StoreView, tmp_path: Path) -> None:
    (tmp_path / "specs").mkdir()
    (tmp_path / "specs" / "more.md").write_text("more")
    notes = "# Why\n\nSee [more](more.md#there) and [the step](#coverage), [web](https://example.org/a)."
    read = Page(report_page(view, notes=notes, notes_folder=tmp_path / "specs", target=tmp_path / "pages"))
    assert "<h2>Why</h2>" in read.text
    assert "../specs/more.md#there" in read.links
    assert {"#coverage", "https://example.org/a"} <= set(read.links)
    assert "<summary>Notes" in report_page(view, notes="long " * 2000)


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
    killed = mutant_row("aaaa", "killed", "Safe", before="x < 3", after="TRUE", point=1)
    survivor = mutant_row("bbbb", "survived", before="x < 3", after="<script>", point=1)
    store.write_mutants(MutantReport(sweep="s", mutants=(killed, survivor), points=(1,), checks={"Safe": 2}))
    page = Page(report_page(open_view(store.path)))
    assert "1 change that no check notices" in page.text
    assert "x &lt; 3 -&gt; &lt;script&gt;" in page.text
    assert "aaaa" not in page.text
    assert "1 of 2 mutants killed that could be" in page.text


def test_who_is_refused_is_told_of_trust(tmp_path: Path) -> None:
    found = executed(tmp_path, "0" * 32, "module-missing")
    refusal = Diagnostic(code=1000, severity="error", text="/data.json (Permission denied)", location=None)

    def said(trust: bool, *diagnostics: Diagnostic) -> str:
        limits = replace(found.record.limits, trust=trust)
        record = replace(found.record, limits=limits)
        result = with_notes(replace(found.result, diagnostics=diagnostics), record)
        return "\n".join(printed(check_text(Checked(record=record, result=result)), 200))

    assert "--trust" in said(False, refusal)
    assert "--trust" not in said(True, refusal)
    assert "--trust" not in said(False)


def printed(what: RenderableType, width: int, *, file: bool = False) -> list[str]:
    text = io.StringIO()
    Console(file=text, width=width, soft_wrap=file, markup=False, highlight=False).print(what)
    return [line.rstrip() for line in text.getvalue().splitlines()]


def test_how_lines_are_indented_and_wrapped() -> None:
    text = IndentedText(Text("one two three"), 4)
    assert printed(text, 14) == ["    one two", "      three"]
    assert printed(text, 12, file=True) == ["    one two three"]
    # A line wraps first where it has columns.
    line = "  Inv    violated iff A + B > 2 * C    28 of 48, no exception"
    assert printed(WrappedLines([line]), 80) == [line]
    assert printed(WrappedLines([line]), 34) == [
        "  Inv  violated iff A + B > 2 * C",
        "    28 of 48, no exception",
    ]
    narrow = ["  Inv", "    violated iff A +", "    B > 2 * C", "    28 of 48, no", "    exception"]
    assert printed(WrappedLines([line]), 20) == narrow
    assert printed(WrappedLines([line]), 20, file=True) == [line]


SWEEPS = FittedTable(
    columns=("sweep", "checked", "smallest violating point", "distinct", "time"),
    rows=[[*map(Text, ("kip320", "StrongIsr", "12: Replicas = {b1, b2, b3}", "1,234", "9.5s"))]],
    right=frozenset({"distinct", "time"}),
    dispensable=("distinct", "time"),
)


@pytest.mark.parametrize(("width", "dropped"), [(90, ""), (46, ""), (38, "distinct"), (30, "distinct time")])
def test_a_table_of_sweeps_drops_columns_and_breaks_no_word(width: int, dropped: str) -> None:
    lines = printed(SWEEPS, width)
    words = set(" ".join(lines).split())
    assert words >= {"sweep", "checked", "smallest", "kip320", "StrongIsr", "{b1,", "b3}"}
    assert {"distinct", "time"} - words == set(dropped.split())
    assert max(map(len, lines)) <= width


def test_a_table_of_sweeps_is_a_list_in_a_narrower_terminal_and_two_lines_in_a_file() -> None:
    assert printed(SWEEPS, 24)[0] == "sweep kip320, checked"
    assert len(printed(SWEEPS, 4000, file=True)) == 2


def test_what_a_run_out_of_memory_counted_is_the_least(tmp_path: Path) -> None:
    """In the table of a sweep, on pages, and in the last line of a check."""
    view = open_view(make_store(tmp_path / "store", ("success", "out-of-memory")).path)
    held, stopped = printed(sweep_summary(view), 200)[1:3]
    assert "holds" in held
    assert ">=" not in held
    assert f" >={view.run_rows[1].generated}  " in stopped
    assert stopped.count(">=") == 3
    points: Any = store_data(view).overview["points"]
    assert points["least"] == [False, True]

    def last(case: str) -> str:
        done = executed(tmp_path, case, case)
        return printed(check_text(Checked(record=done.record, result=done.result)), 200)[-1]

    assert "; at least " in last("out-of-memory")
    assert "; at least " not in last("success")


def test_what_was_violated_before_the_time_was_up_is_no_end() -> None:
    assert unfinished(Outcome.VIOLATION_SAFETY, "timeout")
    assert not unfinished(Outcome.VIOLATION_SAFETY, None)
    assert unfinished(Outcome.KILLED, None), "as the log of another machine has it"
    assert not unfinished(Outcome.BOUNDED_SUCCESS, None), "a simulation says at its end what it counted"


def number(element: Element, name: str) -> float:
    return float(element.get(name, ""))


def picture_of(*curves: tuple[tuple[float, float], ...]) -> Element:
    """The picture of curves a, b and so on."""
    made = {}
    for label, points in zip("abcdefgh", curves, strict=False):
        sizes, numbers = zip(*points, strict=True)
        values = tuple(f"{size:g}" for size in sizes)
        made[label] = Series(fixed={}, values=values, sizes=sizes, numbers=numbers)
    template: Any = templates().get_template("pictures.svg.j2").module
    return ET.fromstring(template.growth({"title": "t", "parameter": "n", **curves_chart(made)}))


def labels(picture: Element) -> list[Element]:
    return [text for text in picture.iter("text") if text.get("text-anchor") is None]


def test_a_factor_of_ten_is_the_same_height_everywhere() -> None:
    picture = picture_of(((1, 1), (2, 10), (3, 100)))
    dots = styled(picture, "t2-dot")
    (x1, y1), (x2, y2), (x3, y3) = ((number(dot, "cx"), number(dot, "cy")) for dot in dots)
    assert y1 - y2 == pytest.approx(y2 - y3, abs=0.02)
    assert x2 - x1 == pytest.approx(x3 - x2, abs=0.02)
    assert y1 > y3
    assert [marks(dot, "title") for dot in dots] == [["a: 1"], ["a: 10"], ["a: 100"]]
    assert {*["1", "10", "100", "2", "3", "n", "t", "a"]} == set(marks(picture, "text"))
    # One point is a picture too.
    (dot,) = styled(picture_of(((7, 10),)), "t2-dot")
    assert 0 < number(dot, "cx") < 392
    assert 0 <= number(dot, "cy") <= 250


@given(st.lists(st.floats(1, 100), min_size=1, max_size=8))
def test_labels_do_not_lie_on_one_another(ends: list[float]) -> None:
    picture = picture_of(*(((1, 1), (2, end)) for end in ends))
    heights = sorted(number(text, "y") for text in labels(picture)[1:])
    assert len(heights) == len(ends)
    assert all(after - before >= 12.9 for before, after in pairwise(heights))
