"""The type of each constant, inferred from its uses or else from its comment."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from tla2py.syntax.depth import deeply
from tla2py.syntax.module import Constant
from tla2py.syntax.module_graph import ModuleGraph
from tla2py.syntax.types.constraints import COMPARED, JOINED, REQUIRED
from tla2py.syntax.types.infer import Inference
from tla2py.syntax.types.propagate import PlacedConstraint
from tla2py.syntax.types.type import BOOLEAN, MODEL_VALUE, NUMBER, SET, Type, agree, merge

_PERMUTED = Type("set", MODEL_VALUE)
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
def required_types(spec: ModuleGraph) -> dict[str, ConstantType]:
    """The types that constants must have, by name: with another type some expression fails.

    Constants whose type the module itself tests, as in ``N = Infinity``, are left out.
    """
    inference = _infer(spec)
    types = {}
    for constant in spec.constants:
        entity = spec.scope.names[constant.name]
        found = [
            # Permutations takes any set; only symmetry requires model values.
            replace(each, constraint=replace(each.constraint, type=SET))
            if each.constraint.type == _PERMUTED
            else each
            for each in inference.constraints(entity)
            if each.constraint.strength == REQUIRED
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
    where = spec.file_of(constant).where(constant.span)
    if constant.arity:
        return ConstantType(
            reason=f"declared with {constant.arity} parameters",
            where=where,
            certain=True,
            type=Type("operator"),
        )
    entity = spec.scope.names[constant.name]
    found = list(inference.constraints(entity))
    if entity in inference.compared:
        # A constant that is compared by name may be a branch unlike the others, such as a Nil among records.
        found = [each for each in found if each.constraint.strength > JOINED]
    if found := found or list(inference.compared_with_variables(entity)):
        return _weigh(found)
    used = bool(inference.uses.get(entity))
    for comment in (constant.comment, constant.group):
        hinted = _comment_type(comment)
        if hinted is not None and (hinted == MODEL_VALUE or not used):
            return ConstantType(reason="its comment says so", where=where, certain=False, type=hinted)
    reason = "it is only compared with other values" if used else "nothing uses it"
    return ConstantType(reason=reason, where=where, certain=False, type=MODEL_VALUE)


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
