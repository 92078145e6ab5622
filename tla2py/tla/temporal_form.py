"""The form of a temporal formula: whether a finite beginning of a behaviour is enough to refute it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from tla2py.tla.graph import ModuleGraph, find_bodies
from tla2py.tla.levels import Level, Levels
from tla2py.tla.module import Definition, Expression
from tla2py.tla.scope import Entity, Scope
from tla2py.tla.tree import deeply


@deeply
def is_refuted_by_prefix(name: str, spec: ModuleGraph) -> bool:
    """Return whether each behaviour that violates a definition has a finite beginning that already does.

    It is decided by the form: without ``<>``, ``~>``, ``WF`` and ``SF``, except where a negation makes a ``<>`` a box, as in
    ``~<>P`` and ``<>P => Q``. A definition that the module lacks is of no such form.
    """
    form = _Form(spec)
    roots = [_Formula(each.expr, each.scope) for each in find_bodies(spec, [name])]
    return bool(roots) and all(form.is_safety(root, positive=True) for root in roots)


@deeply
def conjunct_names(name: str, spec: ModuleGraph) -> frozenset[str]:
    """Return the names that stand as conjuncts in a definition, itself included, also inside of others of them.

    Of a definition that comes by a named instance it is the last part, as TLC names it.
    """
    names: set[str] = set()
    formulas = [(each.expr, each.scope) for each in find_bodies(spec, [name])]
    while formulas:
        expr, scope = formulas.pop()
        if expr.shape == "apply" and expr.operator == "/\\":
            formulas += [(part, scope) for part in expr.arguments]
            continue
        entity = scope.named(expr)
        short = expr.operator.rpartition("!")[2]
        if entity is not None and entity.body is not None and short not in names:
            names.add(short)
            formulas.append((entity.body, entity.scope))
    return frozenset({*names, name})


@dataclass(frozen=True, slots=True)
class _Formula:
    """A part of a formula, the scope of its names, and the formulas that its parameters stand for.

    ``above`` are the definitions that it is in: none is in itself, since TLC evaluates no recursive temporal formula.
    """

    expr: Expression
    scope: Scope
    parameters: Mapping[str, _Formula] = field(default_factory=dict)
    above: tuple[Entity, ...] = ()

    def part(self, expr: Expression) -> _Formula:
        """Return a part of this formula; names that are bound here stand for values."""
        bound: set[str] = set()
        for each in self.expr.bounds:
            bound.update(each.names)
        parameters = {name: each for name, each in self.parameters.items() if name not in bound}
        return replace(self, expr=expr, parameters=parameters)


class _Form:
    """Decides the form of formulas of one specification."""

    def __init__(self, spec: ModuleGraph) -> None:
        self._spec = spec
        self._levels = Levels(spec.resolver)

    def is_safety(self, formula: _Formula, *, positive: bool) -> bool:
        """Return whether a formula, or with ``positive`` False its negation, is refuted by a prefix."""
        expr = formula.expr
        if self._is_value(formula):
            return True
        match expr.shape, expr.operator:
            case ("apply", "/\\" | "\\/") | ("bind", "\\A" | "\\E"):
                return all(self.is_safety(formula.part(each), positive=positive) for each in expr.arguments)
            case ("apply", "~"):
                return self.is_safety(formula.part(expr.arguments[0]), positive=not positive)
            case ("apply", "=>"):
                condition, consequent = map(formula.part, expr.arguments)
                return self.is_safety(condition, positive=not positive) and self.is_safety(
                    consequent, positive=positive
                )
            case ("apply", "[]" | "<>"):
                is_box = (expr.operator == "[]") is positive
                return is_box and self.is_safety(formula.part(expr.arguments[0]), positive=positive)
            case ("build", "IF"):
                return self._are_safe(formula, (expr.arguments[0],), expr.arguments[1:], positive=positive)
            case ("build", "CASE"):
                conditions, branches = expr.arguments[::2], expr.arguments[1::2]
                return self._are_safe(formula, conditions, branches, positive=positive)
            case ("let", _):
                scope = self._spec.resolver.let(formula.scope, expr)
                return self.is_safety(
                    replace(formula.part(expr.arguments[0]), scope=scope), positive=positive
                )
            case ("apply", _):
                return self._is_safe_call(formula, positive=positive)
        return False

    def _are_safe(
        self,
        formula: _Formula,
        conditions: tuple[Expression, ...],
        branches: tuple[Expression, ...],
        *,
        positive: bool,
    ) -> bool:
        """Return whether the conditions of a choice are values and its branches are refuted by a prefix."""
        return all(self._is_value(formula.part(each)) for each in conditions) and all(
            self.is_safety(formula.part(each), positive=positive) for each in branches
        )

    def _is_safe_call(self, formula: _Formula, *, positive: bool) -> bool:
        """Return the answer for a definition that is applied, or for what a parameter stands for."""
        expr = formula.expr
        if expr.operator in formula.parameters:
            return self.is_safety(formula.parameters[expr.operator], positive=positive)
        entity = formula.scope.find(expr.operator)
        if entity is None or entity.body is None or entity in formula.above:
            return False
        given = dict(formula.parameters) if entity.enclosed else {}
        if isinstance(entity.declaration, Definition) and len(entity.parameters) == len(expr.arguments):
            for name, argument in zip(entity.parameters, expr.arguments, strict=True):
                given[name] = formula.part(argument)
        body = _Formula(entity.body, entity.scope, given, (*formula.above, entity))
        return self.is_safety(body, positive=positive)

    def _is_value(self, formula: _Formula) -> bool:
        """Return whether a formula has a value in each state, or for each step."""
        if self._levels.of_expression(formula.expr, formula.scope) == Level.TEMPORAL:
            return False
        # A parameter may stand for a temporal formula.
        for each in formula.expr.walk():
            argument = formula.parameters.get(each.operator) if each.is_name() else None
            if argument is not None and not self._is_value(argument):
                return False
        return True
