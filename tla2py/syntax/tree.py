"""The only place where tree-sitter parses: text in, a tree with its source out."""

from __future__ import annotations

import re
import warnings
from dataclasses import dataclass, field
from functools import lru_cache

import tree_sitter_tlaplus
from tree_sitter import Language, LogType, Node, Parser

from tla2py.syntax.expression import Span
from tla2py.syntax.module import SyntaxProblem

COMMENTS = frozenset({"comment", "block_comment"})
# PlusCal lives in comments, and what is wrong there is nothing to TLC. Without its keyword tree-sitter takes the
# algorithm for the plain comment it is; the length stays, and with it every position.
_ALGORITHM = re.compile(rb"--(fair[ \t]+)?algorithm\b")
_TOKEN = re.compile(r'"[^"]*"?|\\?\w+|\(\*|\\\*|[^\w\s"]+|.')
# What stands between tokens; other white space is no more than a stray character.
_BLANKS = " \t\r\v\f"
_ADVANCE = re.compile(r"process .*row:(\d+), col:(\d+)")


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
    return Parser(_language()).parse(_masked(source)).root_node


def has_algorithm(source: Source) -> bool:
    """Return whether the text has a PlusCal algorithm."""
    return _ALGORITHM.search(source.content) is not None


def find_problem(source: Source) -> SyntaxProblem:
    """Return the first place at which a text that cannot be read goes wrong.

    The tree does not tell it: its ERROR nodes take in what was read well before. So the text is parsed once more,
    listening to how far the parser comes before it begins to mend.
    """
    reached = divided = (0, 0)
    mending = False

    def listen(_: LogType, message: str) -> None:
        nonlocal reached, divided, mending
        if not mending:
            mending = message.startswith(("recover", "skip_token"))
            found = _ADVANCE.match(message)
            if found is not None:
                reached = max(reached, (int(found[1]), int(found[2])))
            elif message == "lexed_lookahead sym:=, size:1":
                divided = (reached[0], reached[1] - 1)

    parser = Parser(_language())
    parser.logger = listen
    parser.parse(_masked(source))
    # Where == cannot stand tree-sitter tries = twice, the second one as an operand, and stumbles only after that.
    row, offset = divided
    if reached == (row, offset + 2) and source.lines[row][offset : offset + 2] == b"==":
        reached = divided
    return _describe(source, *reached)


def _describe(source: Source, row: int, offset: int) -> SyntaxProblem:
    """Return the problem with the first token after a position."""
    while row < len(source.lines) and not source.lines[row][offset:].strip():
        row, offset = row + 1, 0
    if row >= len(source.lines):
        row, offset = len(source.lines) - 1, len(source.lines[-1])
        return SyntaxProblem(
            span=_point(row + 1, source.column(row, offset) + 1), message="the text ends too early"
        )
    rest = source.lines[row][offset:].decode(errors="replace")
    column = source.column(row, offset) + len(rest) - len(rest.lstrip(_BLANKS)) + 1
    if source.lines[row].lstrip().startswith(b"===="):
        begin = len(source.lines[row]) - len(source.lines[row].lstrip()) + 1
        return SyntaxProblem(span=_point(row + 1, begin), message="the module ends too early")
    found = _TOKEN.match(rest.lstrip(_BLANKS))
    assert found is not None
    span = Span(
        begin_line=row + 1, begin_column=column, end_line=row + 1, end_column=column + len(found[0]) - 1
    )
    return SyntaxProblem(span=span, message=f"unexpected {printable(found[0])}")


def printable(text: str) -> str:
    """Return a text for a message, with escapes for what a terminal would not show or would obey."""
    return "".join(char if char.isprintable() else repr(char)[1:-1] for char in text)


def _point(line: int, column: int) -> Span:
    return Span(begin_line=line, begin_column=column, end_line=line, end_column=column)


def _masked(source: Source) -> bytes:
    return _ALGORITHM.sub(lambda found: b" " * len(found[0]), source.content)


@lru_cache(maxsize=1)
def _language() -> Language:
    with warnings.catch_warnings():
        # tree-sitter-tlaplus 1.5 still hands its grammar over as a number, of which tree-sitter warns.
        warnings.simplefilter("ignore", DeprecationWarning)
        return Language(tree_sitter_tlaplus.language())
