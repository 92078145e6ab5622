"""Every command in the documentation exists with its options, also where no test runs it."""

from __future__ import annotations

import contextlib
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer

from tests.docs.blocks import PAGES, ROOT, blocks, commands
from tla2py.cli.app import app
from tla2py.errors import ToolchainError

TARGETS = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
# A command, up to where a shell begins the next.
_NEXT = {"|", "||", "&&", ";", "&"}


def simple_commands(text: str) -> Iterator[list[str]]:
    """The commands of a line, as words, without redirections and assignments to the environment."""
    lexer = shlex.shlex(re.sub(r"\\\n|\s#.*", " ", text), posix=True, punctuation_chars="|&;")
    lexer.whitespace_split = True
    lexer.commenters = ""
    words: list[str] = []
    for word in [*lexer, ";"]:
        if word in _NEXT:
            if words:
                yield words
            words = []
        elif words or not re.match(r"\w+=", word):
            words.append(word)


def command_of(words: list[str]) -> tuple[Any, list[str]]:
    """The command that the words name, and the words after its name."""
    found: Any = typer.main.get_command(app)
    while hasattr(found, "get_command"):
        assert words, "a command is missing"
        found = found.get_command(None, words[0])
        assert found is not None, words[0]
        words = words[1:]
    return found, words


def in_blocks(page: Path) -> list[tuple[str, list[str]]]:
    found = []
    for block in blocks(page):
        texts = [each.text for each in commands(block)] if block.language in ("console", "sh") else []
        if block.language in ("yaml", "groovy"):
            texts = re.findall(r"(?:run: |sh ')(tla2py [^'\n]*)", block.text)
        found += [(block.place, words) for text in texts for words in simple_commands(text)]
    return found


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_commands_of_blocks(page: Path) -> None:
    for place, words in in_blocks(page):
        if words[0] == "make":
            assert words[1] in TARGETS, place
        if words[0] == "spark-submit":
            for job in (Path(word) for word in words if word.endswith(".py")):
                assert job.parent.name != "spark_jobs" or (ROOT / "spark_jobs" / job.name).is_file(), place
        if words[0] != "tla2py" or words[1].startswith("--"):
            continue
        stop = next((at for at, word in enumerate(words) if re.match(r"\d?>", word)), len(words))
        command, rest = command_of(words[1:stop])
        try:
            # What an option names may not be on this machine; that it is understood is what counts here.
            with contextlib.suppress(ToolchainError):
                command.make_context(words[1], rest)
        except typer.BadParameter.__mro__[1] as error:  # type: ignore[misc]
            pytest.fail(f"{place}: {' '.join(words)}: {error}")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_commands_in_the_text(page: Path) -> None:
    text = re.sub(r"^ *```.*?^ *```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    for span in re.findall(r"`((?:tla2py|make) [^`]+)`", text):
        words = span.split()
        if words[0] == "make":
            assert words[1] in TARGETS, span
            continue
        if words[1].startswith("--") or words[1].isupper():
            continue
        command, rest = command_of(words[1:])
        known = {each for parameter in command.params for each in parameter.opts + parameter.secondary_opts}
        for word in rest:
            if word.startswith("-"):
                assert word.partition("=")[0] in known, f"{page.name}: {span}"


def test_what_does_not_exist_is_found() -> None:
    command, rest = command_of(["sweep", "sweep.toml", "--paralel"])
    with pytest.raises(typer.BadParameter.__mro__[1]):
        command.make_context("sweep", rest)
