"""The comments that belong to declarations."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tree_sitter import Node

from tla2py.syntax.expression import Span
from tla2py.syntax.tree import SourceText

# The lines of a comment that draw a box or a rule.
_RULE = re.compile(r"^[\s*=\-~_+#/|]*$")


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment, its words on one line; ``alone`` if its first line has nothing but comments before it."""

    span: Span
    text: str
    alone: bool


class Comments:
    """The comments of a file, by line."""

    def __init__(self, nodes: Iterable[Node], source: SourceText) -> None:
        self._all: list[Comment] = []
        for node in nodes:
            span = source.span(node)
            before = (
                source.lines[span.begin_line - 1][: node.start_point.column].decode(errors="replace").strip()
            )
            # A second comment on a line belongs with the first.
            follows = (
                bool(self._all) and self._all[-1].span.end_line == span.begin_line and self._all[-1].alone
            )
            alone = not before or (follows and before.endswith("*)"))
            self._all.append(Comment(span, _clean(source.text(node)), alone))

    def above(self, line: int) -> str:
        """The words of the comments right above a line."""
        found: list[str] = []
        expected = line - 1
        for comment in reversed(self._all):
            if comment.span.end_line > expected or not comment.alone:
                continue
            if comment.span.end_line < expected:
                break
            found.append(comment.text)
            expected = comment.span.begin_line - 1
        return " ".join(part for part in reversed(found) if part)

    def beside(self, name: Span, limit: tuple[int, int]) -> tuple[str, int]:
        """The words of the comments after a name, and their last line, 0 without any.

        Comments from ``limit`` on, a line and column, do not count. Following lines of comment with the same indent
        belong to the first one.
        """
        words: list[str] = []
        column, last = 0, 0
        for comment in self._all:
            begin = (comment.span.begin_line, comment.span.begin_column)
            if begin < (name.end_line, name.end_column) or begin >= limit:
                continue
            if not last:
                if comment.span.begin_line != name.end_line:
                    break
                column = comment.span.begin_column
            elif comment.span.begin_line == last + 1 and comment.alone:
                # Indented like the names rather than the comment: it belongs to the next name.
                if abs(comment.span.begin_column - column) >= abs(
                    comment.span.begin_column - name.begin_column
                ):
                    break
            elif comment.span.begin_line != last:
                break
            words.append(comment.text)
            last = comment.span.end_line
        return " ".join(word for word in words if word), last


def comment_names(names: Sequence[Span], declaration: Span, comments: Comments) -> tuple[str, list[str]]:
    """The comment above a declaration, and one comment for each declared name.

    A name's comment is the one after it on its line, or else the one right above it. The last comment on a line is for
    all its names without one. A single name without a comment has the one above the declaration.
    """
    group = comments.above(declaration.begin_line)
    own: list[str] = []
    taken = 0
    for index, name in enumerate(names):
        following = names[index + 1] if index + 1 < len(names) else None
        limit = (following.begin_line, following.begin_column) if following else (2**31, 0)
        words, last = comments.beside(name, limit)
        starts_line = index == 0 or names[index - 1].end_line < name.begin_line
        # The first name of "CONSTANTS A" has above it what is above the declaration.
        if not words and starts_line and name.begin_line > max(declaration.begin_line, taken + 1):
            words = comments.above(name.begin_line)
        own.append(words)
        taken = max(taken, last)
    for index in range(len(names) - 2, -1, -1):
        if not own[index] and names[index].end_line == names[index + 1].begin_line:
            own[index] = own[index + 1]
    if len(names) == 1 and not own[0]:
        own[0] = group
    return group, own


def _clean(raw: str) -> str:
    """The words of a comment without its delimiters, rules and boxes."""
    lines = (
        line.strip().removeprefix("(*").removesuffix("*)").removeprefix("\\*") for line in raw.splitlines()
    )
    words = (line.strip("* \t") for line in lines if not _RULE.match(line))
    return " ".join(" ".join(words).split())
