"""Constraints on the constants of a specification, through operators and instances."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from tla2py.syntax.expression import Bound, Expression, Span
from tla2py.syntax.module import Module
from tla2py.syntax.scope import Entity, Resolver, Scope
from tla2py.syntax.types.constraints import COMPARED, Constraint, operand_constraints
from tla2py.syntax.types.members import element_type
from tla2py.syntax.types.propagate import Local, Locals, PlacedConstraint, Propagation, constrain_container
from tla2py.syntax.types.type import BOOLEAN, SET, TUPLE, Type


class Inference:
    """The constraints on constants from the definitions and assumptions of scopes."""

    def __init__(self, resolver: Resolver) -> None:
        self._resolver = resolver
        self.uses: dict[Entity, dict[tuple[str, Span], Module]] = {}
        self.compared: set[Entity] = set()
        """The constants that are operands of = or #."""
        self._variables: dict[Entity, dict[tuple[str, Span], tuple[Entity, bool]]] = {}
        """The occurrences of constants that = or # compares with a variable ``v`` (or ``v[...]``, with True)."""
        self.tested: set[Entity] = set()
        """The constants whose type a condition may test: ``N = Infinity``, ``N \\in Nat``."""
        self._initial = False
        """Whether the definition being read is an initial predicate by its name, where ``x = C`` sets ``x``."""
        self._parameters: dict[Entity, tuple[Local, ...]] = {}
        self._propagation = Propagation(resolver)
        self._scopes: set[Scope] = set()

    def constraints(self, entity: Entity) -> tuple[PlacedConstraint, ...]:
        """The constraints on a constant or variable."""
        return tuple(self._propagation.constraints.get(entity, {}).values())

    def compared_with_variables(self, entity: Entity) -> Iterator[PlacedConstraint]:
        """The constraints on a constant from variables that it is compared with, if nothing else uses it.

        A constant with another use, such as ``x' = None``, may be a variable's value besides those of another type.
        """
        uses, compared = self.uses.get(entity, {}), self._variables.get(entity, {})
        if uses.keys() == compared.keys():
            for place, (variable, applied) in compared.items():
                for each in self.constraints(variable):
                    found = each.constraint.type
                    if applied and (found.kind != "function" or found.element is None):
                        continue
                    wanted = found.element if applied and found.element is not None else found
                    reason = f"compared with {variable.declaration.name}, which is {each.constraint.reason}"
                    constraint = Constraint(wanted, reason, COMPARED)
                    yield replace(each, constraint=constraint, module=uses[place], span=place[1])

    def read(self, scope: Scope) -> None:
        """Collect the constraints in a scope: from its module's assumptions and from all its entities."""
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
        """The parameters of an entity, with the constraints from its body; each body is read once."""
        if entity not in self._parameters:
            inside = {name: Local() for name in entity.parameters}
            self._parameters[entity] = tuple(inside.values())
            assumed, self._propagation.assumed = self._propagation.assumed, False
            if entity.scope not in self._scopes:
                self.read(entity.scope)
            if entity.body is not None:
                outer, self._initial = self._initial, "init" in entity.declaration.name.lower()
                self._visit(entity.body, entity.scope, inside)
                self._initial = outer
            self._propagation.assumed = assumed
        return self._parameters[entity]

    def _visit(self, expr: Expression, scope: Scope, local: Locals) -> None:
        """Collect the constraints of each operator in an expression."""
        if expr.shape == "let":
            scope = self._resolver.let(scope, expr)
            for definition in expr.definitions:
                # The body sees the names bound around the LET, which are in no scope.
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
        r"""Push the constraints of ``x \in S`` and ``S \subseteq T``, and note the constants that ``=`` compares."""
        if expr.shape != "apply" or len(expr.arguments) != 2:
            return
        left, right = expr.arguments
        if expr.operator in {"=", "#"}:
            for one, other in ((left, right), (right, left)):
                entity = scope.named(one)
                if entity is not None:
                    self.compared.add(entity)
                    value = scope.named(other)
                    applied = other.shape == "build" and other.operator == "[]"
                    variable = scope.named(other.arguments[0]) if applied else value
                    if variable is not None and variable.kind == "variable" and not self._initial:
                        place = (scope.module.name, one.span)
                        self._variables.setdefault(entity, {})[place] = (variable, applied)
                    if other.operator == "string" or (value is not None and value.kind != "variable"):
                        self.tested.add(entity)
        elif expr.operator in {"\\in", "\\notin"}:
            entity = scope.named(left)
            if entity is not None and not self._propagation.assumed:
                self.tested.add(entity)
            wanted = element_type(right, scope) if expr.operator == "\\in" else None
            if wanted is not None:
                constraint = Constraint(wanted, f"an element of {_show(right, scope.module)}")
                self._propagation.push(left, scope, local, constraint)
        elif expr.operator == "\\subseteq":
            for one, other in ((left, right), (right, left)):
                wanted = element_type(other, scope)
                if wanted is not None:
                    relation = "subset" if one is left else "superset"
                    constraint = Constraint(
                        Type("set", wanted), f"a {relation} of {_show(other, scope.module)}"
                    )
                    self._propagation.push(one, scope, local, constraint)


def _domain_constraints(bound: Bound, names: Locals) -> Iterator[tuple[Expression, Constraint]]:
    """The constraints on a binder's set, also from those on its names."""
    if bound.domain is None:
        return
    if not bound.pattern:
        yield bound.domain, Constraint(SET, f"a set that {' and '.join(bound.names)} ranges over")
        domains = [bound.domain] * len(bound.names)
    else:
        yield bound.domain, Constraint(Type("set", TUPLE), "a set of tuples in a binder")
        domains = _factors(bound.domain, len(bound.names))
    for name, domain in zip(bound.names, domains, strict=False):
        for constraint in names[name].constraints:
            yield domain, constrain_container("set", constraint, f"a set that {name} ranges over, which is")


def _factors(expr: Expression, count: int) -> list[Expression]:
    """The sets of a Cartesian product of ``count`` sets, none for any other expression."""
    found: list[Expression] = []
    while len(found) < count - 1 and expr.operator == "\\X" and len(expr.arguments) == 2:
        found.insert(0, expr.arguments[1])
        expr = expr.arguments[0]
    return [expr, *found] if len(found) == count - 1 else []


def _root(constraint: Constraint) -> str:
    """The reason without the operators that the constraint was passed through."""
    return constraint.reason.rpartition("where it is ")[2]


def _show(expr: Expression, module: Module) -> str:
    text = module.excerpt(expr.span)
    return text if len(text) <= 40 else "such values"
