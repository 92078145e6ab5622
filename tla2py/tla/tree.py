"""The tree of a text by tree-sitter, its first syntax error, and deep recursion for nested expressions."""

from __future__ import annotations

import re
import sys
import warnings
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache, wraps
from itertools import accumulate, islice
from typing import ParamSpec, TypeVar

import tree_sitter_tlaplus
from tree_sitter import Language, LogType, Node, Parser

from tla2py.errors import InputError
from tla2py.tla.forms import arm_on_lines_of_its_own, replace_forms
from tla2py.tla.module import Span, SyntaxMistake

# Deeper than SANY itself gets with the stack of a thread, and safe for the C stack of Python 3.11.
_FRAMES = 8000

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")


def deeply(function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """The function with a higher recursion limit, as for a function of a thousand pairs or a long chain of ELSE IF.

    Beyond that it raises ``InputError`` ``too-deep``.
    """

    @wraps(function)
    def follow(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Result:
        # It stays so: another thread may be deep in an expression when this one returns.
        sys.setrecursionlimit(max(sys.getrecursionlimit(), _FRAMES))
        try:
            return function(*args, **kwargs)
        except RecursionError:
            raise InputError(
                "too-deep", "an expression is nested too deeply", hint="split it into several definitions"
            ) from None

    return follow


COMMENTS = frozenset({"comment", "block_comment"})
# A comment between modules, as TLC writes it into traces; the grammar would begin a module there.
_COMMENTED = re.compile(r"^[ \t]*\\\*.*-{4,}[ \t]*MODULE\b.*$", re.MULTILINE)
# TLC ignores PlusCal, which is a comment. With its keyword blanked out tree-sitter ignores it too, and every position
# stays the same.
_ALGORITHM = re.compile(rb"--(fair[ \t]+)?algorithm\b")
# Names that the grammar takes for sets and truth values, and SANY for the fields of records too. Comments are taken whole: to
# go back into them takes for ever where commas and blanks at the ends of lines are many.
_FIELD = re.compile(
    rb"([\[,](?:\s|\(\*(?:[^*]|\*(?!\)))*+\*\)|\\\*[^\n]*+)*+)(Nat|Int|Real|STRING|BOOLEAN|TRUE|FALSE)"
    rb"(?=\s*(?:\|->|:(?![:=>])))"
)
# An operator symbol that ends a name: COp!@!++ is an operator without its arguments. None ends a comment.
_SYMBOL = re.compile(
    rb"(?<=[\w)@:<>]!)(?:\\[A-Za-z]+|/\\|\\/|<=>|=>|~>|:>|-\+->|=<|<[:=]?(?!<)|>=?(?!>)|@@|::?=|\.{2,3}|-\."
    rb"|[-+*/^&|%$?#=~']{1,3}+)(?=[\s,)\]}]|>>)(?!\s*\()(?<!\*(?=\)))"
)
# A comment at the beginning of a definition's line. The grammar takes the name for a part of a list above it, which ends
# further to the left; where dashes are in the comment's place, as between sections of a module, it does not.
_LED = re.compile(rb"^\(\*(?:[^*\n]|\*(?!\)))*\*\)(?=[ \t]*\w[\w\s,()]*==)", re.MULTILINE)
_TOKEN = re.compile(r'"[^"]*"?|\\?\w+|\(\*|\\\*|[^\w\s"]+|.')
# White space between tokens; any other is a stray character.
_BLANKS = " \t\r\v\f"
_ADVANCE = re.compile(r"process .*row:(\d+), col:(\d+)")


@dataclass(frozen=True, slots=True)
class SourceText:
    """The text of a file, with its bytes to convert tree-sitter's positions.

    ``content`` and its ``lines`` have spaces for tabs up to every eighth column, as SANY counts columns, but not in and
    after a string. ``tabbed`` has, by row, where each character of a line with tabs is in that.
    """

    whole: str
    content: bytes = field(repr=False)
    lines: tuple[bytes, ...] = field(repr=False)
    tabbed: Mapping[int, list[int]] = field(repr=False)
    starts: tuple[int, ...] = field(repr=False)
    """The offset in ``content`` at which each of the lines begins."""

    @classmethod
    def of(cls, text: str, *, keep_tabs: bool = False) -> SourceText:
        """The source of a text, every line end made ``\\n``: TLC counts lines the same way."""
        text = text.replace("\r\n", "\n").replace("\r", "\n")
        lines = text.split("\n")
        tabbed = {}
        for row, line in enumerate(lines) if "\t" in text and not keep_tabs else ():
            if "\t" in line:
                before, quote, rest = line.partition('"')
                wide = before.expandtabs(8)
                lines[row] = f"{wide}{quote}{rest}"
                ends = [len(before[:end].expandtabs(8)) for end in range(len(before))]
                tabbed[row] = [*ends, *range(len(wide), len(lines[row]) + 1)]
        content = _COMMENTED.sub(lambda found: " " * len(found[0]), "\n".join(lines)).encode()
        lines_of_bytes = tuple(content.split(b"\n"))
        lengths = (len(line) + 1 for line in lines_of_bytes[:-1])
        starts = tuple(accumulate(lengths, initial=0))
        return cls(text, content, lines_of_bytes, tabbed, starts)

    def text(self, node: Node) -> str:
        """The text of a node."""
        return self.content[node.start_byte : self._last(node).end_byte].decode(errors="replace")

    def column(self, row: int, offset: int) -> int:
        """The number of characters before a byte offset in a row, both counted from 0."""
        line = self.lines[row][:offset]
        count = len(line) if line.isascii() else len(line.decode(errors="replace"))
        return bisect_left(self.tabbed[row], count) if row in self.tabbed else count

    def row_and_offset(self, position: int) -> tuple[int, int]:
        """Return the row of a byte of the content, and its offset in that row, both counted from 0.

        A node's own ``start_point`` may be another one: the grammar can be given further line ends, see ``parse_tree``.
        """
        row = bisect_right(self.starts, position) - 1
        return row, position - self.starts[row]

    def row(self, node: Node) -> int:
        """Return the row in which a node begins, counted from 0."""
        return self.row_and_offset(node.start_byte)[0]

    def _last(self, node: Node) -> Node:
        """The node's last token: a list of conjuncts includes the white space and comments after it."""
        while node.end_byte > node.start_byte and self.content[node.end_byte - 1] in b" \t\n":
            inner = [c for c in node.children if c.type not in COMMENTS and c.end_byte > c.start_byte]
            if not inner:
                break
            node = inner[-1]
        return node

    def span(self, node: Node) -> Span:
        """The span of a node."""
        begin_row, begin_offset = self.row_and_offset(node.start_byte)
        end_row, end_offset = self.row_and_offset(self._last(node).end_byte)
        return Span(
            begin_line=begin_row + 1,
            begin_column=self.column(begin_row, begin_offset) + 1,
            end_line=end_row + 1,
            end_column=max(1, self.column(end_row, end_offset)),
        )


def parse_tree(source: SourceText) -> Node:
    """The root of a text's tree, with ERROR and MISSING nodes for what does not parse."""
    text = _masked(source)
    root = Parser(_language()).parse(text).root_node
    if not root.has_error:
        return root
    for other in _other_texts(text):
        again = Parser(_language()).parse(other).root_node
        if not again.has_error:
            return again
    return root


# The most CASE arms that are moved out of lists in one text, and the most texts tried for one of them.
_MOST_ARMS = 20
_MOST_LISTS = 8


def _other_texts(text: bytes) -> Iterator[bytes]:
    """Yield texts that say the same in forms that the grammar reads, each for one way to read them."""
    if _LED.search(text) is not None:
        yield _LED.sub(lambda found: b"-" * len(found[0]), text)
    replaced = replace_forms(text)
    if replaced != text:
        yield replaced
    moved = _move_arms(replaced)
    if moved != replaced:
        yield moved


def _move_arms(text: bytes) -> bytes:
    """Return a text whose CASE arms to the right of a list, of which they are no part, are further to the left."""
    reached = _position_of_mistake(text)
    for _ in range(_MOST_ARMS):
        if text[reached : reached + 2] != b"[]":
            break
        for candidate in islice(arm_on_lines_of_its_own(text, reached), _MOST_LISTS):
            further = _position_of_mistake(candidate)
            if further > reached:
                text, reached = candidate, further
                break
        else:
            break
    return text


def _position_of_mistake(text: bytes) -> int:
    """Return the offset of the first token that the grammar cannot read, or the length of a text without one."""
    if not Parser(_language()).parse(text).root_node.has_error:
        return len(text)
    position = _furthest(text)
    rest = text[position:]
    return position + len(rest) - len(rest.lstrip())


def has_algorithm(source: SourceText) -> bool:
    """Whether the text has a PlusCal algorithm."""
    return _ALGORITHM.search(source.content) is not None


def find_mistake(source: SourceText) -> SyntaxMistake:
    """The first syntax error of a text.

    The tree does not show it: an ERROR node includes valid text before the error. So the text is parsed again, and the
    parser's log shows how far it gets before it starts error recovery.
    """
    text = _move_arms(replace_forms(_masked(source)))
    return _describe(source, *source.row_and_offset(_furthest(text)))


def _furthest(text: bytes) -> int:
    """Return the offset up to which the grammar reads a text before it starts error recovery."""
    reached = divided = (0, 0)
    recovering = False

    def listen(_: LogType, message: str) -> None:
        nonlocal reached, divided, recovering
        if not recovering:
            recovering = message.startswith(("recover", "skip_token"))
            found = _ADVANCE.match(message)
            if found is not None:
                reached = max(reached, (int(found[1]), int(found[2])))
            elif message == "lexed_lookahead sym:=, size:1":
                divided = (reached[0], reached[1] - 1)

    parser = Parser(_language())
    parser.logger = listen
    parser.parse(text)
    # At a misplaced == tree-sitter tries = twice, the second one as an operand, and fails only after that.
    lines = text.split(b"\n")
    row, offset = divided
    if reached == (row, offset + 2) and lines[row][offset : offset + 2] == b"==":
        reached = divided
    row, offset = reached
    return sum(len(line) + 1 for line in lines[:row]) + offset


def _describe(source: SourceText, row: int, offset: int) -> SyntaxMistake:
    """The syntax error at the first token after a position."""
    while row < len(source.lines) and not source.lines[row][offset:].strip():
        row, offset = row + 1, 0
    if row >= len(source.lines):
        row, offset = len(source.lines) - 1, len(source.lines[-1])
        return _mistake(source, row, offset, "the text ends too early")
    line = source.lines[row]
    if line.lstrip().startswith(b"===="):
        return _mistake(source, row, len(line) - len(line.lstrip()), "the module ends too early")
    rest = line[offset:].decode(errors="replace")
    begin = offset + len(rest) - len(rest.lstrip(_BLANKS))
    found = _TOKEN.match(rest.lstrip(_BLANKS))
    assert found is not None
    return _mistake(source, row, begin, f"unexpected {printable(found[0])}", len(found[0]))


def _mistake(source: SourceText, row: int, offset: int, message: str, length: int = 1) -> SyntaxMistake:
    column = source.column(row, offset) + 1
    span = Span(begin_line=row + 1, begin_column=column, end_line=row + 1, end_column=column + length - 1)
    return SyntaxMistake(span=span, message=message)


def printable(text: str) -> str:
    """A text for a message, with non-printable characters escaped."""
    return "".join(char if char.isprintable() else repr(char)[1:-1] for char in text)


def _masked(source: SourceText) -> bytes:
    """The content as the grammar can read it, every token at its place."""
    text = _ALGORITHM.sub(lambda found: b" " * len(found[0]), source.content)
    text = _FIELD.sub(lambda found: found[1] + b"a" * len(found[2]), text)
    return _SYMBOL.sub(lambda found: b"a" * len(found[0]), text)


@lru_cache(maxsize=1)
def _language() -> Language:
    with warnings.catch_warnings():
        # tree-sitter-tlaplus 1.5 still passes its grammar as a number, which tree-sitter deprecates.
        warnings.simplefilter("ignore", DeprecationWarning)
        return Language(tree_sitter_tlaplus.language())


def units(node: Node) -> Iterator[Node]:
    """The units of a module, including those inside an ERROR node."""
    for child in node.children:
        if child.type in {"ERROR", "source_file"}:
            yield from units(child)
        else:
            yield child


def find_comments(node: Node) -> Iterator[Node]:
    """The comments between units and inside declarations, but not those inside expressions."""
    for child in node.children:
        if child.type in COMMENTS:
            yield child
        elif child.type in {"constant_declaration", "variable_declaration", "ERROR"}:
            yield from find_comments(child)
