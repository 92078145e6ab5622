"""What the rules look at: a config with its modules, or the model of a sweep's points."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tla2py.cfg.statements import LISTS, SINGLE, Binding, Statements
from tla2py.cfg.tokens import Token
from tla2py.lint.finding import Place
from tla2py.lint.jar import Dialect
from tla2py.run import Config
from tla2py.syntax import Spec


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
    specs: tuple[Spec, ...]
    shown: str
    complete: bool
    dialect: Dialect | None

    @property
    def bindings(self) -> tuple[Binding, ...]:
        """What the file says of constants."""
        statements = self.statements.statements if self.statements else ()
        return tuple(binding for statement in statements for binding in statement.bindings)

    def at(self, token: Token | None) -> Place:
        """The place of a token in the file."""
        if token is None:
            return Place(file=str(self.path))
        return Place(file=str(self.path), line=token.line, column=token.column)

    def of(self, *keys: str) -> tuple[Mention, ...]:
        """The names under some of the keywords."""
        return tuple(mention for mention in self.mentions if mention.key in keys)


def mentions_of(statements: Statements, path: Path) -> Iterator[Mention]:
    """The names under the keywords of a config file."""
    for statement in statements.statements:
        key = SINGLE.get(statement.keyword.text) or LISTS.get(statement.keyword.text)
        for name in statement.names if key else ():
            place = Place(file=str(path), line=name.token.line, column=name.token.column)
            yield Mention(key=key or "", name=name.text, place=place)


def keyword_of(key: str) -> str:
    """The keyword of a field of ``Config``, in its first spelling."""
    return next(word for word, field in (SINGLE | LISTS).items() if field == key)
