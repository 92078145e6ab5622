"""Example values that satisfy the assumptions of their module."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Collection, Mapping, Sequence

from tla2py.errors import InputError
from tla2py.syntax import Definition, ModuleGraph
from tla2py.syntax.candidates import mentioned
from tla2py.syntax.evaluate import evaluate, expression_of
from tla2py.syntax.expression import Expression
from tla2py.syntax.scope import Entity, Scope
from tla2py.syntax.standard import standard_module_of
from tla2py.syntax.types import ConstantType
from tla2py.syntax.types.example_values import assumed_conjuncts
from tla2py.values import ModelValue, Value

_ALTERNATIVES = {
    "number": ("2", "1", "3", "4", "0"),
    "set of numbers": ("{1, 2}", "{0, 1}", "{2, 3}", "{1, 2, 3, 4}"),
    "sequence": ("<<1, 2>>", "<<1, 2, 3>>", "<<1>>", "<<1, 2, 3, 4>>", "<<>>"),
}
_SETS = "set of model values"
# The number of constants varied at once.
_VARIED = 3


def fit_values(
    spec: ModuleGraph,
    types: Mapping[str, ConstantType],
    values: Mapping[str, str],
    fixed: Collection[str] = (),
) -> tuple[dict[str, str], dict[str, list[str]]]:
    """The values, adjusted to satisfy the module's assumptions, and the assumptions that are still false.

    Those of ``fixed`` constants stay. The latter are texts with places, by the last declared constant that each mentions. Assumptions that tla2py cannot
    evaluate are ignored.
    """
    conjuncts = list(assumed_conjuncts(spec))
    chosen = dict(values)
    for each in _failing(spec, conjuncts, chosen):
        # An earlier change may have fixed it.
        if _failing(spec, [each], chosen):
            chosen = _vary(spec, types, chosen, conjuncts, _constants(*each), fixed)
    broken: dict[str, list[str]] = {}
    for expr, scope in _failing(spec, conjuncts, chosen):
        used = _constants(expr, scope)
        last = [each.name for each in spec.constants if each.name in used and each.name in chosen]
        if last:
            text = " ".join(scope.module.excerpt(expr.span).split())
            broken.setdefault(last[-1], []).append(f"{scope.module.name}:{expr.span.begin_line}: {text}")
    return chosen, broken


_Conjuncts = Sequence[tuple[Expression, Scope]]


def _vary(
    spec: ModuleGraph,
    types: Mapping[str, ConstantType],
    values: dict[str, str],
    conjuncts: _Conjuncts,
    used: set[str],
    fixed: Collection[str],
) -> dict[str, str]:
    """The values that violate the fewest assumptions, with a few constants varied; 0 is the last resort.

    It varies the constants ``used`` by an assumption, then those that other assumptions link to them.
    """
    # With N > 3 * T and T >= F, changing N may mean changing F too.
    related = [found for expr, scope in conjuncts if (found := _constants(expr, scope)) & used]
    linked = set[str]().union(*related)
    names = sorted((name for name in values if name not in fixed), key=lambda name: name not in used)
    # A set of model values may have to be, or to be disjoint from, that of another constant.
    sets = [text for name, text in values.items() if types[name].kind == _SETS]
    alternatives = {
        name: (*sets, f"{{{name}1, {name}2}}", f"{{{name}1}}")
        if types[name].kind == _SETS
        else _alternatives(types[name].kind, values[name])
        for name in names
        if name in linked
    }
    varied = [name for name, texts in alternatives.items() if texts][:_VARIED]
    choices = [dict.fromkeys((values[name], *alternatives[name])) for name in varied]

    def badness(found: tuple[str, ...]) -> tuple[int, int]:
        return (
            len(_failing(spec, conjuncts, values | dict(zip(varied, found, strict=True)))),
            found.count("0"),
        )

    best = min(itertools.product(*choices), key=badness)
    return values | dict(zip(varied, best, strict=True))


def satisfies(spec: ModuleGraph, values: Mapping[str, str]) -> bool:
    """Whether no assumption of a module is false for values of its constants, as far as tla2py can evaluate them."""
    return not _failing(spec, list(assumed_conjuncts(spec)), values)


def _alternatives(kind: str, value: str) -> Sequence[str]:
    """Further values of a kind; none for a sequence of anything except numbers."""
    return () if kind == "sequence" and re.search("[A-Za-z{]", value) else _ALTERNATIVES.get(kind, ())


def _failing(spec: ModuleGraph, conjuncts: _Conjuncts, values: Mapping[str, str]) -> _Conjuncts:
    lookup = _lookup(spec, values)
    return [(expr, scope) for expr, scope in conjuncts if _is_false(expr, lookup)]


def _is_false(expr: Expression, lookup: Callable[[str], Value | Definition]) -> bool:
    try:
        return evaluate(expr, lookup) is False
    except InputError:
        return False


def _lookup(spec: ModuleGraph, values: Mapping[str, str]) -> Callable[[str], Value | Definition]:
    """A lookup of constants, definitions, and the model values in the constants' values."""
    words = {word for text in values.values() for word in re.findall(r"\w+", text)}
    own = {each.name for each in spec.constants if not each.arity} - values.keys()
    model_values = own | {word for word in words - values.keys() if not standard_module_of(word)}

    def lookup(name: str) -> Value | Definition:
        if name in values:
            return evaluate(expression_of(values[name]), lookup)
        if name in spec.definitions:
            return spec.definitions[name]
        if name in model_values:
            return ModelValue(name)
        raise InputError("unknown-name", f"unknown name: {name}", hint="give it a value")

    return lookup


def _constants(expr: Expression, scope: Scope) -> set[str]:
    """The constants that an expression uses, directly or through definitions."""
    seen: dict[Entity, None] = {}
    pending = mentioned(expr, scope)
    while pending:
        entity = pending.pop()
        if entity not in seen:
            seen[entity] = None
            pending += mentioned(entity.body, entity.scope) if entity.body is not None else []
    return {entity.declaration.name for entity in seen if entity.kind == "constant"}
