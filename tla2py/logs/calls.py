"""The calls by which a module reads files, and where their paths come from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Literal, NamedTuple

from tla2py.syntax import ModuleGraph
from tla2py.syntax.depth import deeply
from tla2py.syntax.expression import Expression
from tla2py.syntax.reach import Reached, reached
from tla2py.syntax.scope import Entity, Resolver, Scope

# The operators of the CommunityModules that read a file.
READERS = frozenset({"ndJsonDeserialize", "JsonDeserialize"})
# Operators whose value is that of their last argument.
_PASSING = frozenset({"Print", "TLCEval"})

Kind = Literal["environment", "definition", "file"]
KINDS: tuple[Kind, ...] = ("environment", "definition", "file")


class Source(NamedTuple):
    """Where a module gets the path of a log: the name of a variable, of a definition, or of a file."""

    kind: Kind
    name: str

    def __str__(self) -> str:
        return f"environment.{self.name}" if self.kind == "environment" else self.name


class _Term(NamedTuple):
    """An expression, the scope of its names, and the values of the parameters of the operator that it is in."""

    expr: Expression
    scope: Scope
    resolver: Resolver
    values: Mapping[str, _Term] = {}


class Call(NamedTuple):
    """A call of an operator that reads a file, and where its path may come from."""

    expression: Expression
    sources: frozenset[Source]


@deeply
def every_expression(spec: ModuleGraph) -> list[Reached]:
    """Every expression of the modules that the user wrote."""
    library = {module.name for module in spec.installed}
    roots = []
    for module in spec.modules:
        scope = spec.scope_of(module)
        entities = [scope.find(each.name) for each in module.definitions]
        roots += [
            Reached(expr=each.body, scope=each.scope, owner=each) for each in entities if each and each.body
        ]
        roots += [Reached(expr=each.body, scope=scope) for each in module.assumptions]
    own = [root for root in roots if root.scope.module.name not in library]
    return [each for each in reached(spec, own, {}) if each.scope.module.name not in library]


@deeply
def find_calls(spec: ModuleGraph, every: Iterable[Reached]) -> list[Call]:
    """The calls that read a file, also those of operators that pass a parameter on as its path."""
    applied = [each for each in every if each.expr.shape == "apply" and each.expr.arguments]
    passing: dict[Entity, int] = {}
    while True:
        calls, known = [], len(passing)
        for each in applied:
            index = passing.get(each.entity) if each.entity is not None else None
            if index is None and _last(each.expr.operator) in READERS:
                index = 0
            if index is None or index >= len(each.expr.arguments):
                continue
            found = {*_sources(_Term(each.expr.arguments[index], each.scope, spec.resolver), frozenset())}
            for parameter in (name for name in found if isinstance(name, str)):
                if each.owner is not None and parameter in each.owner.parameters:
                    passing[each.owner] = each.owner.parameters.index(parameter)
            sources = frozenset(name for name in found if isinstance(name, Source))
            if sources:
                calls.append(Call(each.expr, sources))
        if len(passing) == known:
            return calls


def _sources(term: _Term, seen: frozenset[Entity]) -> Iterator[Source | str]:
    """The sources of a path, and the names that may be parameters of the operator that it is in."""
    expr, scope = term.expr, term.scope
    if expr.shape == "build" and expr.arguments and _last(expr.arguments[0].operator) == "IOEnv":
        if expr.operator == ".":
            yield Source("environment", expr.text)
        elif expr.operator == "[]" and (name := _string(term._replace(expr=expr.arguments[1]))) is not None:
            yield Source("environment", name)
    elif expr.shape == "literal" and expr.operator == "string":
        yield Source("file", expr.text.strip('"'))
    elif expr.shape == "let":
        yield from _sources(term._replace(expr=expr.arguments[0], scope=term.resolver.let(scope, expr)), seen)
    elif expr.operator == "IF":
        for branch in expr.arguments[1:]:
            yield from _sources(term._replace(expr=branch), seen)
    elif expr.operator == "CASE":
        for branch in expr.arguments[1::2]:
            yield from _sources(term._replace(expr=branch), seen)
    elif expr.operator in _PASSING and expr.arguments:
        yield from _sources(term._replace(expr=expr.arguments[-1]), seen)
    elif expr.shape == "apply":
        yield from _named_sources(term, seen)


def _named_sources(term: _Term, seen: frozenset[Entity]) -> Iterator[Source | str]:
    """The sources of a path that a name or an application of an operator stands for."""
    expr, scope, resolver, values = term
    entity = scope.find(expr.operator)
    if expr.is_name() and expr.operator in values:
        yield from _sources(values[expr.operator], seen)
    elif entity is None:
        if expr.is_name():
            yield expr.operator
    elif entity not in seen:
        plain = not entity.parameters and not entity.enclosed
        if plain and entity.kind in ("constant", "definition"):
            yield Source("definition", expr.operator)
        if entity.body is not None:
            given = (term._replace(expr=each) for each in expr.arguments)
            inner = dict(zip(entity.parameters, given, strict=False))
            yield from _sources(_Term(entity.body, entity.scope, resolver, inner), seen | {entity})


def _string(term: _Term) -> str | None:
    """The string that an expression is."""
    while term.expr.is_name() and term.expr.operator in term.values:
        term = term.values[term.expr.operator]
    return term.expr.text.strip('"') if term.expr.operator == "string" else None


def _last(name: str) -> str:
    return name.rpartition("!")[2]
