"""The types of a specification's constants, by constraints through operators and instances."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from tla2py.tla.graph import ModuleGraph
from tla2py.tla.module import Constant, Expression, Module, Span
from tla2py.tla.scope import Entity, Resolver, Scope
from tla2py.tla.tree import deeply
from tla2py.tla.types import (
    BOOLEAN,
    COMPARED,
    JOINED,
    MODEL_VALUE,
    NUMBER,
    PERMUTED,
    REQUIRED,
    SET,
    TUPLE,
    Constraint,
    Local,
    Locals,
    PlacedConstraint,
    Propagation,
    Type,
    agree,
    constrain_container,
    element_type,
    merge,
    operand_constraints,
)


class Inference(Propagation):
    """The constraints on constants from the definitions and assumptions of scopes."""

    def __init__(self, resolver: Resolver) -> None:
        super().__init__(resolver)
        self.uses: dict[Entity, dict[tuple[str, Span], Module]] = {}
        self.compared: set[Entity] = set()
        """The constants that are operands of = or #."""
        self._variables: dict[Entity, dict[tuple[str, Span], tuple[Entity, bool]]] = {}
        """The occurrences of constants that = or # compares with a variable ``v`` (or ``v[...]``, with True)."""
        self.tested: set[Entity] = set()
        """The constants whose type a condition may test: ``N = Infinity``, ``N \\in Nat``."""
        self._guarded: dict[tuple[int, Entity], Local] = {}
        """The local names that = or # compares with a constant, by id; kept here so that no id is used again."""
        self._initial = False
        """Whether the definition being read is an initial predicate by its name, where ``x = C`` sets ``x``."""
        self._parameters: dict[Entity, tuple[Local, ...]] = {}
        self._scopes: set[Scope] = set()

    def constraints(self, entity: Entity) -> tuple[PlacedConstraint, ...]:
        """The constraints on a constant or variable."""
        return tuple(self.found.get(entity, {}).values())

    def compared_with_variables(self, entity: Entity) -> Iterator[PlacedConstraint]:
        """The constraints on a constant from variables that it is compared with, if nothing else uses it.

        A constant with another use, such as ``x' = None``, may be a variable's value besides those of another type.
        """
        uses, compared = self.uses.get(entity, {}), self._variables.get(entity, {})
        if uses.keys() == compared.keys():
            for place, (variable, applied) in compared.items():
                for each in self.constraints(variable):
                    found = each.constraint.type
                    wanted = found if not applied else found.element if found.kind == "function" else None
                    if wanted is None:
                        continue
                    reason = f"compared with {variable.declaration.name}, which is {each.constraint.reason}"
                    constraint = Constraint(wanted, reason, COMPARED)
                    yield replace(each, constraint=constraint, module=uses[place], span=place[1])

    def read(self, scope: Scope) -> None:
        """Collect the constraints in a scope: from its module's assumptions and from all its entities."""
        if scope not in self._scopes:
            self._scopes.add(scope)
            self.assumed = True
            for assumption in scope.module.assumptions:
                self._visit(assumption.body, scope, {})
                self.push(assumption.body, scope, {}, Constraint(BOOLEAN, "assumed"))
            self.assumed = False
            for entity in scope.names.values():
                self._read_entity(entity)

    def _read_entity(self, entity: Entity) -> tuple[Local, ...]:
        """The parameters of an entity, with the constraints from its body; each body is read once."""
        if entity not in self._parameters:
            inside = dict[str, Local]((name, {}) for name in entity.parameters)
            self._parameters[entity] = tuple(inside.values())
            assumed, self.assumed = self.assumed, False
            if entity.scope not in self._scopes:
                self.read(entity.scope)
            if entity.body is not None:
                outer, self._initial = self._initial, "init" in entity.declaration.name.lower()
                self._visit(entity.body, entity.scope, inside)
                self._initial = outer
            self.assumed = assumed
        return self._parameters[entity]

    def _visit(self, expr: Expression, scope: Scope, local: Locals) -> None:
        """Collect the constraints of each operator in an expression."""
        if expr.shape == "let":
            scope = self._resolver.let(scope, expr)
            for definition in expr.definitions:
                # The body sees the names bound around the LET, which are in no scope.
                inside = dict[str, Local]((name, {}) for name in definition.parameters)
                self._parameters[scope.names[definition.name]] = tuple(inside.values())
                if definition.body is not None:
                    self._visit(definition.body, scope, {**local, **inside})
            self._visit(expr.arguments[0], scope, local)
            return
        named = expr.shape == "apply" and expr.operator not in local
        entity = scope.find(expr.operator) if named else None
        if entity is not None:
            if entity.kind == "constant":
                self.uses.setdefault(entity, {})[(scope.module.name, expr.span)] = scope.module
            for argument, parameter in zip(expr.arguments, self._read_entity(entity), strict=False):
                constant = scope.named(argument)
                if constant is not None and (id(parameter), constant) in self._guarded:
                    continue  # the operator may test for it before it needs another type
                for constraint in tuple(parameter.values()):
                    # Without the operators that it was passed through.
                    root = constraint.reason.rpartition("where it is ")[2]
                    reason = f"passed to {expr.operator}, where it is {root}"
                    self.push(argument, scope, local, replace(constraint, reason=reason))
        else:
            for part, constraint in operand_constraints(expr):
                self.push(part, scope, local, constraint)
            self._relate(expr, scope, local)
        if expr.shape == "bind":
            self._visit_binding(expr, scope, local)
        else:
            for part in expr.arguments:
                self._visit(part, scope, local)

    def _visit_binding(self, expr: Expression, scope: Scope, local: Locals) -> None:
        names = dict[str, Local]((name, {}) for bound in expr.bounds for name in bound.names)
        inside = {**local, **names}
        for part in expr.arguments:
            self._visit(part, scope, inside)
            if expr.operator in {"\\A", "\\E", "CHOOSE", "{:}"}:
                self.push(part, scope, inside, Constraint(BOOLEAN, "a condition"))
        for bound in expr.bounds:
            if bound.domain is None:
                continue
            self._visit(bound.domain, scope, local)
            if bound.pattern:
                own = Constraint(Type("set", TUPLE), "a set of tuples in a binder")
                domains = _factors(bound.domain, len(bound.names))
            else:
                own = Constraint(SET, f"a set that {' and '.join(bound.names)} ranges over")
                domains = [bound.domain] * len(bound.names)
            self.push(bound.domain, scope, local, own)
            for name, domain in zip(bound.names, domains, strict=False):
                for constraint in tuple(names[name].values()):
                    reason = f"a set that {name} ranges over, which is"
                    self.push(domain, scope, local, constrain_container("set", constraint, reason))

    def _relate(self, expr: Expression, scope: Scope, local: Locals) -> None:
        r"""Push the constraints of ``x \in S`` and ``S \subseteq T``, and note the constants that ``=`` compares."""
        if expr.shape != "apply" or len(expr.arguments) != 2:
            return
        left, right = expr.arguments
        if expr.operator in {"=", "#"}:
            for one, other in ((left, right), (right, left)):
                entity = scope.named(one)
                if entity is not None:
                    self.compared.add(entity)
                    if other.is_name() and other.operator in local:
                        self._guarded[id(local[other.operator]), entity] = local[other.operator]
                    value = scope.named(other)
                    applied = other.shape == "build" and other.operator == "[]"
                    variable = scope.named(other.arguments[0]) if applied else value
                    if variable is not None and variable.kind == "variable" and not self._initial:
                        place = (scope.module.name, one.span)
                        self._variables.setdefault(entity, {})[place] = (variable, applied)
                    if other.operator == "string" or (value is not None and value.kind != "variable"):
                        self.tested.add(entity)
        elif expr.operator in {"\\in", "\\notin"}:
            entity = scope.named(left)
            if entity is not None and not self.assumed:
                self.tested.add(entity)
            wanted = element_type(right, scope) if expr.operator == "\\in" else None
            if wanted is not None:
                constraint = Constraint(wanted, f"an element of {_show(right, scope.module)}")
                self.push(left, scope, local, constraint)
        elif expr.operator == "\\subseteq":
            for one, relation, other in ((left, "subset", right), (right, "superset", left)):
                wanted = element_type(other, scope)
                if wanted is not None:
                    reason = f"a {relation} of {_show(other, scope.module)}"
                    self.push(one, scope, local, Constraint(Type("set", wanted), reason))


