"""The mutation operators: what each puts in place of an expression, in texts that keep their lines."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from tla2py.tla.graph import ModuleGraph
from tla2py.tla.levels import Level, Levels
from tla2py.tla.module import Expression, Span, code_matches
from tla2py.tla.nodes import without_comments
from tla2py.tla.scope import Entity, Scope

_BULLET = re.compile(r"/\\|\\/")
_FIRST = re.compile(r"\s*(/\\|\\/)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Rewrite:
    """What an operator puts in place of the text of a span."""

    operator: str
    span: Span
    before: str
    after: str

    def apply(self, text: str) -> str:
        """The text with the change.

        It has the same number of lines, and what comes after the span keeps its column if a list of conjuncts begins there.
        """
        span, lines = self.span, text.split("\n")
        head = lines[span.begin_line - 1][: span.begin_column - 1]
        rest = lines[span.end_line - 1][span.end_column :]
        missing = span.end_line - span.begin_line - self.after.count("\n")
        last = head + self.after if "\n" not in self.after else self.after.rpartition("\n")[2]
        filler = "\n" * max(missing, 0)
        if rest.strip() and missing > 0:
            filler += " " * span.end_column
        elif len(last) != span.end_column and _aligned(text, span):
            shorter = len(last) < span.end_column
            filler = " " * (span.end_column - len(last)) if shorter else "\n" + " " * span.end_column
        changed = f"{head}{self.after}{filler}{rest}"
        return "\n".join([*lines[: span.begin_line - 1], changed, *lines[span.end_line :]])


def _aligned(text: str, span: Span) -> bool:
    """Whether a list that begins on the line where a span ends, after it, goes on below."""
    lines = without_comments(text).split("\n")[span.end_line - 1 :]
    after = next((line for line in lines[1:] if line.strip()), "")
    found = _FIRST.match(after)
    columns = {each.start() for each in _BULLET.finditer(lines[0], span.end_column)}
    return found is not None and found.start(1) in columns


class Text:
    """The text of a module, with offsets for lines and columns."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._starts = [0, *(found.end() for found in re.finditer("\n", text))]

    def offset(self, line: int, column: int) -> int:
        """The offset of a line and a column, both from 1."""
        return self._starts[line - 1] + column - 1

    def range(self, span: Span) -> tuple[int, int]:
        """The offsets where a span begins and ends."""
        begin = self.offset(span.begin_line, span.begin_column)
        return begin, self.offset(span.end_line, span.end_column) + 1

    def slice(self, span: Span) -> str:
        """The text of a span."""
        begin, end = self.range(span)
        return self.text[begin:end]

    def span(self, begin: int, end: int) -> Span:
        """The span from an offset up to another, at least one character."""
        first, last = bisect_right(self._starts, begin), bisect_right(self._starts, end - 1)
        return Span(
            begin_line=first,
            begin_column=begin - self._starts[first - 1] + 1,
            end_line=last,
            end_column=end - self._starts[last - 1],
        )

    def rewrite(self, operator: str, span: Span, after: str) -> Rewrite:
        """The change of a span by an operator."""
        return Rewrite(operator=operator, span=span, before=self.slice(span), after=after)

    def operand(self, span: Span) -> tuple[int, int]:
        """The offsets of an operand with the parentheses around it, which its span leaves out."""
        begin, end = self.range(span)
        while True:
            before = len(self.text[:begin].rstrip())
            after = end + len(self.text[end:]) - len(self.text[end:].lstrip())
            if self.text[before - 1 : before] != "(" or self.text[after : after + 1] != ")":
                return begin, end
            begin, end = before - 1, after + 1


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


def expression_changes(expr: Expression, text: Text) -> Iterator[Rewrite]:
    """The changes of an expression itself, without those of its parts."""
    match expr:
        case Expression(shape="apply", operator=symbol, arguments=(left, right)) if symbol in _SYMBOLS:
            yield from _symbol(symbol, left, right, text)
            if symbol in _COMPARED:
                yield from _majority(symbol, left, right, text)
        case Expression(shape="apply", operator="\\", arguments=(left, right)):
            span = text.span(text.operand(left.span)[1], text.operand(right.span)[1])
            yield text.rewrite("drop-difference", span, "")
        case Expression(shape="build", operator="{}", arguments=parts):
            yield from _elements(parts, text)
        case Expression(shape="build", operator="IF", arguments=(condition, *_)):
            for value in ("TRUE", "FALSE"):
                yield text.rewrite("drop-branch", condition.span, value)
        case Expression(shape="build", operator="CASE", arguments=arms):
            for guard in arms[::2]:
                if not text.slice(guard.span).startswith("OTHER"):
                    yield text.rewrite("drop-branch", guard.span, "FALSE")


