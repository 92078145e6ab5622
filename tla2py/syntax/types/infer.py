"""Collects what every place of a specification needs of its constants, through operators and instances."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from tla2py.syntax.expression import Bound, Expression, Span
from tla2py.syntax.module import Module
from tla2py.syntax.scope import Entity, Resolver, Scope
from tla2py.syntax.types.constraints import (
    BOOLEAN,
    JOINED,
    REQUIRED,
    SET,
    TUPLE,
    Claim,
    Need,
    operand_needs,
)
from tla2py.syntax.types.members import element_need

# A set of sets of functions that give sequences.
_HEIGHT = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """A claim on a constant, the occurrence of it that the claim is about, and whether an ASSUME makes it."""

    claim: Claim
    module: Module
    span: Span
    assumed: bool


@dataclass(slots=True)
class _Local:
    """A bound name or a parameter, and what its uses need of it."""

    _claims: dict[tuple[Need, int], Claim] = field(default_factory=dict)

    def add(self, claim: Claim) -> None:
        """Keep a claim if it says something new and is no taller than what a person writes.

        A recursive definition makes claims on its own parameters out of those it has, without end.
        """
        if claim.need.height <= _HEIGHT:
            self._claims.setdefault((claim.need, claim.strength), claim)

    @property
    def claims(self) -> tuple[Claim, ...]:
        """What was said so far."""
        return tuple(self._claims.values())


Locals = Mapping[str, _Local]


class Inference:
    """What all definitions and assumptions reached from a scope need of the constants."""

    def __init__(self, resolver: Resolver) -> None:
        self._resolver = resolver
        self.evidence: dict[Entity, dict[tuple[str, Span, Need], Evidence]] = {}
        self.uses: dict[Entity, dict[tuple[str, Span], Module]] = {}
        self.compared: set[Entity] = set()
        """The constants that stand beside = or #."""
        self.told_apart: set[Entity] = set()
        """The constants whose kind a condition may ask for: ``N = Infinity``, ``N \\in Nat``."""
        self._parameters: dict[Entity, tuple[_Local, ...]] = {}
        self._pushed: set[tuple[Entity, Need]] = set()
        self._assumed = False
        self._scopes: set[Scope] = set()

    def read(self, scope: Scope) -> None:
        """Go through a scope: the assumptions of its module, and all that its names stand for."""
        if scope not in self._scopes:
            self._scopes.add(scope)
            self._assumed = True
            for assumption in scope.module.assumptions:
                self._visit(assumption.body, scope, {})
                self._push(assumption.body, scope, {}, Claim(BOOLEAN, "assumed"))
            self._assumed = False
            for entity in scope.names.values():
                self._read_entity(entity)

    def _read_entity(self, entity: Entity) -> tuple[_Local, ...]:
        """Return what a definition needs of its parameters, having gone through its body once."""
        if entity not in self._parameters:
            inside = {name: _Local() for name in entity.parameters}
            self._parameters[entity] = tuple(inside.values())
            assumed, self._assumed = self._assumed, False
            if entity.scope not in self._scopes:
                self.read(entity.scope)
            if entity.body is not None:
                self._visit(entity.body, entity.scope, inside)
            self._assumed = assumed
        return self._parameters[entity]

    def _visit(self, expr: Expression, scope: Scope, local: Locals) -> None:
        """Go through an expression and all inside it, passing on what each operator needs."""
        if expr.shape == "let":
            scope = self._resolver.let(scope, expr)
            for definition in expr.definitions:
                # The body sees the names around the LET, which no scope knows.
                inside = {name: _Local() for name in definition.parameters}
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
                for claim in parameter.claims:
                    reason = f"passed to {expr.operator}, where it is {_root(claim)}"
                    self._push(argument, scope, local, replace(claim, reason=reason))
        else:
            for part, claim in operand_needs(expr):
                self._push(part, scope, local, claim)
            self._relate(expr, scope, local)
        if expr.shape == "bind":
            self._visit_binding(expr, scope, local)
        else:
            for part in expr.arguments:
                self._visit(part, scope, local)

    def _visit_binding(self, expr: Expression, scope: Scope, local: Locals) -> None:
        names = {name: _Local() for bound in expr.bounds for name in bound.names}
        inside = {**local, **names}
        for part in expr.arguments:
            self._visit(part, scope, inside)
            if expr.operator in {"\\A", "\\E", "CHOOSE", "{:}"}:
                self._push(part, scope, inside, Claim(BOOLEAN, "a condition"))
        for bound in expr.bounds:
            if bound.domain is not None:
                self._visit(bound.domain, scope, local)
            for domain, claim in _domain_claims(bound, names):
                self._push(domain, scope, local, claim)

    def _relate(self, expr: Expression, scope: Scope, local: Locals) -> None:
        r"""Pass on what ``x \in S`` and ``S \subseteq T`` say of x and S, and note what ``=`` compares."""
        if expr.shape != "apply" or len(expr.arguments) != 2:
            return
        left, right = expr.arguments
        if expr.operator in {"=", "#"}:
            for one, other in ((left, right), (right, left)):
                entity = scope.find(one.operator) if one.is_name() else None
                if entity is not None:
                    self.compared.add(entity)
                    if other.operator == "string" or self._is_constant(other, scope):
                        self.told_apart.add(entity)
        elif expr.operator in {"\\in", "\\notin"}:
            entity = scope.find(left.operator) if left.is_name() else None
            if entity is not None and not self._assumed:
                self.told_apart.add(entity)
            need = element_need(right, scope) if expr.operator == "\\in" else None
            if need is not None:
                self._push(left, scope, local, Claim(need, f"an element of {_show(right, scope.module)}"))
        elif expr.operator == "\\subseteq":
            for one, other in ((left, right), (right, left)):
                need = element_need(other, scope)
                if need is not None:
                    reason = (
                        f"a subset of {_show(other, scope.module)}"
                        if one is left
                        else "a set with such elements"
                    )
                    self._push(one, scope, local, Claim(Need("set", need), reason))

    def _is_constant(self, expr: Expression, scope: Scope) -> bool:
        entity = scope.find(expr.operator) if expr.is_name() else None
        return entity is not None and entity.kind != "variable"

    def _push(self, expr: Expression, scope: Scope, local: Locals, claim: Claim) -> None:
        """Pass a claim on an expression to what its value comes from."""
        operator, parts = expr.operator, expr.arguments
        if expr.shape == "apply":
            self._push_applied(expr, scope, local, claim)
        elif expr.shape == "let":
            self._push(parts[0], self._resolver.let(scope, expr), local, claim)
        elif expr.shape == "build":
            strength = min(claim.strength, JOINED) if operator in {"IF", "CASE"} else claim.strength
            for part in _results(operator, parts):
                self._push(part, scope, local, replace(claim, strength=strength))
            if operator == "[]" and parts:
                self._push(
                    parts[0], scope, local, _about("function", claim, "a function whose values are each")
                )
            elif operator == "{}":
                self._push_all(parts, scope, local, claim, "set")
        elif expr.shape == "bind":
            if operator == "[|->]":
                self._push_all(parts, scope, local, claim, "function")
            elif operator == "{|}":
                self._push_all(parts, scope, local, claim, "set")
            domain = expr.bounds[0].domain if expr.bounds and not expr.bounds[0].pattern else None
            if domain is not None and operator == "CHOOSE":
                self._push(domain, scope, local, _about("set", claim, "a set of which an element is"))
            elif domain is not None and operator == "{:}":
                self._push(domain, scope, local, claim)

    def _push_all(
        self, parts: tuple[Expression, ...], scope: Scope, local: Locals, claim: Claim, kind: str
    ) -> None:
        if claim.need.kind == kind and claim.need.element is not None:
            for part in parts:
                self._push(part, scope, local, replace(claim, need=claim.need.element))

    def _push_applied(self, expr: Expression, scope: Scope, local: Locals, claim: Claim) -> None:
        operator, parts = expr.operator, expr.arguments
        if operator in local:
            if not parts:
                local[operator].add(claim)
            return
        entity = scope.find(operator)
        if entity is None:
            self._push_set(expr, scope, local, claim)
        elif entity.kind == "constant":
            key = (scope.module.name, expr.span, claim.need)
            found = Evidence(claim=claim, module=scope.module, span=expr.span, assumed=self._assumed)
            self.evidence.setdefault(entity, {}).setdefault(key, found)
        elif entity.body is not None and (entity, claim.need) not in self._pushed:
            self._pushed.add((entity, claim.need))
            if entity.enclosed or entity.kind == "substituted":
                names = local if entity.enclosed else {n: local[n] for n in entity.parameters if n in local}
                self._push(entity.body, entity.scope, names, claim)
                # The names around it are others the next time.
                self._pushed.discard((entity, claim.need))
            else:
                self._push(entity.body, entity.scope, {}, claim)

    def _push_set(self, expr: Expression, scope: Scope, local: Locals, claim: Claim) -> None:
        """Pass a claim on the result of a set operator to its operands."""
        operator, parts, element = expr.operator, expr.arguments, claim.need.element
        if claim.need.kind != "set" or element is None:
            return
        if operator == "UNION":
            self._push(parts[0], scope, local, replace(claim, need=Need("set", claim.need)))
        elif operator == "SUBSET" and element.kind == "set":
            self._push(parts[0], scope, local, replace(claim, need=element))
        elif operator in {"\\cup", "\\cap", "\\"}:
            if operator == "\\cup" and claim.strength < REQUIRED:
                # What an element is compared with may be in one of the sets only.
                claim = replace(claim, strength=JOINED)
            for part in parts[:1] if operator == "\\" else parts:
                # {None} beside a set of numbers is there because None is not one.
                if part.shape != "build":
                    self._push(part, scope, local, claim)


