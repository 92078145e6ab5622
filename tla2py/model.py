"""A model: a module plus everything a config may say, in the words of the user."""

from __future__ import annotations

from dataclasses import dataclass

from tla2py.syntax import Spec


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """What is to be checked.

    ``constants`` assigns TLA+ text to constants; ``replacements`` puts a definition's name or an expression in place of
    a definition (``Name`` or ``[Module]Name``). ``symmetry`` is the name of a definition, or the constants whose
    permutations are to be generated. The other fields are named as in TLC's config.
    """

    spec: Spec
    specification: str | None = None
    init: str | None = None
    next: str | None = None
    constants: tuple[tuple[str, str], ...] = ()
    replacements: tuple[tuple[str, str], ...] = ()
    invariants: tuple[str, ...] = ()
    properties: tuple[str, ...] = ()
    constraints: tuple[str, ...] = ()
    action_constraints: tuple[str, ...] = ()
    postconditions: tuple[str, ...] = ()
    symmetry: str | tuple[str, ...] | None = None
    view: str | None = None
    alias: str | None = None
    check_deadlock: bool = True
