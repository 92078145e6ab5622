"""Module texts without their comments."""

from __future__ import annotations

import re
from functools import lru_cache

from tree_sitter import Node

from tla2py.syntax.tokens import digest_tokens
from tla2py.syntax.tree import COMMENTS, SourceText, parse_tree


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
