"""The variables that a formula assigns, worked out through definitions, INSTANCE and LET."""

from __future__ import annotations

from dataclasses import dataclass, field

from tla2py.syntax import Level, ModuleGraph
from tla2py.syntax.expression import Expression
from tla2py.syntax.levels import Levels
from tla2py.syntax.scope import Entity, Scope

_DEEPEST = 40
_NOTHING: frozenset[Entity] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Assigned:
    """The variables that a formula gives next values: all of them, and those that may change."""

    every: frozenset[Entity] = _NOTHING
    changed: frozenset[Entity] = _NOTHING

    def __or__(self, other: Assigned) -> Assigned:
        return Assigned(every=self.every | other.every, changed=self.changed | other.changed)


@dataclass(slots=True)
class Updates:
    """The assignments of a specification's formulas."""

    spec: ModuleGraph
    levels: Levels
    _known: dict[Entity, Assigned] = field(default_factory=dict)

    def assigned(self, expr: Expression, scope: Scope, depth: int = 0) -> Assigned:
        """The variables that a formula assigns."""
        if depth > _DEEPEST:
            return Assigned()
        match expr:
            case Expression(shape="apply", operator="=" | "\\in" as operator, arguments=(left, right)):
                return self._equation(left, right, scope, operator)
            case Expression(shape="apply", operator="UNCHANGED", arguments=(what,)):
                return Assigned(every=frozenset(self._variables(what, scope, depth)))
            case Expression(shape="apply", operator="/\\" | "\\/", arguments=parts):
                inside = scope
            case Expression(shape="bind", operator="\\E", arguments=parts):
                inside = scope
            case Expression(shape="let", arguments=parts):
                inside = self.spec.resolver.let(scope, expr)
            case Expression(shape="build", operator="IF", arguments=(_, *branches)):
                parts, inside = tuple(branches), scope
            case Expression(shape="build", operator="CASE", arguments=arms):
                parts, inside = arms[1::2], scope
            case Expression(shape="apply"):
                return self._called(scope.find(expr.operator), depth)
            case _:
                return Assigned()
        found = Assigned()
        for each in parts:
            found |= self.assigned(each, inside, depth + 1)
        return found

    def _equation(self, left: Expression, right: Expression, scope: Scope, operator: str) -> Assigned:
        if left.shape != "apply" or left.operator != "'" or not left.arguments[0].is_name():
            return Assigned()
        variable = variable_of(scope.find(left.arguments[0].operator))
        if variable is None:
            return Assigned()
        same = operator == "=" and right.is_name() and variable_of(scope.find(right.operator)) is variable
        only = frozenset({variable})
        return Assigned(every=only, changed=_NOTHING if same else only)

    def _called(self, entity: Entity | None, depth: int) -> Assigned:
        if entity is None or entity.body is None or entity.kind != "definition":
            return Assigned()
        if self.levels.of_entity(entity) != Level.ACTION:
            return Assigned()
        if entity not in self._known:
            # A recursive definition assigns nothing more inside itself.
            self._known[entity] = Assigned()
            self._known[entity] = self.assigned(entity.body, entity.scope, depth + 1)
        return self._known[entity]

    def _variables(self, expr: Expression, scope: Scope, depth: int) -> set[Entity]:
        """The variables in a tuple of variables."""
        if expr.shape == "build" and expr.operator == "<<>>":
            return {each for part in expr.arguments for each in self._variables(part, scope, depth)}
        entity = scope.find(expr.operator) if expr.is_name() else None
        variable = variable_of(entity)
        if variable is not None:
            return {variable}
        if entity is None or entity.body is None or depth > _DEEPEST:
            return set()
        return self._variables(entity.body, entity.scope, depth + 1)

    def unchanged_text(self, expr: Expression, scope: Scope, bound: frozenset[str]) -> str | None:
        """What leaves the variables that a formula assigns as they are; None if it changes none, or none has a name here."""
        found = self.assigned(expr, scope)
        if not found.changed:
            return None
        names: dict[Entity, str] = {}
        for name, entity in scope.names.items():
            variable = variable_of(entity) if "!" not in name and name not in bound else None
            if variable is not None and variable in found.every:
                names.setdefault(variable, name)
        if len(names) < len(found.every):
            return None
        several = sorted(names.values())
        return f"{several[0]}' = {several[0]}" if len(several) == 1 else f"UNCHANGED <<{', '.join(several)}>>"


def variable_of(entity: Entity | None) -> Entity | None:
    """The variable that a name stands for, also in an instantiated module; None for any other name."""
    while entity is not None and entity.kind == "substituted":
        body = entity.body
        entity = entity.scope.find(body.operator) if body is not None and body.is_name() else None
    return entity if entity is not None and entity.kind == "variable" else None


def is_compound(expr: Expression) -> bool:
    """Whether a conjunct has conjuncts of its own."""
    match expr:
        case Expression(shape="apply", operator="/\\"):
            return True
        case Expression(shape="apply", operator="\\/"):
            return any(map(is_compound, expr.arguments))
        case Expression(shape="bind" | "let", arguments=(body,)):
            return is_compound(body)
        case Expression(shape="build", operator="IF" | "CASE", arguments=parts):
            return any(map(is_compound, parts))
    return False
