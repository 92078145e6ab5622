"""The operators of TLA+ on values. They raise TypeError, ValueError and the like where an operator has no value."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import TypeAlias

from tla2py.values.canonical import same_value
from tla2py.values.value import Interval, Value

# Larger sets are not written out.
_LARGEST = 1_000_000

FiniteSet: TypeAlias = "frozenset[Value] | Interval"


def _number(value: Value) -> int:
    if type(value) is not int:
        raise TypeError
    return value


def _numbers(function: Callable[[int, int], Value]) -> Callable[..., Value]:
    return lambda left, right: function(_number(left), _number(right))


def as_set(value: Value) -> FiniteSet:
    """The value as a set. Raises TypeError for another value, and for a set too large to write out."""
    if not isinstance(value, (frozenset, Interval)) or len(value) > _LARGEST:
        raise TypeError
    return value


def _sets(function: Callable[[frozenset[Value], frozenset[Value]], Value]) -> Callable[..., Value]:
    return lambda left, right: function(frozenset(as_set(left)), frozenset(as_set(right)))


def _sequence(value: Value) -> tuple[Value, ...]:
    if not isinstance(value, tuple):
        raise TypeError
    return value


def _element(sequence: Value, index: Value) -> Value:
    if _number(index) not in range(1, len(_sequence(sequence)) + 1):
        raise ValueError
    return _sequence(sequence)[_number(index) - 1]


def _equal(left: Value, right: Value) -> bool:
    # TLC does not compare a number with a string either; to say no would hide a slip.
    plain = (bool, int, str)
    if type(left) is not type(right) and type(left) in plain and type(right) in plain:
        raise TypeError
    return same_value(left, right)


def _member(element: Value, members: Value) -> bool:
    if isinstance(members, Interval):
        return type(element) is int and element in members
    # Python takes TRUE for 1.
    return element in as_set(members) and any(same_value(element, each) for each in as_set(members))


def _booleans(function: Callable[[bool, bool], bool]) -> Callable[..., Value]:
    def apply(left: Value, right: Value) -> bool:
        if not isinstance(left, bool) or not isinstance(right, bool):
            raise TypeError
        return function(left, right)

    return apply


def _not(value: Value) -> bool:
    if not isinstance(value, bool):
        raise TypeError
    return not value


def _divided(function: Callable[[int, int], int]) -> Callable[..., Value]:
    def apply(left: Value, right: Value) -> int:
        if _number(right) <= 0:
            raise ValueError  # TLC refuses it too
        return function(_number(left), _number(right))

    return apply


def _power(left: int, right: int) -> int:
    if right < 0 or right > _LARGEST:
        raise ValueError
    return int(left**right)


OPERATORS: dict[str, Callable[..., Value]] = {
    "+": _numbers(operator.add),
    "-": _numbers(operator.sub),
    "*": _numbers(operator.mul),
    "^": _numbers(_power),
    "\\div": _divided(operator.floordiv),
    "%": _divided(operator.mod),
    "-.": lambda value: -_number(value),
    "<": _numbers(operator.lt),
    "<=": _numbers(operator.le),
    ">": _numbers(operator.gt),
    ">=": _numbers(operator.ge),
    "=": _equal,
    "#": lambda left, right: not _equal(left, right),
    "~": _not,
    "<=>": _booleans(operator.eq),
    "..": _numbers(Interval),
    "\\in": _member,
    "\\notin": lambda element, members: not _member(element, members),
    "\\subseteq": lambda left, right: all(_member(each, right) for each in as_set(left)),
    "\\cup": _sets(operator.or_),
    "\\cap": _sets(operator.and_),
    "\\": _sets(operator.sub),
    "Cardinality": lambda value: len(as_set(value)),
    "Len": lambda value: len(_sequence(value)),
    "[]": _element,
}
INFINITE_SETS: dict[str, Callable[[Value], bool]] = {
    "Int": lambda value: type(value) is int,
    "Nat": lambda value: type(value) is int and value >= 0,
}
