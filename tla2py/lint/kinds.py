"""Values of another kind than the module has to have."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator

from tla2py.errors import InputError
from tla2py.lint.finding import Found, Severity, rule
from tla2py.lint.subject import Subject, Value
from tla2py.syntax import ModuleGraph
from tla2py.syntax.evaluate import expression_of
from tla2py.syntax.expression import Expression
from tla2py.syntax.standard import standard_module_of
from tla2py.syntax.types.constraints import MODEL_VALUE, NUMBER, Need, literal_kind
from tla2py.syntax.types.type import agree, required_kinds

_PERMUTED = Need("set", MODEL_VALUE)


@rule(Severity.WARNING, constant_kind="a value of another kind than the module needs")
def constant_kinds(subject: Subject) -> Iterator[Found]:
    """TLC stops where it comes to the place that needs it."""
    # Of several modules each may have constants of its own kind.
    for spec in subject.specs if len(subject.specs) == 1 else ():
        yield from wrong_kinds(spec, subject.values)


def wrong_kinds(spec: ModuleGraph, values: Iterable[Value], permuted: Container[str] = ()) -> Iterator[Found]:
    """What is wrong with the values of constants, the same of each constant once.

    ``permuted`` are the constants that a symmetry is made of.
    """
    try:
        kinds = required_kinds(spec)
    except InputError:
        return  # nested too deeply to tell
    told: set[tuple[str, Need]] = set()
    for name, text, place in values:
        kind, symmetric = kinds.get(name), name in permuted
        given = _given(name, text, spec) if kind or symmetric else None
        if given is None or (name, given) in told:
            continue
        told.add((name, given))
        if symmetric and not _can_be(given, _PERMUTED):
            message = f"{name} is {_shown(given)}, and symmetry permutes sets of model values only"
            hint = "give it a set such as {a, b}, or leave it out of symmetry"
            yield "constant-kind", place(), message, hint
        elif kind is not None and not _can_be(given, kind.need):
            message = f"{name} is {_shown(given)} and must be a {kind.demand}: {kind.reason}"
            yield "constant-kind", place(), message, f"{kind.where} needs it"


def _can_be(given: Need, wanted: Need) -> bool:
    # TLC takes strings for sequences.
    return agree(given, wanted) or (given.kind == "string" and wanted.kind == "sequence")


def _given(name: str, text: str, spec: ModuleGraph) -> Need | None:
    """The kind of a constant's value as far as its text tells."""
    if text == name:
        return MODEL_VALUE
    if text.isdigit():
        return NUMBER  # of which there may be many thousands
    try:
        return _kind(expression_of(text), spec)
    except InputError:
        return None


def _kind(expr: Expression, spec: ModuleGraph) -> Need | None:
    if expr.is_name():
        known = expr.operator in spec.scope.names or standard_module_of(expr.operator)
        return None if known else MODEL_VALUE
    if expr.shape == "build" and expr.operator == "{}":
        kinds = {_kind(each, spec) for each in expr.arguments}
        # A set may have a None among what else it holds.
        return Need("set", kinds.pop() if len(kinds) == 1 else None)
    return literal_kind(expr)


def _shown(given: Need) -> str:
    inside = f" of {given.element.kind}s" if given.element is not None else ""
    return f"a {given.kind}{inside}"
