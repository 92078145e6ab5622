"""The notebooks, executed as from a fresh clone."""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path

import pytest

from tests.command import tool
from tests.pages import MACHINE

pytestmark = pytest.mark.spark

ROOT = Path(__file__).resolve().parent.parent.parent
BOOKS = sorted(path.name for path in (ROOT / "notebooks").glob("*.ipynb"))
PAGES = [Path(name).with_suffix(".html").name for name in BOOKS]
LARGEST = 1_000_000


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What a clone has of notebooks and specs; no store."""
    base = tmp_path_factory.mktemp("clone")
    for folder in ("notebooks", "scripts", "specs"):
        shutil.copytree(ROOT / folder, base / folder, ignore=shutil.ignore_patterns("__pycache__"))
    return base


def execute(clone: Path, *names: str) -> None:
    books = [clone / "notebooks" / name for name in names]
    script = clone / "scripts" / "notebooks.py"
    done = tool(sys.executable, script, *books, "--html", clone / "pages", code=0)
    assert [line.partition(":")[0] for line in done.stdout.splitlines()] == list(names)
    for name in names:
        page = (clone / "pages" / name).with_suffix(".html").read_text(encoding="utf-8")
        shown = '<pre style="white-space:pre-wrap', 'src="data:image/svg+xml;'
        assert any(text in page for text in shown), "a trace or a picture shows itself"
        assert len(page.encode()) < LARGEST
        # Absolute paths begin at a root that a link or a closing tag does not have.
        assert not MACHINE.findall(page)
        assert not re.findall(r"""(?:src|href)=["'](?:https?:)?//""", page)
        for target in re.findall(r'href="([^"#:]+)"', page):
            assert (ROOT / "docs" / "notebooks" / target).resolve().exists() or target in PAGES, target


@pytest.mark.long
@pytest.mark.timeout(1800)
def test_first_steps_and_the_anatomy_of_a_counterexample(clone: Path) -> None:
    execute(clone, *BOOKS[:2])
    assert (clone / "runs" / "kip320-first-try" / "store.json").exists()


@pytest.mark.long
@pytest.mark.timeout(1800)
def test_the_others(clone: Path) -> None:
    assert len(BOOKS) == 5
    execute(clone, *BOOKS[2:])


def test_a_notebook_that_fails_is_told(tmp_path: Path, clone: Path) -> None:
    text = (clone / "notebooks" / BOOKS[0]).read_text(encoding="utf-8")
    book = tmp_path / "wrong.ipynb"
    book.write_text(text.replace("import tla2py\\n", "import tla3py\\n"), encoding="utf-8")
    done = tool(sys.executable, clone / "scripts" / "notebooks.py", book, code=1)
    assert "wrong.ipynb failed" in done.stderr
    assert "tla3py" in done.stderr
