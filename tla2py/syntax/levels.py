"""The level of expressions: constant, state, action or temporal (Specifying Systems, 17.2)."""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum

from tla2py.syntax.expression import Expression
from tla2py.syntax.module import Definition, Variable
from tla2py.syntax.scope import Entity, Resolver, Scope


class Level(IntEnum):
    """The part of a behaviour that an expression depends on: none, a state, a step, or all of it."""

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
# Arguments that definitions of the standard modules do not use, so that their levels do not count.
_UNUSED = {"Print": {0}, "PrintT": {0}, "Assert": {1}, "TLCGet": {0}, "TLCSet": {0, 1}}


class Levels:
    """The levels of entities and expressions; an entity's is computed once."""

    def __init__(self, resolver: Resolver) -> None:
        self._resolver = resolver
        self._known: dict[Entity, Level] = {}
        self._used: dict[Entity, frozenset[str]] = {}

    def of_entity(self, entity: Entity, bound: frozenset[str] = frozenset()) -> Level:
        """The level of an entity, its parameters counted as constants.

        ``bound`` are the names bound around it, for a definition in a LET.
        """
        if entity.kind == "variable":
            return Level.STATE
        if entity.body is None:
            return Level.CONSTANT
        if entity not in self._known:
            # Inside itself a recursive definition has the lowest level, which hides no higher one.
            self._known[entity] = Level.CONSTANT
            around = bound if entity.enclosed else frozenset()
            own = entity.declaration.parameters if isinstance(entity.declaration, Definition) else ()
            # The parameters of an instance are not visible in its module, which may have a variable of that name.
            parameters = entity.parameters if entity.kind == "substituted" else own
            level = self.of_expression(entity.body, entity.scope, around.union(parameters))
            if entity.kind == "substituted" and isinstance(entity.declaration, Variable):
                # For SANY a variable of the instantiated module stays one, whatever its substitution.
                level = max(level, Level.STATE)
            self._known[entity] = level
        return self._known[entity]

    def of_expression(self, expr: Expression, scope: Scope, bound: frozenset[str] = frozenset()) -> Level:
        """The level of an expression in a scope; ``bound`` are the names bound around it."""
        if expr.shape == "let":
            scope = self._resolver.let(scope, expr)
            # Unused definitions do not count.
            return self.of_expression(
                expr.arguments[0], scope, bound.difference(d.name for d in expr.definitions)
            )
        # A variable declared further down may have the name of a parameter.
        inside = bound.union(*(each.names for each in expr.bounds)) if expr.bounds else bound
        children = self._counting(expr, scope, bound)
        parts = max((self.of_expression(child, scope, inside) for child in children), default=Level.CONSTANT)
        own = self._own(expr, scope, bound)
        return max(parts, own) if expr.operator != "ENABLED" else min(parts, Level.STATE)

    def _counting(self, expr: Expression, scope: Scope, bound: frozenset[str]) -> Iterable[Expression]:
        """The parts of an expression whose levels count: unused arguments do not."""
        if expr.shape != "apply" or not expr.arguments or expr.operator in bound:
            return expr.children()
        entity = scope.find(expr.operator)
        if entity is None:
            unused = _UNUSED.get(expr.operator, set())
            return [part for n, part in enumerate(expr.arguments) if n not in unused]
        if entity.body is None or len(entity.parameters) != len(expr.arguments):
            return expr.arguments
        used = self._parameters_used(entity)
        return [part for name, part in zip(entity.parameters, expr.arguments, strict=True) if name in used]

    def _parameters_used(self, entity: Entity) -> frozenset[str]:
        own = entity.declaration.parameters if isinstance(entity.declaration, Definition) else ()
        if entity.kind != "definition" or entity.body is None or own != entity.parameters:
            return frozenset(entity.parameters)
        if entity not in self._used:
            # Inside a recursive definition all count.
            self._used[entity] = frozenset(own)
            self._used[entity] = self._names_used(entity.body, entity.scope, frozenset(own), set())
        return self._used[entity]

    def _names_used(
        self, expr: Expression, scope: Scope, names: frozenset[str], met: set[tuple[Entity, frozenset[str]]]
    ) -> frozenset[str]:
        """The bound ``names`` on which an expression's level depends; ``met`` are LET definitions already counted."""
        if not names:
            return names
        if expr.shape == "let":
            scope = self._resolver.let(scope, expr)
            names = names.difference(d.name for d in expr.definitions)
            return self._names_used(expr.arguments[0], scope, names, met)
        found: frozenset[str] = frozenset()
        if expr.shape == "apply" and expr.operator in names:
            found = frozenset({expr.operator})
        elif expr.shape == "apply":
            entity = scope.find(expr.operator)
            if entity is not None and entity.enclosed and entity.body is not None:
                around = names.difference(entity.parameters)
                if (entity, around) not in met:
                    met.add((entity, around))
                    found = self._names_used(entity.body, entity.scope, around, met)
        inside = names.difference(*(each.names for each in expr.bounds)) if expr.bounds else names
        for part in self._counting(expr, scope, names):
            found |= self._names_used(part, scope, inside, met)
        return found

    def _own(self, expr: Expression, scope: Scope, bound: frozenset[str]) -> Level:
        if expr.shape == "apply" and expr.operator not in bound:
            entity = scope.find(expr.operator)
            if entity is not None:
                return self.of_entity(entity, bound)
            if expr.operator in _ACTION_OPERATORS:
                return Level.ACTION
            if expr.operator in _TEMPORAL_OPERATORS:
                return Level.TEMPORAL
        elif expr.shape == "build":
            if expr.operator in {"[]_", "<>_"}:
                return Level.ACTION
            if expr.operator in {"WF_", "SF_"}:
                return Level.TEMPORAL
        elif expr.operator in {"\\AA", "\\EE"}:
            return Level.TEMPORAL
        return Level.CONSTANT
