"""One word for one thing: what docs/reference/words.md rules out is in no page, no help and no message."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from scripts.reference.pages import ROOT

# These quote what TLC and its Toolbox say.
QUOTING = {ROOT / "docs" / "corpus.md", ROOT / "docs" / "howto" / "from-other-tools.md"}
WORDS = ROOT / "docs" / "reference" / "words.md"
PAGES = sorted(
    {*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("specs/*/*.md")} - {WORDS, *QUOTING}
)
# What TLC says, and what shells and Java call things, stays as it is.
FOREIGN = {"tlc/output/messages.py", "tlc/places.py"}


def ruled_out() -> list[str]:
    rows = [line.split("|")[3] for line in WORDS.read_text().splitlines() if line.startswith("| ")]
    return [word for cell in rows for word in re.findall(r"`([^`]+)`", cell)]


def pattern() -> re.Pattern[str]:
    words = "|".join(
        re.escape(word).replace(r"y", r"(?:y|ies)", 1) if word.endswith("y") else re.escape(word)
        for word in ruled_out()
    )
    return re.compile(rf"\b(?:{words})s?\b", re.IGNORECASE)


def prose(page: Path) -> str:
    """A page without its blocks of code and without what it quotes as code."""
    text = re.sub(r"^ *```.*?^ *```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    return re.sub(r"`[^`\n]*`|\]\([^)]*\)", "", text)


def texts(tree: ast.Module) -> Iterator[ast.Constant]:
    """The texts of a module that a user may read, with the help of commands."""
    hidden = set()
    for node in ast.walk(tree):
        if (
            isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef))
            and ast.get_docstring(node) is not None
        ) and not getattr(node, "name", "").endswith("_command"):
            hidden.add(id(node.body[0].value))  # type: ignore[attr-defined]
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in hidden:
            yield node


def test_there_are_words() -> None:
    assert len(ruled_out()) > 10
    assert pattern().findall("An experiment in two directories, each a time-out") == [
        "experiment",
        "directories",
        "time-out",
    ]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_pages(page: Path) -> None:
    assert pattern().findall(prose(page)) == []


def test_messages_and_help() -> None:
    found = []
    for path in sorted((ROOT / "tla2py").rglob("*.py")):
        if str(path.relative_to(ROOT / "tla2py")) in FOREIGN:
            continue
        for node in texts(ast.parse(path.read_text("utf-8"))):
            if " " in str(node.value) and pattern().search(str(node.value)):
                found.append(f"{path.relative_to(ROOT)}:{node.lineno}: {node.value!r}")
    assert found == []
