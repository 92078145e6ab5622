"""The site of the documentation builds, strictly: every page is in its menu and every link of it leads somewhere."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from tests.command import tool

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.docs
def test_the_site_builds_without_a_warning(tmp_path: Path) -> None:
    site = tmp_path / "site"
    env = os.environ | {"NO_MKDOCS_2_WARNING": "1"}
    done = tool(sys.executable, "-m", "mkdocs", "build", "-q", "--strict", "-d", site, cwd=ROOT, env=env)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    first = (site / "index.html").read_text(encoding="utf-8")
    # Links of the README lead to the same pages in the site.
    assert 'href="sweep-file.html"' in first
    assert 'src="losing-a-record.svg"' in first
    assert 'href="specs/kip320/index.html"' in first
    # A page and what it loads come from the site alone.
    assert 'src="http' not in first
    assert "fonts.googleapis" not in first
