"""The expressions of TLA+: an operator, its arguments, and what it binds.

Operators have one spelling whatever the module uses: ``\\union`` and ``∪`` are ``\\cup``, ``\\leq`` is ``<=``.
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
    """A stretch of source text; lines and columns count from 1, the end is the last character of it."""

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
    """Names introduced by a quantifier or the like, and the set they range over where there is one.

    ``pattern`` says that the names take an element of the set apart, as in ``<<a, b>> \\in S``.
    """

    names: tuple[str, ...]
    domain: Expression | None = None
    pattern: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Expression:
    """An expression.

    ``shape`` tells what ``operator`` is: a name or symbol applied to the arguments (``apply``, also a bare name),
    a ``literal`` of the kind ``number``, ``string`` or ``boolean``, a construct of the language (``build``), a
    construct that binds names in its arguments (``bind``), or ``let``. A name seen through instances is
    ``I!Op``, its arguments those of the instance, then those of the operator.
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
        """All expressions directly inside this one, in the order they are written."""
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

    def is_name(self) -> bool:
        """Whether this is a bare name, applied to nothing."""
        return self.shape == "apply" and not self.arguments
