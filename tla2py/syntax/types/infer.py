"""Constraints on the constants of a specification, collected through operators and instances."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from tla2py.syntax.expression import Bound, Expression, Span
from tla2py.syntax.module import Module
from tla2py.syntax.scope import Entity, Resolver, Scope
from tla2py.syntax.types.constraints import Constraint, operand_constraints
from tla2py.syntax.types.members import element_type
from tla2py.syntax.types.propagate import Local, Locals, PlacedConstraint, Propagation, constrain_container
from tla2py.syntax.types.type import BOOLEAN, SET, TUPLE, Type


class Inference:
    """The constraints on constants that the definitions and assumptions reached from some scopes make."""

    def __init__(self, resolver: Resolver) -> None:
        self._resolver = resolver
        self.uses: dict[Entity, dict[tuple[str, Span], Module]] = {}
        self.compared: set[Entity] = set()
        """The constants that stand beside = or #."""
        self.told_apart: set[Entity] = set()
        """The constants whose type a condition may test: ``N = Infinity``, ``N \\in Nat``."""
        self._parameters: dict[Entity, tuple[Local, ...]] = {}
        self._propagation = Propagation(resolver)
        self._scopes: set[Scope] = set()

    def constraints(self, entity: Entity) -> tuple[PlacedConstraint, ...]:
        """The constraints on a constant."""
        return tuple(self._propagation.constraints.get(entity, {}).values())

    def read(self, scope: Scope) -> None:
        """Go through a scope: the assumptions of its module, and all that its names stand for."""
        if scope not in self._scopes:
            self._scopes.add(scope)
            self._propagation.assumed = True
            for assumption in scope.module.assumptions:
                self._visit(assumption.body, scope, {})
                self._propagation.push(assumption.body, scope, {}, Constraint(BOOLEAN, "assumed"))
            self._propagation.assumed = False
            for entity in scope.names.values():
                self._read_entity(entity)

    def _read_entity(self, entity: Entity) -> tuple[Local, ...]:
        """The parameters of a definition with the constraints that its body, read once, puts on them."""
        if entity not in self._parameters:
            inside = {name: Local() for name in entity.parameters}
            self._parameters[entity] = tuple(inside.values())
            assumed, self._propagation.assumed = self._propagation.assumed, False
            if entity.scope not in self._scopes:
                self.read(entity.scope)
            if entity.body is not None:
                self._visit(entity.body, entity.scope, inside)
            self._propagation.assumed = assumed
        return self._parameters[entity]

    def _visit(self, expr: Expression, scope: Scope, local: Locals) -> None:
        """Go through an expression and all inside it, passing on the constraints of each operator."""
        if expr.shape == "let":
            scope = self._resolver.let(scope, expr)
            for definition in expr.definitions:
                # The body sees the names around the LET, which no scope knows.
                inside = {name: Local() for name in definition.parameters}
                self._parameters[scope.names[definition.name]] = tuple(inside.values())
                if definition.body is not None:
                    self._visit(definition.body, scope, {**local, **inside})
            self._visit(expr.arguments[0], scope, local)
            return
        named = expr.shape == "apply" and expr.operator not in local
        entity = scope.find(expr.operator) if named else None
        if entity is not None:
            if entity.kind == "constant":
                self.uses.setdefault(entity, {})[(scope.module.name, expr.span)] = scope.module
            for argument, parameter in zip(expr.arguments, self._read_entity(entity), strict=False):
                for constraint in parameter.constraints:
                    reason = f"passed to {expr.operator}, where it is {_root(constraint)}"
                    self._propagation.push(argument, scope, local, replace(constraint, reason=reason))
        else:
            for part, constraint in operand_constraints(expr):
                self._propagation.push(part, scope, local, constraint)
            self._relate(expr, scope, local)
        if expr.shape == "bind":
            self._visit_binding(expr, scope, local)
        else:
            for part in expr.arguments:
                self._visit(part, scope, local)

    def _visit_binding(self, expr: Expression, scope: Scope, local: Locals) -> None:
        names = {name: Local() for bound in expr.bounds for name in bound.names}
        inside = {**local, **names}
        for part in expr.arguments:
            self._visit(part, scope, inside)
            if expr.operator in {"\\A", "\\E", "CHOOSE", "{:}"}:
                self._propagation.push(part, scope, inside, Constraint(BOOLEAN, "a condition"))
        for bound in expr.bounds:
            if bound.domain is not None:
                self._visit(bound.domain, scope, local)
            for domain, constraint in _domain_constraints(bound, names):
                self._propagation.push(domain, scope, local, constraint)

    def _relate(self, expr: Expression, scope: Scope, local: Locals) -> None:
        r"""Pass on what ``x \in S`` and ``S \subseteq T`` say of x and S, and note what ``=`` compares."""
        if expr.shape != "apply" or len(expr.arguments) != 2:
            return
        left, right = expr.arguments
        if expr.operator in {"=", "#"}:
            for one, other in ((left, right), (right, left)):
                entity = scope.find(one.operator) if one.is_name() else None
                if entity is not None:
                    self.compared.add(entity)
                    if other.operator == "string" or self._is_constant(other, scope):
                        self.told_apart.add(entity)
        elif expr.operator in {"\\in", "\\notin"}:
            entity = scope.find(left.operator) if left.is_name() else None
            if entity is not None and not self._propagation.assumed:
                self.told_apart.add(entity)
            wanted = element_type(right, scope) if expr.operator == "\\in" else None
            if wanted is not None:
                self._propagation.push(
                    left, scope, local, Constraint(wanted, f"an element of {_show(right, scope.module)}")
                )
        elif expr.operator == "\\subseteq":
            for one, other in ((left, right), (right, left)):
                wanted = element_type(other, scope)
                if wanted is not None:
                    reason = (
                        f"a subset of {_show(other, scope.module)}"
                        if one is left
                        else "a set with such elements"
                    )
                    self._propagation.push(one, scope, local, Constraint(Type("set", wanted), reason))

    def _is_constant(self, expr: Expression, scope: Scope) -> bool:
        entity = scope.find(expr.operator) if expr.is_name() else None
        return entity is not None and entity.kind != "variable"


def _domain_constraints(bound: Bound, names: Locals) -> Iterator[tuple[Expression, Constraint]]:
    """Yield what the uses of the names that range over a set say of it."""
    if bound.domain is None:
        return
    if not bound.pattern:
        yield bound.domain, Constraint(SET, f"a set that {' and '.join(bound.names)} ranges over")
        domains = [bound.domain] * len(bound.names)
    else:
        yield bound.domain, Constraint(Type("set", TUPLE), "a set whose elements are taken apart")
        domains = _factors(bound.domain, len(bound.names))
    for name, domain in zip(bound.names, domains, strict=False):
        for constraint in names[name].constraints:
            yield domain, constrain_container("set", constraint, f"a set that {name} ranges over, which is")


def _factors(expr: Expression, count: int) -> list[Expression]:
    """The sets of a product of so many."""
    found: list[Expression] = []
    while len(found) < count - 1 and expr.operator == "\\X" and len(expr.arguments) == 2:
        found.insert(0, expr.arguments[1])
        expr = expr.arguments[0]
    return [expr, *found] if len(found) == count - 1 else []


def _root(constraint: Constraint) -> str:
    """The reason a claim began with: of the stations it passed, only the last is of use."""
    return constraint.reason.rpartition("where it is ")[2]


def _show(expr: Expression, module: Module) -> str:
    text = module.excerpt(expr.span)
    return text if len(text) <= 40 else "such values"
