r"""Digests of source text over its tokens, without comments and layout.

The indentation of lists of conjuncts and disjuncts has a meaning, so each item is enclosed in ``«`` and ``»``. The tokens
depend on nothing but the text: neither on Python's version nor on the parser's.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator

from tree_sitter import Node

from tla2py.syntax.nodes import SYMBOLS
from tla2py.syntax.tree import COMMENTS, SourceText

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
