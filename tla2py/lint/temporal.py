"""How TLC checks a definition: as an initial predicate, an invariant, an action, or a temporal formula."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, TypeAlias

from tla2py.syntax import Level, ModuleGraph
from tla2py.syntax.depth import deeply
from tla2py.syntax.expression import Expression
from tla2py.syntax.levels import Levels
from tla2py.syntax.scope import Scope
from tla2py.syntax.standard import standard_module_of

# Standard modules whose operators TLC does not treat as constants.
_CHANGING = ("TLC", "TLCExt", "Randomization")
Part: TypeAlias = Literal["initial", "invariant", "action", "temporal"]


@deeply
def parts_of(name: str, spec: ModuleGraph) -> frozenset[Part]:
    """The parts into which TLC splits a property; only a ``temporal`` one needs the whole state graph."""
    entity = spec.scope.names[name]
    levels = Levels(spec.resolver)
    return frozenset(_parts(entity.body, entity.scope, levels)) if entity.body is not None else frozenset()


def _parts(expr: Expression, scope: Scope, levels: Levels) -> Iterator[Part]:
    if levels.of_expression(expr, scope) <= Level.STATE:
        yield "initial"
        return
    if expr.shape == "apply" and expr.operator == "/\\":
        for argument in expr.arguments:
            yield from _parts(argument, scope, levels)
        return
    if expr.is_name():
        entity = scope.find(expr.operator)
        if entity is not None and entity.body is not None:
            yield from _parts(entity.body, entity.scope, levels)
            return
    if expr.shape == "apply" and expr.operator == "[]" and expr.arguments:
        inner = expr.arguments[0]
        if inner.shape == "build" and inner.operator == "[]_":
            yield "action"
            return
        if levels.of_expression(inner, scope) <= Level.STATE:
            yield "invariant"
            return
    yield "temporal"


@deeply
def asks_tlc(name: str, spec: ModuleGraph) -> bool:
    """Whether a definition depends on the search, as ``TLCGet("level")`` does."""
    seen: set[int] = set()

    def asks(expr: Expression, scope: Scope) -> bool:
        if id(expr) in seen:
            return False
        seen.add(id(expr))
        entity = scope.find(expr.operator) if expr.shape == "apply" else None
        if entity is None and expr.shape == "apply" and standard_module_of(expr.operator) in _CHANGING:
            return True
        if entity is not None and entity.body is not None and asks(entity.body, entity.scope):
            return True
        inner = spec.resolver.let(scope, expr) if expr.shape == "let" else scope
        return any(asks(child, inner) for child in expr.children())

    entity = spec.scope.names[name]
    return entity.body is not None and asks(entity.body, entity.scope)
