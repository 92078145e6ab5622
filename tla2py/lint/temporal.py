"""What TLC makes of a definition that it is to check: an initial predicate, an invariant, a predicate on steps, or a temporal formula."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, TypeAlias

from tla2py.syntax import Level, Spec
from tla2py.syntax.depth import deeply
from tla2py.syntax.levels import Levels
from tla2py.syntax.scope import Scope
from tla2py.syntax.standard import standard_module_of
from tla2py.syntax.term import Term

# Standard modules whose operators TLC does not take for constants.
_CHANGING = ("TLC", "TLCExt", "Randomization")
Part: TypeAlias = Literal["initial", "invariant", "action", "temporal"]


@deeply
def parts_of(name: str, spec: Spec) -> frozenset[Part]:
    """What TLC takes a property apart into; only a ``temporal`` part needs a graph of all states."""
    entity = spec.scope.names[name]
    levels = Levels(spec.resolver)
    return frozenset(_parts(entity.body, entity.scope, levels)) if entity.body is not None else frozenset()


def _parts(term: Term, scope: Scope, levels: Levels) -> Iterator[Part]:
    if levels.of_term(term, scope) <= Level.STATE:
        yield "initial"
        return
    if term.shape == "apply" and term.operator == "/\\":
        for argument in term.arguments:
            yield from _parts(argument, scope, levels)
        return
    if term.is_name():
        entity = scope.find(term.operator)
        if entity is not None and entity.body is not None:
            yield from _parts(entity.body, entity.scope, levels)
            return
    if term.shape == "apply" and term.operator == "[]" and term.arguments:
        inner = term.arguments[0]
        if inner.shape == "build" and inner.operator == "[]_":
            yield "action"
            return
        if levels.of_term(inner, scope) <= Level.STATE:
            yield "invariant"
            return
    yield "temporal"


@deeply
def asks_tlc(name: str, spec: Spec) -> bool:
    """Whether a definition asks TLC for something that changes from state to state, as ``TLCGet("level")`` does."""
    seen: set[int] = set()

    def asks(term: Term, scope: Scope) -> bool:
        if id(term) in seen:
            return False
        seen.add(id(term))
        entity = scope.find(term.operator) if term.shape == "apply" else None
        if entity is None and term.shape == "apply" and standard_module_of(term.operator) in _CHANGING:
            return True
        if entity is not None and entity.body is not None and asks(entity.body, entity.scope):
            return True
        inner = spec.resolver.let(scope, term) if term.shape == "let" else scope
        return any(asks(child, inner) for child in term.children())

    entity = spec.scope.names[name]
    return entity.body is not None and asks(entity.body, entity.scope)
