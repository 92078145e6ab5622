"""What the rules lint: a config with its modules, or the model of a sweep's points."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TypeAlias

from tla2py.config.literal import FIELDS
from tla2py.config.read import ConfigFile
from tla2py.config.statements import Binding, Statements
from tla2py.config.tokens import Token
from tla2py.errors import Place
from tla2py.lint.jar import Dialect
from tla2py.model.config import Config
from tla2py.syntax import ModuleGraph

# A constant, the text of its value, and the place of that text.
AssignedValue: TypeAlias = "tuple[str, str, Callable[[], Place]]"


@dataclass(frozen=True, slots=True, kw_only=True)
class Mention:
    """A name under a keyword; ``key`` is the keyword's field in ``Config``."""

    key: str
    name: str
    place: Place


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """A config, or the model of a sweep's points.

    The model of a sweep has no ``statements``. ``specs`` are the modules, if known, and ``shown`` names them.
    ``complete`` means that TLC gets no other input, such as constants from a sweep file. ``dialect`` is None if the TLC
    is unknown. ``permuted`` are the constants that a sweep's symmetry lists.
    """

    path: Path
    config: Config
    statements: Statements
    mentions: tuple[Mention, ...]
    specs: tuple[ModuleGraph, ...]
    shown: str
    complete: bool
    dialect: Dialect | None
    permuted: tuple[str, ...] = ()

    @property
    def bindings(self) -> tuple[Binding, ...]:
        """The file's assignments to constants."""
        return self.statements.bindings

    @property
    def values(self) -> Iterator[AssignedValue]:
        """The file's values of constants, except operators and constants of one module (``= [Module] value``)."""
        return _values(self.bindings, self.path)

    def at(self, token: Token | None) -> Place:
        """The place of a token in the file."""
        return Place(file=str(self.path)) if token is None else _place(token, self.path)

    def of(self, *keys: str) -> tuple[Mention, ...]:
        """The names under keywords, given as fields of ``Config``."""
        return tuple(mention for mention in self.mentions if mention.key in keys)


def mentions_of(statements: Statements, path: Path) -> Iterator[Mention]:
    """The names under the keywords of a config file."""
    for statement in statements.statements:
        if key := FIELDS.get(statement.keyword.text):
            for name in statement.names:
                yield Mention(key=key, name=name.text, place=_place(name.token, path))


def remaining_values(given: Iterable[AssignedValue], *files: ConfigFile) -> Iterator[AssignedValue]:
    """The values in configs that ``given`` does not override."""
    names = {name for name, _, _ in given}
    for file in files:
        yield from (each for each in _values(file.statements.bindings, file.path) if each[0] not in names)


def _values(bindings: Iterable[Binding], path: Path) -> Iterator[AssignedValue]:
    for each in bindings:
        if each.sign == "=" and each.tokens and not each.arguments and each.module is None:
            yield each.name.text, each.value, partial(_place, each.tokens[0], path)


def _place(token: Token, path: Path) -> Place:
    return Place(file=str(path), line=token.line, column=token.column)


def keyword_of(key: str) -> str:
    """The keyword of a field of ``Config``, in the singular."""
    return next(word for word, field in FIELDS.items() if field == key)
