"""``tla2py report`` as a command: what it writes, and what it refuses."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import RunCli
from tests.integration.conftest import tree
from tests.pages import Page


@pytest.fixture
def store(run_cli: RunCli, tiny_sweep: Path) -> Path:
    """The store of the sweep over Counter, whose last point is violated."""
    place = tiny_sweep.with_name("store")
    run_cli("sweep", tiny_sweep, "--executor", "local", "-o", place, code=1)
    # One point is violated, which this sweep does not expect.
    return place


def test_a_page_is_written(run_cli: RunCli, store: Path, tmp_path: Path) -> None:
    notes = tmp_path / "notes.md"
    notes.write_text("# Why it fails\n\nSee [the spec](Counter.tla).\n")
    page = tmp_path / "pages" / "counter.html"
    page.parent.mkdir()
    ended = run_cli("report", store, "-o", page, "--notes", notes)
    assert (ended.code, ended.stderr) == (0, "")
    assert ended.stdout == f"{page}: 0.1 MB\n"
    read = Page(page.read_text(encoding="utf-8"))
    assert "Why it fails" in read.words
    assert read.dead_links(page.parent) == []
    assert "\n4. " in read.words
    # A file beside the store, named after it, where no name is given; and the same to the byte.
    assert run_cli("report", store, "--notes", notes, cwd=page.parent).code == 0
    assert (page.parent / "sweep.html").read_bytes() == page.read_bytes()


def test_a_trace_of_others_has_a_page_too(run_cli: RunCli, store: Path, tmp_path: Path) -> None:
    itf = tmp_path / "trace.itf.json"
    itf.write_text(run_cli("trace", store, "3", "--format", "itf").stdout)
    assert run_cli("report", itf, "-o", tmp_path / "itf.html").code == 0
    assert "\n4. " in Page((tmp_path / "itf.html").read_text(encoding="utf-8")).words


REFUSED = (
    (("--notes", "nothing.md"), "notes-unreadable", "nothing.md"),
    (("--lanes", "Nobody"), "no-processes", "Nobody"),
    (("--messages", "x"), "no-processes", ""),
    (("-o", "no/such/folder.html"), "output-unwritable", "no/such/folder.html"),
)


def test_what_is_refused_writes_nothing(run_cli: RunCli, store: Path, tmp_path: Path) -> None:
    before = tree(tmp_path)
    for options, code, named in REFUSED:
        ended = run_cli("report", store, *options, code=2)
        assert ended.errors[0].startswith("error: ")
        assert ended.error.code == code
        assert named in ended.error.message
        assert "Traceback" not in ended.stderr
    assert tree(tmp_path) == before
