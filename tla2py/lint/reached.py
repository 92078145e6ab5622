"""The steps of a specification, and the constants that expressions read."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping

from tla2py.syntax import Level, ModuleGraph
from tla2py.syntax.levels import Levels
from tla2py.syntax.reach import Reached, named, reached


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