def quantifier_change(expr: Expression, text: Text) -> Iterator[Rewrite]:
    r"""The change of \A or \E to the other."""
    found = _QUANTIFIER.match(text.text, text.range(expr.span)[0])
    if found is not None:
        span = text.span(*found.span())
        yield text.rewrite("swap-quantifier", span, _QUANTIFIERS[expr.operator])


def initial_change(expr: Expression, text: Text, sets: Collection[str]) -> Iterator[Rewrite]:
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
        yield text.rewrite("change-initial-value", expr.span, after)


def _symbol(symbol: str, left: Expression, right: Expression, text: Text) -> Iterator[Rewrite]:
    pattern, other, operator = _SYMBOLS[symbol]
    literal = any(side.shape == "literal" and side.operator == "number" for side in (left, right))
    if operator == "swap-arithmetic" and not literal:
        return
    begin, end = text.operand(left.span)[1], text.operand(right.span)[0]
    for found in code_matches(pattern, text.text[:end], begin):
        yield text.rewrite(operator, text.span(*found.span()), other)
        return


def _majority(operator: str, left: Expression, right: Expression, text: Text) -> Iterator[Rewrite]:
    """The change of a threshold that counts one vote more than there are."""
    votes, needed = (left, right) if operator in (">", ">=") else (right, left)
    counts = [each for each in votes.walk() if each.shape == "apply" and each.operator == "Cardinality"]
    if len(counts) == 1 and needed.shape != "literal":
        span = counts[0].span
        yield text.rewrite("weaken-majority", span, f"({text.slice(span)} + 1)")


def _elements(parts: tuple[Expression, ...], text: Text) -> Iterator[Rewrite]:
    """The changes that leave out an element, with its comma."""
    ranges = [text.operand(each.span) for each in parts]
    for place, (begin, end) in enumerate(ranges):
        if place + 1 < len(ranges):
            end = ranges[place + 1][0]
        elif place:
            begin = ranges[place - 1][1]
        yield text.rewrite("drop-element", text.span(begin, end), "")


def _other_string(value: str, text: Text) -> str:
    """Another string of the first set of strings that has this one, "" if there is none."""
    for found in code_matches(r'\{\s*"[^"{}]*"(?:\s*,\s*"[^"{}]*")+\s*\}', text.text):
        strings: list[str] = re.findall(r'"[^"]*"', found[0])
        quoted = value if value.startswith('"') else f'"{value}"'
        if quoted in strings:
            return strings[(strings.index(quoted) + 1) % len(strings)]
    return ""


_DEEPEST = 40

Assigned: TypeAlias = Mapping[Entity, bool]
"""The variables that a formula gives next values, and whether these may differ from their values."""


