"""Values of a type that the module cannot work with."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator

from tla2py.errors import InputError
from tla2py.lint.finding import Found, Severity, rule
from tla2py.lint.subject import Subject, Value
from tla2py.syntax import ModuleGraph
from tla2py.syntax.evaluate import expression_of
from tla2py.syntax.expression import Expression
from tla2py.syntax.standard import standard_module_of
from tla2py.syntax.types import Type, required_types
from tla2py.syntax.types.constraints import literal_type
from tla2py.syntax.types.type import MODEL_VALUE, NUMBER, agree

_PERMUTED = Type("set", MODEL_VALUE)


@rule(Severity.WARNING, constant_kind="a value of another kind than the module needs")
def constant_types(subject: Subject) -> Iterator[Found]:
    """TLC stops where it comes to the place that needs it."""
    # Of several modules each may have constants of its own kind.
    for spec in subject.specs if len(subject.specs) == 1 else ():
        yield from wrong_types(spec, subject.values)


def wrong_types(spec: ModuleGraph, values: Iterable[Value], permuted: Container[str] = ()) -> Iterator[Found]:
    """What is wrong with the values of constants, the same of each constant once.

    ``permuted`` are the constants that a symmetry is made of.
    """
    try:
        types = required_types(spec)
    except InputError:
        return  # nested too deeply to tell
    told: set[tuple[str, Type]] = set()
    for name, text, place in values:
        kind, symmetric = types.get(name), name in permuted
        given = _given(name, text, spec) if kind or symmetric else None
        if given is None or (name, given) in told:
            continue
        told.add((name, given))
        if symmetric and not _can_be(given, _PERMUTED):
            message = f"{name} is {_shown(given)}, and symmetry permutes sets of model values only"
            hint = "give it a set such as {a, b}, or leave it out of symmetry"
            yield "constant-kind", place(), message, hint
        elif kind is not None and not _can_be(given, kind.type):
            message = f"{name} is {_shown(given)} and must be a {kind.demand}: {kind.reason}"
            yield "constant-kind", place(), message, f"{kind.where} needs it"


def _can_be(given: Type, wanted: Type) -> bool:
    # TLC takes strings for sequences.
    return agree(given, wanted) or (given.kind == "string" and wanted.kind == "sequence")


def _given(name: str, text: str, spec: ModuleGraph) -> Type | None:
    """The type of a value as far as its text shows it."""
    if text == name:
        return MODEL_VALUE
    if text.isdigit():
        return NUMBER  # of which there may be many thousands
    try:
        return _type_of(expression_of(text), spec)
    except InputError:
        return None


def _type_of(expr: Expression, spec: ModuleGraph) -> Type | None:
    if expr.is_name():
        known = expr.operator in spec.scope.names or standard_module_of(expr.operator)
        return None if known else MODEL_VALUE
    if expr.shape == "build" and expr.operator == "{}":
        types = {_type_of(each, spec) for each in expr.arguments}
        # A set may have a None among what else it holds.
        return Type("set", types.pop() if len(types) == 1 else None)
    return literal_type(expr)


def _shown(given: Type) -> str:
    inside = f" of {given.element.kind}s" if given.element is not None else ""
    return f"a {given.kind}{inside}"
