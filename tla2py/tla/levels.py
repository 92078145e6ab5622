"""The level of expressions: constant, state, action or temporal (Specifying Systems, 17.2).

By it and by their names, definitions are candidates for what a model names.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple, TypeAlias

from tla2py.tla.module import UNREAD, Definition, Expression, Variable
from tla2py.tla.scope import Entity, Resolver, Scope


class Level(IntEnum):
    """The part of a behaviour that an expression depends on: none, a state, a step, or all of it."""

    CONSTANT = 0
    STATE = 1
    ACTION = 2
    TEMPORAL = 3

    @property
    def label(self) -> str:
        """The name of the level in lower case."""
        return self.name.lower()


# The levels that the language's own operators, constructs and binders give, whatever the levels of their arguments.
_FIXED: dict[str, dict[str, Level]] = {
    "apply": {
        "ENABLED": Level.STATE,
        **dict.fromkeys(("'", "UNCHANGED", "\\cdot"), Level.ACTION),
        **dict.fromkeys(("[]", "<>", "~>", "-+->"), Level.TEMPORAL),
    },
    "build": {
        **dict.fromkeys(("[]_", "<>_"), Level.ACTION),
        **dict.fromkeys(("WF_", "SF_"), Level.TEMPORAL),
    },
    "bind": dict.fromkeys(("\\AA", "\\EE"), Level.TEMPORAL),
}
# The positions of the arguments that definitions of the standard modules do not use.
_UNUSED = {
    "Print": {0}, "PrintT": {0}, "Assert": {1}, "TLCGet": {0}, "TLCSet": {0, 1}, "TLCGetOrDefault": {0, 1},
    "TLCGetAndSet": {0, 2, 3}, "TLCDefer": {0}, "TLCCache": {1}, "TLCFP": {0}, "ToTrace": {0}, "AssertError": {1},
    "JsonSerialize": {0, 1}, "JsonDeserialize": {0}, "ndJsonSerialize": {0, 1}, "ndJsonDeserialize": {0},
    "RandomSetOfSubsets": {1}, "TestRandomSetOfSubsets": {1},
}  # fmt: skip
# What RealTime declares and defines; nothing else of a standard module depends on a state.
_REAL_TIME = {"now": Level.STATE, "RTBound": Level.TEMPORAL, "RTnow": Level.TEMPORAL}


@dataclass(frozen=True, slots=True)
class _Depth:
    """The level of an expression, and the bound names around it whose levels add to that.

    SANY calls these names level parameters. ``A`` in ``ENABLED A`` is none: that is of the level of a state in any case.
    """

    level: Level
    names: frozenset[str]

    def with_part(self, part: _Depth) -> _Depth:
        """Return the depth of an expression of which ``part`` is a part that counts."""
        return _Depth(max(self.level, part.level), self.names | part.names)


_FLAT = _Depth(Level.CONSTANT, frozenset())


class Levels:
    """The levels of entities and expressions by the rules of SANY; an entity's is computed once."""

    def __init__(self, resolver: Resolver) -> None:
        self._resolver = resolver
        self._known: dict[Entity, _Depth] = {}

    def of_entity(self, entity: Entity, bound: frozenset[str] = frozenset()) -> Level:
        """Return the level of an entity, its parameters counted as constants.

        ``bound`` are the names bound around it, for a definition in a LET.
        """
        return self._entity_depth(entity, bound).level

    def of_expression(self, expr: Expression, scope: Scope, bound: frozenset[str] = frozenset()) -> Level:
        """Return the level of an expression in a scope; ``bound`` are the names bound around it."""
        return self._depth(expr, scope, bound).level

    def _entity_depth(self, entity: Entity, bound: frozenset[str]) -> _Depth:
        """Return the depth of an entity; its names are its own parameters that count, and those around it."""
        if entity.kind == "variable":
            return _Depth(Level.STATE, frozenset())
        if entity.kind == "substituted" and isinstance(entity.declaration, Variable):
            # For SANY a variable of the instantiated module stays one, whatever its substitution.
            return _Depth(Level.STATE, frozenset())
        if entity.body is None:
            return _FLAT
        if entity not in self._known:
            # The parameters of an instance are not visible in its module, which may have a variable of that name.
            definition = entity.declaration if isinstance(entity.declaration, Definition) else None
            parameters = definition.parameters if definition is not None else ()
            if entity.kind == "substituted":
                parameters = entity.parameters
            # Inside itself a recursive definition has the lowest level, which hides no higher one, and for SANY all of
            # its parameters count.
            itself = _Depth(Level.CONSTANT, frozenset(parameters))
            self._known[entity] = itself
            around = bound if entity.enclosed else frozenset()
            depth = self._depth(entity.body, entity.scope, around.union(parameters))
            is_recursive = definition is not None and definition.recursive
            self._known[entity] = depth.with_part(itself) if is_recursive else depth
        return self._known[entity]

    def _depth(self, expr: Expression, scope: Scope, bound: frozenset[str]) -> _Depth:
        """Return the depth of an expression."""
        if expr.operator == UNREAD:
            names = frozenset(part.operator for part in expr.arguments)
            return _Depth(Level(int(expr.text)), names & bound)
        if expr.shape == "let":
            # Definitions in a LET that its body does not use do not count.
            inner = self._resolver.let(scope, expr)
            defined = [definition.name for definition in expr.definitions]
            return self._depth(expr.arguments[0], inner, bound.difference(defined))

        fixed = _FIXED.get(expr.shape, {}).get(expr.operator)
        if fixed is not None:
            return _Depth(fixed, frozenset())
        if expr.shape == "apply":
            return self._application_depth(expr, scope, bound)

        depth = _FLAT
        inside = bound
        for binder in expr.bounds:
            # A variable declared further down may have the name of a parameter.
            inside = inside.union(binder.names)
            if binder.domain is not None:
                depth = depth.with_part(self._depth(binder.domain, scope, bound))
        for part in expr.arguments:
            depth = depth.with_part(self._depth(part, scope, inside))
        introduced = inside - bound
        return _Depth(depth.level, depth.names - introduced)

    def _application_depth(self, expr: Expression, scope: Scope, bound: frozenset[str]) -> _Depth:
        """Return the depth of an applied operator, or of a name without arguments."""
        counted: tuple[Expression, ...] = expr.arguments
        if expr.operator in bound:
            depth = _Depth(Level.CONSTANT, frozenset([expr.operator]))
        elif (entity := scope.find(expr.operator)) is not None:
            depth = self._entity_depth(entity, bound)
            if entity.kind == "definition":
                names = depth.names
                depth = _Depth(depth.level, names.difference(entity.parameters))
                if len(entity.parameters) == len(expr.arguments):
                    pairs = zip(entity.parameters, expr.arguments, strict=True)
                    counted = tuple(argument for name, argument in pairs if name in names)
        else:
            depth = _Depth(_REAL_TIME.get(expr.operator, Level.CONSTANT), frozenset())
            unused = _UNUSED.get(expr.operator, set())
            numbered = enumerate(expr.arguments)
            counted = tuple(argument for number, argument in numbered if number not in unused)
        for argument in counted:
            depth = depth.with_part(self._depth(argument, scope, bound))
        return depth


