"""Name resolution through EXTENDS, INSTANCE with its substitutions, and LET."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from tla2py.tla.module import Constant, Definition, Expression, Instance, Module, Variable


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Entity:
    """The meaning of a name; entities are compared by identity.

    The names of ``body`` are looked up in ``scope``. A ``substituted`` entity is a constant or variable of an
    instantiated module, with its substitution as ``body`` and the parameters of the instance. An ``enclosed`` entity is
    defined in a LET: its body may use the names bound around that. ``digest`` is that of the definition or substitution.
    A ``fact`` is a named theorem or assumption.
    """

    kind: Literal["constant", "variable", "definition", "substituted", "fact"]
    declaration: Constant | Variable | Definition
    scope: Scope
    body: Expression | None = None
    parameters: tuple[str, ...] = ()
    exported: bool = True
    enclosed: bool = False
    digest: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Scope:
    """The names visible in a module or in the body of a LET."""

    module: Module
    names: dict[str, Entity]

    def find(self, name: str) -> Entity | None:
        """The entity of a name; None for bound names and those of standard modules."""
        return self.names.get(name)

    def named(self, expr: Expression) -> Entity | None:
        """The entity of an expression that is a bare name, None for any other."""
        return self.names.get(expr.operator) if expr.is_name() else None


_NONE: Mapping[str, Module] = {}


class Resolver:
    """Makes the scopes of modules: one for each module and one for each of its instances."""

    def __init__(self, modules: Iterable[Module]) -> None:
        self._files = {module.name: module for module in modules}
        self._plain: dict[str, Scope] = {}
        # By identity, as comparing expressions is slow. The expression is kept to keep its id unique.
        self._lets: dict[tuple[int, Scope], tuple[Expression, Scope]] = {}

    def scope(self, name: str) -> Scope:
        """The scope of a module."""
        if name not in self._plain:
            self._plain[name] = self._make(self._files[name], None, {})
        return self._plain[name]

    def let(self, scope: Scope, expr: Expression) -> Scope:
        """The scope inside a LET, one for each LET and scope."""
        known = self._lets.get((id(expr), scope))
        if known is not None:
            return known[1]
        inner = Scope(scope.module, dict(scope.names))
        self._lets[(id(expr), scope)] = (expr, inner)
        for definition in expr.definitions:
            inner.names[definition.name] = _defined(definition, inner, enclosed=True)
        for instance in expr.instances:
            self._instantiate(inner, instance, _NONE)
        return inner

    def _make(
        self,
        module: Module,
        outer: _Outer | None,
        enclosing: Mapping[str, Entity],
        around: Mapping[str, Module] = _NONE,
    ) -> Scope:
        """The scope of a module; ``around`` are the modules nested before it in the same module, which it may use."""
        scope = Scope(module, dict(enclosing))
        for reference in module.extends:
            if reference.module in around:
                inherited = self._nested(reference.module, outer, enclosing, around)
            elif reference.module not in self._files:
                continue
            elif outer is None:
                inherited = self.scope(reference.module)
            else:
                inherited = self._make(self._files[reference.module], outer, {})
            for name, entity in inherited.names.items():
                # EXTENDS overrides names of the enclosing module, but not the module's own.
                if entity.exported and scope.names.get(name) is enclosing.get(name):
                    scope.names[name] = entity
        declarations: tuple[Constant | Variable, ...] = (*module.constants, *module.variables)
        for declaration in declarations:
            scope.names.setdefault(declaration.name, _declared(declaration, scope, outer))
        for definition in module.definitions:
            if definition.body is not None:
                scope.names[definition.name] = _defined(definition, scope)
        for fact in module.facts:
            scope.names[fact.name] = _defined(fact, scope)
        inside = {**around, **{each.name: each for each in module.nested}}
        for instance in module.instances:
            self._instantiate(scope, instance, inside)
        return scope

    def _nested(
        self, name: str, outer: _Outer | None, enclosing: Mapping[str, Entity], inside: Mapping[str, Module]
    ) -> Scope:
        before = dict(itertools.takewhile(lambda each: each[0] != name, inside.items()))
        return self._make(inside[name], outer, enclosing, before)

    def _instantiate(self, scope: Scope, instance: Instance, inside: Mapping[str, Module]) -> None:
        outer = (scope, instance)
        if instance.module in inside:
            inner = self._nested(instance.module, outer, scope.names, inside)
        elif instance.module in self._files:
            inner = self._make(self._files[instance.module], outer, {})
        else:
            return
        for name, entity in inner.names.items():
            defines = entity.kind in ("definition", "fact")
            if not defines or not entity.exported or scope.names.get(name) is entity:
                continue
            parameters = (*instance.parameters, *entity.parameters)
            seen = replace(entity, parameters=parameters, exported=not instance.local)
            scope.names.setdefault(f"{instance.name}!{name}" if instance.name else name, seen)


def is_same_definition(one: Entity, other: Entity) -> bool:
    """Return whether two names mean the same definition of a module, under the same substitution."""
    return one.declaration is other.declaration and _is_same_scope(one.scope, other.scope)


def _is_same_scope(one: Scope, other: Scope) -> bool:
    """Return whether the names that a module declares mean the same in two scopes of it, such as those of two instances."""
    if one is other:
        return True
    if one.module is not other.module:
        return False
    declarations: tuple[Constant | Variable, ...] = (*one.module.constants, *one.module.variables)
    names = [declaration.name for declaration in declarations]
    return all(_is_same_meaning(one.find(name), other.find(name)) for name in names)


def _is_same_meaning(one: Entity | None, other: Entity | None) -> bool:
    """Return whether two constants or variables, each perhaps with a substitution, are written as the same thing."""
    one, other = _substituted_name(one), _substituted_name(other)
    if one is None or other is None or one is other:
        return one is other
    if one.kind != "substituted" or other.kind != "substituted" or one.body is None or other.body is None:
        return False
    return one.scope is other.scope and one.digest == other.digest


def _substituted_name(entity: Entity | None) -> Entity | None:
    """Return what a name stands for where its substitution is a bare name, else the entity itself."""
    while entity is not None and entity.kind == "substituted" and entity.body is not None:
        meaning = entity.scope.named(entity.body)
        if meaning is None or meaning is entity:
            return entity
        entity = meaning
    return entity


# The scope of an INSTANCE, and that.
_Outer: TypeAlias = tuple[Scope, Instance]


def _defined(definition: Definition, scope: Scope, *, enclosed: bool = False) -> Entity:
    return Entity(
        kind="fact" if definition.kind == "fact" else "definition",
        declaration=definition,
        scope=scope,
        body=definition.body,
        parameters=definition.parameters,
        # SANY ignores the LOCAL of a definition declared RECURSIVE.
        exported=not definition.local or definition.recursive,
        enclosed=enclosed,
        digest=definition.digest,
    )


def _declared(declaration: Constant | Variable, scope: Scope, outer: _Outer | None) -> Entity:
    if outer is not None:
        around, instance = outer
        for substitution in instance.substitutions:
            if substitution.name == declaration.name:
                return Entity(
                    kind="substituted",
                    declaration=declaration,
                    scope=around,
                    body=substitution.value,
                    parameters=instance.parameters,
                    digest=substitution.digest,
                )
        # Without a substitution the name means what it means at the INSTANCE.
        implicit = around.find(declaration.name)
        if implicit is not None:
            return implicit
    kind: Literal["constant", "variable"] = "constant" if isinstance(declaration, Constant) else "variable"
    return Entity(kind=kind, declaration=declaration, scope=scope)
