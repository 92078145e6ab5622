"""The expressions that a config makes TLC evaluate, at any depth."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

from tla2py.syntax import Level, ModuleGraph
from tla2py.syntax.expression import Expression
from tla2py.syntax.levels import Levels
from tla2py.syntax.scope import Entity, Scope


@dataclass(frozen=True, slots=True, kw_only=True)
class Reached:
    """An expression, the scope of its names, and the definition that it is in, None for the root."""

    expr: Expression
    scope: Scope
    owner: Entity | None = None

    @property
    def entity(self) -> Entity | None:
        """What the name that this expression applies refers to; for ``Op!label``, a part of Op, that is Op."""
        name = self.expr.operator if self.expr.shape == "apply" else ""
        while name and (found := self.scope.find(name)) is None:
            name = name.rpartition("!")[0]
        return found if name else None


def named(spec: ModuleGraph, names: Iterable[str]) -> Iterator[Reached]:
    """The bodies of definitions of the root module; other names are left out."""
    for name in names:
        entity = spec.scope.find(name)
        if entity is not None and entity.body is not None:
            yield Reached(expr=entity.body, scope=entity.scope, owner=entity)


def steps(spec: ModuleGraph, specification: str) -> Iterator[Reached]:
    """The conjuncts of a specification without those on the initial state."""
    levels = Levels(spec.resolver)
    pending = list(named(spec, [specification]))
    while pending:
        each = pending.pop()
        if levels.of_expression(each.expr, each.scope) <= Level.STATE:
            continue
        entity = each.entity if each.expr.is_name() else None
        if each.expr.shape == "apply" and each.expr.operator == "/\\":
            pending += [
                Reached(expr=part, scope=each.scope, owner=each.owner) for part in each.expr.arguments
            ]
        elif entity is not None and entity.body is not None:
            pending.append(Reached(expr=entity.body, scope=entity.scope, owner=entity))
        else:
            yield each


def closure(values: Mapping[str, frozenset[str]]) -> Mapping[str, frozenset[str]]:
    """The names that a config gives values, each with the names in its value at any depth.

    ``[Mod]Name`` counts as Name.
    """
    found = {name.rpartition("]")[2]: {*value} for name, value in values.items()}
    for names in found.values():
        pending = [*names]
        while pending:
            new = found.get(pending.pop(), set()) - names
            names |= new
            pending += new
    return {name: frozenset(names) for name, names in found.items()}


def reached(
    spec: ModuleGraph,
    roots: Iterable[Reached],
    replaced: Mapping[str, frozenset[str]],
    *,
    beyond: Collection[str] = (),
) -> Iterator[Reached]:
    """Every expression that some expressions contain or reach through names.

    ``replaced`` are the names that the config gives other values, each with the names in its value. The arguments of the
    operators ``beyond`` are left out.
    """
    pending = list(roots)
    seen = {each.owner for each in pending}
    while pending:
        each = pending.pop()
        yield each
        expr, owner = each.expr, each.owner
        if expr.shape == "apply" and expr.operator in beyond:
            continue
        inside = spec.resolver.let(each.scope, expr) if expr.shape == "let" else each.scope
        pending += [Reached(expr=child, scope=inside, owner=owner) for child in expr.children()]
        if expr.shape != "apply":
            continue
        others = [spec.scope.find(name) for name in replaced.get(expr.operator.rpartition("!")[2], ())]
        for entity in (each.entity, *others):
            if entity is not None and entity.body is not None and entity not in seen:
                seen.add(entity)
                # A definition in a LET is a part of the definition around it.
                around = owner if entity.enclosed else entity
                pending.append(Reached(expr=entity.body, scope=entity.scope, owner=around))


def constants(
    spec: ModuleGraph,
    roots: Iterable[Reached],
    replaced: Mapping[str, frozenset[str]],
    *,
    beyond: Collection[str] = (),
) -> frozenset[str]:
    """The constants, and the names in ``replaced``, that some expressions read."""
    found: set[str] = set()
    declared = {constant.name for constant in spec.constants}
    for each in reached(spec, roots, replaced, beyond=beyond):
        if each.expr.shape == "apply":
            name = each.expr.operator.rpartition("!")[2]
            found.add(each.entity.declaration.name if each.entity is not None else name)
            found.update(replaced.get(name, ()))
    return frozenset(found & (declared | replaced.keys()))
