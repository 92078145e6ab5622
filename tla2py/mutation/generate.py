"""The walk through a specification that finds its mutants, each where an operator can change an expression."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from tla2py.model.mutant import change_words
from tla2py.mutation import operators
from tla2py.tla.constant_types import infer_types
from tla2py.tla.graph import ModuleGraph
from tla2py.tla.levels import Level, Levels
from tla2py.tla.module import Definition, Expression, Module, algorithm_line
from tla2py.tla.scope import Entity, Scope
from tla2py.tla.tree import deeply


@dataclass(frozen=True, slots=True, kw_only=True)
class MutantLocation:
    """Where an expression is: its scope, the definition around it, its module and the names bound there."""

    scope: Scope
    owner: Definition
    module: Module
    text: operators.Text
    bound: frozenset[str] = frozenset()

    def binding(self, expr: Expression) -> MutantLocation:
        """Inside a binder."""
        return replace(self, bound=self.bound.union(*(each.names for each in expr.bounds)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutant:
    """A specification with one change.

    mutant: its id, a digest of the changed definition and the change; changes elsewhere do not alter it.
    definition: the name of the changed definition, and ``module`` that of its module.
    file: the user's file. Its ``line`` and ``column`` are those of the change; in a translation made on the fly, the line is
        that of the algorithm.
    algorithm: for a translation in the user's file, the line of the algorithm that the definition comes from.
    edit: the change, in the text of the module as TLC reads it.
    checks: the invariants that it weakens, if it concerns checks.
    """

    mutant: str
    definition: str
    module: str
    file: str
    line: int
    column: int
    edit: operators.Rewrite
    algorithm: int | None = None
    checks: tuple[str, ...] = ()

    @property
    def operator(self) -> str:
        """The name of the operator that makes the change."""
        return self.edit.operator

    @property
    def concerns(self) -> operators.Concerns:
        """The part of the model that changes."""
        return operators.OPERATORS[self.operator]

    @property
    def place(self) -> str:
        """The place in the user's file."""
        return f"{self.file}:{self.line}:{self.column}"

    @property
    def words(self) -> str:
        """The change on one line."""
        return change_words(self.edit.before, self.edit.after)


def mutant_of(edit: operators.Rewrite, owner: Definition | None, module: Module) -> Mutant:
    """The mutant that a change inside a definition makes, or outside of all of them."""
    span = edit.span
    name, text, first = (owner.name, owner.text, owner.span.begin_line) if owner else ("", module.text, 1)
    facts = [module.name, name, text, (span.begin_line - first, span.begin_column, edit.before, edit.after)]
    line = module.line(span.begin_line)
    translated = module.has_pluscal and owner is not None and line == span.begin_line
    return Mutant(
        mutant=hashlib.sha256(json.dumps(facts).encode()).hexdigest()[:12],
        definition=name,
        module=module.name,
        file=module.where(),
        line=line,
        column=span.begin_column,
        edit=edit,
        algorithm=algorithm_line(module.text, name, span.begin_line) if translated else None,
    )


_Visit = Callable[[Expression, MutantLocation], Iterator[Mutant]]


