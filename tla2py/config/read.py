"""Reading TLC configs."""

from __future__ import annotations

import re
from collections.abc import Container
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tla2py.config.ignore_comment import ignored_codes
from tla2py.config.literal import LISTS, SINGLE
from tla2py.config.places import embedded_config
from tla2py.config.statements import Statements, read_statements
from tla2py.errors import InputError, reason_of
from tla2py.model.config import Assignment, Config, Substitution

# Statements that TLC does not get: TLC 2.15 does not know CHECK_DEADLOCK, and _EXPECT is for the gate.
_BLANKED = ("CHECK_DEADLOCK", "_EXPECT")


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigFile:
    """A config file: its content, its text for TLC, and its statements with their places.

    ``problem`` says why it could not be read, in a sweep over several configs.

    In ``text`` CHECK_DEADLOCK and _EXPECT are blanked out. Instead of CHECK_DEADLOCK, which TLC 2.15 does not know, TLC
    gets an option.
    """

    path: Path
    config: Config
    text: str
    statements: Statements = field(compare=False, repr=False)
    problem: str | None = None


def read_config(path: Path, ignored: Container[str] = (), *, verbatim: bool = False) -> ConfigFile:
    """A ``.cfg`` file. Raises InputError: ``config-missing``, ``config-unreadable``, and as ``parse_config`` does."""
    return parse_config(read_config_text(path), path, ignored, verbatim=verbatim)


def unread_config(path: Path, problem: str) -> ConfigFile:
    """An empty config for a file that could not be read."""
    return ConfigFile(path=path, config=Config(), text="", statements=read_statements(""), problem=problem)


def read_config_text(path: Path) -> str:
    """The text of a ``.cfg`` file, or of the config in a module's file, on its lines there.

    Raises InputError: ``config-missing``, ``config-unreadable``.
    """
    try:
        # TLC replaces what is not UTF-8, which is harmless in comments.
        text = path.read_text(encoding="utf-8", errors="replace")
    except FileNotFoundError as error:
        raise InputError(
            "config-missing",
            f"no such config: {path}",
            hint="give the path of a .cfg file",
        ) from error
    except OSError as error:
        raise InputError(
            "config-unreadable",
            f"cannot read {path}: {reason_of(error)}",
            hint="name a file that you may read",
        ) from error
    if path.suffix != ".tla":
        return text
    embedded = embedded_config(text, path.stem)
    if embedded is None:
        raise InputError(
            "config-missing",
            f"the module has no config: {path}",
            hint=f"give the path of a .cfg file, or write one after the module, from ---- CONFIG {path.stem} ---- to ====",
        )
    return embedded


def parse_config(
    text: str, path: Path, ignored: Container[str] = (), *, verbatim: bool = False
) -> ConfigFile:
    """The config in a text; ``path`` is its file in errors.

    ``ignored`` are the lint rules to ignore besides those in the text's comments. They apply to a text that TLC gets
    ``verbatim``; otherwise only ``unreadable`` does, since TLC refuses the other mistakes.

    Raises InputError (``config-syntax``) with the place.
    """
    statements = read_statements(text)
    codes = ignored_codes(statements.tokens.comments)
    for mistake in statements.mistakes:
        yields = verbatim or mistake.code == "unreadable"
        if mistake.harmless or (yields and (mistake.code in ignored or mistake.code in codes)):
            continue
        place = f":{mistake.token.line}:{mistake.token.column}" if mistake.token else ""
        raise InputError(
            "config-syntax", f"not a config: {mistake.message}", where=f"{path}{place}", hint=mistake.hint
        )
    return config_file(statements, text, path)


def config_file(statements: Statements, text: str, path: Path) -> ConfigFile:
    """The config of some statements, without those that have mistakes."""
    named: dict[str, Any] = {}
    assignments: list[Assignment] = []
    substitutions: list[Substitution] = []
    deadlock = True
    for statement in statements.statements:
        keyword, names = statement.keyword.text, tuple(name.text for name in statement.names)
        if keyword in _BLANKED:
            begin, end = statement.keyword.offset, statement.end
            text = text[:begin] + re.sub(r"\S", " ", text[begin:end]) + text[end:]
        if keyword in SINGLE and names:
            named[SINGLE[keyword]] = names[0]
        elif keyword in LISTS:
            named[LISTS[keyword]] = (*named.get(LISTS[keyword], ()), *names)
        elif keyword == "CHECK_DEADLOCK":
            deadlock = names != ("FALSE",)
        for binding in statement.bindings:
            name = binding.name.text + binding.arguments
            value = (f"[{binding.module.text}] " if binding.module else "") + binding.value
            if binding.sign == "<-":
                substitutions.append(Substitution(name, value))
            else:
                assignments.append(Assignment(name, value))
    config = Config(
        **named,
        assignments=tuple(assignments),
        substitutions=tuple(substitutions),
        check_deadlock=deadlock,
    )
    return ConfigFile(path=path, config=config, text=text, statements=statements)