# Only its name distinguishes a constraint, which bounds the search, from an invariant.
_BOUNDS = re.compile(r"constraint|(limit|bound)s?$", re.IGNORECASE)
# Nor can a type invariant be distinguished from an initial predicate.
_TYPES = re.compile(r"type_?(ok|inv(ariant)?s?)$", re.IGNORECASE)
_BOOLEAN_OPERATORS = frozenset(
    r"/\ \/ ~ => <=> = # \in \notin \subseteq < > <= >= ENABLED IsFiniteSet".split()  # noqa: SIM905
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidates:
    """Names of definitions by the field of ``Config`` that they may fill, the likeliest first.

    specification: of the shape ``Init /\\ [][Next]_v``, perhaps with fairness.
    init, next: those of a specification first.
    invariants: predicates on states that the behaviour itself does not use.
    properties: temporal formulas that are neither a specification nor part of one.
    constraints, action_constraints: predicates whose names say that they bound the search.
    postconditions, alias: definitions whose names say so.
    symmetry: definitions that use ``Permutations``.
    """

    specification: tuple[str, ...]
    init: tuple[str, ...]
    next: tuple[str, ...]
    invariants: tuple[str, ...]
    properties: tuple[str, ...]
    constraints: tuple[str, ...]
    action_constraints: tuple[str, ...]
    postconditions: tuple[str, ...]
    alias: tuple[str, ...]
    symmetry: tuple[str, ...]


_AT_THE_END = re.compile(r"post_?condition", re.IGNORECASE)
_ALIAS = re.compile(r"alias", re.IGNORECASE)
_Placed: TypeAlias = tuple[Expression, Scope]


class TemporalParts(NamedTuple):
    """The initial predicates and the actions of a temporal formula, and the definitions on the way to them."""

    inits: list[_Placed]
    steps: list[_Placed]
    through: list[Entity]


def temporal_parts(entity: Entity, levels: Levels, *, instances: bool = False) -> TemporalParts:
    """The parts of the temporal formula that a definition is; with ``instances`` those of instances too."""
    found = TemporalParts([], [], [])
    pending = [(entity.body, entity.scope)]
    while pending:
        expr, scope = pending.pop(0)
        if expr is None:
            continue
        inner = scope.named(expr)
        match expr:
            case Expression(shape="apply", operator="/\\", arguments=parts):
                pending[:0] = [(part, scope) for part in parts]
            case _ if levels.of_expression(expr, scope) <= Level.STATE:
                found.inits.append((expr, scope))
            # [][A]_v
            case Expression(
                shape="apply",
                operator="[]",
                arguments=(Expression(shape="build", operator="[]_", arguments=(action, *_)), *_),
            ):
                found.steps.append((action, scope))
            case _ if inner is not None and inner not in found.through:
                if instances or "!" not in expr.operator:
                    found.through.append(inner)
                    pending.insert(0, (inner.body, inner.scope))
    return found


class CandidateFinder:
    """The search for candidates among a scope's definitions without parameters."""

    def __init__(self, scope: Scope, levels: Levels, resolver: Resolver) -> None:
        self._levels = levels
        self._resolver = resolver
        self._variables = {name for name, entity in scope.names.items() if entity.kind == "variable"}
        # A config cannot name a definition of a named instance.
        self._entities = {
            name: entity
            for name, entity in scope.names.items()
            if entity.kind == "definition" and not entity.parameters and "!" not in name
        }
        self._level = {name: levels.of_entity(entity) for name, entity in self._entities.items()}

    def find(self) -> Candidates:
        """All candidates."""
        behaviors = {
            name: temporal_parts(entity, self._levels)
            for name, entity in self._entities.items()
            if self._level[name] == Level.TEMPORAL
        }
        specifications = [name for name, each in behaviors.items() if each.inits and each.steps]
        found = [behaviors[name] for name in specifications]
        inits = self._list_names([expr for each in found for expr, _ in each.inits])
        inits = list(dict.fromkeys([*inits, *(name for name in self._entities if self._sets_all(name))]))
        # A specification to check an inductive invariant starts from it: TypeOK /\ Inv /\ [][Next]_vars.
        inits = [name for name in inits if "Init" in name or self._sets_all(name)] or inits
        nexts = self._list_names([expr for each in found for expr, _ in each.steps])
        if not nexts:
            steps = [name for name in self._entities if self._level[name] == Level.ACTION]
            nexts = [name for name in steps if name.endswith("Next")]
            own = {name: _key(self._entities[name]) for name in steps}
            inner = {key for name in steps for key in _keys(reachable([self._entities[name]])) - {own[name]}}
            roots = [name for name in steps if own[name] not in inner]
            # Several unrelated actions are a library of actions.
            if not nexts and len(roots) == 1:
                nexts = roots
        parts = _keys(reachable(self._entities[name] for name in (*inits, *nexts)))
        for each in found:
            starts = [
                (expr, scope)
                for expr, scope in each.inits
                if not self._list_names([expr]) or expr.operator in inits
            ]
            parts |= _keys(reachable(e for placed in (*starts, *each.steps) for e in mentioned(*placed)))
            parts |= _keys(each.through)
        others = [name for name, entity in self._entities.items() if _key(entity) not in parts]
        predicates = [name for name in others if self._is_predicate(name)]
        bounds = [name for name in others if _BOUNDS.search(name)]
        last = [name for name in others if _AT_THE_END.search(name)]
        return Candidates(
            specification=tuple(specifications),
            init=tuple(inits),
            next=tuple(nexts),
            invariants=tuple(name for name in predicates if name not in bounds and name not in last),
            properties=tuple(name for name in others if name in behaviors and name not in specifications),
            constraints=tuple(name for name in bounds if name in predicates),
            action_constraints=tuple(name for name in bounds if self._level[name] == Level.ACTION),
            postconditions=tuple(last),
            alias=tuple(name for name in others if _ALIAS.search(name) and name not in predicates),
            symmetry=tuple(name for name in others if self._is_symmetry(name)),
        )

    def _list_names(self, expressions: list[Expression]) -> list[str]:
        names = (expr.operator for expr in expressions if expr.is_name())
        return list(dict.fromkeys(name for name in names if name in self._entities))

    def _sets_all(self, name: str) -> bool:
        """Whether a definition is an initial predicate: it gives every variable a value, or its name is Init."""
        if self._level[name] != Level.STATE or _TYPES.search(name):
            return False
        if name == "Init":
            return True
        entity = self._entities[name]
        equal, among, seen = set[str](), set[str](), set[Entity]()
        pending = [(entity.body, entity.scope)]
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
        # A type invariant restricts every variable too, but to sets.
        return bool(equal & self._variables) and self._variables <= equal | among

    def _is_predicate(self, name: str) -> bool:
        entity = self._entities[name]
        return self._level[name] == Level.STATE and self._is_boolean(entity.body, entity.scope, frozenset())

    def _is_boolean(self, expr: Expression | None, scope: Scope, inside: frozenset[Entity]) -> bool:
        """Whether an expression is Boolean by its shape; ``inside`` are the definitions being looked at."""
        if expr is None:
            return False
        if expr.shape == "let":
            return self._is_boolean(expr.arguments[0], self._resolver.let(scope, expr), inside)
        if expr.shape == "build" and expr.operator in {"IF", "CASE"}:
            branches = expr.arguments[1:] if expr.operator == "IF" else expr.arguments[1::2]
            return all(self._is_boolean(part, scope, inside) for part in branches)
        entity = scope.find(expr.operator) if expr.shape == "apply" else None
        if entity is not None:
            # A recursive branch has the type of the others.
            return entity in inside or self._is_boolean(entity.body, entity.scope, inside | {entity})
        if expr.shape == "apply":
            return expr.operator in _BOOLEAN_OPERATORS
        return expr.operator in {"\\A", "\\E"} or (expr.shape == "literal" and expr.operator == "boolean")

    def _is_symmetry(self, name: str) -> bool:
        return self._level[name] == Level.CONSTANT and any(
            each.shape == "apply" and each.operator == "Permutations"
            for entity in reachable([self._entities[name]])
            if entity.body is not None
            for each in entity.body.walk()
        )


def mentioned(expr: Expression, scope: Scope) -> list[Entity]:
    """The entities that an expression mentions."""
    found = (scope.find(each.operator) for each in expr.walk() if each.shape == "apply")
    return [entity for entity in found if entity is not None]


def reachable(entities: Iterable[Entity]) -> Iterable[Entity]:
    """Some entities and those they use at any depth, without variables."""
    found: dict[Entity, None] = {}
    pending = list(entities)
    while pending:
        entity = pending.pop()
        if entity in found or entity.kind == "variable":
            continue
        found[entity] = None
        if entity.body is not None:
            pending += mentioned(entity.body, entity.scope)
    return found


def _key(entity: Entity) -> tuple[str, str]:
    # A plain INSTANCE makes further entities of one declaration.
    return (entity.declaration.module, entity.declaration.name)


def _keys(entities: Iterable[Entity]) -> set[tuple[str, str]]:
    return {_key(entity) for entity in entities}
