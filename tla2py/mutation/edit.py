"""Changes of a module's text that keep its lines and, where TLA+ needs it, its columns."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass

from tla2py.syntax import Span
from tla2py.syntax.tokens import without_comments

_BULLET = re.compile(r"/\\|\\/")
_FIRST = re.compile(r"\s*(/\\|\\/)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """Text in place of that of a span."""

    span: Span
    before: str
    after: str

    def apply(self, text: str) -> str:
        """The text with the change.

        It has the same number of lines, and what comes after the span keeps its column if a list of conjuncts begins there.
        """
        span, lines = self.span, text.split("\n")
        head = lines[span.begin_line - 1][: span.begin_column - 1]
        rest = lines[span.end_line - 1][span.end_column :]
        missing = span.end_line - span.begin_line - self.after.count("\n")
        last = head + self.after if "\n" not in self.after else self.after.rpartition("\n")[2]
        filler = "\n" * max(missing, 0)
        if rest.strip() and missing > 0:
            filler += " " * span.end_column
        elif len(last) != span.end_column and _aligned(text, span):
            shorter = len(last) < span.end_column
            filler = " " * (span.end_column - len(last)) if shorter else "\n" + " " * span.end_column
        changed = f"{head}{self.after}{filler}{rest}"
        return "\n".join([*lines[: span.begin_line - 1], changed, *lines[span.end_line :]])


def _aligned(text: str, span: Span) -> bool:
    """Whether a list that begins on the line where a span ends, after it, goes on below."""
    lines = without_comments(text).split("\n")[span.end_line - 1 :]
    after = next((line for line in lines[1:] if line.strip()), "")
    found = _FIRST.match(after)
    columns = {each.start() for each in _BULLET.finditer(lines[0], span.end_column)}
    return found is not None and found.start(1) in columns


class Text:
    """The text of a module, with offsets for lines and columns."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._starts = [0, *(found.end() for found in re.finditer("\n", text))]

    def offset(self, line: int, column: int) -> int:
        """The offset of a line and a column, both from 1."""
        return self._starts[line - 1] + column - 1

    def range(self, span: Span) -> tuple[int, int]:
        """The offsets where a span begins and ends."""
        return self.offset(span.begin_line, span.begin_column), self.offset(
            span.end_line, span.end_column
        ) + 1

    def slice(self, span: Span) -> str:
        """The text of a span."""
        begin, end = self.range(span)
        return self.text[begin:end]

    def span(self, begin: int, end: int) -> Span:
        """The span from an offset up to another, at least one character."""
        first, last = bisect_right(self._starts, begin), bisect_right(self._starts, end - 1)
        return Span(
            begin_line=first,
            begin_column=begin - self._starts[first - 1] + 1,
            end_line=last,
            end_column=end - self._starts[last - 1],
        )

    def operand(self, span: Span) -> tuple[int, int]:
        """The offsets of an operand with the parentheses around it, which its span leaves out."""
        begin, end = self.range(span)
        while True:
            before = len(self.text[:begin].rstrip())
            after = end + len(self.text[end:]) - len(self.text[end:].lstrip())
            if self.text[before - 1 : before] != "(" or self.text[after : after + 1] != ")":
                return begin, end
            begin, end = before - 1, after + 1
