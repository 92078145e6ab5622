"""The documentation says what the code does."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from scripts.reference.pages import PAGES, ROOT
from tla2py import sweepfile


@pytest.mark.parametrize("name", PAGES)
def test_pages_say_what_the_code_does(name: str) -> None:
    made = PAGES[name]()
    assert (ROOT / name).read_text(encoding="utf-8") == made, "run make pages, and commit what it wrote"


@pytest.mark.parametrize(
    "section",
    [
        sweepfile.ModelSection,
        sweepfile.GridSection,
        sweepfile.ValuesTable,
        sweepfile.TlcSection,
        sweepfile.ExpectSection,
        sweepfile.SweepFile,
    ],
)
def test_the_sweep_file_page_has_every_key(section: type) -> None:
    page = (ROOT / "docs" / "sweep-file.md").read_text()
    for key in section.__struct_encode_fields__:  # type: ignore[attr-defined]
        assert re.search(rf"`\[*{key}\]*`|`\[\[\w+\.{key}\]\]|\[\[expect\.{key}\]\]", page), key


@pytest.mark.parametrize(
    "page", sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("specs/*/*.md")])
)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)", page.read_text()):
        assert target.startswith("https://") or (page.parent / target).exists(), target