class Walk:
    """The walk through a module graph; ``replaced`` are the names that the config gives other values."""

    def __init__(self, spec: ModuleGraph, replaced: Mapping[str, frozenset[str]]) -> None:
        self.spec, self.replaced = spec, replaced
        self._levels = Levels(spec.resolver)
        self._updates = operators.Updates(spec, self._levels)
        self._sets = frozenset(n for n, each in infer_types(spec).items() if each.type.kind == "set")
        self._seen = set[tuple[int, str]]()

    @deeply
    def behaviour(self, specification: str | None, init: str | None, next_: str | None) -> list[Mutant]:
        """The changes of a behaviour."""
        roots = ((specification, self._temporal), (init, self._initial), (next_, self._action))
        names = self.spec.scope
        return [found for name, visit in roots if name for found in self._enter(names.find(name), visit)]

    @deeply
    def checks(self, invariant: str) -> list[Mutant]:
        """The changes of an invariant."""
        self._seen.clear()
        return list(self._enter(self.spec.scope.find(invariant), self._check))

    def _enter(
        self, entity: Entity | None, visit: _Visit, spot: MutantLocation | None = None
    ) -> Iterator[Mutant]:
        """The changes inside a definition, once for each way to read it."""
        if entity is None or entity.body is None or entity.kind != "definition":
            return
        declared = entity.declaration
        key = (id(entity.body), visit.__name__)
        if not isinstance(declared, Definition) or declared.name in self.replaced or key in self._seen:
            return
        self._seen.add(key)
        names = frozenset(declared.parameters)
        if entity.enclosed and spot is not None:
            inside = replace(spot, scope=entity.scope, bound=spot.bound | names)
        else:
            module = self.spec.file_of(declared)
            if module in self.spec.installed or module.path is None:
                return
            text = operators.Text(module.text)
            inside = MutantLocation(scope=entity.scope, owner=declared, module=module, text=text, bound=names)
        yield from visit(entity.body, inside)

    def _mutate_name(self, expr: Expression, visit: _Visit, spot: MutantLocation) -> Iterator[Mutant]:
        """Yield the mutants of what a name stands for, and in its arguments."""
        if expr.operator not in spot.bound:
            yield from self._enter(spot.scope.find(expr.operator), visit, spot)
            for name in self.replaced.get(expr.operator.rpartition("!")[2], ()):
                yield from self._enter(self.spec.scope.find(name), visit)
        for each in expr.arguments:
            yield from self._value(each, spot)

    def _temporal(self, expr: Expression, spot: MutantLocation) -> Iterator[Mutant]:
        match expr:
            case _ if self._level(expr, spot) <= Level.STATE:
                yield from self._initial(expr, spot)
            case Expression(shape="apply", operator="/\\", arguments=parts):
                for each in parts:
                    yield from self._temporal(each, spot)
            case Expression(shape="apply", operator="[]", arguments=(inner,)):
                yield from self._temporal(inner, spot)
            case Expression(shape="build", operator="[]_", arguments=(action, *_)):
                yield from self._action(action, spot)
            case Expression(shape="build", operator="WF_" | "SF_" as kind):
                yield self._make_mutant("drop-fairness", expr, "TRUE", spot)
                if kind == "SF_":
                    begin = spot.text.range(expr.span)[0]
                    change = spot.text.rewrite("weaken-fairness", spot.text.span(begin, begin + 2), "WF")
                    yield mutant_of(change, spot.owner, spot.module)
            case Expression(shape="bind", arguments=(body,)):
                yield from self._temporal(body, spot.binding(expr))
            case Expression(shape="let", arguments=(body,)):
                yield from self._temporal(body, self._inside(expr, spot))
            case Expression(shape="apply"):
                yield from self._mutate_name(expr, self._temporal, spot)

    def _initial(self, expr: Expression, spot: MutantLocation) -> Iterator[Mutant]:
        match expr:
            case Expression(shape="apply", operator="/\\" | "\\/", arguments=parts):
                for each in parts:
                    yield from self._initial(each, spot)
            case Expression(shape="apply", operator="=", arguments=(left, right)):
                if left.is_name() and operators.variable_of(spot.scope.find(left.operator)) is not None:
                    yield from self._initial_value(right, spot)
                yield from self._value(right, spot)
            case Expression(shape="bind", operator="\\E", arguments=(body,)):
                yield from self._domains(expr, spot)
                yield from self._initial(body, spot.binding(expr))
            case Expression(shape="let", arguments=(body,)):
                yield from self._initial(body, self._inside(expr, spot))
            case Expression(shape="apply") if expr.operator not in ("\\in", "#"):
                yield from self._mutate_name(expr, self._initial, spot)
            case _:
                yield from self._value(expr, spot)

    def _initial_value(self, expr: Expression, spot: MutantLocation) -> Iterator[Mutant]:
        match expr:
            case (
                Expression(shape="build", operator="record" | "<<>>")
                | Expression(shape="bind", operator="[|->]")
            ):
                for each in expr.arguments:
                    yield from self._initial_value(each, spot.binding(expr))
            case Expression(shape="let", arguments=(body,)):
                yield from self._initial_value(body, self._inside(expr, spot))
            case Expression(shape="build", operator="IF" | "CASE"):
                pass
            case _:
                yield from self._all(operators.initial_change(expr, spot.text, self._sets), spot)
                if expr.shape == "apply" and expr.operator not in spot.bound:
                    found = spot.scope.find(expr.operator)
                    yield from self._enter(found, self._initial_value, spot)
                    for each in expr.arguments if found is not None else ():
                        yield from self._initial_value(each, spot)

    def _action(self, expr: Expression, spot: MutantLocation) -> Iterator[Mutant]:
        match expr:
            case Expression(shape="apply", operator="/\\", arguments=parts):
                for each in parts:
                    yield from self._conjunct(each, spot)
            case Expression(shape="apply", operator="\\/", arguments=parts):
                for each in parts:
                    yield self._make_mutant("drop-disjunct", each, "FALSE", spot)
                    yield from self._action(each, spot)
            case Expression(shape="bind", operator="\\E", arguments=(body,)):
                yield from self._domains(expr, spot)
                yield from self._action(body, spot.binding(expr))
            case Expression(shape="let", arguments=(body,)):
                yield from self._action(body, self._inside(expr, spot))
            case Expression(shape="build", operator="IF", arguments=(condition, *branches)):
                yield from self._mutate_expression(expr, spot)
                yield from self._guard(condition, spot)
                for each in branches:
                    yield from self._action(each, spot)
            case Expression(shape="build", operator="CASE", arguments=arms):
                yield from self._mutate_expression(expr, spot)
                for guard, value in zip(arms[::2], arms[1::2], strict=True):
                    yield from self._guard(guard, spot)
                    yield from self._action(value, spot)
            case Expression(shape="apply", operator="=" | "\\in", arguments=(_, right)):
                yield from self._value(right, spot)
            case Expression(shape="apply"):
                yield from self._mutate_name(expr, self._action, spot)
            case _:
                yield from self._value(expr, spot)

    def _conjunct(self, expr: Expression, spot: MutantLocation) -> Iterator[Mutant]:
        """The changes of a conjunct of an action: a guard, or an update of variables."""
        if self._level(expr, spot) <= Level.STATE:
            yield from self._guards([expr], spot)
            return
        assigned = self._updates.assigned(expr, spot.scope)
        if not assigned:
            # It compares the next state with this one.
            yield self._make_mutant("drop-guard", expr, "TRUE", spot)
            yield self._negated(expr, spot)
        elif not any(assigned.values()):
            return
        elif not operators.is_compound(expr):
            text = self._updates.unchanged_text(expr, spot.scope, spot.bound)
            if text is not None:
                yield self._make_mutant("drop-update", expr, text, spot)
        yield from self._action(expr, spot)

    def _guards(self, conjuncts: Iterable[Expression], spot: MutantLocation) -> Iterator[Mutant]:
        for each in conjuncts:
            if each.shape != "literal":
                yield self._make_mutant("drop-guard", each, "TRUE", spot)
                yield self._negated(each, spot)
                yield from self._guard(each, spot)

    def _guard(self, expr: Expression, spot: MutantLocation) -> Iterator[Mutant]:
        """The changes of a condition of an action."""
        match expr:
            case Expression(shape="apply", operator="/\\", arguments=parts):
                yield from self._guards(parts, spot)
            case Expression(shape="apply", operator="\\/", arguments=parts):
                for each in parts:
                    yield from self._guard(each, spot)
            case Expression(shape="bind", operator="\\E" | "\\A", arguments=(body,)):
                yield from self._all(operators.quantifier_change(expr, spot.text), spot)
                yield from self._domains(expr, spot)
                yield from self._guard(body, spot.binding(expr))
            case Expression(shape="let", arguments=(body,)):
                yield from self._guard(body, self._inside(expr, spot))
            case Expression(shape="build", operator="IF", arguments=parts):
                yield from self._mutate_expression(expr, spot)
                for each in parts:
                    yield from self._guard(each, spot)
            case Expression(shape="apply", operator="=>", arguments=(condition, consequence)):
                yield from self._value(condition, spot)
                yield from self._guard(consequence, spot)
            case Expression(shape="apply") if spot.scope.find(expr.operator) is not None:
                yield from self._mutate_name(expr, self._guard, spot)
            case _:
                yield from self._value(expr, spot)

    def _value(self, expr: Expression, spot: MutantLocation) -> Iterator[Mutant]:
        """The changes of an expression whatever it is for."""
        yield from self._mutate_expression(expr, spot)
        if expr.shape == "let":
            yield from self._value(expr.arguments[0], self._inside(expr, spot))
            return
        quantifier = expr.shape == "bind" and expr.operator in ("\\E", "\\A")
        if quantifier and self._level(expr, spot) <= Level.STATE:
            yield from self._all(operators.quantifier_change(expr, spot.text), spot)
        yield from self._domains(expr, spot)
        if expr.shape == "apply":
            yield from self._mutate_name(expr, self._value, spot)
            return
        inside = spot.binding(expr) if expr.bounds else spot
        for each in expr.arguments:
            yield from self._value(each, inside)

    def _check(self, expr: Expression, spot: MutantLocation) -> Iterator[Mutant]:
        """The changes of an invariant."""
        match expr:
            case Expression(shape="apply", operator="/\\", arguments=parts):
                for each in parts:
                    yield self._make_mutant("drop-check", each, "TRUE", spot)
                    yield from self._check(each, spot)
            case Expression(shape="bind", operator="\\A", arguments=(body,)):
                yield from self._check(body, spot.binding(expr))
            case Expression(shape="apply", operator="=>", arguments=(_, body)):
                yield from self._check(body, spot)
            case Expression(shape="let", arguments=(body,)):
                yield from self._check(body, self._inside(expr, spot))
            case Expression(shape="apply") if expr.operator not in spot.bound:
                yield from self._enter(spot.scope.find(expr.operator), self._check, spot)

    def _domains(self, expr: Expression, spot: MutantLocation) -> Iterator[Mutant]:
        for each in expr.bounds:
            if each.domain is not None:
                yield from self._value(each.domain, spot)

    def _mutate_expression(self, expr: Expression, spot: MutantLocation) -> Iterator[Mutant]:
        yield from self._all(operators.expression_changes(expr, spot.text), spot)

    def _all(self, changes: Iterable[operators.Rewrite], spot: MutantLocation) -> Iterator[Mutant]:
        for change in changes:
            yield mutant_of(change, spot.owner, spot.module)

    def _make_mutant(self, operator: str, expr: Expression, after: str, spot: MutantLocation) -> Mutant:
        return mutant_of(spot.text.rewrite(operator, expr.span, after), spot.owner, spot.module)

    def _negated(self, expr: Expression, spot: MutantLocation) -> Mutant:
        # Every line moves alike, which keeps lists aligned.
        text = spot.text.slice(expr.span).replace("\n", "\n  ")
        return self._make_mutant("negate-guard", expr, f"~({text})", spot)

    def _level(self, expr: Expression, spot: MutantLocation) -> Level:
        return self._levels.of_expression(expr, spot.scope, spot.bound)

    def _inside(self, expr: Expression, spot: MutantLocation) -> MutantLocation:
        return replace(spot, scope=self.spec.resolver.let(spot.scope, expr))
