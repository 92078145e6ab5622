"""Expressions that stand alone, as a sweep file has them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from tla2py.errors import InputError
from tla2py.syntax.module import Module, SyntaxProblem
from tla2py.syntax.parse import read_text
from tla2py.syntax.standard import standard_module_of
from tla2py.syntax.term import Span, Term

_HEAD = "---- MODULE Expression ----\nExpression ==\n"
_FIRST_LINE = _HEAD.count("\n") + 1
_IDENTIFIER = re.compile(r"\w+(!\w+)*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Expression:
    """A TLA+ expression.

    ``names`` are the identifiers it uses and does not bind itself, those of standard modules among them, ``I!Op``
    as one name; ``standard`` are the standard modules that define names and symbols it uses.
    """

    text: str
    names: frozenset[str]
    standard: frozenset[str]


def parse_expression(text: str) -> Expression:
    """Return what an expression speaks of.

    Raises ``InputError`` ``expression-syntax`` that tells the column, and the line where there are several.
    """
    if not text.strip():
        raise InputError("expression-syntax", "an expression is missing", hint='write a TLA+ expression, as in "1..3"')
    module = read_text(f"{_HEAD}{text}\n====\n")
    problem = _find_problem(module, text)
    if problem is not None:
        raise InputError(
            "expression-syntax",
            f"not a TLA+ expression: {text.strip()!r}, {_place(problem.span, text)}: {problem.message}",
        )
    body = module.definitions[0].body
    assert body is not None
    used = frozenset(_free(body, frozenset()))
    return Expression(
        text=text,
        names=frozenset(name for name in used if _IDENTIFIER.fullmatch(name)) - {"BOOLEAN", "STRING"},
        standard=frozenset(module for name in used if (module := standard_module_of(name)) is not None),
    )


def _find_problem(module: Module, text: str) -> SyntaxProblem | None:
    if module.syntax_errors:
        return module.syntax_errors[0]
    definitions = module.definitions
    units = len(definitions) + len(module.constants) + len(module.variables) + len(module.assumptions)
    units += len(module.theorems) + len(module.instances) + len(module.nested)
    if units != 1 or definitions[0].kind != "operator":
        return SyntaxProblem(span=definitions[-1].span, message="there is more than one expression")
    # A line of "=" ends the module, and what comes after it is not read at all.
    ended = re.search(r"^\s*====", text, re.MULTILINE)
    if ended is not None:
        line = _FIRST_LINE + text.count("\n", 0, ended.end())
        span = Span(begin_line=line, begin_column=1, end_line=line, end_column=1)
        return SyntaxProblem(span=span, message="==== ends a module")
    return None


def _place(span: Span, text: str) -> str:
    lines = text.splitlines()
    line = max(1, span.begin_line - _FIRST_LINE + 1)
    column = span.begin_column
    if line > len(lines):
        line, column = len(lines), len(lines[-1]) + 1
    return f"line {line}, column {column}" if len(lines) > 1 else f"column {column}"


def _free(term: Term, bound: frozenset[str]) -> Iterator[str]:
    """Yield the names and symbols that a term applies and does not bind."""
    if term.shape == "apply" and term.operator not in bound:
        yield term.operator
    for each in term.bounds:
        if each.domain is not None:
            yield from _free(each.domain, bound)
    inside = bound.union(*(each.names for each in term.bounds), (each.name for each in term.definitions))
    for definition in term.definitions:
        if definition.body is not None:
            yield from _free(definition.body, inside.union(definition.parameters))
    for part in term.arguments:
        yield from _free(part, inside)
