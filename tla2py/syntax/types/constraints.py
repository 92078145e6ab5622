"""Constraints that the operators of TLA+ put on the types of their arguments."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import repeat

from tla2py.syntax.expression import Expression
from tla2py.syntax.types.type import (
    BOOLEAN,
    FUNCTION,
    MODEL_VALUE,
    NUMBER,
    RECORD,
    SEQUENCE,
    SET,
    Type,
)

# REQUIRED: evaluation fails with another type. COMPARED: a comparison with another type is FALSE. JOINED: one of several
# branches, perhaps the one that stands for "none".
REQUIRED, COMPARED, JOINED = 2, 1, 0


@dataclass(frozen=True, slots=True)
class Constraint:
    """A required type, the reason in words, and the strength: REQUIRED, COMPARED or JOINED."""

    type: Type
    reason: str
    strength: int = REQUIRED


ARITHMETIC = frozenset(["+", "-", "*", "/", "\\div", "%", "^", "-."])
_COMPARISON = frozenset(["<", ">", "<=", ">="])
_LOGIC = frozenset(["/\\", "\\/", "~", "=>", "<=>", "[]", "<>", "~>", "ENABLED"])
_SET_OPERATORS = frozenset(
    ["\\cup", "\\cap", "\\", "\\X", "SUBSET", "Cardinality", "IsFiniteSet", "Seq", "RandomElement"]
)
_TESTS = frozenset(["=", "#", "\\in", "\\notin", "\\subseteq", "IsFiniteSet"])

# Operators with arguments of different types; None allows any.
_ARGUMENTS: dict[str, tuple[Type | None, ...]] = {
    "UNION": (Type("set", SET),),
    "DOMAIN": (FUNCTION,),
    "\\in": (None, SET),
    "\\notin": (None, SET),
    "\\subseteq": (SET, SET),
    "\\o": (SEQUENCE, SEQUENCE),
    "@@": (FUNCTION, FUNCTION),
    "Len": (SEQUENCE,),
    "Head": (SEQUENCE,),
    "Tail": (SEQUENCE,),
    "Append": (SEQUENCE, None),
    "SubSeq": (SEQUENCE, NUMBER, NUMBER),
    "SelectSeq": (SEQUENCE, None),
    "SortSeq": (SEQUENCE, None),
    "Permutations": (Type("set", MODEL_VALUE),),
    "RandomSubset": (NUMBER, SET),
    "Assert": (BOOLEAN, None),
    "BagToSet": (FUNCTION,),
    "SetToBag": (SET,),
    "BagCardinality": (FUNCTION,),
    "(+)": (FUNCTION, FUNCTION),
}
# Operators with arguments of one type.
_OPERANDS: dict[str, Type] = {
    **dict.fromkeys([*ARITHMETIC, *_COMPARISON, ".."], NUMBER),
    **dict.fromkeys(_LOGIC, BOOLEAN),
    **dict.fromkeys(_SET_OPERATORS, SET),
}


def operand_constraints(expr: Expression) -> Iterator[tuple[Expression, Constraint]]:
    """The constraints that an operator of TLA+ or of a standard module puts on its arguments."""
    if expr.shape == "apply":
        yield from _applied(expr)
    elif expr.shape == "build":
        yield from _built(expr)


def _applied(expr: Expression) -> Iterator[tuple[Expression, Constraint]]:
    operator = expr.operator
    types = _ARGUMENTS.get(operator) or repeat(_OPERANDS.get(operator))
    for part, wanted in zip(expr.arguments, types, strict=False):
        if wanted is not None:
            yield part, Constraint(wanted, f"an operand of {operator}")
    if operator in {"=", "#"} and len(expr.arguments) == 2:
        left, right = expr.arguments
        for one, other in ((left, right), (right, left)):
            wanted = literal_type(other)
            if wanted is not None:
                yield one, Constraint(wanted, f"compared with a {wanted.kind}", strength=COMPARED)


def _built(expr: Expression) -> Iterator[tuple[Expression, Constraint]]:
    operator, parts = expr.operator, expr.arguments
    if operator == "IF" and parts:
        yield parts[0], Constraint(BOOLEAN, "the condition of an IF")
    elif operator == "CASE":
        yield from ((guard, Constraint(BOOLEAN, "a condition of a CASE")) for guard in parts[::2])
    elif operator == "[]" and parts:
        yield parts[0], Constraint(FUNCTION, "applied to an argument")
    elif operator == "EXCEPT" and parts:
        yield parts[0], Constraint(FUNCTION, "changed by EXCEPT")
    elif operator == "." and parts:
        yield parts[0], Constraint(RECORD, f"a record with a field {expr.text}")
    elif operator == "[->]":
        yield from ((part, Constraint(SET, "the domain or range of functions")) for part in parts)
    elif operator == "[:]":
        yield from ((part, Constraint(SET, "the set of a record's field")) for part in parts)
    elif operator in {"[]_", "<>_"} and parts:
        yield parts[0], Constraint(BOOLEAN, "the action of a step formula")


def literal_type(expr: Expression) -> Type | None:
    """The certain type of an expression by its outermost operator, None if that does not show it."""
    operator = expr.operator
    if expr.shape == "literal":
        return Type(operator)
    if expr.shape == "apply" and expr.arguments:
        if operator in ARITHMETIC or operator in {"Cardinality", "Len"}:
            return NUMBER
        if operator in _LOGIC or operator in _COMPARISON or operator in _TESTS:
            return BOOLEAN
        if operator in {"..", "SUBSET", "DOMAIN", "\\cup", "\\cap", "\\"}:
            return SET
    if expr.shape == "build":
        return {"{}": SET, "record": RECORD, "<<>>": SEQUENCE, "[->]": SET, "[:]": SET}.get(operator)
    if expr.shape == "bind":
        return {"{:}": SET, "{|}": SET, "[|->]": FUNCTION, "\\A": BOOLEAN, "\\E": BOOLEAN}.get(operator)
    return None
