"""A browser for all tests of a file, and a page that has nothing to complain of."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.browser.chromium import Tab, chromium


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tab]:
    with chromium(tmp_path_factory.mktemp("chromium")) as tab:
        yield tab


@pytest.fixture
def tab(browser: Tab) -> Iterator[Tab]:
    """A page in a wide window that has nothing to complain of when the test is over."""
    browser.look()
    browser.problems.clear()
    yield browser
    assert browser.problems == []
