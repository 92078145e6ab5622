"""What kind of value each constant wants, judged by its uses and, where there are none, by its comment."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from tla2py.syntax.depth import deeply
from tla2py.syntax.module import Constant
from tla2py.syntax.module_graph import ModuleGraph
from tla2py.syntax.scope import Entity
from tla2py.syntax.types.constraints import BOOLEAN, JOINED, NUMBER, REQUIRED, SET, Need
from tla2py.syntax.types.infer import Evidence, Inference

MODEL_VALUE = "model value"
_PERMUTED = Need("set", Need(MODEL_VALUE))
_PLURALS = {
    "number": "numbers",
    "boolean": "booleans",
    "string": "strings",
    "set": "sets",
    "function": "functions",
    "sequence": "sequences",
    "record": "records",
    "tuple": "tuples",
    "model value": "model values",
}
# A value of the second kind can be used as one of the first.
_NARROWER = {
    "function": ("sequence", "record", "tuple"),
    "sequence": ("tuple",),
}
_SAYS_BOOLEAN = re.compile(r"\b(whether|boolean|true|false|enabled?)\b", re.IGNORECASE)
_SAYS_MODEL_VALUE = re.compile(r"\bmodel values?\b", re.IGNORECASE)
_SAYS_SET = re.compile(r"\bsets? of\b|\{[^{}]*\}", re.IGNORECASE)
_SAYS_NUMBER = re.compile(r"\b(number|max(imum)?|min(imum)?|limit|how many|count|size)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class ConstantKind:
    """The kind of value a constant wants.

    ``kind`` is ``number``, ``boolean``, ``string``, ``set of numbers`` (strings, model values and so on),
    ``function``, ``sequence``, ``record``, ``tuple``, ``operator`` or ``model value``. ``reason`` says why in
    words, ``where`` (``file:line:column``) is the occurrence of the constant that decided. It is ``certain`` if
    no other kind could be meant. ``need`` is the kind in full, with that of elements of elements.
    """

    kind: str
    reason: str
    where: str
    certain: bool
    need: Need

    @property
    def demand(self) -> str:
        """What a value has to be: ``kind``, but for a set of model values any set, which does as well."""
        only = self.need.element not in (None, Need(MODEL_VALUE))
        return self.kind if self.need.kind != "set" or only else "set"


@dataclass(frozen=True, slots=True, kw_only=True)
class Use:
    """An occurrence of a constant: ``where`` is ``file:line:column``, ``needs`` the kinds of value wanted there."""

    where: str
    needs: tuple[str, ...]


@deeply
def infer_kinds(spec: ModuleGraph) -> dict[str, ConstantKind]:
    """Return the kind of every constant of a specification, by name."""
    inference = _infer(spec)
    return {constant.name: _decide(spec, constant, inference) for constant in spec.constants}


@deeply
def required_kinds(spec: ModuleGraph) -> dict[str, ConstantKind]:
    """Return the kinds without which some place has no value, of the constants that have one, by name.

    A constant whose kind the module asks for itself, as in ``N = Infinity``, has none.
    """
    inference = _infer(spec)
    kinds = {}
    for constant in spec.constants:
        entity = _entity(spec, constant.name)
        found = [
            # Permutations are of anything; symmetry alone wants model values.
            replace(each, claim=replace(each.claim, need=SET)) if each.claim.need == _PERMUTED else each
            for each in inference.evidence.get(entity, {}).values()
            if each.claim.strength == REQUIRED
        ]
        if found and not constant.arity and entity not in inference.told_apart:
            kind = _weigh(found)
            if all(agree(kind.need, each.claim.need) for each in found):
                kinds[constant.name] = kind
    return kinds


@deeply
def find_uses(spec: ModuleGraph, constant: str) -> tuple[Use, ...]:
    """Return the occurrences of a constant in all modules reached, those in the root first.

    Raises ``KeyError`` for what is no constant of the specification.
    """
    entity = _entity(spec, constant)
    inference = _infer(spec)
    needs: dict[tuple[str, object], list[str]] = {}
    for evidence in inference.evidence.get(entity, {}).values():
        needs.setdefault((evidence.module.name, evidence.span), []).append(_name(evidence.claim.need))
    order = {module.name: index for index, module in enumerate(spec.modules)}
    found = sorted(
        inference.uses.get(entity, {}).items(),
        key=lambda use: (order.get(use[0][0], 0), use[0][1].begin_line, use[0][1].begin_column),
    )
    return tuple(
        Use(where=module.where(key[1]), needs=tuple(dict.fromkeys(needs.get(key, ()))))
        for key, module in found
    )


def needs_definition(kind: ConstantKind) -> bool:
    """Return whether a constant must be given a value: only a plain model value may be left to its own name."""
    return kind.kind != MODEL_VALUE


def _infer(spec: ModuleGraph) -> Inference:
    inference = Inference(spec.resolver)
    for module in spec.extended:
        inference.read(spec.scope_of(module))
    return inference


def _entity(spec: ModuleGraph, name: str) -> Entity:
    entity = spec.scope.names[name]
    if entity.kind != "constant":
        raise KeyError(name)
    return entity


def _decide(spec: ModuleGraph, constant: Constant, inference: Inference) -> ConstantKind:
    where = spec.file_of(constant).where(constant.span)
    if constant.arity:
        return ConstantKind(
            kind="operator",
            reason=f"declared with {constant.arity} parameters",
            where=where,
            certain=True,
            need=Need("operator"),
        )
    entity = _entity(spec, constant.name)
    found = list(inference.evidence.get(entity, {}).values())
    if entity in inference.compared:
        # Asked for by name, it may be the branch that is not what the others are, as a Nil among records.
        found = [each for each in found if each.claim.strength > JOINED]
    if found:
        return _weigh(found)
    used = bool(inference.uses.get(entity))
    for comment in (constant.comment, constant.group):
        said = _said(comment)
        if said is not None and (said.kind == MODEL_VALUE or not used):
            return ConstantKind(
                kind=_name(said), reason="its comment says so", where=where, certain=False, need=said
            )
    reason = "it is only compared with other values" if used else "nothing uses it"
    return ConstantKind(kind=MODEL_VALUE, reason=reason, where=where, certain=False, need=Need(MODEL_VALUE))


def _said(comment: str) -> Need | None:
    """Return the kind that a comment speaks of, if any."""
    if _SAYS_MODEL_VALUE.search(comment) and not _SAYS_SET.search(comment):
        return Need(MODEL_VALUE)
    if _SAYS_BOOLEAN.search(comment):
        return BOOLEAN
    if _SAYS_SET.search(comment):
        return SET
    return NUMBER if _SAYS_NUMBER.search(comment) else None


def _weigh(found: Sequence[Evidence]) -> ConstantKind:
    """Return the kind that the strongest evidence asks for: assumptions, then needs, then comparisons."""
    strength = max(_strength(each) for each in found)
    strongest = [each for each in found if _strength(each) == strength]
    need_of_strongest = _merge([each.claim.need for each in strongest])
    supporting = [each.claim.need for each in found if each.claim.strength > JOINED]
    need = _merge([need_of_strongest, *supporting])
    deciding = next((each for each in strongest if _merge([each.claim.need]) == need), strongest[0])
    required = [each.claim.need for each in found if each.claim.strength == REQUIRED]
    kind = _name(need)
    return ConstantKind(
        kind=kind,
        reason=f"it is {deciding.claim.reason}",
        where=deciding.module.where(deciding.span),
        # That nothing is wanted of a set's elements is no proof.
        certain=deciding.claim.strength == REQUIRED
        and all(agree(need, each) for each in required)
        and _merge([need_of_strongest, *required]) == need
        and (need.kind != "set" or need.element is not None),
        need=need,
    )


def _strength(evidence: Evidence) -> tuple[int, bool]:
    return (evidence.claim.strength, evidence.assumed)


def _merge(needs: Sequence[Need]) -> Need:
    """Return the most telling of needs, as far as they agree with the first."""
    result = needs[0]
    for need in needs[1:]:
        if not agree(result, need):
            continue
        kind = need.kind if need.kind in _NARROWER.get(result.kind, ()) else result.kind
        elements = [each for each in (result.element, need.element) if each is not None]
        result = Need(kind, _merge(elements) if elements else None)
    return result


def agree(one: Need, other: Need) -> bool:
    """Return whether one value can be of both kinds."""
    if one.kind == other.kind:
        return one.element is None or other.element is None or agree(one.element, other.element)
    return other.kind in _NARROWER.get(one.kind, ()) or one.kind in _NARROWER.get(other.kind, ())


def _name(need: Need) -> str:
    if need.kind != "set":
        return need.kind
    return f"set of {_PLURALS[need.element.kind] if need.element is not None else 'model values'}"
