"""Undeclared names in values: each becomes a model value, even a misspelt one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tla2py.config.literal import literal_names
from tla2py.config.wrapper import undeclared_names
from tla2py.errors import InputError
from tla2py.lint.finding import Finding, Severity, finding, rule
from tla2py.lint.subject import AssignedValue, Subject
from tla2py.syntax import Level, ModuleGraph
from tla2py.text import suggestion

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
    known = sorted(listed.union(_declared(spec))) if unknown else []
    close = {name: each for name in unknown for each in reversed(known) if _similar(name, each)}
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


def _declared(spec: ModuleGraph) -> Iterator[str]:
    """The constants, and the definitions that values can use."""
    yield from (constant.name for constant in spec.constants)
    for name, each in spec.definitions.items():
        if not each.parameters and spec.level(name) is Level.CONSTANT:
            yield name


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
