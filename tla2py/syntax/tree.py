"""The only place where tree-sitter parses: text in, a tree with its source out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

import tree_sitter_tlaplus
from tree_sitter import Language, Node, Parser

from tla2py.syntax.module import SyntaxProblem
from tla2py.syntax.term import Span

COMMENTS = frozenset({"comment", "block_comment"})
# PlusCal lives in comments, and what is wrong there is nothing to TLC. Without its keyword tree-sitter takes the
# algorithm for the plain comment it is; the length stays, and with it every position.
_ALGORITHM = re.compile(rb"--(fair[ \t]+)?algorithm\b")
# More of an unreadable text than this tells nobody more.
_QUOTED_LENGTH = 40


@dataclass(frozen=True, slots=True)
class Source:
    """The text of a file as bytes, and what positions in it mean to a reader."""

    content: bytes
    lines: tuple[bytes, ...] = field(repr=False)

    @classmethod
    def of(cls, text: str) -> Source:
        """Return the source of a text."""
        content = text.encode()
        return cls(content, tuple(content.split(b"\n")))

    def text(self, node: Node) -> str:
        """Return what the node spans."""
        return self.content[node.start_byte : self._last(node).end_byte].decode(errors="replace")

    def column(self, row: int, offset: int) -> int:
        """Return the number of characters before the offset, in bytes, of a row counted from 0."""
        line = self.lines[row][:offset]
        return len(line) if line.isascii() else len(line.decode(errors="replace"))

    def _last(self, node: Node) -> Node:
        """Return the node's last token: a list of conjuncts reaches up to what follows it, comments and all."""
        while node.end_byte > node.start_byte and self.content[node.end_byte - 1] in b" \t\n":
            inner = [c for c in node.children if c.type not in COMMENTS and c.end_byte > c.start_byte]
            if not inner:
                break
            node = inner[-1]
        return node

    def span(self, node: Node) -> Span:
        """Return where the node is."""
        begin, end = node.start_point, self._last(node).end_point
        return Span(
            begin_line=begin.row + 1,
            begin_column=self.column(begin.row, begin.column) + 1,
            end_line=end.row + 1,
            end_column=max(1, self.column(end.row, end.column)),
        )


def parse_tree(source: Source) -> Node:
    """Return the root of the tree of a text; what cannot be read is in it as ERROR and MISSING nodes."""
    masked = _ALGORITHM.sub(lambda found: b" " * len(found[0]), source.content)
    return Parser(Language(tree_sitter_tlaplus.language())).parse(masked).root_node


def has_algorithm(source: Source) -> bool:
    """Return whether the text has a PlusCal algorithm."""
    return _ALGORITHM.search(source.content) is not None


def find_problems(root: Node, source: Source) -> Iterator[SyntaxProblem]:
    """Yield what cannot be read below the node, in the order of the text."""
    if root.is_missing:
        yield SyntaxProblem(span=source.span(root), message=f"{root.type} is missing here")
    elif root.is_error:
        quoted = " ".join(source.text(root).split())
        if len(quoted) > _QUOTED_LENGTH:
            quoted = quoted[:_QUOTED_LENGTH] + "..."
        yield SyntaxProblem(span=source.span(root), message=f"cannot be read as TLA+: {quoted}")
    elif root.has_error:
        for child in root.children:
            yield from find_problems(child, source)
