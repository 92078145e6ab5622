"""Values of constant expressions: the part of TLA+ that predicates over parameters need, without TLC.

An expression beyond that is an error; no value is guessed.
"""

from __future__ import annotations

import itertools
import operator
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import TypeAlias

from tla2py.errors import InputError
from tla2py.text import cut
from tla2py.tla.module import Bound, Definition, Expression
from tla2py.tla.parse import parse_expression
from tla2py.tla.value import Interval, ModelValue, Value, format_value, same_value
from tla2py.tla.value_text import parse_value

_UNDERSTOOD = (
    "supported: numbers, strings, booleans, sets, tuples, intervals, operators and comparisons of them, Cardinality, "
    "Len, t[i], IF, quantifiers over sets, CHOOSE with exactly one match, {x \\in S : P} and {e : x \\in S}"
)

Lookup: TypeAlias = Callable[[str], "Value | Definition"]

# Larger sets are not written out.
_LARGEST = 1_000_000


def _fits(value: Value, kind: type | None) -> bool:
    """Whether a value is of a type; None allows any, ``frozenset`` intervals too."""
    if kind is frozenset:
        return isinstance(value, (frozenset, Interval)) and len(value) <= _LARGEST
    return kind is None or type(value) is kind


def _equal(left: Value, right: Value) -> bool:
    # TLC does not compare a number with a string either; to say no would hide a slip.
    plain = (bool, int, str)
    if type(left) is not type(right) and type(left) in plain and type(right) in plain:
        raise TypeError
    return same_value(left, right)


def _member(element: Value, members: Value) -> bool:
    if isinstance(members, Interval):
        return type(element) is int and element in members
    if not isinstance(members, frozenset):
        raise TypeError
    # Python takes TRUE for 1.
    return element in members and any(same_value(element, each) for each in members)


def _element(sequence: tuple[Value, ...], index: int) -> Value:
    if index < 1:
        raise IndexError
    return sequence[index - 1]


def _divisor(number: int) -> int:
    if number <= 0:
        raise ValueError  # TLC refuses it too
    return number


def _power(left: int, right: int) -> int:
    if right < 0 or right > _LARGEST:
        raise ValueError
    return int(left**right)


