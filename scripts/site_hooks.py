"""MkDocs hooks: files in the repository that README.md and docs/ link to become part of the site.

Links are relative to the repository, so they work on every host of it. README.md is the first page of the site, docs/X is
X, and any other linked Markdown, folder or file is added under its own path.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parent.parent
LINK = re.compile(r"(?<=\]\()(?P<path>[^)#:\s]+)(?P<anchor>#[^)\s]*)?(?=\))")
FENCE = re.compile(r"(^```.*?^```$)", re.MULTILINE | re.DOTALL)


def in_site(path: str) -> str:
    """The site source for a path in the repository."""
    if path == "README.md":
        return "index.md"
    if (ROOT / path).is_dir():
        path += "/README.md" if (ROOT / path / "README.md").exists() else "/index.md"
    return path.removeprefix("docs/")


def in_repository(source: str) -> str:
    """The path in the repository of a site source."""
    if source == "index.md":
        return "README.md"
    return f"docs/{source}" if (ROOT / "docs" / source).exists() else source


def linked(source: str, text: str) -> Iterator[str]:
    """The existing paths in the repository that a page links to."""
    for part in FENCE.split(text)[::2]:
        for found in LINK.finditer(part):
            path = target(source, found["path"])
            if path is not None:
                yield path


def target(source: str, link: str) -> str | None:
    """The path in the repository that a page's link points to; None if it does not exist."""
    path = posixpath.normpath(posixpath.join(posixpath.dirname(in_repository(source)), link))
    return path if not path.startswith("..") and (ROOT / path).exists() else None


def listing(folder: str) -> str:
    """A page that lists the files of a folder without a README."""
    names = sorted(path.name for path in (ROOT / folder).iterdir() if path.is_file())
    return f"# {folder}\n\n" + "".join(f"- [{name}]({name})\n" for name in names)


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the README, the changelog and everything outside docs/ that a page links to."""
    wanted = ["README.md", "CHANGELOG.md"]
    for file in files.documentation_pages():
        wanted += linked(file.src_uri, file.content_string)
    while wanted:
        path = wanted.pop()
        source = in_site(path)
        if files.get_file_from_path(source) is not None:
            continue
        if not source.endswith(".md"):
            files.append(File.generated(config, source, abs_src_path=str(ROOT / path)))
            continue
        shown = ROOT / path / "README.md" if (ROOT / path).is_dir() else ROOT / path
        text = shown.read_text(encoding="utf-8") if shown.exists() else listing(path)
        files.append(File.generated(config, source, content=text))
        wanted += linked(source, text)
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Point a page's links to their targets in the site."""
    here = page.file.src_uri

    def lead(found: re.Match[str]) -> str:
        path = target(here, found["path"])
        if path is None:
            return found[0]
        return posixpath.relpath(in_site(path), posixpath.dirname(here) or ".") + (found["anchor"] or "")

    parts = FENCE.split(markdown)
    return "".join(part if odd % 2 else LINK.sub(lead, part) for odd, part in enumerate(parts))
