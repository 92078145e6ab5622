"""Types of TLA+ values, and how a constraint on an expression reaches the names that its value comes from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import repeat
from typing import TypeAlias

from tla2py.tla.module import Expression, Module, Span
from tla2py.tla.scope import Entity, Resolver, Scope

# A function can also be one of the narrower kinds, and so on.
_NARROWER = {"function": ("sequence", "record", "tuple"), "sequence": ("tuple",)}


@dataclass(frozen=True, slots=True)
class Type:
    """A type of TLA+ values.

    ``element`` is that of a set's members, a function's values or an operator's results, None if unknown.
    """

    kind: str
    element: Type | None = None

    @property
    def height(self) -> int:
        """The depth of nesting."""
        return 1 + (self.element.height if self.element is not None else 0)

    def __str__(self) -> str:
        if self.kind != "set":
            return self.kind
        return f"set of {self.element.kind if self.element is not None else 'model value'}s"


NUMBER = Type("number")
BOOLEAN = Type("boolean")
STRING = Type("string")
SET = Type("set")
FUNCTION = Type("function")
SEQUENCE = Type("sequence")
RECORD = Type("record")
TUPLE = Type("tuple")
MODEL_VALUE = Type("model value")
# What symmetry permutes.
PERMUTED = Type("set", MODEL_VALUE)


def merge(types: Sequence[Type]) -> Type:
    """The narrowest of the types that agree with the first."""
    result = types[0]
    for other in types[1:]:
        if not agree(result, other):
            continue
        kind = other.kind if other.kind in _NARROWER.get(result.kind, ()) else result.kind
        elements = [each for each in (result.element, other.element) if each is not None]
        result = Type(kind, merge(elements) if elements else None)
    return result


def agree(one: Type, other: Type) -> bool:
    """Whether a value can have both types."""
    if one.kind == other.kind:
        return one.element is None or other.element is None or agree(one.element, other.element)
    return other.kind in _NARROWER.get(one.kind, ()) or one.kind in _NARROWER.get(other.kind, ())


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

# Operators with arguments of different types; None allows any.
_ARGUMENTS: dict[str, tuple[Type | None, ...]] = {
    **dict.fromkeys(["\\in", "\\notin"], (None, SET)),
    **dict.fromkeys(["Append", "SelectSeq", "SortSeq"], (SEQUENCE, None)),
    "SubSeq": (SEQUENCE, NUMBER, NUMBER),
    "RandomSubset": (NUMBER, SET),
    "Assert": (BOOLEAN, None),
}
# Operators with arguments of one type.
_OPERANDS: dict[str, Type] = {
    **dict.fromkeys([*ARITHMETIC, *_COMPARISON, ".."], NUMBER),
    **dict.fromkeys(_LOGIC, BOOLEAN),
    **dict.fromkeys(["\\cup", "\\cap", "\\", "\\X", "\\subseteq", "SUBSET", "Seq"], SET),
    **dict.fromkeys(["Cardinality", "IsFiniteSet", "RandomElement", "SetToBag"], SET),
    **dict.fromkeys(["\\o", "Len", "Head", "Tail"], SEQUENCE),
    **dict.fromkeys(["DOMAIN", "@@", "(+)", "BagToSet", "BagCardinality"], FUNCTION),
    "UNION": Type("set", SET),
    "Permutations": PERMUTED,
}
# The types of applications, constructs and binders.
_RESULTS: dict[str, dict[str, Type]] = {
    "apply": {
        **dict.fromkeys([*ARITHMETIC, "Cardinality", "Len"], NUMBER),
        **dict.fromkeys([*_LOGIC, *_COMPARISON], BOOLEAN),
        **dict.fromkeys(["=", "#", "\\in", "\\notin", "\\subseteq", "IsFiniteSet"], BOOLEAN),
        **dict.fromkeys(["..", "SUBSET", "DOMAIN", "\\cup", "\\cap", "\\"], SET),
    },
    "build": {"{}": SET, "record": RECORD, "<<>>": SEQUENCE, "[->]": SET, "[:]": SET},
    "bind": {"{:}": SET, "{|}": SET, "[|->]": FUNCTION, "\\A": BOOLEAN, "\\E": BOOLEAN},
}


# Constructs of the language: which of their parts have a type, and why; {} stands for the field of a record.
_PARTS: dict[str, tuple[slice, Type, str]] = {
    "IF": (slice(1), BOOLEAN, "the condition of an IF"),
    "CASE": (slice(None, None, 2), BOOLEAN, "a condition of a CASE"),
    "[]": (slice(1), FUNCTION, "applied to an argument"),
    "EXCEPT": (slice(1), FUNCTION, "changed by EXCEPT"),
    ".": (slice(1), RECORD, "a record with a field {}"),
    "[->]": (slice(None), SET, "the domain or range of functions"),
    "[:]": (slice(None), SET, "the set of a record's field"),
    **dict.fromkeys(("[]_", "<>_"), (slice(1), BOOLEAN, "the action of a step formula")),
}


def operand_constraints(expr: Expression) -> Iterator[tuple[Expression, Constraint]]:
    """The constraints that an operator of TLA+ or of a standard module puts on its arguments."""
    operator = expr.operator
    if expr.shape == "build" and operator in _PARTS:
        which, kind, reason = _PARTS[operator]
        constraint = Constraint(kind, reason.format(expr.text))
        yield from ((part, constraint) for part in expr.arguments[which])
    if expr.shape != "apply":
        return
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


def literal_type(expr: Expression) -> Type | None:
    """The certain type of an expression by its outermost operator, None if that does not show it."""
    if expr.shape == "literal":
        return Type(expr.operator)
    return None if expr.is_name() else _RESULTS.get(expr.shape, {}).get(expr.operator)


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


# As deep as a set of sets of functions to sequences.
_HEIGHT = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacedConstraint:
    """A constraint on a constant or variable, its occurrence there, and whether an ASSUME makes the constraint."""

    constraint: Constraint
    module: Module
    span: Span
    assumed: bool


Local: TypeAlias = dict[tuple[Type, int], Constraint]
"""The constraints on a bound name or a parameter, by type and strength."""

Locals: TypeAlias = Mapping[str, Local]


class Propagation:
    """The constraints found so far on constants, variables and local names."""

    def __init__(self, resolver: Resolver) -> None:
        self._resolver = resolver
        self.found: dict[Entity, dict[tuple[str, Span, Type], PlacedConstraint]] = {}
        self.assumed = False
        """Whether the constraints being pushed come from an ASSUME."""
        self._pushed: set[tuple[Entity, Type]] = set()

    def push(self, expr: Expression, scope: Scope, local: Locals, constraint: Constraint) -> None:
        """Pass a constraint on an expression down to the expressions that its value comes from."""
        operator, parts = expr.operator, expr.arguments
        match expr.shape, operator:
            case "apply", _:
                self._push_applied(expr, scope, local, constraint)
            case "let", _:
                self.push(parts[0], self._resolver.let(scope, expr), local, constraint)
            case "build", "IF" | "CASE":
                joined = replace(constraint, strength=JOINED)
                for part in parts[1:] if operator == "IF" else parts[1::2]:
                    self.push(part, scope, local, joined)
            case "build", "EXCEPT" | "[]" if parts:
                if operator == "[]":
                    constraint = constrain_container(
                        "function", constraint, "a function whose values are each"
                    )
                self.push(parts[0], scope, local, constraint)
            case ("build", "{}") | ("bind", "{|}"):
                self._push_all(parts, scope, local, constraint, "set")
            case "bind", "[|->]":
                self._push_all(parts, scope, local, constraint, "function")
            case "bind", "CHOOSE" | "{:}" if expr.bounds and not expr.bounds[0].pattern:
                if operator == "CHOOSE":
                    constraint = constrain_container("set", constraint, "a set with an element that is")
                if (domain := expr.bounds[0].domain) is not None:
                    self.push(domain, scope, local, constraint)

    def _push_all(
        self, parts: tuple[Expression, ...], scope: Scope, local: Locals, constraint: Constraint, kind: str
    ) -> None:
        if constraint.type.kind == kind and constraint.type.element is not None:
            for part in parts:
                self.push(part, scope, local, replace(constraint, type=constraint.type.element))

    def _push_applied(self, expr: Expression, scope: Scope, local: Locals, constraint: Constraint) -> None:
        operator, parts = expr.operator, expr.arguments
        # A recursive definition keeps deriving deeper constraints on its result and on its own parameters.
        endless = constraint.type.height > _HEIGHT
        if operator in local:
            if not parts and not endless:
                local[operator].setdefault((constraint.type, constraint.strength), constraint)
            return
        entity = scope.find(operator)
        if entity is None:
            self._push_set(expr, scope, local, constraint)
        elif entity.kind in ("constant", "variable"):
            key = (scope.module.name, expr.span, constraint.type)
            found = PlacedConstraint(
                constraint=constraint, module=scope.module, span=expr.span, assumed=self.assumed
            )
            self.found.setdefault(entity, {}).setdefault(key, found)
        elif entity.body is not None and not endless and (entity, constraint.type) not in self._pushed:
            self._pushed.add((entity, constraint.type))
            if entity.enclosed or entity.kind == "substituted":
                names = local if entity.enclosed else {n: local[n] for n in entity.parameters if n in local}
                self.push(entity.body, entity.scope, names, constraint)
                # The names around it differ the next time.
                self._pushed.discard((entity, constraint.type))
            else:
                self.push(entity.body, entity.scope, {}, constraint)

    def _push_set(self, expr: Expression, scope: Scope, local: Locals, constraint: Constraint) -> None:
        """Pass a constraint on the result of a set operator down to its operands."""
        operator, parts, element = expr.operator, expr.arguments, constraint.type.element
        if constraint.type.kind != "set" or element is None:
            return
        if operator == "UNION":
            self.push(parts[0], scope, local, replace(constraint, type=Type("set", constraint.type)))
        elif operator == "SUBSET" and element.kind == "set":
            self.push(parts[0], scope, local, replace(constraint, type=element))
        elif operator in {"\\cup", "\\cap", "\\"}:
            if operator == "\\cup" and constraint.strength < REQUIRED:
                # A value that elements are compared with may be in only one of the sets.
                constraint = replace(constraint, strength=JOINED)
            for part in parts[:1] if operator == "\\" else parts:
                # {None} beside a set of numbers: None is no number.
                if part.shape != "build":
                    self.push(part, scope, local, constraint)


def constrain_container(kind: str, constraint: Constraint, words: str) -> Constraint:
    """The constraint on a set or function that follows from one on its elements."""
    return replace(constraint, type=Type(kind, constraint.type), reason=f"{words} {constraint.reason}")
