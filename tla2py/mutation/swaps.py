"""Changes of single expressions: symbols, quantifiers, sets, branches, majorities, initial values."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from tla2py.mutation.edit import Text
from tla2py.syntax import Span
from tla2py.syntax.expression import Expression
from tla2py.syntax.offsets import code_matches


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What an operator puts in place of a span."""

    operator: str
    span: Span
    after: str


# For each operator symbol its spellings, and what takes its place.
_SYMBOLS = {
    "<": (r"<|\\lt\b", "<=", "swap-comparison"),
    "<=": (r"=<|<=|\\leq\b|≤", "<", "swap-comparison"),
    ">": (r">|\\gt\b", ">=", "swap-comparison"),
    ">=": (r">=|\\geq\b|≥", ">", "swap-comparison"),
    "\\cup": (r"\\cup\b|\\union\b|∪", "\\cap", "swap-set-operator"),
    "\\cap": (r"\\cap\b|\\intersect\b|∩", "\\cup", "swap-set-operator"),
    "+": (r"\+", "-", "swap-arithmetic"),
    "-": ("-", "+", "swap-arithmetic"),
}
_QUANTIFIERS = {"\\A": "\\E", "\\E": "\\A"}
_QUANTIFIER = re.compile(r"\\\w+|[∀∃]")
_COMPARED = {"<", "<=", ">", ">="}


def expression_changes(expr: Expression, text: Text) -> Iterator[Change]:
    """The changes of an expression itself, without those of its parts."""
    match expr:
        case Expression(shape="apply", operator=symbol, arguments=(left, right)) if symbol in _SYMBOLS:
            yield from _symbol(symbol, left, right, text)
            if symbol in _COMPARED:
                yield from _majority(symbol, left, right, text)
        case Expression(shape="apply", operator="\\", arguments=(left, right)):
            span = text.span(text.operand(left.span)[1], text.operand(right.span)[1])
            yield Change(operator="drop-difference", span=span, after="")
        case Expression(shape="build", operator="{}", arguments=parts):
            yield from _elements(parts, text)
        case Expression(shape="build", operator="IF", arguments=(condition, *_)):
            for value in ("TRUE", "FALSE"):
                yield Change(operator="drop-branch", span=condition.span, after=value)
        case Expression(shape="build", operator="CASE", arguments=arms):
            for guard in arms[::2]:
                if not text.slice(guard.span).startswith("OTHER"):
                    yield Change(operator="drop-branch", span=guard.span, after="FALSE")


def quantifier_change(expr: Expression, text: Text) -> Iterator[Change]:
    r"""The change of \A or \E to the other."""
    found = _QUANTIFIER.match(text.text, text.range(expr.span)[0])
    if found is not None:
        span = text.span(*found.span())
        yield Change(operator="swap-quantifier", span=span, after=_QUANTIFIERS[expr.operator])


def initial_change(expr: Expression, text: Text, sets: Collection[str]) -> Iterator[Change]:
    """The change of an initial value to another of its type; ``sets`` are constants that are sets."""
    after = ""
    match expr:
        case Expression(shape="literal", operator="number", text=number) if number.isdigit():
            after = str(int(number) + 1)
        case Expression(shape="literal", operator="boolean", text=value):
            after = "FALSE" if value == "TRUE" else "TRUE"
        case Expression(shape="literal", operator="string", text=value):
            after = _other_string(value, text)
        case Expression(shape="apply", operator=name) if name in sets and expr.is_name():
            after = "{}"
    if after:
        yield Change(operator="change-initial-value", span=expr.span, after=after)


def _symbol(symbol: str, left: Expression, right: Expression, text: Text) -> Iterator[Change]:
    pattern, other, operator = _SYMBOLS[symbol]
    literal = any(side.shape == "literal" and side.operator == "number" for side in (left, right))
    if operator == "swap-arithmetic" and not literal:
        return
    begin, end = text.operand(left.span)[1], text.operand(right.span)[0]
    for found in code_matches(pattern, text.text[:end], begin):
        yield Change(operator=operator, span=text.span(*found.span()), after=other)
        return


def _majority(operator: str, left: Expression, right: Expression, text: Text) -> Iterator[Change]:
    """The change of a threshold that counts one vote more than there are."""
    votes, needed = (left, right) if operator in (">", ">=") else (right, left)
    counts = [each for each in votes.walk() if each.shape == "apply" and each.operator == "Cardinality"]
    if len(counts) == 1 and needed.shape != "literal":
        span = counts[0].span
        yield Change(operator="weaken-majority", span=span, after=f"({text.slice(span)} + 1)")


def _elements(parts: tuple[Expression, ...], text: Text) -> Iterator[Change]:
    """The changes that leave out an element, with its comma."""
    ranges = [text.operand(each.span) for each in parts]
    for place, (begin, end) in enumerate(ranges):
        if place + 1 < len(ranges):
            end = ranges[place + 1][0]
        elif place:
            begin = ranges[place - 1][1]
        yield Change(operator="drop-element", span=text.span(begin, end), after="")


def _other_string(value: str, text: Text) -> str:
    """Another string of the first set of strings that has this one, "" if there is none."""
    for found in code_matches(r'\{\s*"[^"{}]*"(?:\s*,\s*"[^"{}]*")+\s*\}', text.text):
        strings: list[str] = re.findall(r'"[^"]*"', found[0])
        quoted = value if value.startswith('"') else f'"{value}"'
        if quoted in strings:
            return strings[(strings.index(quoted) + 1) % len(strings)]
    return ""
