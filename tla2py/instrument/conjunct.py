"""A conjunct of an invariant or of an action, with its place in the user's module."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Role = Literal["conjunct", "condition", "part", "body"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Conjunct:
    """A part of an invariant.

    It is a conjunct, the condition of an implication, IF or CASE, or at a greater ``depth`` a part of the conjunct before
    it: of a disjunction or a negation, or the body of a quantifier. ``decisive`` is the value that counts if it has several,
    one for each binding. ``unbound`` are the names of a ``\\E``: if it is FALSE, none of their values is to blame.
    ``definition`` is the name of the definition that it is written in, ``line`` and ``column`` its place in the user's
    module.
    """

    text: str
    role: Role
    definition: str
    module: str
    line: int
    column: int
    depth: int = 0
    decisive: bool = False
    unbound: tuple[str, ...] = ()

    @property
    def place(self) -> str:
        """Module, line and column."""
        return f"{self.module}:{self.line}:{self.column}"