# The types of an operator's arguments, and its value.
_OPERATORS: dict[str, tuple[tuple[type | None, ...], Callable[..., Value]]] = {
    "+": ((int, int), operator.add),
    "-": ((int, int), operator.sub),
    "*": ((int, int), operator.mul),
    "^": ((int, int), _power),
    "\\div": ((int, int), lambda left, right: left // _divisor(right)),
    "%": ((int, int), lambda left, right: left % _divisor(right)),
    "-.": ((int,), operator.neg),
    "<": ((int, int), operator.lt),
    "<=": ((int, int), operator.le),
    ">": ((int, int), operator.gt),
    ">=": ((int, int), operator.ge),
    "=": ((None, None), _equal),
    "#": ((None, None), lambda left, right: not _equal(left, right)),
    "~": ((bool,), operator.not_),
    "<=>": ((bool, bool), operator.eq),
    "..": ((int, int), Interval),
    "\\in": ((None, None), _member),
    "\\notin": ((None, None), lambda element, members: not _member(element, members)),
    "\\subseteq": ((frozenset, None), lambda left, right: all(_member(each, right) for each in left)),
    "\\cup": ((frozenset, frozenset), operator.or_),
    "\\cap": ((frozenset, frozenset), operator.and_),
    "\\": ((frozenset, frozenset), operator.sub),
    "Cardinality": ((frozenset,), len),
    "Len": ((tuple,), len),
    "[]": ((tuple, int), _element),
}
_INFINITE_SETS: dict[str, Callable[[Value], bool]] = {
    "Int": lambda value: type(value) is int,
    "Nat": lambda value: type(value) is int and value >= 0,
}


@lru_cache(maxsize=1 << 14)
def expression_of(text: str) -> Expression:
    """The expression of a text. Raises InputError (``expression-syntax``)."""
    return parse_expression(text).body


def evaluate(expr: Expression, lookup: Lookup) -> Value:
    """The value of an expression; ``lookup`` returns the value or definition of a free name.

    Raises InputError: ``not-understood``, ``not-a-value`` (an operator has no value for its arguments), and what
    ``lookup`` raises.
    """
    try:
        return _Evaluation(lookup).value(expr, {})
    except RecursionError:
        raise InputError(
            "not-understood",
            "the value of an expression depends on itself",
            hint="use parameters, and definitions whose recursion ends",
        ) from None


class _Evaluation:
    def __init__(self, lookup: Lookup) -> None:
        self.lookup = lookup

    def value(self, expr: Expression, bound: Mapping[str, Value]) -> Value:
        match expr.shape, expr.operator, expr.arguments:
            case "literal", "number", _ if expr.text[:1] == "\\":
                bases = {"h": 16, "o": 8, "b": 2}
                return int(expr.text[2:], bases[expr.text[1].lower()])
            case "literal", _, _:
                return parse_value(expr.text)
            case "apply", ("/\\" | "\\/") as name, parts:
                # As in TLC, a part that decides ends the evaluation: later parts may have no value.
                wanted = name == "/\\"
                return wanted == all(self.boolean(part, bound, name) == wanted for part in parts)
            case "apply", "=>", (left, right):
                return not self.boolean(left, bound, "=>") or self.boolean(right, bound, "=>")
            case "apply", ("\\in" | "\\notin") as name, (left, right) if self.infinite(right):
                member = _INFINITE_SETS[right.operator](self.value(left, bound))
                return member == (name == "\\in")
            case "apply", name, parts if name in _OPERATORS and len(parts) in (1, 2):
                return _apply(name, [self.value(part, bound) for part in parts])
            case "apply", "BOOLEAN", ():
                return frozenset([False, True])
            case "apply", name, parts:
                return self.named(name, parts, bound)
            case "build", "{}", parts:
                return frozenset(self.value(part, bound) for part in parts)
            case "build", "<<>>", parts:
                return tuple(self.value(part, bound) for part in parts)
            case "build", "[]", (sequence, index):
                return _apply("[]", [self.value(sequence, bound), self.value(index, bound)])
            case "build", "IF", (condition, then, other):
                return self.value(then if self.boolean(condition, bound, "IF") else other, bound)
            case "bind", ("\\A" | "\\E") as name, (body,):
                wanted = name == "\\E"
                found = any(self.boolean(body, inner, name) == wanted for inner in self.each(expr, bound))
                return found == wanted
            case "bind", "{:}", (body,) if len(expr.bounds) == 1 and len(expr.bounds[0].names) == 1:
                (variable,) = expr.bounds[0].names
                kept = (i[variable] for i in self.each(expr, bound) if self.boolean(body, i, "{x : P}"))
                return frozenset(kept)
            case "bind", "CHOOSE", (body,) if len(expr.bounds) == 1 and len(expr.bounds[0].names) == 1:
                (variable,) = expr.bounds[0].names
                some = [i[variable] for i in self.each(expr, bound) if self.boolean(body, i, "CHOOSE")]
                if len(some) == 1:
                    return some[0]
                raise _not_understood("CHOOSE among other than one value")
            case "bind", "{|}", (body,):
                return frozenset(self.value(body, inner) for inner in self.each(expr, bound))
        raise _not_understood(expr.operator)

    def boolean(self, expr: Expression, bound: Mapping[str, Value], name: str) -> bool:
        value = self.value(expr, bound)
        if not isinstance(value, bool):
            raise _no_value(name, [value])
        return value

    def infinite(self, expr: Expression) -> bool:
        """Whether an expression is an infinite set such as Nat, not replaced by a definition."""
        if not expr.is_name() or expr.operator not in _INFINITE_SETS:
            return False
        try:
            self.lookup(expr.operator)
        except InputError:
            return True
        return False

    def named(self, name: str, parts: tuple[Expression, ...], bound: Mapping[str, Value]) -> Value:
        if name in bound and not parts:
            return bound[name]
        try:
            found = self.lookup(name)
        except InputError:
            if not parts:
                raise
            raise _not_understood(name) from None
        if not isinstance(found, Definition):
            if parts:
                raise _not_understood(name)
            return found
        fits = found.kind == "operator" and "!" not in name and len(found.parameters) == len(parts)
        if not fits or found.body is None:
            raise _not_understood(name)
        arguments = [self.value(part, bound) for part in parts]
        return self.value(found.body, dict(zip(found.parameters, arguments, strict=True)))

    def each(self, expr: Expression, bound: Mapping[str, Value]) -> Iterator[dict[str, Value]]:
        """The assignments of values to the bound names."""
        names = [name for each in expr.bounds for name in each.names]
        domains = [d for each in expr.bounds for d in [self.domain(each, bound)] * len(each.names)]
        for values in itertools.product(*domains):
            yield {**bound, **dict(zip(names, values, strict=True))}

    def domain(self, each: Bound, bound: Mapping[str, Value]) -> frozenset[Value] | Interval:
        if each.domain is None or each.pattern:
            raise _not_understood("a name without a set" if each.domain is None else "<<x, y>> \\in S")
        members = self.value(each.domain, bound)
        if not _fits(members, frozenset):
            raise _no_value("\\in", [members])
        assert isinstance(members, (frozenset, Interval))
        return members


def _apply(name: str, arguments: list[Value]) -> Value:
    kinds, function = _OPERATORS[name]
    try:
        if all(map(_fits, arguments, kinds)) and len(arguments) == len(kinds):
            return function(*arguments)
    except (TypeError, ValueError, IndexError, OverflowError):
        pass
    raise _no_value(name, arguments)


def _not_understood(what: str) -> InputError:
    return InputError("not-understood", f"{what} is not supported here", hint=_UNDERSTOOD)


def _no_value(name: str, arguments: list[Value]) -> InputError:
    texts = (each.name if isinstance(each, ModelValue) else format_value(each) for each in arguments)
    shown = " and ".join(cut(text, 40) for text in texts)
    return InputError(
        "not-a-value",
        f"{name} has no value for {shown}",
        hint="add numbers to numbers and compare sets with sets",
    )