@dataclass(slots=True)
class Updates:
    """The assignments of a specification's formulas."""

    spec: ModuleGraph
    levels: Levels
    _known: dict[Entity, Assigned] = field(default_factory=dict)

    def assigned(self, expr: Expression, scope: Scope, depth: int = 0) -> Assigned:
        """The variables that a formula assigns."""
        if depth > _DEEPEST:
            return {}
        match expr:
            case Expression(shape="apply", operator="=" | "\\in" as operator, arguments=(left, right)):
                return self._equation(left, right, scope, operator)
            case Expression(shape="apply", operator="UNCHANGED", arguments=(what,)):
                return dict.fromkeys(self._variables(what, scope, depth), False)
            case Expression(shape="apply", operator="/\\" | "\\/", arguments=parts):
                inside = scope
            case Expression(shape="bind", operator="\\E", arguments=parts):
                inside = scope
            case Expression(shape="let", arguments=parts):
                inside = self.spec.resolver.let(scope, expr)
            case Expression(shape="build", operator="IF", arguments=(_, *branches)):
                parts, inside = tuple(branches), scope
            case Expression(shape="build", operator="CASE", arguments=arms):
                parts, inside = arms[1::2], scope
            case Expression(shape="apply"):
                return self._called(scope.find(expr.operator), depth)
            case _:
                return {}
        found: dict[Entity, bool] = {}
        for each in parts:
            for variable, changes in self.assigned(each, inside, depth + 1).items():
                found[variable] = found.get(variable, False) or changes
        return found

    def _equation(self, left: Expression, right: Expression, scope: Scope, operator: str) -> Assigned:
        if left.shape != "apply" or left.operator != "'" or not left.arguments[0].is_name():
            return {}
        variable = variable_of(scope.find(left.arguments[0].operator))
        if variable is None:
            return {}
        same = operator == "=" and right.is_name() and variable_of(scope.find(right.operator)) is variable
        return {variable: not same}

    def _called(self, entity: Entity | None, depth: int) -> Assigned:
        if entity is None or entity.body is None or entity.kind != "definition":
            return {}
        if self.levels.of_entity(entity) != Level.ACTION:
            return {}
        if entity not in self._known:
            # A recursive definition assigns nothing more inside itself.
            self._known[entity] = {}
            self._known[entity] = self.assigned(entity.body, entity.scope, depth + 1)
        return self._known[entity]

    def _variables(self, expr: Expression, scope: Scope, depth: int) -> set[Entity]:
        """The variables in a tuple of variables."""
        if expr.shape == "build" and expr.operator == "<<>>":
            return {each for part in expr.arguments for each in self._variables(part, scope, depth)}
        entity = scope.find(expr.operator) if expr.is_name() else None
        variable = variable_of(entity)
        if variable is not None:
            return {variable}
        if entity is None or entity.body is None or depth > _DEEPEST:
            return set()
        return self._variables(entity.body, entity.scope, depth + 1)

    def unchanged_text(self, expr: Expression, scope: Scope, bound: frozenset[str]) -> str | None:
        """What leaves the variables that a formula assigns as they are; None if it changes none, or none has a name here."""
        found = self.assigned(expr, scope)
        if not any(found.values()):
            return None
        names: dict[Entity, str] = {}
        for name, entity in scope.names.items():
            variable = variable_of(entity) if "!" not in name and name not in bound else None
            if variable is not None and variable in found:
                names.setdefault(variable, name)
        if len(names) < len(found):
            return None
        several = sorted(names.values())
        return f"{several[0]}' = {several[0]}" if len(several) == 1 else f"UNCHANGED <<{', '.join(several)}>>"


def variable_of(entity: Entity | None) -> Entity | None:
    """The variable that a name stands for, also in an instantiated module; None for any other name."""
    while entity is not None and entity.kind == "substituted":
        body = entity.body
        entity = entity.scope.find(body.operator) if body is not None and body.is_name() else None
    return entity if entity is not None and entity.kind == "variable" else None


def is_compound(expr: Expression) -> bool:
    """Whether a conjunct has conjuncts of its own."""
    match expr:
        case Expression(shape="apply", operator="/\\"):
            return True
        case Expression(shape="apply", operator="\\/"):
            return any(map(is_compound, expr.arguments))
        case Expression(shape="bind" | "let", arguments=(body,)):
            return is_compound(body)
        case Expression(shape="build", operator="IF" | "CASE", arguments=parts):
            return any(map(is_compound, parts))
    return False


Concerns = Literal["behaviour", "fairness", "checks"]

# What each operator changes of the model; docs/reference/operators.md shows an example of each.
OPERATORS: Mapping[str, Concerns] = {
    "drop-guard": "behaviour",
    "negate-guard": "behaviour",
    "drop-update": "behaviour",
    "drop-disjunct": "behaviour",
    "swap-comparison": "behaviour",
    "swap-arithmetic": "behaviour",
    "swap-set-operator": "behaviour",
    "drop-difference": "behaviour",
    "swap-quantifier": "behaviour",
    "weaken-majority": "behaviour",
    "drop-element": "behaviour",
    "drop-branch": "behaviour",
    "change-initial-value": "behaviour",
    "weaken-fairness": "fairness",
    "drop-fairness": "fairness",
    "drop-check": "checks",
    "given": "behaviour",
}
