"""The type of a set's elements, as far as its expression shows it."""

from __future__ import annotations

from tla2py.syntax.expression import Expression
from tla2py.syntax.scope import Scope
from tla2py.syntax.types.constraints import literal_type
from tla2py.syntax.types.type import BOOLEAN, FUNCTION, NUMBER, RECORD, SEQUENCE, STRING, TUPLE, Type

_SETS = dict.fromkeys(("Nat", "Int", "Real", ".."), NUMBER) | {
    "BOOLEAN": BOOLEAN,
    "STRING": STRING,
    "Seq": SEQUENCE,
    "\\X": TUPLE,
}
# Deeper than any real chain of definitions; a recursive one has no end.
_DEPTH = 40


def element_type(expr: Expression, scope: Scope, depth: int = _DEPTH) -> Type | None:
    """The type of all elements of a set, None if its expression does not show it."""
    operator, parts = expr.operator, expr.arguments
    if depth == 0:
        return None
    if expr.shape == "apply":
        entity = scope.find(operator)
        if entity is not None:
            if entity.body is None or parts:
                return None
            return element_type(entity.body, entity.scope, depth - 1)
        if operator == "SUBSET" and parts:
            return Type("set", element_type(parts[0], scope, depth - 1))
        if operator in {"\\cup", "\\cap"}:
            found = {element_type(part, scope, depth - 1) for part in parts}
            return found.pop() if len(found) == 1 else None
        if operator in {"\\", "UNION"} and parts:
            inner = element_type(parts[0], scope, depth - 1)
            return inner if operator == "\\" or inner is None else inner.element
        return _SETS.get(operator)
    if expr.shape == "build" and operator == "{}":
        types = {literal_type(part) for part in parts}
        return types.pop() if len(types) == 1 else None
    if expr.shape == "bind" and operator == "{:}":
        domain = expr.bounds[0].domain if expr.bounds else None
        return element_type(domain, scope, depth - 1) if domain is not None else None
    return {"[->]": FUNCTION, "[:]": RECORD}.get(operator) if expr.shape == "build" else None
