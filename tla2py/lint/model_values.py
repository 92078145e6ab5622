"""Model values where the module, or the reader, expects another value: nothing that the module computes equals them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator

from tla2py.config.literal import literal_names
from tla2py.errors import InputError
from tla2py.lint.finding import Finding, Severity, finding, rule
from tla2py.lint.names import misspelt_names
from tla2py.lint.subject import AssignedValue, Subject
from tla2py.syntax import ModuleGraph
from tla2py.syntax.types import compared_types

# What other languages take for a boolean or a number.
_LITERAL = re.compile(r"(?i:true|false|\d[\d_]*(e\d+)?[kmgl]?|0x[\da-f_]+|0o[0-7_]+|0b[01_]+)")
_SCALARS = ("string", "number", "boolean")


@rule(Severity.WARNING, "mistaken-model-value")
def model_value_uses(subject: Subject) -> Iterator[Finding]:
    """TLC reports nothing: a model value differs from every other value."""
    for spec in subject.specs if len(subject.specs) == 1 and subject.complete else ():
        yield from odd_model_values(spec, subject.values)


def odd_model_values(spec: ModuleGraph, values: Iterable[AssignedValue]) -> Iterator[Finding]:
    """The findings on values of constants: at most one for each model value of a constant."""
    constants = {constant.name for constant in spec.constants}
    values = [each for each in values if each[0] in constants and literal_names(each[1])]
    try:
        compared = compared_types(spec) if values else {}
    except InputError:
        compared = {}  # nested too deeply
    declared = constants | spec.definitions.keys()
    given = {(constant, text) for constant, text, _ in values}
    reported = {each.place for each in misspelt_names(spec, values)}
    users = Counter(name for _, text in given for name in _names(text))
    for constant, text, place in values:
        for name in sorted(_names(text) - declared):
            if _LITERAL.fullmatch(name):
                message = f"{name} in {constant} is a model value, not a {_meant(name)}"
                yield finding("mistaken-model-value", place(), message, f"write {_fixed(name)}", constant)
        kind = compared.get(constant)
        if text not in _names(text) - spec.definitions.keys() or _LITERAL.fullmatch(text):
            continue
        if kind is not None and kind.type.kind in _SCALARS:
            message = f"{constant} is the model value {text}, which no {kind.kind} equals: {kind.reason}"
            yield finding("mistaken-model-value", place(), message, f"{kind.where} compares it", constant)
        elif (
            users[text] == 1
            and _plain(text) != _plain(constant)
            and text not in declared
            and place() not in reported
        ):
            message = f"{text} is a model value that only {constant} has"
            hint = f'write "{text}" if it is a string, or {constant} = {constant}'
            yield finding("mistaken-model-value", place(), message, hint, constant)


def _names(text: str) -> frozenset[str]:
    return literal_names(text) or frozenset()


def _plain(name: str) -> str:
    return name.replace("_", "").lower()


def _meant(name: str) -> str:
    return "boolean" if name.isalpha() else "number"


def _fixed(name: str) -> str:
    return name.upper() if name.isalpha() else "the number in decimal digits"
