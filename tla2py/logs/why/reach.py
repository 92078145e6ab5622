"""What expressions depend on: the log, and variables."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from tla2py.logs.calls import READERS
from tla2py.logs.literal import LOG_NAME
from tla2py.syntax import ModuleGraph
from tla2py.syntax.expression import Expression
from tla2py.syntax.scope import Entity, Scope


class Needs(NamedTuple):
    """Whether something depends on the log, and the variables that it depends on."""

    log: bool = False
    variables: frozenset[str] = frozenset()


@dataclass(slots=True)
class LogReach:
    """What definitions and expressions of a module depend on.

    ``entries`` is the definition that is the log. Without it everything that reads a file depends on the log.
    """

    spec: ModuleGraph
    entries: str | None
    _known: dict[Entity, Needs] = field(default_factory=dict)
    _logging: frozenset[str] | None = None

    def entity(self, entity: Entity) -> Needs:
        """What an entity depends on."""
        if entity.kind == "variable":
            return Needs(variables=frozenset({entity.declaration.name}))
        if entity.body is None:
            return Needs()
        if entity not in self._known:
            # A recursive definition adds nothing to itself.
            self._known[entity] = Needs()
            found = self.expressions([(entity.body, entity.scope)])
            if entity.declaration.name in (self.entries, LOG_NAME):
                found = found._replace(log=True)
            self._known[entity] = found
        return self._known[entity]

    def expressions(self, expressions: Iterable[tuple[Expression, Scope]]) -> Needs:
        """What expressions with their scopes depend on."""
        log, variables = False, set[str]()
        pending = list(expressions)
        while pending:
            expr, scope = pending.pop()
            inside = self.spec.resolver.let(scope, expr) if expr.shape == "let" else scope
            pending += [(child, inside) for child in expr.children()]
            if expr.shape != "apply":
                continue
            log = log or (self.entries is None and expr.operator.rpartition("!")[2] in READERS)
            if (entity := scope.find(expr.operator)) is not None:
                needs = self.entity(entity)
                log = log or needs.log
                variables |= needs.variables
        return Needs(log, frozenset(variables))

    def logging(self, own: frozenset[str]) -> frozenset[str]:
        """The modules with definitions that depend on the log, and without variables of the specification, ``own``."""
        if self._logging is None:
            found = {
                module.name
                for module in self.spec.modules
                for each in module.definitions
                if (entity := self.spec.scope_of(module).find(each.name)) is not None
                and self.entity(entity).log
            }
            self._logging = frozenset(found) - {
                each.module for each in self.spec.variables if each.name in own
            }
        return self._logging
