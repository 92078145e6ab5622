"""What one module declares, as read from its text."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from tla2py.syntax.copies import original_line
from tla2py.syntax.expression import Expression, Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Constant:
    """A CONSTANT; ``arity`` is above 0 for an operator constant such as ``Op(_, _)``.

    ``comment`` stands beside the name or right above it, ``group`` above the whole declaration.
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

    ``span`` and ``text`` are those of the whole definition, ``comment`` what stands right above it. A
    definition of kind ``function`` has no parameters and a body that builds the function; one of kind
    ``instance`` is ``name == INSTANCE ...`` and has no body. ``recursive`` says that a RECURSIVE announces it.
    """

    name: str
    parameters: tuple[str, ...]
    local: bool
    span: Span
    module: str
    comment: str
    kind: Literal["operator", "function", "instance"]
    text: str
    body: Expression | None = None
    recursive: bool = False

    @property
    def arity(self) -> int:
        """The number of parameters."""
        return len(self.parameters)


@dataclass(frozen=True, slots=True, kw_only=True)
class Substitution:
    """``name <- value`` of an INSTANCE."""

    name: str
    value: Expression
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Instance:
    """An INSTANCE of ``module``; ``name`` is None where its definitions are taken over under their own names."""

    module: str
    name: str | None
    parameters: tuple[str, ...]
    substitutions: tuple[Substitution, ...]
    local: bool
    span: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """The name of a module after EXTENDS or INSTANCE, and where it stands."""

    module: str
    span: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Assumption:
    """An ASSUME (or AXIOM); ``text`` and ``body`` are those of the formula."""

    name: str | None
    text: str
    span: Span
    body: Expression


@dataclass(frozen=True, slots=True, kw_only=True)
class Theorem:
    """A THEOREM, LEMMA or the like; ``text`` is that of the statement, without its proof."""

    name: str | None
    text: str
    span: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class SyntaxProblem:
    """The first place that cannot be read as TLA+, and what is there."""

    span: Span
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Remark:
    """What is to be said of a module's translation of PlusCal, and where its algorithm is.

    ``doubtful``: what is read may not be what the algorithm says.
    """

    where: str
    text: str
    doubtful: bool

    def __str__(self) -> str:
        return f"{self.where}: {self.text}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Module:
    """One module and its declarations in the order they are written.

    ``path`` is that of the file, and None for text that comes from no file. ``references`` are
    all modules named in it, after EXTENDS and after INSTANCE, also inside LET. ``nested`` are the modules inside
    this one. ``text`` is the whole file's; ``original`` is that of the user's file, where ``text`` and all places are
    of a copy in which PlusCal was translated. ``remark`` is None where nothing is to be said of that.
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
    theorems: tuple[Theorem, ...]
    nested: tuple[Module, ...]
    has_pluscal: bool
    syntax_error: SyntaxProblem | None
    original: str | None = None
    remark: Remark | None = None

    def where(self, span: Span | None = None) -> str:
        """The place as ``file:line:column``, or the file alone."""
        file = str(self.path) if self.path is not None else self.name
        if span is None:
            return file
        line = self.line(span.begin_line)
        return f"{file}:{span.place}" if line == span.begin_line else f"{file}:{line}"

    def line(self, number: int) -> int:
        """The line of the user's file for a line of ``text``."""
        return number if self.original is None else original_line(self.original, self.text, number)

    def excerpt(self, span: Span) -> str:
        """Return the text at a place on one line, its white space made single."""
        lines = self.text.split("\n")[span.begin_line - 1 : span.end_line]
        if not lines:
            return ""
        lines[-1] = lines[-1][: span.end_column]
        lines[0] = lines[0][span.begin_column - 1 :]
        return " ".join(" ".join(lines).split())
