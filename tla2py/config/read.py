"""Reading a TLC config: what it says, or the first mistake in it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tla2py.config.statements import LISTS, SINGLE, ConfigProblem, Statements, read_statements
from tla2py.errors import InputError, reason_of
from tla2py.model.config import Assignment, Config, Substitution

# What TLC is not given: the deadlock statement, which TLC 2.15 does not know, and what is for who judges its answer.
_BLANKED = ("CHECK_DEADLOCK", "_EXPECT")


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigFile:
    """A config read from a file: what it says, its text for TLC, and its statements with their places.

    In ``text`` a CHECK_DEADLOCK statement is blanked out, since TLC 2.15 does not know it; it is given to TLC as an
    option instead, which all versions know. So is an _EXPECT statement, which is for who judges TLC's answer.
    """

    path: Path
    config: Config
    text: str
    statements: Statements = field(compare=False, repr=False)


def read_config(path: Path) -> ConfigFile:
    """A ``.cfg`` file. Raises InputError: ``config-missing``, ``config-unreadable``, ``config-syntax`` with the place."""
    return parse_config(read_config_text(path), path)


def read_config_text(path: Path) -> str:
    """The text of a ``.cfg`` file. Raises InputError: ``config-missing``, ``config-unreadable``."""
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError as error:
        raise InputError(
            "config-missing",
            f"no such config: {path}",
            hint="name a .cfg file by its path from where you are",
        ) from error
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(
            "config-unreadable", f"cannot read {path}: {reason_of(error)}", hint="a config is text in UTF-8"
        ) from error


def parse_config(text: str, path: Path) -> ConfigFile:
    """The text of a config; ``path`` names it in errors. Raises InputError (``config-syntax``) with the place."""
    statements = read_statements(text)
    if statements.problems:
        raise problem_error(statements.problems[0], path)
    return config_file(statements, text, path)


def problem_error(problem: ConfigProblem, path: Path) -> InputError:
    """The error that a problem of a config makes when it is to be run."""
    place = f":{problem.token.line}:{problem.token.column}" if problem.token else ""
    return InputError(
        "config-syntax",
        f"not a config: {problem.message}",
        where=f"{path}{place}",
        hint=problem.hint or "a config is keywords with names, as in: INVARIANT TypeOK",
    )


def config_file(statements: Statements, text: str, path: Path) -> ConfigFile:
    """What the statements of a config say; what is a problem in it says nothing."""
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
