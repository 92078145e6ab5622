"""Which definitions a model may name as its specification, invariants and so on, judged by their shape."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from tla2py.syntax.expression import Expression
from tla2py.syntax.levels import Level, Levels
from tla2py.syntax.scope import Entity, Resolver, Scope

# Nothing but the name tells what is there to bound a search from what ought to hold.
_BOUNDS = re.compile(r"constraint|(limit|bound)s?$", re.IGNORECASE)
# Nor from an initial predicate what says the same of every state.
_TYPES = re.compile(r"type_?(ok|inv(ariant)?s?)$", re.IGNORECASE)
_BOOLEAN_OPERATORS = frozenset(
    [
        "/\\",
        "\\/",
        "~",
        "=>",
        "<=>",
        "=",
        "#",
        "\\in",
        "\\notin",
        "\\subseteq",
        "<",
        ">",
        "<=",
        ">=",
        "ENABLED",
        "IsFiniteSet",
    ]
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidates:
    """Names of definitions by what they may be good for, the likeliest first."""

    specifications: tuple[str, ...]
    inits: tuple[str, ...]
    nexts: tuple[str, ...]
    invariants: tuple[str, ...]
    properties: tuple[str, ...]
    constraints: tuple[str, ...]
    action_constraints: tuple[str, ...]
    symmetry_sets: tuple[str, ...]


def find_candidates(scope: Scope, levels: Levels, resolver: Resolver) -> Candidates:
    """Return the candidates among the definitions visible in a scope that have no parameters."""
    return _Finder(scope, levels, resolver).find()


@dataclass(frozen=True, slots=True)
class _Behavior:
    """What a temporal formula says: its initial predicates, its steps, and the definitions it is spread over."""

    inits: tuple[tuple[Expression, Scope], ...]
    steps: tuple[tuple[Expression, Scope], ...]
    through: tuple[Entity, ...]


class _Finder:
    def __init__(self, scope: Scope, levels: Levels, resolver: Resolver) -> None:
        self._levels = levels
        self._resolver = resolver
        self._variables = {name for name, entity in scope.names.items() if entity.kind == "variable"}
        # A config cannot name what belongs to a named instance.
        self._entities = {
            name: entity
            for name, entity in scope.names.items()
            if entity.kind == "definition" and not entity.parameters and "!" not in name
        }
        self._level = {name: levels.of_entity(entity) for name, entity in self._entities.items()}

    def find(self) -> Candidates:
        behaviors = {
            name: self._behavior(entity)
            for name, entity in self._entities.items()
            if self._level[name] == Level.TEMPORAL
        }
        specifications = [name for name, each in behaviors.items() if each.inits and each.steps]
        found = [behaviors[name] for name in specifications]
        inits = self._named([expr for each in found for expr, _ in each.inits])
        inits = _unique([*inits, *(name for name in self._entities if self._sets_all(name))])
        # A specification that checks induction begins with invariants: TypeOK /\ Inv /\ [][Next]_vars.
        starting = [name for name in inits if "Init" in name or self._sets_all(name)]
        inits = starting or inits
        nexts = self._named([expr for each in found for expr, _ in each.steps])
        if not nexts:
            steps = [name for name in self._entities if self._level[name] == Level.ACTION]
            nexts = [name for name in steps if name.endswith("Next")]
            roots = self._roots(steps)
            # Several actions that nothing joins are a library of actions.
            if not nexts and len(roots) == 1:
                nexts = roots
        parts = self._reached(self._entities[name] for name in (*inits, *nexts))
        for each in found:
            starts = [
                (expr, scope)
                for expr, scope in each.inits
                if not self._named([expr]) or expr.operator in inits
            ]
            parts |= self._reached_by(starts) | self._reached_by(each.steps)
            parts |= {_key(entity) for entity in each.through}
        others = [name for name, entity in self._entities.items() if _key(entity) not in parts]
        return Candidates(
            specifications=tuple(specifications),
            inits=tuple(inits),
            nexts=tuple(nexts),
            invariants=tuple(name for name in others if self._is_invariant(name)),
            properties=tuple(name for name in others if name in behaviors and name not in specifications),
            constraints=tuple(name for name in others if self._bounds(name, Level.STATE)),
            action_constraints=tuple(name for name in others if self._bounds(name, Level.ACTION)),
            symmetry_sets=tuple(name for name in others if self._is_symmetry(name)),
        )

    def _behavior(self, entity: Entity) -> _Behavior:
        inits: list[tuple[Expression, Scope]] = []
        steps: list[tuple[Expression, Scope]] = []
        through: list[Entity] = []
        pending = [(entity.body, entity.scope)]
        while pending:
            expr, scope = pending.pop(0)
            if expr is None:
                continue
            inner = scope.find(expr.operator) if expr.is_name() else None
            if expr.shape == "apply" and expr.operator == "/\\":
                pending[:0] = [(part, scope) for part in expr.arguments]
            elif self._levels.of_expression(expr, scope) <= Level.STATE:
                inits.append((expr, scope))
            elif (action := _step(expr)) is not None:
                steps.append((action, scope))
            elif inner is not None and inner not in through and "!" not in expr.operator:
                through.append(inner)
                pending.insert(0, (inner.body, inner.scope))
        return _Behavior(tuple(inits), tuple(steps), tuple(through))

    def _named(self, expressions: list[Expression]) -> list[str]:
        return _unique(
            expr.operator for expr in expressions if expr.is_name() and expr.operator in self._entities
        )

    def _sets_all(self, name: str) -> bool:
        """Whether a predicate gives every variable a value, as an initial predicate must, or is named for it."""
        if self._level[name] != Level.STATE or _TYPES.search(name):
            return False
        if name == "Init":
            return True
        entity = self._entities[name]
        equal: set[str] = set()
        among: set[str] = set()
        pending = [(entity.body, entity.scope)]
        seen: set[Entity] = set()
        while pending:
            expr, scope = pending.pop()
            if expr is None:
                continue
            if expr.shape == "apply" and expr.operator in {"=", "\\in"} and expr.arguments[0].is_name():
                (equal if expr.operator == "=" else among).add(expr.arguments[0].operator)
            elif (inner := scope.find(expr.operator)) is not None:
                if inner not in seen:
                    seen.add(inner)
                    pending.append((inner.body, inner.scope))
            elif expr.operator in {"/\\", "\\/", "\\E", "LET"}:
                inside = self._resolver.let(scope, expr) if expr.shape == "let" else scope
                pending += [(part, inside) for part in expr.arguments]
        # A type predicate too speaks of every variable, but with sets alone.
        return bool(equal & self._variables) and self._variables <= equal | among

    def _roots(self, names: list[str]) -> list[str]:
        """Return the actions that are part of no other action."""
        inner: set[tuple[str, str]] = set()
        for name in names:
            entity = self._entities[name]
            inner |= self._reached([entity]) - {_key(entity)}
        return [name for name in names if _key(self._entities[name]) not in inner]

    def _reached(self, entities: Iterable[Entity]) -> set[tuple[str, str]]:
        """Return the definitions used by some, at any depth, and these themselves."""
        found: dict[Entity, None] = {}
        pending = list(entities)
        while pending:
            entity = pending.pop()
            if entity in found or entity.kind == "variable":
                continue
            found[entity] = None
            if entity.body is not None:
                pending += mentioned(entity.body, entity.scope)
        return {_key(entity) for entity in found}

    def _reached_by(self, expressions: Iterable[tuple[Expression, Scope]]) -> set[tuple[str, str]]:
        return self._reached(entity for expr, scope in expressions for entity in mentioned(expr, scope))

    def _is_invariant(self, name: str) -> bool:
        entity = self._entities[name]
        if self._level[name] != Level.STATE or _BOUNDS.search(name):
            return False
        return self._is_boolean(entity.body, entity.scope, frozenset())

    def _bounds(self, name: str, level: Level) -> bool:
        entity = self._entities[name]
        if self._level[name] != level or not _BOUNDS.search(name):
            return False
        return level == Level.ACTION or self._is_boolean(entity.body, entity.scope, frozenset())

    def _is_boolean(self, expr: Expression | None, scope: Scope, inside: frozenset[Entity]) -> bool:
        """Whether an expression is a truth value by its shape."""
        if expr is None:
            return False
        if expr.shape == "let":
            return self._is_boolean(expr.arguments[0], self._resolver.let(scope, expr), inside)
        if expr.shape == "build" and expr.operator == "IF":
            return all(self._is_boolean(part, scope, inside) for part in expr.arguments[1:])
        if expr.shape == "build" and expr.operator == "CASE":
            return all(self._is_boolean(part, scope, inside) for part in expr.arguments[1::2])
        entity = scope.find(expr.operator) if expr.shape == "apply" else None
        if entity is not None:
            # A recursive branch says nothing that the others do not.
            return entity in inside or self._is_boolean(entity.body, entity.scope, inside | {entity})
        if expr.shape == "apply":
            return expr.operator in _BOOLEAN_OPERATORS
        return expr.operator in {"\\A", "\\E"} or (expr.shape == "literal" and expr.operator == "boolean")

    def _is_symmetry(self, name: str) -> bool:
        if self._level[name] != Level.CONSTANT:
            return False
        pending, seen = [self._entities[name]], set()
        while pending:
            entity = pending.pop()
            if entity in seen or entity.body is None:
                continue
            seen.add(entity)
            if any(t.shape == "apply" and t.operator == "Permutations" for t in walk(entity.body)):
                return True
            pending += mentioned(entity.body, entity.scope)
        return False


def walk(expr: Expression) -> Iterator[Expression]:
    """Yield an expression and all expressions inside it."""
    pending = [expr]
    while pending:
        each = pending.pop()
        yield each
        pending += each.children()


def mentioned(expr: Expression, scope: Scope) -> list[Entity]:
    """Return what the names in an expression stand for."""
    found = (scope.find(each.operator) for each in walk(expr) if each.shape == "apply")
    return [entity for entity in found if entity is not None]


def _step(expr: Expression) -> Expression | None:
    """Return the action A of ``[][A]_v``."""
    if expr.shape == "apply" and expr.operator == "[]" and expr.arguments:
        inner = expr.arguments[0]
        if inner.shape == "build" and inner.operator == "[]_":
            return inner.arguments[0]
    return None


def _key(entity: Entity) -> tuple[str, str]:
    # An unnamed instance makes further entities of one declaration.
    return (entity.declaration.module, entity.declaration.name)


def _unique(names: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(names))
