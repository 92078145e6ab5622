"""The declarations of a module."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from tla2py.syntax.expression import Expression, Span
from tla2py.syntax.offsets import original_line


@dataclass(frozen=True, slots=True, kw_only=True)
class Constant:
    """A CONSTANT.

    ``arity`` is above 0 for an operator constant such as ``Op(_, _)``. ``comment`` is the comment beside the name or
    right above it, ``group`` the one above the whole declaration, ``module`` the name of the declaring module.
    """

    name: str
    arity: int
    comment: str
    group: str
    span: Span
    module: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Variable:
    """A VARIABLE; comments as for ``Constant``."""

    name: str
    comment: str
    group: str
    span: Span
    module: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Definition:
    """A definition ``name(parameters) == body``.

    ``span`` and ``text`` include the whole definition; ``comment`` is the comment right above it. A definition of kind
    ``function`` has no parameters and a body that constructs the function; one of kind ``instance`` is
    ``name == INSTANCE ...`` and has no body. ``recursive`` definitions are declared RECURSIVE. ``digest`` is that of
    the tokens without LOCAL.
    """

    name: str
    parameters: tuple[str, ...]
    local: bool
    span: Span
    module: str
    comment: str
    kind: Literal["operator", "function", "instance"]
    text: str
    digest: str
    body: Expression | None = None
    recursive: bool = False

    @property
    def arity(self) -> int:
        """The number of parameters."""
        return len(self.parameters)


@dataclass(frozen=True, slots=True, kw_only=True)
class Substitution:
    """``name <- value`` of an INSTANCE; ``digest`` is that of the value's tokens."""

    name: str
    value: Expression
    text: str
    digest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Instance:
    """An INSTANCE of ``module``; ``name`` is None for a plain ``INSTANCE M``, which keeps the names of M."""

    module: str
    name: str | None
    parameters: tuple[str, ...]
    substitutions: tuple[Substitution, ...]
    local: bool
    span: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """The name of a module after EXTENDS or INSTANCE."""

    module: str
    span: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Assumption:
    """An ASSUME or AXIOM; ``text``, ``digest`` (of the tokens) and ``body`` are those of its formula."""

    name: str | None
    text: str
    digest: str
    span: Span
    body: Expression


@dataclass(frozen=True, slots=True, kw_only=True)
class SyntaxMistake:
    """The first syntax error of a module."""

    span: Span
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Remark:
    """A remark on a module's PlusCal translation.

    ``where`` is the place of the algorithm. With ``doubtful`` the translation may not match the algorithm.
    """

    where: str
    text: str
    doubtful: bool

    def __str__(self) -> str:
        return f"{self.where}: {self.text}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Module:
    """A module and its declarations in the order they are written.

    path: the file, None for a text without a file.
    text: the text of the whole file, which all spans refer to.
    original: the text of the user's file, if ``text`` is a copy with its PlusCal translated; ``remark`` is about that.
    references: the modules named after EXTENDS and INSTANCE, also inside LET.
    nested: the modules declared inside this one.
    """

    name: str
    path: Path | None
    text: str
    span: Span
    extends: tuple[Reference, ...]
    references: tuple[Reference, ...]
    instances: tuple[Instance, ...]
    constants: tuple[Constant, ...]
    variables: tuple[Variable, ...]
    definitions: tuple[Definition, ...]
    assumptions: tuple[Assumption, ...]
    nested: tuple[Module, ...]
    has_pluscal: bool
    syntax_error: SyntaxMistake | None
    original: str | None = None
    remark: Remark | None = None

    def where(self, span: Span | None = None) -> str:
        """A place in the user's file as ``file:line:column``, the file without a span.

        The column is left out in a translated copy where lines differ.
        """
        file = str(self.path) if self.path is not None else self.name
        if span is None:
            return file
        line = self.line(span.begin_line)
        return f"{file}:{span.place}" if line == span.begin_line else f"{file}:{line}"

    def line(self, number: int) -> int:
        """The line in the user's file for a line of ``text``."""
        return number if self.original is None else original_line(self.original, self.text, number)

    def excerpt(self, span: Span) -> str:
        """The text of a span on one line, white space collapsed."""
        lines = self.text.split("\n")[span.begin_line - 1 : span.end_line]
        if not lines:
            return ""
        lines[-1] = lines[-1][: span.end_column]
        lines[0] = lines[0][span.begin_column - 1 :]
        return " ".join(" ".join(lines).split())
