"""The rule on parameters that the model does not read: their points repeat one model."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from tla2py.errors import Place
from tla2py.lint.finding import RULES, Finding, Severity, finding
from tla2py.lint.reached import constants
from tla2py.sweep.plan import Plan
from tla2py.sweep.sweep import Sweep
from tla2py.syntax import ModuleGraph
from tla2py.syntax.depth import deeply
from tla2py.syntax.expression import Expression
from tla2py.syntax.reach import Reached, closure, named

RULES["unread-parameter"] = Severity.WARNING


def unread_parameters(sweep: Sweep, plan: Plan) -> Iterator[Finding]:
    """The constants and definitions under ``[parameters]`` that nothing reads at any point.

    An ASSUME on such a constant alone does not count, except in a module without variables.
    """
    unread = {each.name for each in sweep.parameters if each.kind in ("constant", "definition")}
    # Such a name is only replaced in one module, or at one instance.
    unread = {name for name in unread if re.fullmatch(r"\w+", name)}
    seen: set[object] = set()
    for point, run in plan.outlines():
        spec = sweep.spec(point.parameters)
        if not unread or not spec.variables:
            return
        texts = {**dict(run.config.assignments), **dict(run.config.substitutions)}
        texts |= sweep.assigned(point.parameters)
        replaced = closure({name: frozenset(re.findall(r"\w+", text)) for name, text in texts.items()})
        names = {name for _, name in run.config.names()}
        key = (id(spec), frozenset(names), frozenset(replaced.items()))
        if key not in seen:
            seen.add(key)
            unread -= _read(spec, names, replaced)
    for name in sorted(unread):
        place = Place.parse(sweep.source.place("parameters", name))
        message = (
            f"no definition that TLC checks or searches with reads {name}: its values give the same model"
        )
        yield finding("unread-parameter", place, message, "remove it, or use it in the specification", name)


@deeply
def _read(spec: ModuleGraph, names: set[str], replaced: Mapping[str, frozenset[str]]) -> frozenset[str]:
    direct = names.union(*(replaced.get(name, ()) for name in names))
    found = constants(spec, named(spec, direct), replaced) | direct
    for module in spec.extended:
        for each in (part for assumption in module.assumptions for part in _conjuncts(assumption.body)):
            related = constants(spec, [Reached(expr=each, scope=spec.scope_of(module))], replaced)
            # A relation says which points there are.
            if len(related) > 1:
                found |= related
    return found


def _conjuncts(expr: Expression) -> tuple[Expression, ...]:
    if expr.shape != "apply" or expr.operator != "/\\":
        return (expr,)
    return tuple(part for each in expr.arguments for part in _conjuncts(each))
