"""Pages of HTML: serving one, what it links to, and what a reader who does not see it goes by."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

from tla2py.view.server import ExplorerServer

VOID = {"meta", "link", "br", "hr", "img", "input", "col", "wbr"}
MACHINE = re.compile(r"""(?<![\w.<"'/:=])/(?:home|root|tmp|work|usr|var|Users)/[\w.]+""")


@contextmanager
def serving(explorer: ExplorerServer) -> Iterator[str]:
    """The address of an explorer, answered by a thread until the block ends."""
    thread = threading.Thread(target=explorer.serve, daemon=True)
    thread.start()
    try:
        yield explorer.address
    finally:
        explorer._server.shutdown()
        thread.join()


class Page(HTMLParser):
    """A page that was read; every element was closed. ``words`` is its text without styles and scripts."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.text = text
        self.ids: list[str] = []
        self.links: list[str] = []
        self.loads: list[str] = []
        self.tables: list[dict[str, bool]] = []
        self.heads: list[dict[str, str | None]] = []
        self.words = ""
        self._open: list[str] = []
        self._tables: list[dict[str, bool]] = []
        self.feed(text)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if "id" in given:
            self.ids.append(given["id"] or "")
        if tag == "a" and given.get("href"):
            self.links.append(given["href"] or "")
        elif given.get("src") or given.get("href"):
            self.loads.append(given.get("src") or given.get("href") or "")
        if tag == "table":
            self.tables.append({"caption": False, "head": False})
            self._tables.append(self.tables[-1])
        elif tag in ("caption", "thead") and self._tables:
            self._tables[-1]["caption" if tag == "caption" else "head"] = True
        elif tag == "th":
            self.heads.append(given)
        if tag not in VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self._open.pop() == tag, f"{tag} closes what it did not open"
        if tag == "table":
            self._tables.pop()

    def handle_data(self, data: str) -> None:
        if not self._open or self._open[-1] not in ("style", "script"):
            self.words += data

    def dead_links(self, folder: Path) -> list[str]:
        """The links that lead nowhere, into the page or to files beside ``folder``; those into the web are not tried."""
        dead = [link for link in self.links if link.startswith("#") and unquote(link[1:]) not in self.ids]
        files = [link for link in self.links if not link.startswith(("#", "https://", "http://"))]
        return dead + [link for link in files if not (folder / link.partition("#")[0]).exists()]
