"""A conjunct of the next-state relation of a run on a log."""

from __future__ import annotations

from typing import Literal, NamedTuple

PartKind = Literal["line", "observed", "step"]


class LogPart(NamedTuple):
    """A conjunct on one of the paths through a next-state relation.

    ``kind`` is ``line`` if it depends on the log and no variable of the specification, ``observed`` if it compares them,
    and ``step`` if it does not depend on the log. ``path`` are the definitions that lead to it, ``depth`` is how many
    conjuncts come before it. ``action`` is the action of the specification that it is a part of or stands for. ``line``
    and ``column`` are its place in the user's module.
    """

    kind: PartKind
    text: str
    module: str
    line: int
    column: int
    depth: int
    path: tuple[str, ...]
    action: str | None

    @property
    def place(self) -> str:
        """Module, line and column."""
        return f"{self.module}:{self.line}:{self.column}"
