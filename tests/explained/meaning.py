"""The meaning of expressions, by trying every state: an evaluator of the tests' own."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import product
from typing import Any

from tla2py.errors import InputError
from tla2py.tla.module import Definition, Expression, Module
from tla2py.tla.parse import parse_expression, read_text

State = Mapping[str, int]
STATES: tuple[State, ...] = tuple({"x": x, "y": y} for x, y in product(range(3), repeat=2))


class UnknownMeaningError(Exception):
    """An expression that the evaluator does not know."""


@dataclass(frozen=True, kw_only=True)
class Context:
    """What the names of a module mean: ``names`` are values, or expressions in contexts of their own."""

    modules: Mapping[str, Module]
    module: str
    names: Mapping[str, Any] = field(default_factory=dict)

    def bind(self, names: Mapping[str, Any]) -> Context:
        """Return the context with further names."""
        return replace(self, names={**self.names, **names})

    def definition(self, name: str) -> Definition | None:
        """Return the definition of a name in the module, also in a LET."""
        return _definitions(self.modules[self.module]).get(name)

    def instance(self, name: str) -> Context:
        """Return the context of a module that is instantiated under a name."""
        instance = next(each for each in self.modules[self.module].instances if each.name == name)
        names = {each.name: _Meant(each.value, self) for each in instance.substitutions}
        return Context(modules=self.modules, module=instance.module, names=names)


@dataclass(frozen=True)
class _Meant:
    """An expression that a name stands for, and the context of its own names."""

    expr: Expression
    context: Context


@cache
def read_module(text: str) -> Module:
    """Return a module by its text."""
    return read_text(text)


_KNOWN: dict[int, tuple[Module, dict[str, Definition]]] = {}


def _definitions(module: Module) -> dict[str, Definition]:
    if id(module) not in _KNOWN:
        definitions = {}
        for each in module.definitions:
            definitions[each.name] = each
            for expr in each.body.walk() if each.body is not None else ():
                for inner in expr.definitions:
                    definitions[inner.name] = inner
        _KNOWN[id(module)] = module, definitions
    return _KNOWN[id(module)][1]


_BARE_QUANTIFIER = re.compile(r"\\E [^:]*")


@cache
def read_expression(text: str) -> Expression:
    """Return the expression of a text; ``\\E x \\in S`` without a body is TRUE if S is not empty."""
    whole = f"{text} : TRUE" if _BARE_QUANTIFIER.fullmatch(text) else text
    try:
        return parse_expression(whole).body
    except InputError as error:
        raise UnknownMeaningError(text) from error


def evaluate(expr: Expression, context: Context, state: State, after: State | None = None) -> Any:
    """Return the value of an expression in a state, or of the step from it to the state ``after``."""

    def value(part: Expression) -> Any:
        return evaluate(part, context, state, after)

    arguments = expr.arguments
    match expr.shape, expr.operator:
        case "literal", "number":
            return int(expr.text)
        case "literal", "boolean":
            return expr.text == "TRUE"
        case "bind", ("\\A" | "\\E") as operator:
            every = all if operator == "\\A" else any
            return every(
                evaluate(arguments[0], each, state, after) for each in bindings(expr, context, state)
            )
        case "let", _:
            return value(arguments[0])
        case "build", "{}":
            return frozenset(map(value, arguments))
        case "build", "<<>>":
            return tuple(map(value, arguments))
        case "build", "IF":
            return value(arguments[1] if value(arguments[0]) else arguments[2])
        case "build", "CASE":
            for condition, branch in zip(arguments[::2], arguments[1::2], strict=True):
                if value(condition):
                    return value(branch)
            raise UnknownMeaningError("a CASE without a branch")
        case "build", "[]_":
            return value(arguments[0]) or not changes(arguments[1], context, state, after)
        case "build", "<>_":
            return value(arguments[0]) and changes(arguments[1], context, state, after)
        case "apply", "'":
            if after is None:
                raise UnknownMeaningError("a primed expression needs a step")
            return evaluate(arguments[0], context, after)
        case "apply", "UNCHANGED":
            return not changes(arguments[0], context, state, after)
        case "apply", "ENABLED":
            return any(evaluate(arguments[0], context, state, other) for other in STATES)
        case "apply", "/\\":
            return all(map(value, arguments))
        case "apply", "\\/":
            return any(map(value, arguments))
        case "apply", "=>":
            return not value(arguments[0]) or value(arguments[1])
        case "apply", "~":
            return not value(arguments[0])
        case "apply", operator if operator in _OPERATORS:
            return _OPERATORS[operator](*map(value, arguments))
        case "apply", name:
            return _applied(name, arguments, context, state, after)
    raise UnknownMeaningError(f"{expr.shape} {expr.operator}")


_OPERATORS: dict[str, Callable[..., Any]] = {
    "=": lambda left, right: left == right,
    "#": lambda left, right: left != right,
    "<": lambda left, right: left < right,
    "+": lambda left, right: left + right,
    "%": lambda left, right: left % right,
    "\\in": lambda left, right: left in right,
}


def changes(subscript: Expression, context: Context, state: State, after: State | None) -> bool:
    """Return whether a step changes the value of a subscript."""
    if after is None:
        raise UnknownMeaningError("a step needs a state after it")
    return bool(evaluate(subscript, context, state) != evaluate(subscript, context, after))


def bindings(expr: Expression, context: Context, state: State) -> Iterator[Context]:
    """Yield a context for each choice of the names that a quantifier binds."""
    contexts = [context]
    for bound in expr.bounds:
        assert bound.domain is not None
        for name in bound.names:
            values = sorted(evaluate(bound.domain, context, state))
            contexts = [each.bind({name: value}) for each, value in product(contexts, values)]
    yield from contexts


def unfold(expr: Expression, context: Context) -> tuple[Expression, Context] | None:
    """Return what a name or an applied definition stands for, None for what has a value of its own."""
    name, arguments = expr.operator, expr.arguments
    bound = context.names.get(name)
    if isinstance(bound, _Meant):
        return bound.expr, bound.context
    if bound is not None:
        return None

    defining_context = context
    *instances, definition_name = name.split("!")
    for instance in instances:
        defining_context = defining_context.instance(instance)
    definition = defining_context.definition(definition_name)
    if definition is None or definition.body is None:
        return None
    if not instances and not arguments:
        return definition.body, defining_context

    meanings = {
        parameter: _Meant(argument, context)
        for parameter, argument in zip(definition.parameters, arguments, strict=True)
    }
    return definition.body, defining_context.bind(meanings)


def _applied(
    name: str, arguments: tuple[Expression, ...], context: Context, state: State, after: State | None
) -> Any:
    if name in context.names and not isinstance(context.names[name], _Meant):
        return context.names[name]
    expr = Expression(shape="apply", operator=name, span=_NOWHERE, arguments=arguments)
    stands_for = unfold(expr, context)
    if stands_for is not None:
        return evaluate(*stands_for, state, after)
    if name in state:
        return state[name]
    raise UnknownMeaningError(f"{name} in {context.module}")


_NOWHERE = read_expression("TRUE").span