def _factors(expr: Expression, count: int) -> list[Expression]:
    """The sets of a Cartesian product of ``count`` sets, none for any other expression."""
    found: list[Expression] = []
    while len(found) < count - 1 and expr.operator == "\\X" and len(expr.arguments) == 2:
        found.insert(0, expr.arguments[1])
        expr = expr.arguments[0]
    return [expr, *found] if len(found) == count - 1 else []


def _show(expr: Expression, module: Module) -> str:
    text = module.excerpt(expr.span)
    return text if len(text) <= 40 else "such values"


_SAYS_BOOLEAN = re.compile(r"\b(whether|boolean|true|false|enabled?)\b", re.IGNORECASE)
_SAYS_MODEL_VALUE = re.compile(r"\bmodel values?\b", re.IGNORECASE)
_SAYS_SET = re.compile(r"\bsets? of\b|\{[^{}]*\}", re.IGNORECASE)
_SAYS_NUMBER = re.compile(r"\b(number|max(imum)?|min(imum)?|limit|how many|count|size)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class ConstantType:
    """The type of a constant's values.

    reason: why, in words.
    where: the occurrence of the constant that decided the type, ``file:line:column``.
    certain: no other type is possible.
    """

    type: Type
    reason: str
    where: str
    certain: bool

    @property
    def kind(self) -> str:
        """The type in words: ``number``, ``set of numbers``, ``function``, ``model value``, ``operator`` and so on."""
        return str(self.type)

    @property
    def demand(self) -> str:
        """The kind that a value must have: instead of a set of model values any set will do."""
        only = self.type.element not in (None, MODEL_VALUE)
        return self.kind if self.type.kind != "set" or only else "set"

    @property
    def needs_value(self) -> bool:
        """Whether a model must assign a value: only a model value has a default, its own name."""
        return self.type != MODEL_VALUE


@deeply
def infer_types(spec: ModuleGraph) -> dict[str, ConstantType]:
    """The type of every constant, by name."""
    inference = _infer(spec)
    return {constant.name: _decide(spec, constant, inference) for constant in spec.constants}


@deeply
def compared_types(spec: ModuleGraph) -> dict[str, ConstantType]:
    """The types of values that the module compares constants with, by name: another type equals none of them.

    Constants that must have some type are left out.
    """
    inference = _infer(spec)
    types = {}
    for constant in spec.constants:
        entity = spec.scope.names[constant.name]
        found = list(inference.constraints(entity))
        if any(each.constraint.strength == REQUIRED for each in found):
            continue
        found = [each for each in found if each.constraint.strength == COMPARED]
        if not found and entity not in inference.tested:
            found = list(inference.compared_with_variables(entity))
        if found:
            types[constant.name] = _weigh(found)
    return types


@deeply
def required_types(
    spec: ModuleGraph, within: Collection[tuple[str, Span]] | None = None
) -> dict[str, ConstantType]:
    """The types that constants must have, by name: with another type some expression fails.

    ``within`` are the modules and places of the expressions that count, besides assumptions; by default all do. Constants
    whose type the module itself tests, as in ``N = Infinity``, are left out.
    """
    inference = _infer(spec)
    types = {}
    for constant in spec.constants:
        entity = spec.scope.names[constant.name]
        found = [
            # Permutations takes any set; only symmetry requires model values.
            replace(each, constraint=replace(each.constraint, type=SET))
            if each.constraint.type == PERMUTED
            else each
            for each in inference.constraints(entity)
            if each.constraint.strength == REQUIRED
            and (within is None or each.assumed or (each.module.name, each.span) in within)
        ]
        if found and not constant.arity and entity not in inference.tested:
            inferred = _weigh(found)
            if all(agree(inferred.type, each.constraint.type) for each in found):
                types[constant.name] = inferred
    return types


def _infer(spec: ModuleGraph) -> Inference:
    inference = Inference(spec.resolver)
    for module in spec.extended:
        inference.read(spec.scope_of(module))
    return inference


def _decide(spec: ModuleGraph, constant: Constant, inference: Inference) -> ConstantType:
    entity = spec.scope.names[constant.name]
    found = list(inference.constraints(entity))
    if entity in inference.compared:
        # A constant that is compared by name may be a branch unlike the others, such as a Nil among records.
        found = [each for each in found if each.constraint.strength > JOINED]
    found = found or list(inference.compared_with_variables(entity))
    if found and not constant.arity:
        return _weigh(found)
    used, hinted = bool(inference.uses.get(entity)), _comment_type(constant.comment)
    if constant.arity:
        # Its uses show what it returns.
        result = _weigh(found).type if found else None
        kind, reason = Type("operator", result), f"declared with {constant.arity} parameters"
    elif any(each.unread and constant in (*each.constants, *spec.constants) for each in spec.modules):
        kind, reason = Type("value"), "tla2py cannot read all that uses it"
    elif hinted is not None and (hinted == MODEL_VALUE or not used):
        kind, reason = hinted, "its comment says so"
    else:
        kind = MODEL_VALUE
        reason = "it is only compared with other values" if used else "nothing uses it"
    where = spec.file_of(constant).where(constant.span)
    return ConstantType(reason=reason, where=where, certain=bool(constant.arity), type=kind)


def _comment_type(comment: str) -> Type | None:
    """The type that a comment mentions, if any."""
    if _SAYS_MODEL_VALUE.search(comment) and not _SAYS_SET.search(comment):
        return MODEL_VALUE
    if _SAYS_BOOLEAN.search(comment):
        return BOOLEAN
    if _SAYS_SET.search(comment):
        return SET
    return NUMBER if _SAYS_NUMBER.search(comment) else None


def _weigh(found: Sequence[PlacedConstraint]) -> ConstantType:
    """The type of the strongest constraints: assumptions, then requirements, then comparisons."""
    strength = max(_strength(each) for each in found)
    strongest = [each for each in found if _strength(each) == strength]
    type_of_strongest = merge([each.constraint.type for each in strongest])
    supporting = [each.constraint.type for each in found if each.constraint.strength > JOINED]
    wanted = merge([type_of_strongest, *supporting])
    deciding = next((each for each in strongest if merge([each.constraint.type]) == wanted), strongest[0])
    required = [each.constraint.type for each in found if each.constraint.strength == REQUIRED]
    return ConstantType(
        reason=f"it is {deciding.constraint.reason}",
        where=deciding.module.where(deciding.span),
        # A set without constraints on its elements may still be of any type.
        certain=deciding.constraint.strength == REQUIRED
        and all(agree(wanted, each) for each in required)
        and merge([type_of_strongest, *required]) == wanted
        and (wanted.kind != "set" or wanted.element is not None),
        type=wanted,
    )


def _strength(placed: PlacedConstraint) -> tuple[int, bool]:
    return (placed.constraint.strength, placed.assumed)
