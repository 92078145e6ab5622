"""First values held against the assumptions of their module."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Mapping, Sequence

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

_OTHERS = {
    "number": ("2", "1", "3", "4", "0"),
    "set of numbers": ("{1, 2}", "{0, 1}", "{2, 3}", "{1, 2, 3, 4}"),
    "sequence": ("<<1, 2>>", "<<1, 2, 3>>", "<<1>>", "<<1, 2, 3, 4>>", "<<>>"),
}
# So many constants are varied at once.
_VARIED = 3


def fit_values(
    spec: ModuleGraph, types: Mapping[str, ConstantType], values: Mapping[str, str]
) -> tuple[dict[str, str], dict[str, list[str]]]:
    """The values, numbers in them chosen anew where an assumption is false, and what is false all the same.

    That is the text of each assumption with its place, by the last declared of the constants that it speaks of. An
    assumption that ``evaluate`` does not understand is not looked at.
    """
    conjuncts = list(assumed_conjuncts(spec))
    chosen = dict(values)
    for each in _failing(spec, conjuncts, chosen):
        # One before it may have mended it too.
        if _failing(spec, [each], chosen):
            chosen = _vary(spec, types, chosen, conjuncts, _constants(*each))
    told: dict[str, list[str]] = {}
    for expr, scope in _failing(spec, conjuncts, chosen):
        spoken = _constants(expr, scope)
        last = [each.name for each in spec.constants if each.name in spoken and each.name in chosen]
        if last:
            text = " ".join(scope.module.excerpt(expr.span).split())
            told.setdefault(last[-1], []).append(f"{scope.module.name}:{expr.span.begin_line}: {text}")
    return chosen, told


_Conjuncts = Sequence[tuple[Expression, Scope]]


def _vary(
    spec: ModuleGraph,
    types: Mapping[str, ConstantType],
    values: dict[str, str],
    conjuncts: _Conjuncts,
    spoken: set[str],
) -> dict[str, str]:
    """The values with which the fewest assumptions are false, of those that differ in a few numbers; 0 is the last resort.

    Varied are the constants that are ``spoken`` of, before those that are assumed something of together with them.
    """
    # What else is assumed of these may have to give way too: N > 3 * T and T >= F.
    beside = [found for expr, scope in conjuncts if (found := _constants(expr, scope)) & spoken]
    linked = set[str]().union(*beside)
    names = sorted(values, key=lambda name: name not in spoken)
    further = {name: _others(types[name].kind, values[name]) for name in names if name in linked}
    varied = [name for name, texts in further.items() if texts][:_VARIED]
    others = [dict.fromkeys((values[name], *further[name])) for name in varied]

    def badness(found: tuple[str, ...]) -> tuple[int, int]:
        return (
            len(_failing(spec, conjuncts, values | dict(zip(varied, found, strict=True)))),
            found.count("0"),
        )

    best = min(itertools.product(*others), key=badness)
    return values | dict(zip(varied, best, strict=True))


def _others(kind: str, value: str) -> Sequence[str]:
    """Further values of a kind; none for a sequence of anything but numbers."""
    return () if kind == "sequence" and re.search("[A-Za-z{]", value) else _OTHERS.get(kind, ())


def _failing(spec: ModuleGraph, conjuncts: _Conjuncts, values: Mapping[str, str]) -> _Conjuncts:
    lookup = _lookup(spec, values)
    return [(expr, scope) for expr, scope in conjuncts if _is_false(expr, lookup)]


def _is_false(expr: Expression, lookup: Callable[[str], Value | Definition]) -> bool:
    try:
        return evaluate(expr, lookup) is False
    except InputError:
        return False


def _lookup(spec: ModuleGraph, values: Mapping[str, str]) -> Callable[[str], Value | Definition]:
    """What gives names their values: constants, definitions, and the model values that the values speak of."""
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
        raise InputError("unknown-name", f"nothing is known of {name}", hint="give it a value")

    return lookup


def _constants(expr: Expression, scope: Scope) -> set[str]:
    """The names of the constants that an expression speaks of, through definitions."""
    seen: dict[Entity, None] = {}
    pending = mentioned(expr, scope)
    while pending:
        entity = pending.pop()
        if entity not in seen:
            seen[entity] = None
            pending += mentioned(entity.body, entity.scope) if entity.body is not None else []
    return {entity.declaration.name for entity in seen if entity.kind == "constant"}
