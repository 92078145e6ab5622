r"""Source text without its comments, and digests of it over its tokens.

The indentation of lists of conjuncts and disjuncts has a meaning, so each item is enclosed in ``«`` and ``»``. The tokens
depend on nothing but the text: neither on Python's version nor on the parser's.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from functools import lru_cache

from tree_sitter import Node

from tla2py.syntax.nodes import SYMBOLS
from tla2py.syntax.tree import COMMENTS, SourceText, parse_tree

_ITEMS = frozenset({"conj_item", "disj_item"})
_PUNCTUATION = (
    "==",
    "<<",
    ">>",
    "/\\",
    "\\/",
    "->",
    "<-",
    "|->",
    "=<",
    "/=",
    "-|",
    "(+)",
    "(-)",
    "(.)",
    "(/)",
    "(\\X)",
)
_SIGNS = sorted(
    {sign for sign in (*SYMBOLS.values(), *_PUNCTUATION) if not re.search(r"[A-Za-z]", sign)},
    key=lambda sign: (-len(sign), sign),
)
# What begins a list item or a comment; most nodes have none of them inside.
_MARKED = re.compile("/\\\\|\\\\/|∧|∨|\\\\land|\\\\lor|\\\\\\*|\\(\\*".encode())
_TOKEN = re.compile(rf'"(?:[^"\\\n]|\\.)*"|\\?\w+|{"|".join(map(re.escape, _SIGNS))}|\S', re.ASCII)


def digest_tokens(source: SourceText, node: Node) -> str:
    """The digest of a node: 16 hexadecimal digits over its tokens."""
    return hashlib.sha256("\n".join(_tokens(source, node)).encode()).hexdigest()[:16]


def _tokens(source: SourceText, node: Node) -> list[str]:
    parts: list[bytes] = []
    reached = node.start_byte
    for offset, resumed, mark in _marks(source, node):
        parts += [source.content[reached:offset], mark]
        reached = max(reached, resumed)
    parts.append(source.content[reached : node.end_byte])
    return _TOKEN.findall(b"".join(parts).decode(errors="replace"))


def _marks(source: SourceText, node: Node) -> Iterator[tuple[int, int, bytes]]:
    """The places of a text's comments and list items in order: where the mark goes, and where the text resumes."""
    pending: list[Node | int] = [node]
    while pending:
        each = pending.pop()
        if isinstance(each, int):
            yield each, each, " » ".encode()
        elif each.type in COMMENTS:
            yield each.start_byte, each.end_byte, b" "
        else:
            if each.type in _ITEMS:
                yield each.start_byte, each.start_byte, " « ".encode()
                pending.append(each.end_byte)
            if _MARKED.search(source.content, each.start_byte, each.end_byte):
                pending += reversed(each.children)


# Hundreds of mutants share their modules.
@lru_cache(maxsize=256)
def without_comments(text: str) -> str:
    """The text with its comments blanked out, and no blanks at the ends of lines: all else keeps its line and column.

    A text that does not parse, or whose line ends are not all ``\\n``, stays as it is.
    """
    source = SourceText.of(text)
    root = parse_tree(source)
    if root.has_error or source.whole != text:
        return text
    content, parts, reached = source.content, list[bytes](), 0
    for node in _comments(root):
        blank = re.sub(r"\S", " ", content[node.start_byte : node.end_byte].decode())
        parts += [content[reached : node.start_byte], blank.encode()]
        reached = node.end_byte
    blanked = b"".join([*parts, content[reached:]]).decode()
    found = "\n".join(line.rstrip() for line in blanked.split("\n"))
    bare = SourceText.of(found)
    same = digest_tokens(bare, parse_tree(bare)) == digest_tokens(source, root)
    return found if same else text


def _comments(root: Node) -> list[Node]:
    """The outermost comments of a tree, in order."""
    found, pending = list[Node](), [root]
    while pending:
        node = pending.pop()
        if node.type in COMMENTS:
            found.append(node)
        else:
            pending += reversed(node.children)
    return found
