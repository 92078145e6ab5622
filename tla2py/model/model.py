"""A model: a module plus everything a config may say, in the words of the user."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass, field, replace

from tla2py.errors import InputError
from tla2py.model.config import Assignment, Config, Substitution
from tla2py.syntax import ModuleGraph
from tla2py.syntax.types import infer_types
from tla2py.syntax.types.example_values import guess_values


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """A module with what a config says, and with values that a config may not be able to say.

    ``constants`` assigns TLA+ text to constants; ``replacements`` puts a definition's name or an expression in place of
    a definition (``Name`` or ``[Module]Name``). ``permuted`` are constants whose permutations are to be the symmetry.
    """

    spec: ModuleGraph
    config: Config = field(default_factory=Config)
    constants: tuple[Assignment, ...] = ()
    replacements: tuple[Substitution, ...] = ()
    permuted: tuple[str, ...] = ()


def constant_values(
    spec: ModuleGraph,
    assigned: Mapping[str, str],
    replaced: Container[str],
    where: str,
    how: Callable[[str, str], str],
) -> tuple[Assignment, ...]:
    """Every constant of a module with its value; one assigned nowhere is the model value of its own name.

    Raises InputError (``unassigned``) for one that must be a number, a set or the like; ``where`` is what was being
    read and ``how(name, value)`` writes how a constant is assigned there.
    """
    values = []
    types = None
    for constant in spec.constants:
        name = constant.name
        if name in replaced:
            continue
        if name not in assigned:
            types = types or infer_types(spec)
            kind = types[name]
            if kind.needs_value:
                example = how(name, guess_values(spec, types)[name])
                raise InputError(
                    "unassigned",
                    f"constant {name} is assigned nowhere and must be a {kind.demand}: {kind.reason}",
                    where=where,
                    hint=f"{kind.where} needs it; give it a value, such as {example}",
                )
        values.append(Assignment(name, assigned.get(name, name)))
    return tuple(values)


def without_names(config: Config, given: Container[str]) -> Config:
    """The config without what it says of names that are given a value elsewhere.

    Names are ``Name``, or ``[Module]Name`` for what a config says of one module.
    """
    return replace(
        config,
        assignments=tuple(each for each in config.assignments if _given_name(*each) not in given),
        substitutions=tuple(each for each in config.substitutions if _given_name(*each) not in given),
    )


def assigned_names(config: Config) -> set[str]:
    """The names that a config gives a value, operators without their arguments."""
    return {name.partition("(")[0] for name, _ in (*config.assignments, *config.substitutions)}


def _given_name(name: str, value: str) -> str:
    module = re.match(r"\[\w+\]", value)
    return (module[0] if module else "") + name.partition("(")[0]


def default_specification(spec: ModuleGraph, where: str, how: Callable[[str, str], str]) -> str:
    """``Spec``, where the module defines it. Raises InputError (``no-specification``), which says what to write.

    ``how(key, name)`` writes ``specification``, ``init`` or ``next`` as it is written where this was asked.
    """
    if "Spec" in spec.definitions:
        return "Spec"
    hint = f"define one in {spec.root.name}, such as Spec == Init /\\ [][Next]_vars, and name it"
    if spec.candidates.specifications:
        hint = f"write {how('specification', spec.candidates.specifications[0])}"
        others = spec.candidates.specifications[1:]
        hint += f"; other candidates: {', '.join(others)}" if others else ""
    elif spec.candidates.inits and spec.candidates.nexts:
        hint = f"write {how('init', spec.candidates.inits[0])} and {how('next', spec.candidates.nexts[0])}"
    raise InputError(
        "no-specification",
        f"no specification is named and {spec.root.name} defines no Spec",
        where=where,
        hint=hint,
    )


def unnameable(name: str, definitions: Container[str], where: str | None) -> InputError | None:
    """The error for a definition of a named instance such as ``I!Inv``, which a config has no way to name."""
    if "!" not in name or name not in definitions:
        return None
    alone = name.rpartition("!")[2]
    alone = f"{alone}_" if alone in definitions else alone
    return InputError(
        "instance-name",
        f"{name} belongs to a named instance, and TLC's configs have no way to name it",
        where=where,
        hint=f"give it a name in the module: {alone} == {name}, and write {alone} here",
    )
