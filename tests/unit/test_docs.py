"""The documentation says what the code does."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tla2py import sweepfile
from tla2py.tables.document import tables_document

ROOT = Path(__file__).resolve().parent.parent.parent


def test_the_store_page_has_every_column() -> None:
    page = (ROOT / "docs" / "store.md").read_text()
    # When this fails: write what tables_document() returns under the heading Tables.
    assert page.partition("## Tables\n\n")[2] == tables_document()


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
