"""What the rules look at: a config with its modules, or the model of a sweep's points."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TypeAlias

from tla2py.config.read import ConfigFile
from tla2py.config.statements import LISTS, SINGLE, Binding, Statements
from tla2py.config.tokens import Token
from tla2py.errors import Place
from tla2py.lint.jar import Dialect
from tla2py.model.config import Config
from tla2py.syntax import ModuleGraph

# A constant, the text of its value, and where that is written.
Value: TypeAlias = "tuple[str, str, Callable[[], Place]]"


@dataclass(frozen=True, slots=True, kw_only=True)
class Mention:
    """A name under a keyword, which is given as the field of ``Config``, and its place."""

    key: str
    name: str
    place: Place


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """What is linted.

    ``statements`` are those of a config file, None for a model that a sweep makes. ``specs`` are the modules it is for,
    none when they are not known, and ``shown`` names them. ``complete`` says that TLC gets nothing beside it: no constants or names from a sweep
    file. ``dialect`` is that of the TLC at hand, None where there is none.
    """

    path: Path
    config: Config
    statements: Statements | None
    mentions: tuple[Mention, ...]
    specs: tuple[ModuleGraph, ...]
    shown: str
    complete: bool
    dialect: Dialect | None

    @property
    def bindings(self) -> tuple[Binding, ...]:
        """What the file says of constants."""
        return self.statements.bindings if self.statements else ()

    @property
    def values(self) -> Iterator[Value]:
        """The values that the file gives to constants, but for those of operators and those of one module."""
        return _values(self.bindings, self.path)

    def at(self, token: Token | None) -> Place:
        """The place of a token in the file."""
        return Place(file=str(self.path)) if token is None else _place(token, self.path)

    def of(self, *keys: str) -> tuple[Mention, ...]:
        """The names under some of the keywords."""
        return tuple(mention for mention in self.mentions if mention.key in keys)


def mentions_of(statements: Statements, path: Path) -> Iterator[Mention]:
    """The names under the keywords of a config file."""
    for statement in statements.statements:
        key = SINGLE.get(statement.keyword.text) or LISTS.get(statement.keyword.text)
        for name in statement.names if key else ():
            yield Mention(key=key or "", name=name.text, place=_place(name.token, path))


def beside(given: Iterable[Value], *files: ConfigFile) -> Iterator[Value]:
    """The values that configs give to constants which are not given a value over them."""
    names = {name for name, _, _ in given}
    for file in files:
        yield from (each for each in _values(file.statements.bindings, file.path) if each[0] not in names)


def _values(bindings: Iterable[Binding], path: Path) -> Iterator[Value]:
    for each in bindings:
        if each.sign == "=" and each.tokens and not each.arguments and each.module is None:
            yield each.name.text, each.value, partial(_place, each.tokens[0], path)


def _place(token: Token, path: Path) -> Place:
    return Place(file=str(path), line=token.line, column=token.column)


def keyword_of(key: str) -> str:
    """The keyword of a field of ``Config``, in its first spelling."""
    return next(word for word, field in (SINGLE | LISTS).items() if field == key)
