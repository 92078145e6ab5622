"""Where an expression is, and a change found there."""

from __future__ import annotations

from dataclasses import dataclass, replace

from tla2py.mutation.swaps import Change
from tla2py.syntax import Definition, Module
from tla2py.syntax.expression import Expression
from tla2py.syntax.scope import Scope


@dataclass(frozen=True, slots=True, kw_only=True)
class Spot:
    """Where an expression is: its scope, the definition around it and the names bound there."""

    scope: Scope
    owner: Definition
    module: Module
    bound: frozenset[str] = frozenset()

    def binding(self, expr: Expression) -> Spot:
        """Inside a binder."""
        return replace(self, bound=self.bound.union(*(each.names for each in expr.bounds)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A change, and the definition and the module that it is in."""

    change: Change
    owner: Definition
    module: Module
