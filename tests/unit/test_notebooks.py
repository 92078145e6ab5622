"""The notebooks as they are committed, and the pages made of them."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
BOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
PAGES = sorted((ROOT / "docs" / "notebooks").glob("*.html"))
LARGEST = 1_000_000


def test_there_are_notebooks() -> None:
    assert len(BOOKS) == 5
    assert [page.stem for page in PAGES] == [book.stem for book in BOOKS]


@pytest.mark.parametrize("path", BOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_stripped(path: Path) -> None:
    # When this fails: python scripts/notebooks.py --strip
    book = json.loads(path.read_text(encoding="utf-8"))
    assert set(book["metadata"]) == {"kernelspec", "language_info"}
    for cell in book["cells"]:
        assert cell["metadata"] == {}
        if cell["cell_type"] == "code":
            assert (cell["outputs"], cell["execution_count"]) == ([], None)


@pytest.mark.parametrize("path", BOOKS, ids=lambda path: path.stem)
def test_links_of_a_notebook_lead_somewhere(path: Path) -> None:
    book = json.loads(path.read_text(encoding="utf-8"))
    text = "\n".join("".join(cell["source"]) for cell in book["cells"] if cell["cell_type"] == "markdown")
    for target in re.findall(r"\]\(([^)#]+)", text):
        assert (path.parent / target).exists(), target


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_a_page_is_small_and_of_no_machine(path: Path) -> None:
    page = path.read_text(encoding="utf-8")
    assert len(page.encode()) < LARGEST
    # Absolute paths begin at a root that a link or a closing tag does not have.
    assert not re.findall(r"""(?<![\w.<"'/:=])/(?:home|root|tmp|work|usr|var|Users)/[\w.]+""", page)
    assert not re.findall(r"""(?:src|href)=["'](?:https?:)?//""", page)
    for target in re.findall(r'href="([^"#:]+)"', page):
        assert (path.parent / target).exists(), target
