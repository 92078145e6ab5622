"""Names in values that nothing declares: each becomes a model value, also one that was to be something else."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tla2py.config.literal import literal_names
from tla2py.config.wrapper import undeclared_names
from tla2py.errors import InputError
from tla2py.lint.finding import Found, Severity, rule
from tla2py.lint.subject import Subject, Value
from tla2py.syntax import Level, ModuleGraph

_NONE: frozenset[str] = frozenset()


@rule(Severity.WARNING, misspelt_name="a name that nothing declares, other than one spelt almost like it")
def misspelt(subject: Subject) -> Iterator[Found]:
    """TLC makes a model value of it, which is equal to nothing else."""
    # What declares a name may stand beside a config that is not complete.
    for spec in subject.specs if subject.complete else ():
        yield from misspelt_names(spec, subject.values)


def misspelt_names(spec: ModuleGraph, values: Iterable[Value]) -> Iterator[Found]:
    """The names that are used in the value of one constant alone and are all but one that is declared.

    A set such as ``{c1, c2}`` declares the names in it.
    """
    values = list(values)
    names = {text: _undeclared(text, spec) for _, text, _ in values}
    listed = _NONE.union(*map(_elements, names))
    users: dict[str, set[str]] = {}
    for constant, text, _ in values:
        for name in names[text]:
            users.setdefault(name, set()).add(constant)
    unknown = {
        name for name, of in users.items() if len(of) == 1 and name not in listed and not _alike(name, *of)
    }
    known = sorted(listed.union(_declared(spec))) if unknown else []
    close = {name: next((each for each in known if _alike(name, each)), None) for name in unknown}
    for _, text, place in values:
        for name in sorted(names[text] & unknown):
            if close[name] is not None:
                message = f"{name} is declared nowhere and becomes a model value"
                yield "misspelt-name", place(), message, f"did you mean {close[name]}?"


def _undeclared(text: str, spec: ModuleGraph) -> frozenset[str]:
    if literal_names(text) == _NONE:
        return _NONE  # a number or the like, of which there may be many thousands
    try:
        return undeclared_names(text, spec)
    except InputError:
        return _NONE


def _elements(text: str) -> frozenset[str]:
    """The names in a set that is written out; of a set of sets none, whose elements are those of another."""
    flat = text.startswith("{") and text.count("{") == 1
    return (flat and literal_names(text)) or _NONE


def _declared(spec: ModuleGraph) -> Iterator[str]:
    """The constants, and the definitions that a value can be made of."""
    yield from (constant.name for constant in spec.constants)
    for name, each in spec.definitions.items():
        if not each.parameters and spec.level(name) is Level.CONSTANT:
            yield name


def _alike(name: str, other: str) -> bool:
    """Whether two names differ in capitals alone, or are words of four letters and more that differ in one place.

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
