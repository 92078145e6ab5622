"""The expressions of TLA+.

An operator with several spellings has one here: ``\\union`` and ``∪`` are ``\\cup``, ``\\leq`` is ``<=``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from tla2py.syntax.module import Definition, Instance

Shape = Literal["apply", "literal", "build", "bind", "let"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """A range of source text; lines and columns count from 1, the end is inclusive."""

    begin_line: int
    begin_column: int
    end_line: int
    end_column: int

    @property
    def place(self) -> str:
        """The beginning as ``line:column``."""
        return f"{self.begin_line}:{self.begin_column}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Bound:
    """The names that a quantifier or another binder introduces, and the set they range over, if any.

    With ``pattern`` the names stand for the parts of a tuple, as in ``<<a, b>> \\in S``.
    """

    names: tuple[str, ...]
    domain: Expression | None = None
    pattern: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Expression:
    """An expression.

    ``shape`` says what ``operator`` is: a name or symbol applied to the arguments (``apply``, also a bare name), the
    type of a ``literal`` (``number``, ``string``, ``boolean``), a language construct (``build``), a construct that
    binds names in its arguments (``bind``), or ``let``. A name in an instance is ``I!Op``; its arguments are those of
    the instance, then those of the operator.
    """

    shape: Shape
    operator: str
    span: Span
    arguments: tuple[Expression, ...] = ()
    bounds: tuple[Bound, ...] = ()
    definitions: tuple[Definition, ...] = ()
    instances: tuple[Instance, ...] = ()
    text: str = ""

    def children(self) -> Iterator[Expression]:
        """The expressions directly inside this one, in the order they are written."""
        for bound in self.bounds:
            if bound.domain is not None:
                yield bound.domain
        for definition in self.definitions:
            if definition.body is not None:
                yield definition.body
        for instance in self.instances:
            for substitution in instance.substitutions:
                yield substitution.value
        yield from self.arguments

    def walk(self) -> Iterator[Expression]:
        """This expression and all expressions inside it, in no particular order."""
        pending = [self]
        while pending:
            each = pending.pop()
            yield each
            pending += each.children()

    def is_name(self) -> bool:
        """Whether this is a name without arguments."""
        return self.shape == "apply" and not self.arguments
