"""Every code block of the README and of docs/ does what the page says, run by the real TLC, and the site builds."""

from __future__ import annotations

import os
import re
import sys
from collections import Counter
from pathlib import Path

import pytest

from tests.command import tool
from tests.docs.blocks import LANGUAGES, PAGES, ROOT, Block, blocks, names_its_file, own, own_test
from tests.docs.session import Session, agree

LONG = [page for page in PAGES if any("long" in block.notes for block in blocks(page))]


def name(page: Path) -> str:
    return str(page.relative_to(ROOT))


def run(page: Path | None, found: list[Block], folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reports = ("GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY")
    for variable in ("TLA2TOOLS_JAR", "TLA2PY_JAVA_HOME", "FORCE_COLOR", *reports):
        monkeypatch.delenv(variable, raising=False)
    session = Session(page, folder)
    for block in found:
        session.run(block)


@pytest.mark.docs
@pytest.mark.parametrize("page", PAGES, ids=name)
def test_the_blocks_of_a_page(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    short = [each for each in own(page) if not {"not run", "long"} & set(each.notes)]
    run(page, short, tmp_path, monkeypatch)


@pytest.mark.spark
@pytest.mark.long
@pytest.mark.parametrize("page", LONG, ids=name)
def test_all_blocks_of_a_page(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run(page, [each for each in own(page) if "not run" not in each.notes], tmp_path, monkeypatch)


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_every_block_says_what_it_is_in(page: Path) -> None:
    for block in blocks(page):
        assert block.language in LANGUAGES, f"{block.place}: ```{block.language}"
        assert block.title is None or names_its_file(block), f"{block.place}: say that it is {block.title}"
        for note in ("not run", "long"):
            reason = block.notes.get(note)
            assert reason != "", f"{block.place}: {note}, without a reason"
            for file in re.findall(r"[\w/]+\.(?:py|md)", reason or ""):
                assert (ROOT / file).exists() or (ROOT / "docs" / file).exists(), f"{block.place}: {file}"
    assert page.read_text(encoding="utf-8").count("\n```") % 2 == 0, "a block is not closed"


@pytest.mark.parametrize("page", [page for page in PAGES if own_test(page)], ids=name)
def test_the_test_that_a_page_names_reads_it(page: Path) -> None:
    assert page.name in (ROOT / str(own_test(page))).read_text(encoding="utf-8")


def test_most_blocks_of_what_one_reads_first_are_run() -> None:
    first = [ROOT / "README.md", ROOT / "docs" / "tutorial.md", *ROOT.glob("docs/howto/*.md")]
    kinds = Counter(
        "not run" if "not run" in block.notes else "long" if "long" in block.notes else "run"
        for page in first
        for block in own(page)
        if block.language in ("console", "sh", "python")
    )
    assert kinds["run"] > kinds["long"] + kinds["not run"], kinds


def test_output_agrees_but_for_times_and_widths() -> None:
    assert agree("point  time\n  1  2.1s\n...\nend", "point    time\n    1  0.44s\nmore\nand more\nend\n")
    assert agree("one\n  ...\n", "one\ntwo\n")
    assert agree("took ... in all", "took four and more in all")
    assert not agree("1  holds", "1  violated")
    assert not agree("one\ntwo", "one\ntwo\nthree")


def test_a_wrong_page_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = ROOT / "docs" / "wrong.md"
    wrong = {
        "console": "$ echo one\ntwo\n",
        "sh": "tla2py inspect None.tla\n",
        "python": "1 / 0\n",
        "toml": "[tlc]\ntime = 1\n",
        "tla": "Init == \n",
        "cfg": "INVARIANT a, b\nNEXT\n",
    }
    for language, text in wrong.items():
        block = Block(page=page, line=1, language=language, title=None, text=text, notes={}, follows=None)
        folder = tmp_path / language
        folder.mkdir()
        with pytest.raises((AssertionError, ArithmeticError, ValueError)):
            run(None, [block], folder, monkeypatch)
    assert os.environ.get("TLA2TOOLS_JAR") is None


@pytest.mark.docs
def test_the_site_builds_without_a_warning(tmp_path: Path) -> None:
    """Strictly: every page is in its menu and every link of it leads somewhere."""
    site = tmp_path / "site"
    env = os.environ | {"NO_MKDOCS_2_WARNING": "1"}
    done = tool(sys.executable, "-m", "mkdocs", "build", "-q", "--strict", "-d", site, cwd=ROOT, env=env)
    assert (done.returncode, done.stderr) == (0, "")
    first = (site / "index.html").read_text(encoding="utf-8")
    # Links of the README lead to the same pages in the site.
    assert 'href="sweep-file.html"' in first
    assert 'src="losing-a-record.svg"' in first
    assert 'href="specs/kip320/index.html"' in first
    # A page and what it loads come from the site alone.
    assert 'src="http' not in first
    assert "fonts.googleapis" not in first
