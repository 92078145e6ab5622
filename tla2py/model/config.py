"""The parts of a TLC config, named as in TLC's own grammar."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

# The fields that name one definition, and those that list definitions.
NAME_FIELDS = ("specification", "init", "next", "symmetry", "view", "alias")
LIST_FIELDS = ("invariants", "properties", "constraints", "action_constraints", "postconditions")


class Assignment(NamedTuple):
    """``name = value`` of a config. Templates of users take it apart as a pair."""

    name: str
    value: str


class Substitution(NamedTuple):
    """``name <- definition`` of a config, ``definition`` with its ``[Module]`` before it. Templates take it apart as a pair."""

    name: str
    definition: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """The parts of a TLC config from which its text is rendered, assignments and substitutions in the order written."""

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
    symmetry: str | None = None
    view: str | None = None
    alias: str | None = None
    check_deadlock: bool = True
