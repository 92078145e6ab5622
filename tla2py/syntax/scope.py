"""What a name means at a place: through EXTENDS, INSTANCE with its substitutions, and LET."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from tla2py.syntax.expression import Expression
from tla2py.syntax.module import Constant, Definition, Instance, Module, Variable


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Entity:
    """What a name stands for; two entities are the same only if they are one object.

    ``scope`` is where the names of the body are looked up. A ``substituted`` entity is a constant or variable of
    an instantiated module, for which ``body`` stands; its parameters are those of the instance. What is
    ``enclosed`` is defined in a LET, and its body may use the names bound around that.
    """

    kind: Literal["constant", "variable", "definition", "substituted"]
    declaration: Constant | Variable | Definition
    scope: Scope
    body: Expression | None = None
    parameters: tuple[str, ...] = ()
    exported: bool = True
    enclosed: bool = False


class Scope:
    """The names that a module's text may use, or the body of a LET."""

    __slots__ = ("module", "names")

    def __init__(self, module: Module, names: Mapping[str, Entity]) -> None:
        self.module = module
        self.names = dict(names)

    def find(self, name: str) -> Entity | None:
        """Return what the name stands for; None for a bound name and for those of standard modules."""
        return self.names.get(name)


class Resolver:
    """Makes the scopes of modules; there is one scope for a module in itself and one for each instance of it."""

    def __init__(self, modules: Iterable[Module]) -> None:
        self._files = {module.name: module for module in modules}
        self._plain: dict[str, Scope] = {}
        # By identity: expressions are large, and a LET is met again and again. The expression is kept so that its id stays its own.
        self._lets: dict[tuple[int, Scope], tuple[Expression, Scope]] = {}

    def scope(self, name: str) -> Scope:
        """Return the scope of a module by itself."""
        if name not in self._plain:
            self._plain[name] = self._make(self._files[name], None, {})
        return self._plain[name]

    def let(self, scope: Scope, expr: Expression) -> Scope:
        """Return the scope inside a LET, always the same one."""
        known = self._lets.get((id(expr), scope))
        if known is not None:
            return known[1]
        inner = Scope(scope.module, scope.names)
        self._lets[(id(expr), scope)] = (expr, inner)
        for definition in expr.definitions:
            inner.names[definition.name] = _defined(definition, inner, enclosed=True)
        for instance in expr.instances:
            self._instantiate(inner, instance, {})
        return inner

    def _make(self, module: Module, outer: _Outer | None, enclosing: Mapping[str, Entity]) -> Scope:
        scope = Scope(module, enclosing)
        nested = {each.name: each for each in module.nested}
        for reference in module.extends:
            if reference.module in nested:
                inherited = self._make(nested[reference.module], outer, scope.names)
            elif reference.module not in self._files:
                continue
            elif outer is None:
                inherited = self.scope(reference.module)
            else:
                inherited = self._make(self._files[reference.module], outer, {})
            for name, entity in inherited.names.items():
                # What the module around it extends too becomes its own.
                if entity.exported and scope.names.get(name) is enclosing.get(name):
                    scope.names[name] = entity
        for constant in module.constants:
            scope.names.setdefault(constant.name, _declared("constant", constant, scope, outer))
        for variable in module.variables:
            scope.names.setdefault(variable.name, _declared("variable", variable, scope, outer))
        for definition in module.definitions:
            if definition.body is not None:
                scope.names[definition.name] = _defined(definition, scope)
        for instance in module.instances:
            self._instantiate(scope, instance, nested)
        return scope

    def _instantiate(self, scope: Scope, instance: Instance, nested: Mapping[str, Module]) -> None:
        outer = _Outer(scope, {each.name: each.value for each in instance.substitutions}, instance.parameters)
        if instance.module in nested:
            inner = self._make(nested[instance.module], outer, scope.names)
        elif instance.module in self._files:
            inner = self._make(self._files[instance.module], outer, {})
        else:
            return
        for name, entity in inner.names.items():
            declares = entity.kind != "definition"
            if declares or not entity.exported or scope.names.get(name) is entity:
                continue
            seen = Entity(
                kind="definition",
                declaration=entity.declaration,
                scope=entity.scope,
                body=entity.body,
                parameters=(*instance.parameters, *entity.parameters),
                exported=not instance.local,
            )
            scope.names.setdefault(f"{instance.name}!{name}" if instance.name else name, seen)


@dataclass(frozen=True, slots=True)
class _Outer:
    """Where an instance stands, and what it puts in the place of constants and variables."""

    scope: Scope
    substitutions: Mapping[str, Expression]
    parameters: tuple[str, ...]


def _defined(definition: Definition, scope: Scope, *, enclosed: bool = False) -> Entity:
    return Entity(
        kind="definition",
        declaration=definition,
        scope=scope,
        body=definition.body,
        parameters=definition.parameters,
        # SANY forgets that a definition is LOCAL where it was announced by RECURSIVE.
        exported=not definition.local or definition.recursive,
        enclosed=enclosed,
    )


def _declared(
    kind: Literal["constant", "variable"],
    declaration: Constant | Variable,
    scope: Scope,
    outer: _Outer | None,
) -> Entity:
    if outer is not None:
        value = outer.substitutions.get(declaration.name)
        if value is not None:
            return Entity(
                kind="substituted",
                declaration=declaration,
                scope=outer.scope,
                body=value,
                parameters=outer.parameters,
            )
        # Without a substitution the name stands for itself outside.
        implicit = outer.scope.find(declaration.name)
        if implicit is not None:
            return implicit
    return Entity(kind=kind, declaration=declaration, scope=scope)
