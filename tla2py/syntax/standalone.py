"""Expressions that stand alone, as a sweep file has them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from tla2py.errors import InputError
from tla2py.syntax.depth import deeply
from tla2py.syntax.expression import Expression
from tla2py.syntax.module import Module, SyntaxProblem
from tla2py.syntax.parse import read_text
from tla2py.syntax.standard import standard_module_of
from tla2py.syntax.tree import printable

_HEAD = "---- MODULE Expression ----\nExpression =="
_FIRST_LINE = _HEAD.count("\n") + 2
# Such a line ends a module, and what comes after it is not read at all.
_END = re.compile(r"^\s*={4}", re.MULTILINE)
_IDENTIFIER = re.compile(r"\w+(!\w+)*")
# What looks like an identifier and is part of the language.
_WORDS = frozenset({"BOOLEAN", "STRING", "SUBSET", "UNION", "DOMAIN", "ENABLED", "UNCHANGED"})


@dataclass(frozen=True, slots=True, kw_only=True)
class StandaloneExpression:
    """An expression that stands alone.

    ``names`` are the identifiers it uses and does not bind itself, those of standard modules among them, ``I!Op``
    as one name, ``applied`` those of them that are given arguments; ``standard`` are the standard modules that define
    names and symbols it uses.
    """

    text: str
    names: frozenset[str]
    applied: frozenset[str]
    standard: frozenset[str]


@deeply
def parse_expression(text: str) -> StandaloneExpression:
    """Return what an expression speaks of.

    Raises ``InputError`` ``expression-syntax`` that tells the column, and the line where there are several.
    """
    if not text.strip():
        raise InputError(
            "expression-syntax", "an expression is missing", hint='write a TLA+ expression, as in "1..3"'
        )
    module = read_text(f"{_HEAD}\n{text}\n====\n")
    if module.syntax_error is not None or not _is_single(module) or _END.search(text):
        raise _error(text, module.syntax_error)
    body = module.definitions[0].body
    assert body is not None
    expressions = list(_free(body, frozenset()))
    used = frozenset(expr.operator for expr in expressions)
    names = frozenset(name for name in used if _IDENTIFIER.fullmatch(name)) - _WORDS
    return StandaloneExpression(
        text=text,
        names=names,
        applied=names & {expr.operator for expr in expressions if expr.arguments},
        standard=frozenset(found for name in used if (found := standard_module_of(name)) is not None),
    )


def _is_single(module: Module) -> bool:
    definitions = module.definitions
    units = len(definitions) + len(module.constants) + len(module.variables) + len(module.assumptions)
    units += len(module.theorems) + len(module.instances) + len(module.nested)
    return units == 1 and definitions[0].kind == "operator"


def _error(text: str, problem: SyntaxProblem | None) -> InputError:
    """Return the error with the place in the text where it stops being an expression."""
    # In parentheses what begins another definition is wrong where it begins.
    enclosed = read_text(f"{_HEAD}(\n{text}\n)\n====\n").syntax_error
    lines = re.split(r"\r\n|\r|\n", text)
    line, column, message = len(lines), len(lines[-1]) + 1, "it ends too early"
    for each in (problem, enclosed):
        if each is not None and _FIRST_LINE <= each.span.begin_line < _FIRST_LINE + len(lines):
            line, column = each.span.begin_line - _FIRST_LINE + 1, each.span.begin_column
            message = each.message
    place = f"line {line}, column {column}" if len(lines) > 1 else f"column {column}"
    shown = printable(" ".join(text.split()))
    return InputError(
        "expression-syntax",
        f"not a TLA+ expression: {shown} ({place}: {message})",
        hint='write it as it would stand in a module, as in "{1, 2}", "<<1, 2>>" or "[n |-> 1]"',
    )


def _free(expr: Expression, bound: frozenset[str]) -> Iterator[Expression]:
    """Yield the parts of an expression, and itself, that apply a name or symbol that it does not bind."""
    if expr.shape == "apply" and expr.operator not in bound:
        yield expr
    for each in expr.bounds:
        if each.domain is not None:
            yield from _free(each.domain, bound)
    inside = bound.union(*(each.names for each in expr.bounds), (each.name for each in expr.definitions))
    for definition in expr.definitions:
        if definition.body is not None:
            yield from _free(definition.body, inside.union(definition.parameters))
    for part in expr.arguments:
        yield from _free(part, inside)
