"""The page of the command line, generated from the Typer application."""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import Enum
from typing import Any

import typer

from tla2py.cli.app import app

_HEAD = """\
# Commands

Generated from the code; `tla2py COMMAND --help` prints the same. Results go to standard output, progress and errors to standard
error. Exit codes and all errors: [errors](errors.md). `python -m tla2py` is the same as `tla2py`.
"""
# Introduces a command's examples.
_EXAMPLES = re.compile(r"^Examples?:\n", re.MULTILINE)


def cli_page() -> str:
    """The page, in Markdown."""
    group = typer.main.get_command(app)
    parts = [_HEAD, _contents(group)]
    for name, command in _commands(group):
        parts.append("\n".join(_command(name, command)))
    return "\n".join(parts)


def _commands(group: Any, path: str = "tla2py") -> Iterator[tuple[str, Any]]:
    """Every command and group of commands, with its full name."""
    for name in group.list_commands(None):
        command = group.get_command(None, name)
        yield f"{path} {name}", command
        if hasattr(command, "list_commands"):
            yield from _commands(command, f"{path} {name}")


def _contents(group: Any) -> str:
    rows = []
    for name, command in _commands(group):
        if not hasattr(command, "list_commands"):
            rows.append(f"| [`{name}`](#{name.replace(' ', '-')}) | {_cell(_first(command.help))} |")
    return "\n".join(["| command | does |", "|---|---|", *rows, ""])


def _command(name: str, command: Any) -> Iterator[str]:
    yield f"{'##' if name.count(' ') == 1 else '###'} {name}"
    yield ""
    if hasattr(command, "list_commands"):
        yield command.help
        yield ""
        return
    words, examples = _split(command.help)
    shown = [param for param in command.params if param.name != "help"]
    arguments = [param for param in shown if param.param_type_name == "argument"]
    options = [param for param in shown if param.param_type_name == "option"]
    usage = " ".join([name, *(["[OPTIONS]"] if options else []), *(str(each.metavar) for each in arguments)])
    yield f"    {usage}"
    yield ""
    yield words
    yield ""
    if arguments:
        yield "| argument | |"
        yield "|---|---|"
        yield from (f"| `{_cell(each.metavar)}` | {_cell(each.help)} |" for each in arguments)
        yield ""
    if options:
        yield "| option | default | |"
        yield "|---|---|---|"
        yield from (f"| {_names(each)} | {_default(each)} | {_cell(each.help)} |" for each in options)
        yield ""
    if examples:
        yield "<!-- not run: the pages on each of these run them -->"
        yield "```sh"
        yield from examples
        yield "```"
        yield ""


def _first(text: str) -> str:
    """The first sentence of a help text."""
    words, _ = _split(text)
    return re.split(r"(?<=\.)\s", words, maxsplit=1)[0]


def _split(text: str) -> tuple[str, list[str]]:
    """The prose of a help text, in paragraphs, and its examples."""
    words, *rest = _EXAMPLES.split(text, maxsplit=1)
    examples = [each.strip() for each in rest[0].splitlines()] if rest else []
    paragraphs = [" ".join(each.split()) for each in words.strip().split("\n\n")]
    return "\n\n".join(paragraphs), examples


def _names(option: Any) -> str:
    names = ", ".join(f"`{name}`" for name in (*option.opts, *option.secondary_opts))
    kind = "" if option.is_flag else f" `{_cell(_metavar(option))}`"
    return names + kind


def _metavar(option: Any) -> str:
    if option.metavar:
        return str(option.metavar)
    default = option.default
    if isinstance(default, Enum):
        return "|".join(str(each.value) for each in type(default))
    return str(option.name).upper()


def _default(option: Any) -> str:
    default = option.default
    if default is None or default is False:
        return ""
    if default is True:
        return f"`{option.opts[0]}`"
    return f"`{default.value if isinstance(default, Enum) else default}`"


def _cell(text: object) -> str:
    return " ".join(str(text).split()).replace("|", "\\|")
