"""Edits of module texts that keep columns: TLA+ ends a list of conjuncts by alignment."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from tla2py.syntax import Span


class Edit(NamedTuple):
    """Text to insert in place of ``removed`` characters; line and column count from 1."""

    line: int
    column: int
    text: str
    removed: int = 0

    @property
    def place(self) -> tuple[int, int]:
        """The line and the column."""
        return self.line, self.column


def edited(lines: Iterable[str], edits: Iterable[Edit], first: int = 1) -> list[str]:
    """Lines of a module, of which the first has the number ``first``, with the edits made.

    Of several edits at one place, the text of the first comes first.
    """
    changed = list(lines)
    for line, column, text, removed in sorted(edits, key=lambda each: each.place)[::-1]:
        old = changed[line - first]
        changed[line - first] = old[: column - 1] + text + old[column - 1 + removed :]
    return changed


def wrapped(span: Span, before: str, inside: Iterable[Edit], after: str) -> Iterator[Edit]:
    """The edits that put text around a span, and those ``inside`` it; what is in it and after it stays in its columns."""
    yield Edit(span.begin_line, span.begin_column, f"{before}\n{' ' * (span.begin_column - 1)}")
    yield from inside
    yield Edit(span.end_line, span.end_column + 1, f"{after}\n{' ' * span.end_column}")
