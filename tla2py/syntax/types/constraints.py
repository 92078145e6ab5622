"""What the operators of TLA+ need of their arguments: a number, a set, a function."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tla2py.syntax.expression import Expression


@dataclass(frozen=True, slots=True)
class Need:
    """The kind of value that a place wants; ``element`` is what is wanted of a set's members or of what a function gives."""

    kind: str
    element: Need | None = None

    @property
    def height(self) -> int:
        """How many kinds it is made of."""
        return 1 + (self.element.height if self.element is not None else 0)


# Evaluation fails without it; comparing with something else gives just FALSE; it is one branch among others, of
# which it may be the one that stands for "none".
REQUIRED, COMPARED, JOINED = 2, 1, 0


@dataclass(frozen=True, slots=True)
class Claim:
    """A need, the words that say why, and how strong it is: REQUIRED, COMPARED or JOINED."""

    need: Need
    reason: str
    strength: int = REQUIRED


NUMBER = Need("number")
BOOLEAN = Need("boolean")
STRING = Need("string")
SET = Need("set")
FUNCTION = Need("function")
SEQUENCE = Need("sequence")
RECORD = Need("record")
TUPLE = Need("tuple")
MODEL_VALUE = Need("model value")

ARITHMETIC = frozenset(["+", "-", "*", "/", "\\div", "%", "^", "-."])
_COMPARISON = frozenset(["<", ">", "<=", ">="])
_LOGIC = frozenset(["/\\", "\\/", "~", "=>", "<=>", "[]", "<>", "~>", "ENABLED"])
_SET_OPERATORS = frozenset(
    ["\\cup", "\\cap", "\\", "\\X", "SUBSET", "Cardinality", "IsFiniteSet", "Seq", "RandomElement"]
)
_TESTS = frozenset(["=", "#", "\\in", "\\notin", "\\subseteq", "IsFiniteSet"])

# Operators of the standard modules whose arguments differ from one another; None where anything will do.
_ARGUMENTS: dict[str, tuple[Need | None, ...]] = {
    "UNION": (Need("set", SET),),
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
    "Permutations": (Need("set", MODEL_VALUE),),
    "RandomSubset": (NUMBER, SET),
    "Assert": (BOOLEAN, None),
    "BagToSet": (FUNCTION,),
    "SetToBag": (SET,),
    "BagCardinality": (FUNCTION,),
    "(+)": (FUNCTION, FUNCTION),
}


def operand_needs(expr: Expression) -> Iterator[tuple[Expression, Claim]]:
    """Yield what an expression of the language or of a standard module needs of its direct arguments."""
    if expr.shape == "apply":
        yield from _applied(expr)
    elif expr.shape == "build":
        yield from _built(expr)


def _applied(expr: Expression) -> Iterator[tuple[Expression, Claim]]:
    operator = expr.operator
    if operator in ARITHMETIC or operator in _COMPARISON or operator == "..":
        yield from ((part, Claim(NUMBER, f"an operand of {operator}")) for part in expr.arguments)
    elif operator in _LOGIC:
        yield from ((part, Claim(BOOLEAN, f"an operand of {operator}")) for part in expr.arguments)
    elif operator in _SET_OPERATORS:
        yield from ((part, Claim(SET, f"an operand of {operator}")) for part in expr.arguments)
    elif operator in _ARGUMENTS:
        for part, need in zip(expr.arguments, _ARGUMENTS[operator], strict=False):
            if need is not None:
                yield part, Claim(need, f"an operand of {operator}")
    elif operator in {"=", "#"} and len(expr.arguments) == 2:
        left, right = expr.arguments
        for one, other in ((left, right), (right, left)):
            need = literal_kind(other)
            if need is not None:
                yield one, Claim(need, f"compared with a {need.kind}", strength=COMPARED)


def _built(expr: Expression) -> Iterator[tuple[Expression, Claim]]:
    operator, parts = expr.operator, expr.arguments
    if operator == "IF" and parts:
        yield parts[0], Claim(BOOLEAN, "the condition of an IF")
    elif operator == "CASE":
        yield from ((guard, Claim(BOOLEAN, "a condition of a CASE")) for guard in parts[::2])
    elif operator == "[]" and parts:
        yield parts[0], Claim(FUNCTION, "applied to an argument")
    elif operator == "EXCEPT" and parts:
        yield parts[0], Claim(FUNCTION, "changed by EXCEPT")
    elif operator == "." and parts:
        yield parts[0], Claim(RECORD, f"asked for its field {expr.text}")
    elif operator == "[->]":
        yield from ((part, Claim(SET, "a set that functions go from or to")) for part in parts)
    elif operator == "[:]":
        yield from ((part, Claim(SET, "the set of a record's field")) for part in parts)
    elif operator in {"[]_", "<>_"} and parts:
        yield parts[0], Claim(BOOLEAN, "the action of a step formula")


def literal_kind(expr: Expression) -> Need | None:
    """Return what an expression is beyond doubt, by its outermost operator alone."""
    operator = expr.operator
    if expr.shape == "literal":
        return Need(operator)
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
