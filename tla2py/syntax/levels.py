"""The level of expressions: constant, state, action or temporal (Specifying Systems, 17.2)."""

from __future__ import annotations

from enum import IntEnum

from tla2py.syntax.module import Definition
from tla2py.syntax.scope import Entity, Resolver, Scope
from tla2py.syntax.term import Term


class Level(IntEnum):
    """How much of a behaviour an expression speaks of: nothing, a state, a step, or all of it."""

    CONSTANT = 0
    STATE = 1
    ACTION = 2
    TEMPORAL = 3

    @property
    def label(self) -> str:
        """The name of the level in lower case."""
        return self.name.lower()


_ACTION_OPERATORS = frozenset({"'", "UNCHANGED", "\\cdot"})
_TEMPORAL_OPERATORS = frozenset({"[]", "<>", "~>", "-+->"})


class Levels:
    """The levels of what names stand for, each worked out once."""

    def __init__(self, resolver: Resolver) -> None:
        self._resolver = resolver
        self._known: dict[Entity, Level] = {}

    def of_entity(self, entity: Entity, bound: frozenset[str] = frozenset()) -> Level:
        """Return the level of what a name stands for, its parameters counted as constants.

        ``bound`` are the names bound around it, for what a LET defines.
        """
        if entity.kind == "variable":
            return Level.STATE
        if entity.body is None:
            return Level.CONSTANT
        if entity not in self._known:
            # A recursive definition meets itself at the lowest level, which never hides a higher one.
            self._known[entity] = Level.CONSTANT
            around = bound if entity.enclosed else frozenset()
            own = entity.declaration.parameters if isinstance(entity.declaration, Definition) else ()
            # The parameters of an instance are not seen by the texts of its module, which may have a variable so named.
            parameters = entity.parameters if entity.kind == "substituted" else own
            self._known[entity] = self.of_term(entity.body, entity.scope, around.union(parameters))
        return self._known[entity]

    def of_term(self, term: Term, scope: Scope, bound: frozenset[str] = frozenset()) -> Level:
        """Return the level of an expression at a place; ``bound`` names are bound around it."""
        if term.shape == "let":
            scope = self._resolver.let(scope, term)
            # What is defined but not used does not count.
            return self.of_term(term.arguments[0], scope, bound.difference(d.name for d in term.definitions))
        # A variable declared further down may have the name of a parameter.
        inside = bound.union(*(each.names for each in term.bounds)) if term.bounds else bound
        parts = max((self.of_term(child, scope, inside) for child in term.children()), default=Level.CONSTANT)
        own = self._own(term, scope, bound)
        return max(parts, own) if term.operator != "ENABLED" else min(parts, Level.STATE)

    def _own(self, term: Term, scope: Scope, bound: frozenset[str]) -> Level:
        if term.shape == "apply" and term.operator not in bound:
            entity = scope.find(term.operator)
            if entity is not None:
                return self.of_entity(entity, bound)
            if term.operator in _ACTION_OPERATORS:
                return Level.ACTION
            if term.operator in _TEMPORAL_OPERATORS:
                return Level.TEMPORAL
        elif term.shape == "build":
            if term.operator in {"[]_", "<>_"}:
                return Level.ACTION
            if term.operator in {"WF_", "SF_"}:
                return Level.TEMPORAL
        elif term.operator in {"\\AA", "\\EE"}:
            return Level.TEMPORAL
        return Level.CONSTANT
