"""The parts of a TLC config, named as in TLC's grammar."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple

# What a parameter of a sweep changes in a model.
ParameterKind = Literal[
    "constant", "definition", "model", "module", "config", "seed", "environment", "java_properties", "log"
]
# The fields of a config that name one definition, and those that list definitions.
NAME_FIELDS = ("specification", "init", "next", "symmetry", "view", "alias", "periodic", "rl_reward")
LIST_FIELDS = ("invariants", "properties", "constraints", "action_constraints", "postconditions", "possible")


class Assignment(NamedTuple):
    """``name = value`` of a config; a tuple because users' templates unpack it."""

    name: str
    value: str


class Substitution(NamedTuple):
    """``name <- definition`` of a config, ``definition`` perhaps with a ``[Module]`` before it; a tuple for the same reason."""

    name: str
    definition: str


def qualified(name: str, value: str) -> str:
    """``Name``, or ``[Module]Name`` if the value names a module; without the arguments of an operator."""
    module = re.match(r"\[\w+\]", value)
    return (module[0] if module else "") + name.partition("(")[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """The content of a TLC config; assignments and substitutions are in the order written."""

    specification: str | None = None
    init: str | None = None
    next: str | None = None
    assignments: tuple[Assignment, ...] = ()
    substitutions: tuple[Substitution, ...] = ()
    invariants: tuple[str, ...] = ()
    properties: tuple[str, ...] = ()
    constraints: tuple[str, ...] = ()
    action_constraints: tuple[str, ...] = ()
    postconditions: tuple[str, ...] = ()
    possible: tuple[str, ...] = ()
    symmetry: str | None = None
    view: str | None = None
    alias: str | None = None
    periodic: str | None = None
    rl_reward: str | None = None
    check_deadlock: bool = True

    def names(self) -> Iterator[tuple[str, str]]:
        """The names of definitions, each with its field."""
        for field in (*NAME_FIELDS, *LIST_FIELDS):
            value = getattr(self, field)
            yield from ((field, name) for name in (value if isinstance(value, tuple) else (value,)) if name)
