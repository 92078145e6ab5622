"""The code blocks of the documentation, as a reader meets them.

What a comment before a block says of it, visible in the source of the page:

``<!-- not run: REASON -->``   no test runs it; that its commands and options exist is checked all the same
``<!-- long: REASON -->``      run by `make test-full` only
``<!-- exits with N -->``      its last command ends with this code; without it every command ends with 0
``<!-- added to the file -->`` it goes to the end of the file of its title
``<!-- with FILE of PAGE -->`` anywhere on the page: its commands begin with a file that another page, from the root, shows
``<!-- tested by FILE -->``    anywhere on the page: the page's own test runs the blocks, in a way of its own
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted([ROOT / "README.md", *ROOT.glob("docs/**/*.md")])

# What is run or read by a test, and what is shown only: output, and files of other programs.
LANGUAGES = {
    *["console", "sh", "python", "sql", "toml", "tla", "cfg", "ini", "yaml", "json", "xml", "groovy", "text"]
}

_BLOCK = re.compile(
    r"(?P<before>(?:^[ ]*<!--(?:(?!-->).)*-->\n\n?)*)"
    r"^(?P<indent> *)```(?P<language>[\w-]*)(?: title=\"(?P<title>[^\"]+)\")?[^\n]*\n(?P<text>.*?)^(?P=indent)```$",
    re.MULTILINE | re.DOTALL,
)
_NOTE = re.compile(r"<!-- *(not run|long|exits with|added)[: ] *(.*?) *-->")
_WITH = re.compile(r"<!-- with (\S+) of (\S+) -->")
_TESTED_BY = re.compile(r"<!-- tested by (\S+) -->")


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A fenced block: where it is, what it is in, the file it stands for, and what the comments before it say."""

    page: Path
    line: int
    language: str
    title: str | None
    text: str
    notes: dict[str, str]
    follows: str | None

    @property
    def place(self) -> str:
        return f"{self.page.relative_to(ROOT)}:{self.line}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """A command of a block and the output that is shown of it."""

    text: str
    output: str


def blocks(page: Path) -> list[Block]:
    """The blocks of a page, from top to bottom."""
    text = page.read_text(encoding="utf-8")
    found: list[Block] = []
    end = 0
    for match in _BLOCK.finditer(text):
        between = text[end : match.start()]
        indent = match["indent"]
        found.append(
            Block(
                page=page,
                line=text.count("\n", 0, match.end("before")) + 1,
                language=match["language"],
                title=match["title"],
                text="".join(line.removeprefix(indent) for line in match["text"].splitlines(keepends=True)),
                notes=dict(_NOTE.findall(match["before"])),
                follows=found[-1].language if found and not between.strip() else None,
            )
        )
        end = match.end()
    return found


def names_its_file(block: Block) -> bool:
    """Whether a reader who does not see titles, as on GitHub, is told which file a block is."""
    name = Path(block.title or "").name
    if block.language == "tla":
        return f"MODULE {Path(name).stem} " in block.text
    before = block.page.read_text(encoding="utf-8").splitlines()[: block.line - 1]
    return name in block.text.partition("\n")[0] or name in "\n".join(before[-8:])


def own_test(page: Path) -> str | None:
    """The test that runs the blocks of a page in a way of its own, if it says so."""
    match = _TESTED_BY.search(page.read_text(encoding="utf-8"))
    return match[1] if match else None


def own(page: Path) -> list[Block]:
    """The blocks that the tests here run: where the page names a test of its own, the commands alone."""
    shells = ("console", "sh")
    return [each for each in blocks(page) if own_test(page) is None or each.language in shells]


def begins_with(page: Path) -> Iterator[tuple[str, str]]:
    """Name and text of the files that a page begins with, which are on another one."""
    for name, other in _WITH.findall(page.read_text(encoding="utf-8")):
        yield name, [block.text for block in blocks(ROOT / other) if block.title == name][-1]


def commands(block: Block) -> Iterator[Command]:
    """The commands of a block: in `console` the lines after `$`, in `sh` all."""
    lines = block.text.splitlines()
    while lines:
        line = lines.pop(0)
        if block.language == "console":
            if not line.startswith("$ "):
                raise ValueError(f"{block.place}: output before the first command: {line}")
            line = line[2:]
        while _is_open(line):
            line += "\n" + lines.pop(0)
        output = []
        while block.language == "console" and lines and not lines[0].startswith("$ "):
            output.append(lines.pop(0))
        if line.strip() and not line.lstrip().startswith("#"):
            yield Command(text=line, output="\n".join(output))


def _is_open(line: str) -> bool:
    """Whether a shell would read on: a quotation is open, or the line ends with a backslash."""
    try:
        shlex.split(line, comments=True)
    except ValueError:
        return True
    return line.endswith("\\")
