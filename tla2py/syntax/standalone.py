"""Expressions outside a module, as in sweep files."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from tla2py.errors import InputError
from tla2py.syntax.depth import deeply
from tla2py.syntax.expression import Expression
from tla2py.syntax.module import SyntaxMistake
from tla2py.syntax.parse import read_text
from tla2py.syntax.standard import standard_module_of
from tla2py.syntax.tree import printable

_HEAD = "---- MODULE Expression ----\nExpression =="
_FIRST_LINE = _HEAD.count("\n") + 2
# Such a line ends a module, and the rest is ignored.
_END = re.compile(r"^\s*={4}", re.MULTILINE)
_IDENTIFIER = re.compile(r"\w+(!\w+)*")
# Operators of the language that look like identifiers.
_WORDS = frozenset({"BOOLEAN", "STRING", "SUBSET", "UNION", "DOMAIN", "ENABLED", "UNCHANGED"})


@dataclass(frozen=True, slots=True, kw_only=True)
class StandaloneExpression:
    """An expression outside a module.

    names: its free identifiers, including those of standard modules; ``I!Op`` is one name.
    applied: the ``names`` that have arguments.
    standard: the standard modules that define names and symbols it uses.
    """

    body: Expression
    names: frozenset[str]
    applied: frozenset[str]
    standard: frozenset[str]


@deeply
def parse_expression(text: str) -> StandaloneExpression:
    """The expression of a text. Raises ``InputError`` ``expression-syntax`` with the column, and the line if there are several."""
    if not text.strip():
        raise InputError(
            "expression-syntax", "an expression is missing", hint='write a TLA+ expression, such as "1..3"'
        )
    module = read_text(f"{_HEAD}\n{text}\n====\n")
    # A text that goes on with another definition or declaration does not parse in parentheses.
    enclosed = read_text(f"{_HEAD}(\n{text}\n)\n====\n")
    if module.syntax_error is not None or enclosed.syntax_error is not None or _END.search(text):
        raise _error(text, module.syntax_error, enclosed.syntax_error)
    body = module.definitions[0].body
    assert body is not None
    expressions = list(_free(body, frozenset()))
    used = frozenset(expr.operator for expr in expressions)
    names = frozenset(name for name in used if _IDENTIFIER.fullmatch(name)) - _WORDS
    return StandaloneExpression(
        body=body,
        names=names,
        applied=names & {expr.operator for expr in expressions if expr.arguments},
        standard=frozenset(found for name in used if (found := standard_module_of(name)) is not None),
    )


def _error(text: str, *mistakes: SyntaxMistake | None) -> InputError:
    """The error, with the place of the last mistake that is inside the text, or else its end."""
    lines = re.split(r"\r\n|\r|\n", text)
    line, column, message = len(lines), len(lines[-1]) + 1, "it ends too early"
    for each in mistakes:
        if each is not None and _FIRST_LINE <= each.span.begin_line < _FIRST_LINE + len(lines):
            line, column = each.span.begin_line - _FIRST_LINE + 1, each.span.begin_column
            message = each.message
    place = f"line {line}, column {column}" if len(lines) > 1 else f"column {column}"
    shown = printable(" ".join(text.split()))
    return InputError(
        "expression-syntax",
        f"not a TLA+ expression: {shown} ({place}: {message})",
        hint='write it as in a module, such as "{1, 2}", "<<1, 2>>" or "[n |-> 1]"',
    )


def _free(expr: Expression, bound: frozenset[str]) -> Iterator[Expression]:
    """The expressions in an expression that apply a free name or symbol."""
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
