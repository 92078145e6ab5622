"""Values whose type the module cannot use."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator

from tla2py.errors import InputError
from tla2py.lint.finding import Finding, Severity, finding, rule
from tla2py.lint.subject import AssignedValue, Subject
from tla2py.syntax import ModuleGraph
from tla2py.syntax.evaluate import expression_of
from tla2py.syntax.expression import Expression
from tla2py.syntax.standard import standard_module_of
from tla2py.syntax.types import Type, required_types
from tla2py.syntax.types.constraints import literal_type
from tla2py.syntax.types.type import MODEL_VALUE, NUMBER, agree

_PERMUTED = Type("set", MODEL_VALUE)


@rule(Severity.WARNING, "constant-kind")
def constant_types(subject: Subject) -> Iterator[Finding]:
    """TLC stops when it evaluates the place that needs the other type."""
    # Several modules may need different types.
    for spec in subject.specs if len(subject.specs) == 1 else ():
        yield from wrong_types(spec, subject.values)


def wrong_types(
    spec: ModuleGraph, values: Iterable[AssignedValue], permuted: Container[str] = ()
) -> Iterator[Finding]:
    """The findings on values of the wrong type, once for each constant and type.

    ``permuted`` are the constants of a symmetry.
    """
    try:
        types = required_types(spec)
    except InputError:
        return  # nested too deeply
    seen: set[tuple[str, Type]] = set()
    for name, text, place in values:
        kind, symmetric = types.get(name), name in permuted
        given = _given(name, text, spec) if kind or symmetric else None
        if given is None or (name, given) in seen:
            continue
        seen.add((name, given))
        if symmetric and not _can_be(given, _PERMUTED):
            message = f"{name} is {_shown(given)}, but symmetry permutes only sets of model values"
            hint = "give it a set such as {a, b}, or remove it from symmetry"
            yield finding("constant-kind", place(), message, hint)
        elif kind is not None and not _can_be(given, kind.type):
            message = f"{name} is {_shown(given)} but must be a {kind.demand}: {kind.reason}"
            yield finding("constant-kind", place(), message, f"{kind.where} needs it")


def _can_be(given: Type, wanted: Type) -> bool:
    # For TLC a string is a sequence.
    return agree(given, wanted) or (given.kind == "string" and wanted.kind == "sequence")


def _given(name: str, text: str, spec: ModuleGraph) -> Type | None:
    """The type of a value, as far as its text shows it."""
    if text == name:
        return MODEL_VALUE
    if text.isdigit():
        return NUMBER  # a parameter may have thousands
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
        # A set may hold a None besides its other elements.
        return Type("set", types.pop() if len(types) == 1 else None)
    return literal_type(expr)


def _shown(given: Type) -> str:
    inside = f" of {given.element.kind}s" if given.element is not None else ""
    return f"a {given.kind}{inside}"