def _results(operator: str, parts: tuple[Expression, ...]) -> Iterable[Expression]:
    """Return the parts whose values may be that of the whole."""
    if operator == "IF":
        return parts[1:]
    if operator == "CASE":
        return parts[1::2]
    return parts[:1] if operator == "EXCEPT" else ()


def _domain_claims(bound: Bound, names: Locals) -> Iterator[tuple[Expression, Claim]]:
    """Yield what the uses of the names that range over a set say of it."""
    if bound.domain is None:
        return
    if not bound.pattern:
        yield bound.domain, Claim(SET, f"a set that {' and '.join(bound.names)} ranges over")
        domains = [bound.domain] * len(bound.names)
    else:
        yield bound.domain, Claim(Need("set", TUPLE), "a set whose elements are taken apart")
        domains = _factors(bound.domain, len(bound.names))
    for name, domain in zip(bound.names, domains, strict=False):
        for claim in names[name].claims:
            yield domain, _about("set", claim, f"a set that {name} ranges over, which is")


def _factors(expr: Expression, count: int) -> list[Expression]:
    """Return the sets of a product of so many."""
    found: list[Expression] = []
    while len(found) < count - 1 and expr.operator == "\\X" and len(expr.arguments) == 2:
        found.insert(0, expr.arguments[1])
        expr = expr.arguments[0]
    return [expr, *found] if len(found) == count - 1 else []


def _about(kind: str, claim: Claim, words: str) -> Claim:
    return replace(claim, need=Need(kind, claim.need), reason=f"{words} {claim.reason}")


def _root(claim: Claim) -> str:
    """Return the reason a claim began with: of the stations it passed, only the last is of use."""
    return claim.reason.rpartition("where it is ")[2]


def _show(expr: Expression, module: Module) -> str:
    text = module.excerpt(expr.span)
    return text if len(text) <= 40 else "such values"
