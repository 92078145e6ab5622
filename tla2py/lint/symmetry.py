"""The rule on CHOOSE under symmetry."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tla2py.errors import Place
from tla2py.lint.finding import Finding, Severity, finding, rule
from tla2py.lint.reached import constants, steps
from tla2py.lint.subject import Subject
from tla2py.syntax import Level, ModuleGraph
from tla2py.syntax.depth import deeply
from tla2py.syntax.expression import Expression
from tla2py.syntax.levels import Levels
from tla2py.syntax.reach import Reached, closure, named, reached
from tla2py.syntax.scope import Scope
from tla2py.syntax.standard import standard_module_of

# What is checked, and what shapes the search after the initial states.
_ROOTS = ("next", "invariants", "properties", "constraints", "action_constraints", "view")
# A number of elements has no element in it.
_COUNTS = ("Cardinality", "IsFiniteSet")
_NAME = re.compile(r"(?!(SUBSET|UNION|DOMAIN|BOOLEAN|STRING)$)\w+")


@rule(Severity.WARNING, "symmetry-choose")
def choices(subject: Subject) -> Iterator[Finding]:
    """TLC always picks the same element, so behaviours that pick another one are missing.

    A CHOOSE for the initial states only is sound: the steps from there are symmetric. One whose predicate depends on the
    state or on a parameter often picks the only element.
    """
    for spec in subject.specs if subject.of("symmetry") else ():
        yield from _choices(subject, spec)


@deeply
def _choices(subject: Subject, spec: ModuleGraph) -> Iterator[Finding]:
    config = subject.config
    replaced = closure({name: frozenset([value]) for name, value in config.substitutions})
    symmetric = constants(spec, named(spec, [config.symmetry or ""]), replaced) | {*subject.permuted}
    roots = [*named(spec, (each.name for each in subject.of(*_ROOTS)))]
    for mention in subject.of("specification"):
        roots += steps(spec, mention.name)
    levels = Levels(spec.resolver)
    for each in reached(spec, roots, replaced):
        expr, owner = each.expr, each.owner
        if (
            expr.shape != "bind"
            or expr.operator != "CHOOSE"
            or owner is None
            or expr.bounds[0].domain is None
        ):
            continue
        domain = Reached(expr=expr.bounds[0].domain, scope=each.scope)
        if (
            levels.of_expression(expr, each.scope) is Level.CONSTANT
            and _closed(expr, each.scope, frozenset())
            and not symmetric.isdisjoint(constants(spec, [domain], replaced, beyond=_COUNTS))
        ):
            name = owner.declaration.name
            message = f"{name} picks the same element each time, which symmetry does not allow for"
            hint = "write \\E, which tries each element, or leave out the symmetry of this set"
            yield finding(
                "symmetry-choose", Place.parse(each.scope.module.where(expr.span)), message, hint, name
            )


def _closed(expr: Expression, scope: Scope, bound: frozenset[str]) -> bool:
    """Whether an expression uses neither parameters nor names bound around it."""
    if expr.shape == "apply" and expr.operator not in bound:
        entity = scope.find(expr.operator)
        if entity is not None and entity.enclosed:
            return False
        if entity is None and _NAME.fullmatch(expr.operator) and not standard_module_of(expr.operator):
            return False
    inside = bound.union(*(each.names for each in expr.bounds))
    return expr.shape != "let" and all(_closed(part, scope, inside) for part in expr.children())
