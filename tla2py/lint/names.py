"""Rules on names in values, which become model values even if misspelt, and on CHOOSE under symmetry."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from tla2py.errors import InputError, Place
from tla2py.lint.subject import UNREACHED, AssignedValue, Subject, checked, constants, finding, rule, steps
from tla2py.model.finding import Finding, Severity
from tla2py.text import suggestion
from tla2py.tla.graph import ModuleGraph, ScopedExpression, closure, find_bodies, reached
from tla2py.tla.levels import Level, Levels
from tla2py.tla.module import Expression, standard_module_of
from tla2py.tla.scope import Scope
from tla2py.tla.tree import deeply
from tla2py.tlc.config.statements import literal_names
from tla2py.tlc.config.wrapper import undeclared_names

_NONE: frozenset[str] = frozenset()


@rule(Severity.WARNING, "misspelt-name")
def misspelt(subject: Subject) -> Iterator[Finding]:
    """TLC makes a model value of the name, which equals nothing else."""
    # If a config is not complete, the name may be declared elsewhere.
    for spec in subject.specs if subject.complete else ():
        yield from misspelt_names(spec, subject.values)


def misspelt_names(spec: ModuleGraph, values: Iterable[AssignedValue]) -> Iterator[Finding]:
    """The names that only one constant's value uses and that nearly match a declared one.

    A set such as ``{c1, c2}`` declares its elements.
    """
    values = list(values)
    names = {text: _undeclared(text, spec) for _, text, _ in values}
    listed = _NONE.union(*map(_elements, names))
    users: dict[str, set[str]] = {}
    for constant, text, _ in values:
        for name in names[text]:
            users.setdefault(name, set()).add(constant)
    unknown = {
        name for name, of in users.items() if len(of) == 1 and name not in listed and not _similar(name, *of)
    }
    if not unknown:
        return
    # The constants, and the definitions that values can use.
    defined = (name for name, each in spec.definitions.items() if not each.parameters)
    usable = {name for name in defined if spec.level(name) is Level.CONSTANT}
    known = sorted(listed | usable | {constant.name for constant in spec.constants})
    close = {name: near for name in unknown for near in reversed(known) if _similar(name, near)}
    for _, text, place in values:
        for name in sorted(names[text] & close.keys()):
            message = f"{name} is not declared, so it becomes a model value"
            yield finding("misspelt-name", place(), message, suggestion(close[name]), name)


def _undeclared(text: str, spec: ModuleGraph) -> frozenset[str]:
    if literal_names(text) == _NONE:
        return _NONE  # such as a number; a parameter may have thousands
    try:
        return undeclared_names(text, spec)
    except InputError:
        return _NONE


def _elements(text: str) -> frozenset[str]:
    """The names in an enumerated set; none for a set of sets, which uses names declared elsewhere."""
    flat = text.startswith("{") and text.count("{") == 1
    return (flat and literal_names(text)) or _NONE


def _similar(name: str, other: str) -> bool:
    """Whether two names differ only in case, or in one letter (or two swapped) of at least four.

    ``n1`` and ``n2``, or ``a`` and ``A``, are different names.
    """
    if name.lower() == other.lower():
        return len(name) > 1
    if any(len(each) < 4 or any(map(str.isdigit, each)) for each in (name, other)):
        return False
    pairs = enumerate(zip(name, other, strict=False))
    same = next((index for index, (one, two) in pairs if one != two), min(len(name), len(other)))
    one, two = name[same:], other[same:]
    return one[1:] == two[1:] or one[1:] == two or one == two[1:] or one[1::-1] + one[2:] == two


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
    replaced = closure({name: frozenset([value]) for name, value in config.replacing_names.items()})
    symmetric = constants(spec, find_bodies(spec, [config.symmetry or ""]), replaced) | {*subject.permuted}
    roots = [*find_bodies(spec, (each.name for each in subject.of(*_ROOTS)))]
    for mention in subject.of("specification"):
        roots += steps(spec, mention.name)
    levels = Levels(spec.resolver)
    found: list[tuple[ScopedExpression, str | None]] = [
        (each, None) for each in reached(spec, roots, replaced)
    ]
    if subject.everything:
        inside = checked(spec, config)
        others = reached(spec, find_bodies(spec, spec.definitions), replaced)
        found += [
            (each, UNREACHED) for each in others if (each.scope.module.name, each.expr.span) not in inside
        ]
    for each, ignored in found:
        expr, owner = each.expr, each.owner
        if expr.shape != "bind" or expr.operator != "CHOOSE" or owner is None or not expr.bounds[0].domain:
            continue
        domain = ScopedExpression(expr=expr.bounds[0].domain, scope=each.scope)
        if (
            levels.of_expression(expr, each.scope) is Level.CONSTANT
            and _closed(expr, each.scope, frozenset())
            and not symmetric.isdisjoint(constants(spec, [domain], replaced, beyond=_COUNTS))
        ):
            name, place = owner.declaration.name, Place.parse(each.scope.module.where(expr.span))
            message = f"{name} picks the same element each time, which symmetry does not allow for"
            hint = "write \\E, which tries each element, or leave out the symmetry of this set"
            yield replace(finding("symmetry-choose", place, message, hint, name), ignored=ignored)


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
