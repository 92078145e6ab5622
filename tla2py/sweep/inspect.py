"""Example values that satisfy the assumptions of their module."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict

from tla2py.errors import InputError
from tla2py.tla.constant_types import ConstantType, infer_types
from tla2py.tla.evaluate import evaluate, expression_of
from tla2py.tla.example_values import assumed_conjuncts
from tla2py.tla.graph import ModuleGraph, find_bodies, reached
from tla2py.tla.levels import mentioned, reachable
from tla2py.tla.module import Constant, Definition, Expression, Variable, standard_module_of
from tla2py.tla.scope import Scope
from tla2py.tla.value import Interval, ModelValue, Value, format_value, in_order

_ALTERNATIVES = {
    "number": ("2", "1", "3", "4", "0"),
    "set of numbers": ("{1, 2}", "{0, 1}", "{2, 3}", "{1, 2, 3, 4}"),
    "sequence": ("<<1, 2>>", "<<1, 2, 3>>", "<<1>>", "<<1, 2, 3, 4>>", "<<>>"),
}
_SETS = "set of model values"
# More are not tried one by one.
_MOST_VALUES = 10
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
        tried = values | dict(zip(varied, found, strict=True))
        return len(_failing(spec, conjuncts, tried)), found.count("0")

    best = min(itertools.product(*choices), key=badness)
    return values | dict(zip(varied, best, strict=True))


def satisfies(spec: ModuleGraph, values: Mapping[str, str], but: Mapping[str, str] | None = None) -> bool:
    """Whether no assumption of a module is false for values of its constants, as far as tla2py can evaluate them.

    Assumptions that are false for the values ``but`` do not count.
    """
    conjuncts = list(assumed_conjuncts(spec))
    broken = _failing(spec, conjuncts, but) if but is not None else ()
    return not _failing(spec, [each for each in conjuncts if each not in broken], values)


def _alternatives(kind: str, value: str) -> Sequence[str]:
    """Further values of a kind; none for a sequence of anything except numbers."""
    return () if kind == "sequence" and re.search("[A-Za-z{]", value) else _ALTERNATIVES.get(kind, ())


def _failing(spec: ModuleGraph, conjuncts: _Conjuncts, values: Mapping[str, str]) -> _Conjuncts:
    lookup = _lookup(spec, values)
    failing = []
    for expr, scope in conjuncts:
        with suppress(InputError):
            if evaluate(expr, lookup) is False:
                failing.append((expr, scope))
    return failing


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
    used = reachable(mentioned(expr, scope))
    return {entity.declaration.name for entity in used if entity.kind == "constant"}


def assumed_values(spec: ModuleGraph) -> dict[str, list[str]]:
    """The values that an assumption ``X \\in S`` gives a constant, if it has a few whatever the other constants are."""
    found: dict[str, list[str]] = {}
    for expr, scope in assumed_conjuncts(spec):
        if expr.operator != "\\in" or (entity := scope.named(expr.arguments[0])) is None:
            continue
        if entity.kind == "constant" and not _constants(expr.arguments[1], scope):
            with suppress(InputError):
                value = evaluate(expr.arguments[1], _lookup(spec, {}))
                if isinstance(value, frozenset | Interval) and 1 < len(value) <= _MOST_VALUES:
                    found[entity.declaration.name] = [format_value(each) for each in in_order(value)]
    return found


_COMPARED = frozenset(("<", "<=", "=<", "\\leq", ">", ">=", "\\geq", "#", "/="))


def growing_variables(spec: ModuleGraph, behaviour: Iterable[str]) -> dict[str, str]:
    """A bound for each variable that every step of a behaviour leaves alone or makes larger, and no constant limits."""
    growths: dict[str, set[str]] = {}
    limited: set[str] = set()
    variables = {each.name for each in spec.variables}
    for each in reached(spec, find_bodies(spec, behaviour), {}):
        expr = each.expr
        left = expr.arguments[0] if len(expr.arguments) == 2 else None
        if left is not None and left.operator == "'" and expr.operator in ("=", "\\in"):
            name = left.arguments[0].operator
            value = _growths(expr.arguments[1], name) if expr.operator == "=" else {""}
            growths.setdefault(name, set()).update(value)
        elif left is not None and expr.operator in _COMPARED:
            sides = [{part.operator for part in side.walk()} for side in expr.arguments]
            # Another variable, and what a quantifier binds, is no limit.
            known = spec.scope.names.keys() - variables
            limited |= {name for one, other in (sides, sides[::-1]) if _fixed(other, known) for name in one}
    return {
        name: bound.format(name)
        for name, bounds in growths.items()
        if name in variables - limited and len(bounds) == 1 and (bound := next(iter(bounds)))
    }


def _fixed(operators: Collection[str], known: Collection[str]) -> bool:
    """Whether the names in an expression are those of constants and definitions."""
    return all(name in known or not re.match(r"[A-Za-z_]", name) or name == "number" for name in operators)


def _growths(value: Expression, name: str) -> set[str]:
    """How a value is larger than that of the variable: a bound with {} for it, and "" for a value that need not be."""
    match value:
        case Expression(operator="IF", arguments=(_, *branches)):
            return set[str]().union(*(_growths(each, name) for each in branches))
        case Expression(operator="EXCEPT", arguments=(Expression(operator=changed), *parts)) if (
            changed == name
        ):
            found = set[str]().union(*(_growths(each, "@") for each in parts[1::2]))
            if any(len(each.arguments) != 1 for each in parts[::2]) or "" in found:
                return {""}
            return {f"\\A key \\in DOMAIN {name} : " + each.format(f"{name}[key]") for each in found}
        case Expression(operator="+", arguments=(one, other)) if name in (one.operator, other.operator):
            return {"{} < 5"}
        case Expression(operator="Append" | "\\o" | "\\circ", arguments=(Expression(operator=changed), _)):
            return {"Len({}) < 4" if changed == name else ""}
        case Expression(operator=same) if same == name:
            return set()
    return {""}


def endless_sets(spec: ModuleGraph) -> dict[str, str]:
    """The definitions that equal Nat or Int and that some definition ranges over, each with ``Nat`` or ``Int``.

    A definition visible only through a named instance is written ``[Module]Name``.
    """
    found: dict[str, str] = {}
    visible = _ranged(each.body for each in spec.definitions.values() if each.body is not None)
    for module in spec.modules:
        ranged = _ranged(each.body for each in module.definitions if each.body is not None)
        for each in module.definitions:
            if each.body is None or each.parameters or not each.body.is_name():
                continue
            if each.body.operator in {"Nat", "Int"}:
                own = spec.definitions.get(each.name)
                plain = own is not None and own.span == each.span and spec.file_of(own) is module
                if each.name in (visible if plain else ranged):
                    found[each.name if plain else f"[{module.name}]{each.name}"] = each.body.operator
    return found


def _ranged(expressions: Iterable[Expression]) -> set[str]:
    """The names of sets over which bound variables in the expressions range."""
    bounds = (bound for each in expressions for part in each.walk() for bound in part.bounds)
    return {each.domain.operator for each in bounds if each.domain is not None and each.domain.is_name()}


Item = dict[str, object]


def inspect_spec(spec: ModuleGraph) -> Item:
    """The declarations of a specification, ready for JSON: lists of objects, each with its module and place.

    ``extends`` and ``instances`` name the file of each module, None for modules that come with TLC. A constant has its
    inferred ``kind``; ``needs_value`` is False if it becomes the model value of its own name. ``candidates`` are names
    of definitions by their likely use in a model, the likeliest first.
    """
    types = infer_types(spec)
    return {
        "module": spec.root.name,
        "file": str(spec.root.path),
        "pluscal": spec.root.has_pluscal,
        "extends": list(_extends(spec)),
        "instances": list(_instances(spec)),
        "constants": [_constant(spec, each, types[each.name]) for each in spec.constants],
        "variables": [
            {"name": each.name, "comment": each.comment, **_place(spec, each)} for each in spec.variables
        ],
        "assumptions": [
            {"name": each.name, "text": each.text, "module": module.name, "where": module.where(each.span)}
            for module in spec.extended
            for each in module.assumptions
        ],
        "operators": [_operator(spec, name, each) for name, each in spec.definitions.items()],
        "candidates": asdict(spec.candidates),
    }


def _extends(spec: ModuleGraph) -> Iterator[Item]:
    """The modules that the root extends, directly or not, each after one that extends it."""
    files = {module.name: module for module in spec.modules}
    seen: set[str] = set()
    for by in reversed(spec.extended):
        for reference in by.extends:
            if reference.module in seen:
                continue
            seen.add(reference.module)
            found = files.get(reference.module)
            yield {
                "module": reference.module,
                "file": str(found.path) if found is not None else None,
                "standard": found is None,
                "by": by.name,
            }


def _instances(spec: ModuleGraph) -> Iterator[Item]:
    files = {module.name: module for module in spec.modules}
    for module in spec.extended:
        for instance in module.instances:
            nested = any(each.name == instance.module for each in module.nested)
            found = module if nested else files.get(instance.module)
            yield {
                "name": instance.name,
                "module": instance.module,
                "file": str(found.path) if found is not None else None,
                "standard": found is None,
                "substitutions": {each.name: each.text for each in instance.substitutions},
                "by": module.name,
                "where": module.where(instance.span),
            }


def _constant(spec: ModuleGraph, constant: Constant, constant_type: ConstantType) -> Item:
    return {
        "name": constant.name,
        "arity": constant.arity,
        "kind": constant_type.kind,
        "certain": constant_type.certain,
        "reason": constant_type.reason,
        "needed_at": constant_type.where,
        "needs_value": constant_type.needs_value,
        "comment": constant.comment,
        **_place(spec, constant),
    }


def _operator(spec: ModuleGraph, name: str, definition: Definition) -> Item:
    return {
        "name": name,
        "arity": definition.arity,
        "parameters": list(definition.parameters),
        "level": spec.level(name).label,
        "local": definition.local,
        "recursive": definition.recursive,
        "comment": definition.comment,
        **_place(spec, definition),
    }


def _place(spec: ModuleGraph, declaration: Constant | Variable | Definition) -> Item:
    return {
        "module": declaration.module,
        "where": spec.file_of(declaration).where(declaration.span),
        "line": declaration.span.begin_line,
        "column": declaration.span.begin_column,
    }
