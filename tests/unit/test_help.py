"""What ``-h`` prints, of every command."""

from __future__ import annotations

import re

import pytest
import typer
from rich.text import Text
from typer.testing import CliRunner

from tla2py.cli.app import app

GROUP = typer.main.get_command(app)
CONTEXT = typer.Context(GROUP)
COMMANDS = [(), *((name,) for name in GROUP.list_commands(CONTEXT))]  # type: ignore[attr-defined]
COMMANDS += [("tools", "install"), ("tools", "path"), ("examples", "copy")]


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_every_command_has_help_in_plain_text(command: tuple[str, ...]) -> None:
    told = CliRunner().invoke(app, [*command, "-h"], terminal_width=100).stdout
    assert re.search(r"Usage: .*\bCOMMAND\b|Usage: .*" + " ".join(command), told)
    assert re.search(r"--help +-h ", told)
    assert "\x1b" not in told


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_no_word_of_the_help_is_taken_for_markup(command: tuple[str, ...]) -> None:
    found = GROUP
    for name in command:
        found = found.get_command(CONTEXT, name)  # type: ignore[attr-defined]
    helps = [found.help, found.epilog, *(getattr(each, "help", None) for each in found.params)]
    for text in filter(None, helps):
        assert Text.from_markup(text).plain == text


def test_examples_are_in_the_help_of_what_takes_arguments() -> None:
    for command in COMMANDS[1:]:
        told = CliRunner().invoke(app, [*command, "-h"], terminal_width=100).stdout
        assert "Example" in told or "COMMAND" in told, command


def test_commands_and_shared_options_are_in_panels() -> None:
    told = CliRunner().invoke(app, ["-h"], terminal_width=100).stdout
    assert re.findall(r"╭─ ([\w -]+?) ─", told) == ["Options", "run", "understand", "write", "house-keeping"]
    told = CliRunner().invoke(app, ["explain", "-h"], terminal_width=80).stdout
    assert re.findall(r"╭─ ([\w -]+?) ─", told)[-1] == "Options of several commands"
    assert told.index("--suggest") < told.index("--json")
    # A paragraph ends where the terminal does.
    assert "Rivals fit the same points;\n" in re.sub(" +\n", "\n", told)
