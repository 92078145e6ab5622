"""Edits of module texts that keep columns: TLA+ ends a list of conjuncts by alignment."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from tla2py.syntax import Span


class Edit(NamedTuple):
    """Text to insert in place of ``removed`` characters; line and column count from 1."""

    line: int
    column: int
    text: str
    removed: int = 0


def edited(lines: Iterable[str], edits: Iterable[Edit], first: int = 1) -> list[str]:
    """Lines of a module, of which the first has the number ``first``, with the edits made."""
    changed = list(lines)
    for line, column, text, removed in sorted(edits, reverse=True):
        old = changed[line - first]
        changed[line - first] = old[: column - 1] + text + old[column - 1 + removed :]
    return changed


def wrapped(span: Span, before: str, after: str) -> tuple[Edit, Edit]:
    """The edits that put text around a span; what is in it and after it stays in its columns."""
    return (
        Edit(span.begin_line, span.begin_column, f"{before}\n{' ' * (span.begin_column - 1)}"),
        Edit(span.end_line, span.end_column + 1, f"{after}\n{' ' * span.end_column}"),
    )
