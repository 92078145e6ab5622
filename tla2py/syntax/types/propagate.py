"""Constraints on an expression, passed down to the constants, variables and names that its value comes from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from tla2py.syntax.expression import Expression, Span
from tla2py.syntax.module import Module
from tla2py.syntax.scope import Entity, Resolver, Scope
from tla2py.syntax.types.constraints import JOINED, REQUIRED, Constraint
from tla2py.syntax.types.type import Type

# As deep as a set of sets of functions to sequences.
_HEIGHT = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacedConstraint:
    """A constraint on a constant or variable, its occurrence there, and whether an ASSUME makes the constraint."""

    constraint: Constraint
    module: Module
    span: Span
    assumed: bool


@dataclass(slots=True)
class Local:
    """The constraints on a bound name or a parameter."""

    _constraints: dict[tuple[Type, int], Constraint] = field(default_factory=dict)

    def add(self, constraint: Constraint) -> None:
        """Keep a new constraint, unless its type is deeper than any real one.

        A recursive definition keeps deriving deeper constraints on its own parameters.
        """
        if constraint.type.height <= _HEIGHT:
            self._constraints.setdefault((constraint.type, constraint.strength), constraint)

    @property
    def constraints(self) -> tuple[Constraint, ...]:
        """The constraints so far."""
        return tuple(self._constraints.values())


Locals = Mapping[str, Local]


class Propagation:
    """The constraints found so far on constants, variables and local names."""

    def __init__(self, resolver: Resolver) -> None:
        self._resolver = resolver
        self.constraints: dict[Entity, dict[tuple[str, Span, Type], PlacedConstraint]] = {}
        self.assumed = False
        """Whether the constraints being pushed come from an ASSUME."""
        self._pushed: set[tuple[Entity, Type]] = set()

    def push(self, expr: Expression, scope: Scope, local: Locals, constraint: Constraint) -> None:
        """Pass a constraint on an expression down to the expressions that its value comes from."""
        operator, parts = expr.operator, expr.arguments
        if expr.shape == "apply":
            self._push_applied(expr, scope, local, constraint)
        elif expr.shape == "let":
            self.push(parts[0], self._resolver.let(scope, expr), local, constraint)
        elif expr.shape == "build":
            if operator in {"IF", "CASE"}:
                joined = replace(constraint, strength=JOINED)
                for part in parts[1:] if operator == "IF" else parts[1::2]:
                    self.push(part, scope, local, joined)
            elif operator == "EXCEPT" and parts:
                self.push(parts[0], scope, local, constraint)
            elif operator == "[]" and parts:
                container = constrain_container("function", constraint, "a function whose values are each")
                self.push(parts[0], scope, local, container)
            elif operator == "{}":
                self._push_all(parts, scope, local, constraint, "set")
        elif expr.shape == "bind":
            if operator == "[|->]":
                self._push_all(parts, scope, local, constraint, "function")
            elif operator == "{|}":
                self._push_all(parts, scope, local, constraint, "set")
            domain = expr.bounds[0].domain if expr.bounds and not expr.bounds[0].pattern else None
            if domain is not None and operator == "CHOOSE":
                container = constrain_container("set", constraint, "a set with an element that is")
                self.push(domain, scope, local, container)
            elif domain is not None and operator == "{:}":
                self.push(domain, scope, local, constraint)

    def _push_all(
        self, parts: tuple[Expression, ...], scope: Scope, local: Locals, constraint: Constraint, kind: str
    ) -> None:
        if constraint.type.kind == kind and constraint.type.element is not None:
            for part in parts:
                self.push(part, scope, local, replace(constraint, type=constraint.type.element))

    def _push_applied(self, expr: Expression, scope: Scope, local: Locals, constraint: Constraint) -> None:
        operator, parts = expr.operator, expr.arguments
        if operator in local:
            if not parts:
                local[operator].add(constraint)
            return
        entity = scope.find(operator)
        if entity is None:
            self._push_set(expr, scope, local, constraint)
        elif entity.kind in ("constant", "variable"):
            key = (scope.module.name, expr.span, constraint.type)
            found = PlacedConstraint(
                constraint=constraint, module=scope.module, span=expr.span, assumed=self.assumed
            )
            self.constraints.setdefault(entity, {}).setdefault(key, found)
        elif entity.body is not None and (entity, constraint.type) not in self._pushed:
            self._pushed.add((entity, constraint.type))
            if entity.enclosed or entity.kind == "substituted":
                names = local if entity.enclosed else {n: local[n] for n in entity.parameters if n in local}
                self.push(entity.body, entity.scope, names, constraint)
                # The names around it differ the next time.
                self._pushed.discard((entity, constraint.type))
            else:
                self.push(entity.body, entity.scope, {}, constraint)

    def _push_set(self, expr: Expression, scope: Scope, local: Locals, constraint: Constraint) -> None:
        """Pass a constraint on the result of a set operator down to its operands."""
        operator, parts, element = expr.operator, expr.arguments, constraint.type.element
        if constraint.type.kind != "set" or element is None:
            return
        if operator == "UNION":
            self.push(parts[0], scope, local, replace(constraint, type=Type("set", constraint.type)))
        elif operator == "SUBSET" and element.kind == "set":
            self.push(parts[0], scope, local, replace(constraint, type=element))
        elif operator in {"\\cup", "\\cap", "\\"}:
            if operator == "\\cup" and constraint.strength < REQUIRED:
                # A value that elements are compared with may be in only one of the sets.
                constraint = replace(constraint, strength=JOINED)
            for part in parts[:1] if operator == "\\" else parts:
                # {None} beside a set of numbers: None is no number.
                if part.shape != "build":
                    self.push(part, scope, local, constraint)


def constrain_container(kind: str, constraint: Constraint, words: str) -> Constraint:
    """The constraint on a set or function that follows from one on its elements."""
    return replace(constraint, type=Type(kind, constraint.type), reason=f"{words} {constraint.reason}")
